/* Matrix product: both factors and the result so far go to all ranks, each multiplies a block of rows.
 *
 * gemm N, on a divisor of N ranks */
#include "recording.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int n = argument(argc, argv, 1), rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int rows = n / size;
    float *matrix[3];
    for (int m = 0; m < 3; m++) {
        matrix[m] = memory(sizeof(float) * n * n);
        for (int i = 0; rank == 0 && i < n * n; i++)
            matrix[m][i] = (float)(i % (m + 5));
    }
    float *block = memory(sizeof(float) * rows * n), *all = memory(sizeof(float) * n * n);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int m = 0; m < 3; m++)
        broadcast(matrix[m], n * n, MPI_FLOAT);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++) {
            float sum = matrix[2][(rank * rows + i) * n + j];
            for (int k = 0; k < n; k++)
                sum += matrix[0][(rank * rows + i) * n + k] * matrix[1][k * n + j];
            block[i * n + j] = sum;
        }
    MPI_Gather(block, rows * n, MPI_FLOAT, all, rows * n, MPI_FLOAT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
