/* EP: pairs of random numbers in a circle, counted by the size of normal deviates (NAS-95-020, section 3.3.1).
 *
 * ep LOG2_PAIRS */
#include "recording.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int log_pairs = argument(argc, argv, 1), rank, size, flag = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    broadcast(&flag, 1, LOGICAL);
    MPI_Barrier(MPI_COMM_WORLD);
    long long pairs = 1LL << log_pairs, first = pairs * rank / size, end = pairs * (rank + 1) / size;
    unsigned long long seed = random_after(271828183, 2 * first);
    double sums[2] = {0, 0}, counts[10] = {0}, time = MPI_Wtime(), all[10];
    for (long long i = first; i < end; i++) {
        double x = 2 * random_number(&seed) - 1, y = 2 * random_number(&seed) - 1, t = x * x + y * y;
        if (t > 1 || t == 0)
            continue;
        double scale = sqrt(-2 * log(t) / t), larger = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
        counts[(int)(scale * larger) % 10]++;
        sums[0] += scale * x;
        sums[1] += scale * y;
    }
    MPI_Allreduce(&sums[0], all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&sums[1], all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(counts, all, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&time, all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
