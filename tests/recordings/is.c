/* IS: integer keys go to the ranks that own their buckets (NAS-95-020, section 3.3.5).
 *
 * is LOG2_KEYS LOG2_BUCKETS ITERATIONS, on 2^k ranks. The largest key is 2^(LOG2_KEYS - 5). */
#include "recording.h"

enum { TESTED = 5 };

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int log_keys = argument(argc, argv, 1), log_buckets = argument(argc, argv, 2), iterations = argument(argc, argv, 3);
    int rank, size, flag = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int keys = (1 << log_keys) / size, log_largest = log_keys - 5, buckets = 1 << log_buckets;
    int *key = memory(keys * sizeof(int)), *sorted = memory(keys * sizeof(int)), *mine = NULL;
    int *counts = memory((buckets + TESTED) * sizeof(int)), *all = memory((buckets + TESTED) * sizeof(int));
    int *place = memory((buckets + 1) * sizeof(int));
    int *vectors[4];
    for (int i = 0; i < 4; i++)
        vectors[i] = memory(size * sizeof(int));
    int *sent = vectors[0], *received = vectors[1], *send_at = vectors[2], *receive_at = vectors[3];

    broadcast(&flag, 1, MPI_INT);
    unsigned long long seed = random_after(314159265, 4ULL * keys * rank);
    for (int i = 0; i < keys; i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++)
            sum += random_number(&seed);
        key[i] = (int)(sum * (1 << log_largest) / 4);
    }

    int total = 0;
    /* The first ranking is not timed. */
    for (int iteration = 0; iteration <= iterations; iteration++) {
        memset(counts, 0, (buckets + TESTED) * sizeof(int));
        for (int i = 0; i < keys; i++)
            counts[key[i] >> (log_largest - log_buckets)]++;
        place[0] = 0;
        for (int b = 0; b < buckets; b++)
            place[b + 1] = place[b] + counts[b];
        for (int i = 0; i < keys; i++)
            sorted[place[key[i] >> (log_largest - log_buckets)]++] = key[i];
        /* With the counts go the keys whose ranks are tested. */
        MPI_Allreduce(counts, all, buckets + TESTED, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

        /* A rank gets buckets until it has its share of all keys. */
        int owner = 0;
        long long sum = 0;
        memset(sent, 0, size * sizeof(int));
        for (int b = 0; b < buckets; b++) {
            sent[owner] += counts[b];
            sum += all[b];
            if (sum >= (owner + 1LL) * keys && owner < size - 1)
                owner++;
        }
        MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD);
        total = 0;
        for (int r = 0, before = 0; r < size; r++) {
            send_at[r] = before;
            receive_at[r] = total;
            before += sent[r];
            total += received[r];
        }
        free(mine);
        mine = memory((total + 1) * sizeof(int));
        MPI_Alltoallv(sorted, sent, send_at, MPI_INT, mine, received, receive_at, MPI_INT, MPI_COMM_WORLD);
    }

    double time = MPI_Wtime(), slowest;
    MPI_Reduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    /* Is my smallest key above the largest one of the rank before? */
    int largest = 0, before = 0, wrong = 0, all_wrong;
    for (int i = 0; i < total; i++)
        largest = mine[i] > largest ? mine[i] : largest;
    MPI_Request request;
    if (rank > 0)
        MPI_Irecv(&before, 1, MPI_INT, rank - 1, 1000, MPI_COMM_WORLD, &request);
    if (rank < size - 1)
        MPI_Send(&largest, 1, MPI_INT, rank + 1, 1000, MPI_COMM_WORLD);
    if (rank > 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < total; i++)
        wrong += mine[i] < before;
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all_wrong)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
