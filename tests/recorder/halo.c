/* A stencil on a grid of ranks, ring in one dimension: persistent requests, a derived type for columns, MPI_PROC_NULL at the edges, and
   the same exchange by a collective of neighbours. */

#include "counted.h"

enum { N = 32, STEPS = 10 };
static double field[N + 2][N + 2];

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int dims[2] = {0, 0}, periods[2] = {1, 0}, up, down, left, right;
    MPI_Comm grid, row;
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Cart_shift(grid, 1, 1, &left, &right);
    int remain[2] = {0, 1};
    MPI_Cart_sub(grid, remain, &row);
    MPI_Datatype column;
    MPI_Type_vector(N, 1, N + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);

    MPI_Request all[8];
    MPI_Recv_init(&field[0][1], N, MPI_DOUBLE, up, 1, grid, &all[0]);
    MPI_Recv_init(&field[N + 1][1], N, MPI_DOUBLE, down, 2, grid, &all[1]);
    MPI_Recv_init(&field[1][0], 1, column, left, 3, grid, &all[2]);
    MPI_Recv_init(&field[1][N + 1], 1, column, right, 4, grid, &all[3]);
    MPI_Send_init(&field[N][1], N, MPI_DOUBLE, down, 1, grid, &all[4]);
    MPI_Send_init(&field[1][1], N, MPI_DOUBLE, up, 2, grid, &all[5]);
    MPI_Ssend_init(&field[1][N], 1, column, right, 3, grid, &all[6]);
    MPI_Send_init(&field[1][1], 1, column, left, 4, grid, &all[7]);
    for (int step = 0; step < STEPS; step++) {
        MPI_Startall(7, all);
        MPI_Start(&all[7]);
        count(down, 8 * N), count(up, 8 * N), count(right, 8 * N), count(left, 8 * N);
        field[N / 2][N / 2] += work(2000);
        MPI_Waitall(8, all, MPI_STATUSES_IGNORE);
        double sum = field[1][1];
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, step % 2 ? grid : row);
    }
    for (int i = 0; i < 8; i++) MPI_Request_free(&all[i]);

    double out[4] = {1, 2, 3, 4}, in[4];
    MPI_Neighbor_alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, grid);
    MPI_Request request;
    int counts[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3};
    MPI_Ineighbor_alltoallv(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, grid, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++) count(up, 8), count(down, 8), count(left, 8), count(right, 8);
    MPI_Sendrecv(&field[1][1], 1, column, right, 9, &field[1][0], N, MPI_DOUBLE, left, 9, grid, MPI_STATUS_IGNORE);
    count(right, 8 * N);
    MPI_Sendrecv_replace(out, 4, MPI_DOUBLE, down, 7, up, MPI_ANY_TAG, grid, MPI_STATUS_IGNORE);
    count(down, 32);
    MPI_Type_free(&column);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
    end();
    return 0;
}
