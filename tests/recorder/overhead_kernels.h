/* The loops of overhead.c, once with the functions that are recorded and once with those behind them: CALL(Send) is MPI_Send or
   PMPI_Send, KERNEL(name) a name for each. The edges of a square of doubles have `bytes` bytes. */

/* Messages there and back: nothing but messages, the worst case. */
static void KERNEL(trips)(int times) {
    for (int i = 0; i < times; i++) {
        if (rank == 0) CALL(Send)(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        CALL(Recv)(data, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) CALL(Send)(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

/* Jacobi's iteration on two squares, one a rank: edges go both ways round, and every tenth step ends with a norm. */
static void KERNEL(halo)(int times) {
    int other = 1 - rank;
    double *old = data, *new = more;
    size_t row = (size_t)edge + 2;
    for (int i = 0; i < times; i++) {
        MPI_Request all[4];
        CALL(Irecv)(&old[1], bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, &all[0]);
        CALL(Irecv)(&old[(row - 1) * row + 1], bytes, MPI_BYTE, other, 2, MPI_COMM_WORLD, &all[1]);
        CALL(Isend)(&old[(row - 2) * row + 1], bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, &all[2]);
        CALL(Isend)(&old[row + 1], bytes, MPI_BYTE, other, 2, MPI_COMM_WORLD, &all[3]);
        CALL(Waitall)(4, all, MPI_STATUSES_IGNORE);
        double change = 0;
        for (size_t y = 1; y + 1 < row; y++)
            for (size_t x = 1; x + 1 < row; x++) {
                const double *at = &old[y * row + x];
                double next = (at[-1] + at[1] + at[-(long)row] + at[row]) / 4;
                change += (next - *at) * (next - *at);
                new[y * row + x] = next;
            }
        if (i % 10 == 0) CALL(Allreduce)(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double *swap = old;
        old = new, new = swap;
    }
}

/* A matrix in slices of rows, `bytes` bytes for each pair of ranks, is transposed and then each row worked on, as in a Fourier transform. */
static void KERNEL(transpose)(int times) {
    int block = bytes / (int)sizeof(double);
    for (int i = 0; i < times; i++) {
        CALL(Alltoall)(data, bytes, MPI_BYTE, more, bytes, MPI_BYTE, MPI_COMM_WORLD);
        for (int half = 1; half < 2 * block; half *= 2)
            for (int k = 0; k + half < 2 * block; k++) data[k] = more[k] * 0.5 + more[k + half] * 0.25;
    }
}

/* Jobs that rank 0 gives out to whoever asks, here rank 1: a job comes with `bytes` bytes, and takes two passes over them. */
static void KERNEL(farm)(int times) {
    for (int i = 0; i < times; i++) {
        if (rank == 0) {
            MPI_Status status;
            CALL(Recv)(more, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            CALL(Send)(data, bytes, MPI_BYTE, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
        } else {
            CALL(Send)(more, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
            CALL(Recv)(data, bytes, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int pass = 0; pass < 2; pass++)
                for (int k = 0; k < bytes / (int)sizeof(double); k++) more[k] = more[k] * 0.5 + data[k] / 3;
        }
    }
}
