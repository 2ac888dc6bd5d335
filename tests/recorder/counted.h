/* A program that counts its own messages, and prints who sent how much to whom: what a recording of it has to say, too. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static long *messages, *bytes;

/* A message of so many bytes leaves for a rank of MPI_COMM_WORLD. */
static void count(int to, long size) {
    if (to < 0) return;
    messages[to]++;
    bytes[to] += size;
}

/* After MPI_Init or MPI_Init_thread. */
static void prepare(void) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    messages = calloc(2 * (size_t)ranks, sizeof *messages);
    bytes = messages + ranks;
}

static inline void begin(int *argc, char ***argv) {
    MPI_Init(argc, argv);
    prepare();
}

static void end(void) {
    long *all = rank == 0 ? malloc(2 * (size_t)ranks * (size_t)ranks * sizeof *all) : NULL;
    MPI_Gather(messages, 2 * ranks, MPI_LONG, all, 2 * ranks, MPI_LONG, 0, MPI_COMM_WORLD);
    for (int from = 0; rank == 0 && from < ranks; from++)
        for (int to = 0; to < ranks; to++)
            if (all[2 * from * ranks + to] > 0)
                printf("%d,%d,%ld,%ld\n", from, to, all[2 * from * ranks + to], all[(2 * from + 1) * ranks + to]);
    free(all);
    free(messages);
    MPI_Finalize();
}

/* Something to do. */
static double work(int n) {
    volatile double sum = 0;
    for (int i = 1; i < n; i++) sum += 1.0 / i;
    return sum;
}
