/* What recording costs: loops of two ranks, by turns with MPI's functions, which are recorded, and with those behind them, which
   are not. Both see the same machine, so batches can be compared in pairs:

     mopsim record -- mpirun -n 2 ./overhead trips 1024 1000

   The words are one of trips, halo, transpose and farm (overhead_kernels.h), bytes, batches, and turns in a batch (200). */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, bytes, edge, turns;
static double *data, *more;

#define CALL(name) MPI_##name
#define KERNEL(name) recorded_##name
#include "overhead_kernels.h"
#undef CALL
#undef KERNEL
#define CALL(name) PMPI_##name
#define KERNEL(name) plain_##name
#include "overhead_kernels.h"

#define LINE(name) {#name, recorded_##name, plain_##name}
static const struct { const char *name; void (*recorded)(int), (*plain)(int); } kernels[] = {
    LINE(trips), LINE(halo), LINE(transpose), LINE(farm)};

static double seconds(void (*kernel)(int)) {
    PMPI_Barrier(MPI_COMM_WORLD);
    double start = PMPI_Wtime();
    kernel(turns);
    return (PMPI_Wtime() - start) / turns;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    size_t kernel = 0, count = sizeof kernels / sizeof *kernels;
    while (argc > 1 && kernel < count && strcmp(kernels[kernel].name, argv[1]) != 0) kernel++;
    if (kernel == count) {
        fprintf(stderr, "overhead: the loops are trips, halo, transpose and farm\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    bytes = argc > 2 ? atoi(argv[2]) : 1024;
    int batches = argc > 3 ? atoi(argv[3]) : 1000;
    turns = argc > 4 ? atoi(argv[4]) : 200;
    edge = bytes / (int)sizeof(double);
    /* A square with its rim for the halo; two messages for the others. */
    size_t side = (size_t)edge + 2, values = kernels[kernel].plain == plain_halo ? side * side : 2 * side;
    data = calloc(values, sizeof *data), more = calloc(values, sizeof *more);
    double *with = malloc((size_t)batches * sizeof *with), *without = malloc((size_t)batches * sizeof *without);
    double *ratio = malloc((size_t)batches * sizeof *ratio);
    if (data == NULL || more == NULL || with == NULL || without == NULL || ratio == NULL) return 3;
    for (int i = -10; i < batches; i++) {
        double a, b;
        /* Now one first, now the other. */
        if (i % 2)
            a = seconds(kernels[kernel].recorded), b = seconds(kernels[kernel].plain);
        else
            b = seconds(kernels[kernel].plain), a = seconds(kernels[kernel].recorded);
        if (i >= 0) with[i] = a, without[i] = b, ratio[i] = a / b;
    }
    qsort(with, (size_t)batches, sizeof *with, ascending);
    qsort(without, (size_t)batches, sizeof *without, ascending);
    qsort(ratio, (size_t)batches, sizeof *ratio, ascending);
    if (rank == 0)
        for (int part = 1; part <= 2; part++) {
            int at = part * batches / 4;
            printf("%s, %d bytes, %s: %.0f ns each time, %.0f ns recorded: %+.1f %%; pairs %+.1f %%\n", kernels[kernel].name, bytes,
                   part == 1 ? "first quartile" : "median", without[at] * 1e9, with[at] * 1e9, (with[at] / without[at] - 1) * 100,
                   (ratio[at] - 1) * 100);
        }
    free(data), free(more), free(with), free(without), free(ratio);
    MPI_Finalize();
    return 0;
}
