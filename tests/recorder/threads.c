/* Threads that call MPI at the same time: each makes communicators, sends with types of many sizes, receives what its probes find, and takes
   part in collectives on its own communicator. Messages go from even ranks to odd ones. Prints what each rank takes by MPI_Allgatherv, too:
   lines `gathered RANK BYTES`. */

#include <pthread.h>

#include "counted.h"

enum { THREADS = 4, TYPES = 256, MESSAGES = 2000, ROUNDS = 20 };

static MPI_Datatype types[TYPES];
static MPI_Comm lanes[THREADS];
static long sent_messages[THREADS], sent_bytes[THREADS], gathered[THREADS];

static void send_and_receive(int t) {
    static const char data[TYPES];
    char buffer[TYPES];
    MPI_Message message;
    int peer = rank ^ 1;
    if (peer >= ranks) return;
    for (int i = 0; i < MESSAGES; i++) {
        /* Each thread has an order of its own, so that all sizes meet. */
        int type = (i * (2 * t + 3) + t) % TYPES;
        if (rank < peer) {
            MPI_Send(data, 1, types[type], peer, t, lanes[t]);
            sent_messages[t]++;
            sent_bytes[t] += type + 1;
        } else if (i % 2) {
            MPI_Recv(buffer, 1, types[type], peer, t, lanes[t], MPI_STATUS_IGNORE);
        } else {
            MPI_Mprobe(peer, t, lanes[t], &message, MPI_STATUS_IGNORE);
            MPI_Mrecv(buffer, 1, types[type], &message, MPI_STATUS_IGNORE);
        }
    }
}

static void gather(int t) {
    MPI_Comm copy;
    int *counts = malloc(2 * (size_t)ranks * sizeof *counts), *places = counts + ranks, all = 0;
    for (int r = 0; r < ranks; r++) {
        places[r] = all;
        all += counts[r] = 1 + (r + t) % 3;
    }
    char *data = calloc((size_t)all, 2), *result = data + all;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm_dup(lanes[t], &copy);
        MPI_Allgatherv(data, counts[rank], MPI_BYTE, result, counts, places, MPI_BYTE, copy);
        MPI_Gatherv(data, counts[rank], MPI_BYTE, result, counts, places, MPI_BYTE, i % ranks, copy);
        gathered[t] += all;
        if (i % 2) MPI_Comm_free(&copy);
    }
    free(counts);
    free(data);
}

static void *run(void *argument) {
    int t = *(int *)argument;
    send_and_receive(t);
    gather(t);
    return NULL;
}

int main(int argc, char **argv) {
    int provided, numbers[THREADS];
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) {
        printf("no threads\n");
        MPI_Finalize();
        return 0;
    }
    prepare();
    for (int i = 0; i < TYPES; i++) {
        MPI_Type_contiguous(i + 1, MPI_BYTE, &types[i]);
        MPI_Type_commit(&types[i]);
    }
    for (int t = 0; t < THREADS; t++) MPI_Comm_dup(MPI_COMM_WORLD, &lanes[t]);
    for (int t = 0; t < THREADS; t++) {
        numbers[t] = t;
        pthread_create(&threads[t], NULL, run, &numbers[t]);
    }
    long taken = 0;
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        taken += gathered[t];
        if ((rank ^ 1) < ranks) {
            messages[rank ^ 1] += sent_messages[t];
            bytes[rank ^ 1] += sent_bytes[t];
        }
    }
    printf("gathered %d %ld\n", rank, taken);
    fflush(stdout);
    end();
    return 0;
}
