/* Communicators of parts of the ranks, in other orders: collectives on them that do not block, messages on them, windows. */

#include "counted.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Comm half, copy, pair = MPI_COMM_NULL, some, shared, back;
    MPI_Request all[4];
    double data[64] = {0}, result[64 * 64];
    int member, members;
    /* Backwards. */
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_dup(half, &copy);
    MPI_Comm_rank(half, &member);
    MPI_Comm_size(half, &members);

    MPI_Ibcast(data, 64, MPI_DOUBLE, members - 1, half, &all[0]);
    MPI_Iallreduce(data, result, 32, MPI_DOUBLE, MPI_SUM, copy, &all[1]);
    MPI_Ibarrier(half, &all[2]);
    work(5000);
    MPI_Waitall(3, all, MPI_STATUSES_IGNORE);
    int *counts = malloc(2 * (size_t)members * sizeof *counts), *places = counts + members;
    for (int i = 0; i < members; i++) counts[i] = 1 + i, places[i] = 64 * i;
    MPI_Igatherv(data, 1 + member, MPI_DOUBLE, result, member == 0 ? counts : NULL, member == 0 ? places : NULL,
                 member == 0 ? MPI_DOUBLE : MPI_DATATYPE_NULL, 0, half, &all[0]);
    MPI_Iallgatherv(data, 1 + member, MPI_DOUBLE, result, counts, places, MPI_DOUBLE, copy, &all[1]);
    MPI_Ireduce_scatter_block(result, data, 2, MPI_DOUBLE, MPI_SUM, half, &all[2]);
    int flag = 0;
    while (!flag) MPI_Testall(3, all, &flag, MPI_STATUSES_IGNORE);
    MPI_Scatterv(result, counts, places, MPI_DOUBLE, data, 1 + member, MPI_DOUBLE, 0, half);
    MPI_Gather(member ? data : MPI_IN_PLACE, 2, MPI_DOUBLE, result, 2, MPI_DOUBLE, 0, half);
    MPI_Reduce_scatter(result, data, counts, MPI_DOUBLE, MPI_SUM, half);
    MPI_Exscan(data, result, 1, MPI_DOUBLE, MPI_SUM, half);

    /* The same tag on two communicators; ranks of the half are not those of the world. */
    int next = (member + 1) % members, before = (member + members - 1) % members;
    int world_next = rank - 2 >= 0 ? rank - 2 : (ranks - 1 - (ranks - 1 - rank % 2) % 2);
    if (members > 1) {
        MPI_Irecv(result, 64, MPI_DOUBLE, before, 7, copy, &all[0]);
        MPI_Irecv(result + 64, 64, MPI_DOUBLE, MPI_ANY_SOURCE, 7, half, &all[1]);
        MPI_Isend(data, 8, MPI_DOUBLE, next, 7, half, &all[2]);
        MPI_Isend(data, 16, MPI_DOUBLE, next, 7, copy, &all[3]);
        MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
        count(world_next, 64), count(world_next, 128);
    }

    /* A group of the first two, made by these alone; one of the ranks but the last; those that share memory. */
    MPI_Group world, two, but_last;
    int firsts[2] = {1, 0}, last = ranks - 1;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, firsts, &two);
    MPI_Group_excl(world, 1, &last, &but_last);
    if (rank < 2) {
        MPI_Comm_create_group(MPI_COMM_WORLD, two, 0, &pair);
        MPI_Bcast(data, 4, MPI_DOUBLE, 1, pair);
        MPI_Comm_free(&pair);
    }
    MPI_Comm_create(MPI_COMM_WORLD, but_last, &some);
    if (some != MPI_COMM_NULL) {
        MPI_Allreduce(data, result, 4, MPI_DOUBLE, MPI_MAX, some);
        MPI_Comm_free(&some);
    }
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
    MPI_Barrier(shared);

    /* A window, in which the ranks count backwards. */
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &back);
    next = (ranks - rank) % ranks, before = (2 * ranks - 2 - rank) % ranks;
    MPI_Win window;
    MPI_Win_create(data, sizeof data, sizeof *data, MPI_INFO_NULL, back, &window);
    MPI_Win_fence(0, window);
    MPI_Put(result, 3, MPI_DOUBLE, next, 0, 3, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Get(result, 5, MPI_DOUBLE, before, 8, 5, MPI_DOUBLE, window);
    MPI_Accumulate(result + 8, 1, MPI_DOUBLE, next, 16, 1, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    /* What is put, added, and fetched by the other: each leaves for the rank before. */
    for (int i = 0, to = (rank + ranks - 1) % ranks; i < 3; i++) count(to, 8 * (i == 0 ? 3 : i == 1 ? 5 : 1));

    MPI_Group_free(&world), MPI_Group_free(&two), MPI_Group_free(&but_last);
    free(counts);
    MPI_Comm_free(&back), MPI_Comm_free(&shared), MPI_Comm_free(&copy), MPI_Comm_free(&half);
    end();
    return 0;
}
