/* Communication kernels for emulated networks: kernels NAME ITERATIONS BYTES MICROSECONDS

   Each one is the exchange of a kind of program, between pauses that stand for computation: the processors of a machine
   that emulates a network are shared by all ranks, so they cannot compute side by side. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_RANKS = 256 };

static MPI_Comm world;
static int rank, ranks;
/* Ranks as a grid of rows and columns. */
static int rows, columns, row, column;
static char *out, *in;
static long microseconds;

static void compute(void) {
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    if (microseconds > 0) nanosleep(&time, NULL);
}

static int at(int r, int c) {
    return (r + rows) % rows * columns + (c + columns) % columns;
}

/* Both neighbours in both dimensions, as in a stencil on a periodic grid. */
static void halo(long bytes) {
    const int neighbours[4] = {at(row - 1, column), at(row + 1, column), at(row, column - 1), at(row, column + 1)};
    MPI_Request requests[8];
    for (int i = 0; i < 4; i++) MPI_Irecv(in + i * bytes, bytes, MPI_CHAR, neighbours[i], i ^ 1, world, &requests[i]);
    for (int i = 0; i < 4; i++) MPI_Isend(out + i * bytes, bytes, MPI_CHAR, neighbours[i], i, world, &requests[4 + i]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    compute();
}

/* Halos of coarser and coarser grids and back, then a norm, as in a multigrid cycle. */
static void cycle(long bytes) {
    long size = bytes;
    for (; size > 256; size /= 4) halo(size);
    for (; size <= bytes; size *= 4) halo(size);
    double norm = 1, sum;
    MPI_Allreduce(&norm, &sum, 1, MPI_DOUBLE, MPI_SUM, world);
}

/* A front that crosses the grid from one corner and back, as in a solver of triangular systems. */
static void sweep(long bytes) {
    for (int back = 0; back < 2; back++) {
        int step = back ? -1 : 1;
        int first_row = back ? rows - 1 : 0, first_column = back ? columns - 1 : 0;
        int last_row = rows - 1 - first_row, last_column = columns - 1 - first_column;
        for (int plane = 0; plane < 4; plane++) {
            if (row != first_row) MPI_Recv(in, bytes, MPI_CHAR, at(row - step, column), 1, world, MPI_STATUS_IGNORE);
            if (column != first_column) MPI_Recv(in, bytes, MPI_CHAR, at(row, column - step), 2, world, MPI_STATUS_IGNORE);
            compute();
            if (row != last_row) MPI_Send(out, bytes, MPI_CHAR, at(row + step, column), 1, world);
            if (column != last_column) MPI_Send(out, bytes, MPI_CHAR, at(row, column + step), 2, world);
        }
    }
}

/* Pairs at doubling distances, then a sum, as in an iterative solver. */
static void doubling(long bytes) {
    for (int distance = 1; distance < ranks; distance *= 2) {
        int partner = rank ^ distance;
        if (partner >= ranks) continue;
        MPI_Sendrecv(out, bytes, MPI_CHAR, partner, 3, in, bytes, MPI_CHAR, partner, 3, world, MPI_STATUS_IGNORE);
        compute();
    }
    double part = 1, sum;
    MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, world);
}

/* Everything to everyone, as in a transposed Fourier transform. */
static void transpose(long bytes) {
    MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, world);
    compute();
}

/* Sizes of buckets, then their contents, which are of unequal sizes, as in a sort. */
static void buckets(long bytes) {
    static int send_counts[MAX_RANKS], send_places[MAX_RANKS], counts[MAX_RANKS], places[MAX_RANKS];
    MPI_Allreduce(out, in, 256, MPI_INT, MPI_SUM, world);
    int send_total = 0, total = 0;
    for (int i = 0; i < ranks; i++) {
        send_counts[i] = bytes / 2 + bytes * ((rank * 5 + i * 11) % 7) / 6;
        counts[i] = bytes / 2 + bytes * ((i * 5 + rank * 11) % 7) / 6;
        send_places[i] = send_total;
        places[i] = total;
        send_total += send_counts[i];
        total += counts[i];
    }
    MPI_Alltoallv(out, send_counts, send_places, MPI_CHAR, in, counts, places, MPI_CHAR, world);
    compute();
}

static void sum(long bytes) {
    MPI_Allreduce(out, in, bytes / sizeof(double), MPI_DOUBLE, MPI_SUM, world);
    compute();
}

static void gather(long bytes) {
    MPI_Allgather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, world);
    compute();
}

/* From one rank to all and back, as in a program with a master. */
static void tree(long bytes) {
    MPI_Bcast(in, bytes, MPI_CHAR, 0, world);
    compute();
    MPI_Reduce(out, in, bytes / sizeof(double), MPI_DOUBLE, MPI_SUM, 0, world);
}

/* Every rank to another one, by permutations that are the same in each run. */
static void permutation(long bytes) {
    static unsigned long state = 12345;
    static int to[MAX_RANKS];
    for (int i = 0; i < ranks; i++) to[i] = i;
    for (int i = ranks - 1; i > 0; i--) {
        state = state * 6364136223846793005UL + 1442695040888963407UL;
        int other = (state >> 33) % (i + 1), kept = to[i];
        to[i] = to[other];
        to[other] = kept;
    }
    int from = 0;
    while (to[from] != rank) from++;
    MPI_Sendrecv(out, bytes, MPI_CHAR, to[rank], 4, in, bytes, MPI_CHAR, from, 4, world, MPI_STATUS_IGNORE);
    compute();
}

/* Arranges the ranks of the current communicator as a grid that is as square as possible. */
static void arrange(void) {
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    for (rows = 1; (rows + 1) * (rows + 1) <= ranks;) rows++;
    while (ranks % rows) rows--;
    columns = ranks / rows;
    row = rank / columns;
    column = rank % columns;
}

/* Two jobs side by side on every other rank: halos in one, everything to everyone in the other. */
static void jobs(long bytes) {
    static int job = -1;
    if (job < 0) {
        job = rank % 2;
        MPI_Comm_split(MPI_COMM_WORLD, job, rank, &world);
        arrange();
    }
    if (job == 0) halo(bytes);
    else transpose(bytes);
}

static const struct {
    const char *name;
    void (*run)(long bytes);
} kernels[] = {
    {"halo", halo},       {"cycle", cycle}, {"sweep", sweep},   {"doubling", doubling}, {"transpose", transpose},
    {"buckets", buckets}, {"sum", sum},     {"gather", gather}, {"tree", tree},         {"permutation", permutation},
    {"jobs", jobs},
};

int main(int count, char **words) {
    MPI_Init(&count, &words);
    world = MPI_COMM_WORLD;
    arrange();
    if (count != 5 || ranks > MAX_RANKS) {
        fprintf(stderr, "usage: kernels NAME ITERATIONS BYTES MICROSECONDS, on at most %d ranks\n", MAX_RANKS);
        MPI_Abort(world, 2);
    }
    long iterations = atol(words[2]), bytes = atol(words[3]);
    microseconds = atol(words[4]);
    size_t room = bytes * (size_t)(2 * ranks + 4) + 4096;
    out = calloc(room, 1);
    in = calloc(room, 1);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (strcmp(kernels[i].name, words[1]) != 0) continue;
        while (iterations-- > 0) kernels[i].run(bytes);
        MPI_Finalize();
        return 0;
    }
    fprintf(stderr, "there is no kernel `%s`\n", words[1]);
    MPI_Abort(world, 2);
}
