/* A ring in which each rank has one thread in a large send and another one in a receive at the same time: neither returns before the
   rank beside it has begun the other, so there is no order of whole calls in which they could be done one after the other. A third
   thread is in collectives meanwhile, and makes communicators. With the argument `alone` one thread does all of it, one call after the
   other; so it does with `single`, where MPI is told that there is no other thread. */

#include <pthread.h>

#include "counted.h"

enum { ROUNDS = 20, LARGE = 1 << 20 };

static MPI_Comm lane;
static int next, before;

static void *send_all(void *large) {
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 4 == 3)
            MPI_Ssend(large, LARGE, MPI_BYTE, next, i % 3, MPI_COMM_WORLD);
        else
            MPI_Send(large, LARGE, MPI_BYTE, next, i % 3, MPI_COMM_WORLD);
        count(next, LARGE);
    }
    return NULL;
}

static void *receive_all(void *large) {
    for (int i = 0; i < ROUNDS; i++)
        MPI_Recv(large, LARGE, MPI_BYTE, i % 2 ? MPI_ANY_SOURCE : before, i % 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

static void *gather_all(void *unused) {
    int all[64];
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm copy;
        MPI_Request request;
        MPI_Comm_dup(lane, &copy);
        MPI_Allgather(&i, 1, MPI_INT, all, 1, MPI_INT, copy);
        MPI_Ibarrier(copy, &request);
        /* Not before all are here. */
        MPI_Barrier(lane);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Comm_free(&copy);
    }
    return unused;
}

/* Sends to one side and receives from the other, in one call. */
static void exchange(void) {
    int mine = rank, other;
    MPI_Sendrecv(&mine, 1, MPI_INT, next, 7, &other, 1, MPI_INT, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    count(next, sizeof mine);
}

int main(int argc, char **argv) {
    int provided, is_single = argc > 1 && strcmp(argv[1], "single") == 0;
    int is_alone = is_single || (argc > 1 && strcmp(argv[1], "alone") == 0);
    MPI_Init_thread(&argc, &argv, is_single ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE && !is_single) {
        printf("no threads\n");
        MPI_Finalize();
        return 0;
    }
    prepare();
    next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    char *out = calloc(LARGE, 2), *in = out + LARGE;
    if (out == NULL || ranks > 64) return 3;
    MPI_Comm_dup(MPI_COMM_WORLD, &lane);
    if (is_alone) {
        for (int i = 0; i < 3; i++) {
            if (rank % 2) receive_all(in);
            send_all(out);
            if (rank % 2 == 0) receive_all(in);
            gather_all(NULL);
            exchange();
        }
    } else {
        pthread_t receives, gathers;
        pthread_create(&receives, NULL, receive_all, in);
        pthread_create(&gathers, NULL, gather_all, NULL);
        send_all(out);
        for (int i = 0; i < ROUNDS; i++) exchange();
        pthread_join(receives, NULL);
        pthread_join(gathers, NULL);
    }
    free(out);
    end();
    return 0;
}
