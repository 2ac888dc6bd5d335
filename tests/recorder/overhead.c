/* What recording costs: messages there and back between two ranks, by turns with MPI_Send and MPI_Recv, which are recorded, and with the
   functions behind them, which are not. Both see the same machine, so batches can be compared in pairs:

     mopsim record -- mpirun -n 2 ./overhead 1024 1000 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRIPS = 200 };

static int rank, bytes;
static char *data;

static double recorded(void) {
    double start = PMPI_Wtime();
    for (int i = 0; i < TRIPS; i++) {
        if (rank == 0) MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(data, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    return (PMPI_Wtime() - start) / TRIPS;
}

static double plain(void) {
    double start = PMPI_Wtime();
    for (int i = 0; i < TRIPS; i++) {
        if (rank == 0) PMPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        PMPI_Recv(data, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) PMPI_Send(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    return (PMPI_Wtime() - start) / TRIPS;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bytes = argc > 1 ? atoi(argv[1]) : 1024;
    int batches = argc > 2 ? atoi(argv[2]) : 1000;
    data = calloc((size_t)bytes + 1, 1);
    double *with = malloc((size_t)batches * sizeof *with), *without = malloc((size_t)batches * sizeof *without);
    double *ratio = malloc((size_t)batches * sizeof *ratio);
    for (int i = -10; i < batches; i++) {
        double a, b;
        /* Now one first, now the other. */
        if (i % 2)
            a = recorded(), b = plain();
        else
            b = plain(), a = recorded();
        if (i >= 0) with[i] = a, without[i] = b, ratio[i] = a / b;
    }
    qsort(with, (size_t)batches, sizeof *with, ascending);
    qsort(without, (size_t)batches, sizeof *without, ascending);
    qsort(ratio, (size_t)batches, sizeof *ratio, ascending);
    if (rank == 0)
        for (int part = 1; part <= 2; part++) {
            int at = part * batches / 4;
            printf("%d bytes, %s: %.0f ns there and back, %.0f ns recorded: %+.1f %%; pairs %+.1f %%\n", bytes,
                   part == 1 ? "first quartile" : "median", without[at] * 1e9, with[at] * 1e9, (with[at] / without[at] - 1) * 100,
                   (ratio[at] - 1) * 100);
        }
    MPI_Finalize();
    return 0;
}
