/* What the recorded programs share: arguments, memory, the random numbers of the NAS benchmarks, small exchanges. */
#ifndef RECORDING_H
#define RECORDING_H

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A Fortran LOGICAL, as the NAS benchmarks broadcast whether they are to time their parts. */
#define LOGICAL MPI_UINT32_T

static inline int argument(int argc, char **argv, int which) {
    if (which >= argc) {
        fprintf(stderr, "%s: argument %d is missing\n", argv[0], which);
        exit(2);
    }
    return atoi(argv[which]);
}

static inline void *memory(size_t bytes) {
    void *place = calloc(bytes ? bytes : 1, 1);
    if (!place)
        exit(3);
    return place;
}

/* x := 5^13 x mod 2^46; gives x / 2^46 (D. Bailey et al., The NAS parallel benchmarks, NAS-95-020, section 2.2). */
static inline double random_number(unsigned long long *x) {
    const unsigned long long a = 1220703125ULL, mask = (1ULL << 46) - 1;
    *x = (unsigned long long)(((unsigned __int128)a * *x) & mask);
    return (double)*x / (double)(1ULL << 46);
}

/* The state of the random numbers after so many steps. */
static inline unsigned long long random_after(unsigned long long x, unsigned long long steps) {
    const unsigned long long mask = (1ULL << 46) - 1;
    unsigned __int128 power = 1220703125ULL, state = x;
    for (; steps; steps >>= 1) {
        if (steps & 1)
            state = state * power & mask;
        power = power * power & mask;
    }
    return (unsigned long long)state;
}

/* The first of `items` things that belong to part number `part` of `parts`: the first parts have one more. */
static inline int first_of(int items, int parts, int part) {
    int rest = items % parts;
    return part * (items / parts) + (part < rest ? part : rest);
}

static inline void broadcast(void *what, int count, MPI_Datatype type) {
    MPI_Bcast(what, count, type, 0, MPI_COMM_WORLD);
}

#endif
