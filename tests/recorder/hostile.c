/* Programs that are not careful with files: `close` closes all descriptors that it did not open and writes a file of its own, `damage`
   writes over the recording of its second rank. */

#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    static char own[1000000];
    memset(own, 'U', sizeof own);
    if (argc > 1 && strcmp(argv[1], "close") == 0) {
        char name[64], link[4096];
        for (int fd = 3; fd < 1024; fd++) {
            snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
            ssize_t length = readlink(name, link, sizeof link - 1);
            if (length < 0) continue;
            link[length] = 0;
            if (strstr(link, "/rank-") == NULL) continue;
            close(fd);
            snprintf(name, sizeof name, "own-%d.bin", rank);
            int mine = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
            /* The number of the recorder's, as a program gets it that closes all others. */
            if (mine != fd && dup2(mine, fd) != fd) return 1;
            if (write(fd, own, sizeof own) != (ssize_t)sizeof own) return 1;
        }
    }
    /* More than a part of the file that is in memory at a time. */
    for (int i = 0; i < 40000; i++) {
        int value = 0;
        MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, i, 0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (argc > 1 && strcmp(argv[1], "damage") == 0 && rank == 1) {
        char path[4200];
        snprintf(path, sizeof path, "%s/rank-000001.mrec", getenv("MOPSIM_RECORD_DIR"));
        int file = open(path, O_WRONLY);
        if (file < 0 || pwrite(file, own, 5000, 200) != 5000) return 1;
        close(file);
    }
    return 0;
}
