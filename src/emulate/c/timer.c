/* Measures a program from the end of MPI_Init to the begin of MPI_Finalize, as a replay of its recording does.

   Before the clock starts, every rank exchanges an empty message with every other, so that all connections exist, and
   waits in a barrier. The last messages of that barrier would queue behind the first ones of the program, so all ranks
   sleep until the same time of the common clock; it is the start of all of them. Each rank writes the seconds that it took into
   MOPSIM_EMULATE_TIMES/rank.N. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double start = -1;
static int rank;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

static void begin(void) {
    const char *text = getenv("MOPSIM_EMULATE_PAUSE");
    double pause = text ? atof(text) : 0;
    int ranks;
    MPI_Comm world;
    if (start >= 0 || PMPI_Comm_dup(MPI_COMM_WORLD, &world) != MPI_SUCCESS) return;
    PMPI_Comm_rank(world, &rank);
    PMPI_Comm_size(world, &ranks);
    for (int distance = 1; distance < ranks; distance++) {
        int to = (rank + distance) % ranks, from = (rank - distance + ranks) % ranks;
        char out = 0, in = 0;
        PMPI_Sendrecv(&out, 1, MPI_CHAR, to, 0, &in, 1, MPI_CHAR, from, 0, world, MPI_STATUS_IGNORE);
    }
    PMPI_Barrier(world);
    double until = now() + pause;
    PMPI_Bcast(&until, 1, MPI_DOUBLE, 0, world);
    PMPI_Comm_free(&world);
    struct timespec time = {(time_t)until, (long)((until - (time_t)until) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0) {
    }
    start = until;
}

static void end(void) {
    const char *folder = getenv("MOPSIM_EMULATE_TIMES");
    if (start < 0 || !folder) return;
    double seconds = now() - start;
    char name[4096];
    if (snprintf(name, sizeof name, "%s/rank.%d", folder, rank) >= (int)sizeof name) return;
    FILE *file = fopen(name, "w");
    if (!file) return;
    fprintf(file, "%.9f\n", seconds);
    fclose(file);
}

int MPI_Init(int *count, char ***words) {
    int error = PMPI_Init(count, words);
    if (error == MPI_SUCCESS) begin();
    return error;
}

int MPI_Init_thread(int *count, char ***words, int required, int *provided) {
    int error = PMPI_Init_thread(count, words, required, provided);
    if (error == MPI_SUCCESS) begin();
    return error;
}

int MPI_Finalize(void) {
    end();
    return PMPI_Finalize();
}

/* Fortran calls the profiling interface of C, not the functions above. */
static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

#define INIT(name)                                          \
    void name(int *error) {                                 \
        ((void (*)(int *))next(#name))(error);              \
        begin();                                            \
    }
#define INIT_THREAD(name)                                                          \
    void name(int *required, int *provided, int *error) {                          \
        ((void (*)(int *, int *, int *))next(#name))(required, provided, error);   \
        begin();                                                                   \
    }
#define FINALIZE(name)                                      \
    void name(int *error) {                                 \
        end();                                              \
        ((void (*)(int *))next(#name))(error);              \
    }
INIT(mpi_init_)
INIT(mpi_init_f08_)
INIT_THREAD(mpi_init_thread_)
INIT_THREAD(mpi_init_thread_f08_)
FINALIZE(mpi_finalize_)
FINALIZE(mpi_finalize_f08_)
