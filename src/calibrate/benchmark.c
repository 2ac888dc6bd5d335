/* Times of messages between two ranks, for mopsim calibrate.
 *
 *   ping-pong   half of the time there and back, the median of the repetitions
 *   stream      a window of messages one way, then a short answer: time of a message
 *   both ways   a window of messages in each direction at the same time: time of a message in each direction
 *
 * Sizes grow by a factor of about 1.4, so that the limits of protocols show. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 64
#define LARGEST (4 << 20)

static char *out_buffer, *in_buffer;
static MPI_Request requests[2 * WINDOW];

static int ascending(const void *a, const void *b) {
    double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

/* Seconds of one round. */
static double ping_pong(int rank, int size) {
    double begin = MPI_Wtime();
    if (rank == 0) {
        MPI_Send(out_buffer, size, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(in_buffer, size, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(in_buffer, size, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out_buffer, size, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - begin) / 2;
}

static double stream(int rank, int size, int both) {
    int i, open = 0;
    double begin = MPI_Wtime();
    if (rank == 1 || both)
        for (i = 0; i < WINDOW; i++)
            MPI_Irecv(in_buffer, size, MPI_CHAR, 1 - rank, 2, MPI_COMM_WORLD, &requests[open++]);
    if (rank == 0 || both)
        for (i = 0; i < WINDOW; i++)
            MPI_Isend(out_buffer, size, MPI_CHAR, 1 - rank, 2, MPI_COMM_WORLD, &requests[open++]);
    MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
    if (rank == 0)
        MPI_Recv(in_buffer, 0, MPI_CHAR, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(out_buffer, 0, MPI_CHAR, 0, 3, MPI_COMM_WORLD);
    return (MPI_Wtime() - begin) / WINDOW;
}

static void measure(int rank, const char *name, int kind, double seconds) {
    static double times[1000];
    int step, size;
    if (rank == 0)
        printf("# mopsim calibrate %s\n# bytes microseconds\n", name);
    for (step = 0; (size = step % 2 ? 3 << (step / 2) : 2 << (step / 2)) <= LARGEST; step++) {
        int rounds = 0, go = 1;
        double begin = MPI_Wtime();
        if (step == 0)
            size = 1;
        /* One round that does not count: connections are made and pages touched. */
        if (kind == 0) ping_pong(rank, size); else stream(rank, size, kind == 2);
        while (go) {
            double time = kind == 0 ? ping_pong(rank, size) : stream(rank, size, kind == 2);
            times[rounds++] = time;
            /* Rank 0 says when there are enough. */
            go = rounds < 1000 && (rounds < 5 || MPI_Wtime() - begin < seconds);
            if (rank == 0)
                MPI_Send(&go, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
            else
                MPI_Recv(&go, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (rank == 0) {
            qsort(times, rounds, sizeof times[0], ascending);
            printf("%d %.4f\n", size, times[rounds / 2] * 1e6);
            fflush(stdout);
        }
    }
    if (rank == 0)
        printf("\n");
}

int main(int argc, char **argv) {
    int rank, ranks, length;
    char host[MPI_MAX_PROCESSOR_NAME + 1] = "";
    double seconds = argc > 1 ? atof(argv[1]) : 0.05;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2) {
        if (rank == 0)
            fprintf(stderr, "two ranks are needed, on the two hosts to measure between, and there are %d\n", ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Get_processor_name(host, &length);
    if (rank == 1) {
        MPI_Send(host, sizeof host, MPI_CHAR, 0, 5, MPI_COMM_WORLD);
    } else {
        printf("# mopsim hosts\n# %s\n", host);
        MPI_Recv(host, sizeof host, MPI_CHAR, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("# %s\n", host);
    }
    out_buffer = malloc(LARGEST);
    in_buffer = malloc(LARGEST);
    if (!out_buffer || !in_buffer)
        MPI_Abort(MPI_COMM_WORLD, 3);
    memset(out_buffer, 1, LARGEST);
    memset(in_buffer, 1, LARGEST);
    measure(rank, "ping-pong", 0, seconds);
    measure(rank, "stream", 1, seconds);
    measure(rank, "both ways", 2, seconds);
    MPI_Finalize();
    return 0;
}
