/* Speed of a host: a matrix product in cache, and a triad over memory, each on one core and on all cores together.
   Compiled and started by `mopsim calibrate --host`; prints one line per measurement. Linux. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Three matrices of this order are 96 KiB: they fit into the second cache of any server. */
#define ORDER 64
/* Elements of each of three vectors of a thread: 48 MiB together, more than a core's share of the caches. */
#define LENGTH (2l << 20)
#define REPETITIONS 5
#define SECONDS 0.2

static pthread_barrier_t together;
static double rates[2][REPETITIONS][1024];
static volatile double sink;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void product(double *restrict c, const double *restrict a, const double *restrict b) {
    for (int i = 0; i < ORDER; i++)
        for (int k = 0; k < ORDER; k++)
            for (int j = 0; j < ORDER; j++) c[i * ORDER + j] += a[i * ORDER + k] * b[k * ORDER + j];
}

static void triad(double *restrict c, const double *restrict a, const double *restrict b) {
    for (long i = 0; i < LENGTH; i++) c[i] = a[i] + 3.0 * b[i];
}

/* Measures both kernels on one thread; `argument` is its number. */
static void *measure(void *argument) {
    long me = (long)argument;
    double *vectors[3];
    for (int v = 0; v < 3; v++) {
        vectors[v] = aligned_alloc(64, LENGTH * sizeof(double));
        if (vectors[v] == NULL) {
            fprintf(stderr, "no memory for the vectors of the triad\n");
            exit(1);
        }
        for (long i = 0; i < LENGTH; i++) vectors[v][i] = 1e-3 * v;
    }
    for (int kernel = 0; kernel < 2; kernel++)
        for (int repetition = 0; repetition < REPETITIONS; repetition++) {
            pthread_barrier_wait(&together);
            double start = now(), end;
            long calls = 0;
            do {
                if (kernel == 0)
                    for (int i = 0; i < 16; i++, calls++) product(vectors[2], vectors[0], vectors[1]);
                else
                    triad(vectors[2], vectors[0], vectors[1]), calls++;
                end = now();
            } while (end - start < SECONDS);
            double work = kernel == 0 ? 2.0 * ORDER * ORDER * ORDER : 24.0 * LENGTH;
            rates[kernel][repetition][me] = calls * work / (end - start);
        }
    sink = vectors[2][LENGTH / 2];
    for (int v = 0; v < 3; v++) free(vectors[v]);
    return NULL;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void run(int threads) {
    pthread_t started[1024];
    pthread_barrier_init(&together, NULL, threads);
    for (long i = 0; i < threads; i++)
        if (pthread_create(&started[i], NULL, measure, (void *)i) != 0) {
            fprintf(stderr, "thread %ld of %d cannot be started\n", i, threads);
            exit(1);
        }
    for (int i = 0; i < threads; i++) pthread_join(started[i], NULL);
    for (int kernel = 0; kernel < 2; kernel++) {
        double means[REPETITIONS];
        for (int repetition = 0; repetition < REPETITIONS; repetition++) {
            double sum = 0;
            for (int i = 0; i < threads; i++) sum += rates[kernel][repetition][i];
            means[repetition] = sum / threads;
        }
        qsort(means, REPETITIONS, sizeof means[0], ascending);
        printf("%s %d %.6e %.6e %.6e\n", kernel == 0 ? "product" : "triad", threads, means[REPETITIONS / 2], means[0],
               means[REPETITIONS - 1]);
    }
}

int main(void) {
    cpu_set_t ours;
    if (sched_getaffinity(0, sizeof ours, &ours) != 0) {
        perror("sched_getaffinity");
        return 1;
    }
    int cores = CPU_COUNT(&ours);
    if (cores > 1024) cores = 1024;
    run(1);
    run(cores);
    return 0;
}
