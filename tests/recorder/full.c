/* Ranks with odd numbers may not write files of more than 300 KiB, as if there were no more room on their disk. */

#include "counted.h"
#include <sys/resource.h>

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, value = 0;
    struct rlimit limit = {300 << 10, 300 << 10};
    if (rank % 2) setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < 50000; i++) {
        MPI_Sendrecv(&i, 1, MPI_INT, next, 0, &value, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        count(next, sizeof i);
    }
    end();
    return 0;
}
