/* A matrix turned over: all to all as one call, in place, with counts of each rank and types of each rank; then by messages of all kinds. */

#include "counted.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    const int most = 3000;
    char *out = calloc((size_t)ranks, (size_t)most), *in = calloc((size_t)ranks, (size_t)most);
    int *sent = calloc(4 * (size_t)ranks, sizeof *sent), *received = sent + ranks, *from = sent + 2 * ranks, *to = sent + 3 * ranks;
    MPI_Datatype *types = malloc((size_t)ranks * sizeof *types);
    for (int other = 0; other < ranks; other++) {
        sent[other] = 100 + 10 * rank + other;
        received[other] = 100 + 10 * other + rank;
        from[other] = to[other] = other * most;
        types[other] = MPI_BYTE;
    }
    MPI_Alltoallv(out, sent, from, MPI_BYTE, in, received, to, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Alltoallw(out, sent, from, types, in, received, to, types, MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 64, MPI_BYTE, MPI_COMM_WORLD);
    for (int other = 0; other < ranks; other++) received[other] = 50;
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, received, to, MPI_BYTE, MPI_COMM_WORLD);

    MPI_Request *all = malloc(2 * (size_t)ranks * sizeof *all);
    int *indices = malloc(2 * (size_t)ranks * sizeof *indices), left, done, flag;
    for (int kind = 0; kind < 4; kind++) {
        for (int other = 0; other < ranks; other++)
            MPI_Irecv(in + other * most, most, MPI_BYTE, other, kind, MPI_COMM_WORLD, &all[other]);
        if (kind == 3) MPI_Barrier(MPI_COMM_WORLD);
        for (int other = 0; other < ranks; other++) {
            int size = 1000 * kind / (1 + rank);
            count(other, size);
            if (kind == 0) MPI_Isend(out, size, MPI_BYTE, other, kind, MPI_COMM_WORLD, &all[ranks + other]);
            if (kind == 1) MPI_Issend(out, size, MPI_BYTE, other, kind, MPI_COMM_WORLD, &all[ranks + other]);
            if (kind == 2) MPI_Isend(out, size / 4, MPI_FLOAT, other, kind, MPI_COMM_WORLD, &all[ranks + other]), bytes[other] += size / 4 * 4 - size;
            if (kind == 3) MPI_Irsend(out, size, MPI_BYTE, other, kind, MPI_COMM_WORLD, &all[ranks + other]);
        }
        work(1000);
        /* Each way to wait. */
        if (kind == 0) MPI_Waitall(2 * ranks, all, MPI_STATUSES_IGNORE);
        if (kind == 1)
            for (MPI_Waitany(2 * ranks, all, &left, MPI_STATUS_IGNORE); left != MPI_UNDEFINED;)
                MPI_Waitany(2 * ranks, all, &left, MPI_STATUS_IGNORE);
        if (kind == 2)
            do MPI_Waitsome(2 * ranks, all, &done, indices, MPI_STATUSES_IGNORE);
            while (done != MPI_UNDEFINED);
        if (kind == 3)
            do MPI_Testall(2 * ranks, all, &flag, MPI_STATUSES_IGNORE);
            while (!flag);
    }
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Request request;
    for (int i = 0; i < 2; i++) {
        MPI_Irecv(in, most, MPI_BYTE, before, 5, MPI_COMM_WORLD, &request);
        if (i) {
            char *room = malloc(100 + MPI_BSEND_OVERHEAD);
            MPI_Buffer_attach(room, 100 + MPI_BSEND_OVERHEAD);
            MPI_Bsend(out, 100, MPI_BYTE, next, 5, MPI_COMM_WORLD);
            void *detached;
            int size;
            MPI_Buffer_detach(&detached, &size);
            free(room);
        } else {
            MPI_Ssend(out, 100, MPI_BYTE, next, 5, MPI_COMM_WORLD);
        }
        count(next, 100);
        for (flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    /* One that is taken back. */
    MPI_Irecv(in, most, MPI_BYTE, before, 6, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(out), free(in), free(sent), free(types), free(all), free(indices);
    end();
    return 0;
}
