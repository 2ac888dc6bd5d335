/* Ends in the middle: by MPI_Abort, by exit() without MPI_Finalize, or by a fatal signal, as the argument says; or waits for
   ever, and says so. */

#include "counted.h"
#include <signal.h>

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, token = 0;
    for (int i = 0; i < 100; i++)
        MPI_Sendrecv(&i, 1, MPI_INT, next, 0, &token, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && strcmp(argv[1], "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
    if (argc > 1 && strcmp(argv[1], "exit") == 0) exit(0);
    if (argc > 1 && strcmp(argv[1], "signal") == 0 && rank == 1) raise(SIGSEGV);
    if (argc > 1 && strcmp(argv[1], "wait") == 0) puts("waits"), fflush(stdout);
    MPI_Recv(&token, 1, MPI_INT, before, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 0;
}
