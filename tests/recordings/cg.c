/* CG: conjugate gradients on a random sparse matrix that is cut into blocks (NAS-95-020, section 3.3.2). A vector is cut as the
 * columns are, and each of its blocks is on all ranks of a column.
 *
 * cg ROWS ITERATIONS, on 2^k ranks */
#include "recording.h"

enum { NONZEROS = 8, STEPS = 25 };

typedef struct {
    int rank, rows, columns, row, column, stages;
    int height, width; /* of the block */
    int *places;       /* columns of the elements of a row, within the block */
    double *sums, *incoming;
} grid;

/* Blocks of the vector are those of the rows; where there are twice as many columns, each is cut in two. */
static int block_start(int n, const grid *g, int block) {
    if (g->rows == g->columns)
        return first_of(n, g->rows, block);
    int start = first_of(n, g->rows, block / 2), end = first_of(n, g->rows, block / 2 + 1);
    return block % 2 ? start + (end - start + 1) / 2 : start;
}

static void exchange(int partner, const double *out, int sent, double *in, int received, int tag) {
    MPI_Request request;
    MPI_Irecv(in, received, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD, &request);
    MPI_Send(out, sent, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The partner of a stage: half the row away, then a quarter, down to the neighbour. */
static int partner(const grid *g, int stage) {
    return g->rank ^ (g->columns >> (stage + 1));
}

/* A few values summed up over a row of ranks: over all blocks of a vector. */
static void sum_of_row(const grid *g, double *values, int count) {
    double other[2];
    for (int stage = 0; stage < g->stages; stage++) {
        exchange(partner(g, stage), values, count, other, count, stage + 1);
        for (int i = 0; i < count; i++)
            values[i] += other[i];
    }
}

/* y := A x */
static void product(grid *g, const double *x, double *y) {
    for (int i = 0; i < g->height; i++) {
        g->sums[i] = 0;
        for (int k = 0; k < NONZEROS; k++)
            g->sums[i] += 0.1 * x[g->places[i * NONZEROS + k]];
    }
    double *mine = g->sums;
    int count = g->height;
    for (int stage = g->stages - 1; stage >= 0; stage--) {
        int sent = count, received = count;
        const double *out = mine;
        if (stage == g->stages - 1 && g->rows != g->columns) {
            /* The neighbour goes on with the other half of the rows. */
            int half = (g->height + 1) / 2, odd = g->column % 2;
            out = odd ? g->sums : g->sums + half;
            mine = odd ? g->sums + half : g->sums;
            sent = odd ? half : g->height - half;
            count = received = g->height - sent;
        }
        exchange(partner(g, stage), out, sent, g->incoming, received, stage + 1);
        for (int i = 0; i < count; i++)
            mine[i] += g->incoming[i];
    }
    if (g->stages == 0) {
        memcpy(y, mine, count * sizeof(double));
        return;
    }
    /* These are rows; the rank at the mirrored place needs them as columns. */
    int mirror = g->rows == g->columns ? g->column * g->columns + g->row
                                       : g->column / 2 * g->columns + 2 * g->row + g->column % 2;
    exchange(mirror, mine, count, y, g->width, 1);
}

static double dot(const grid *g, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < g->width; i++)
        sum += a[i] * b[i];
    sum_of_row(g, &sum, 1);
    return sum;
}

/* Solves A z = x as well as 25 steps can, and gives how well that is. */
static double solve(grid *g, const double *x, double *z, double *p, double *q, double *r) {
    for (int i = 0; i < g->width; i++) {
        z[i] = 0;
        r[i] = p[i] = x[i];
    }
    double rho = dot(g, r, r);
    for (int step = 0; step < STEPS; step++) {
        product(g, p, q);
        double alpha = 1e-3 * rho / (1 + fabs(dot(g, p, q)));
        for (int i = 0; i < g->width; i++) {
            z[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        double before = rho;
        rho = dot(g, r, r);
        for (int i = 0; i < g->width; i++)
            p[i] = r[i] + rho / (1 + before) * p[i];
    }
    product(g, z, r);
    for (int i = 0; i < g->width; i++)
        r[i] -= x[i];
    return dot(g, r, r);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int n = argument(argc, argv, 1), iterations = argument(argc, argv, 2), size, flag = 0;
    grid g = {.rows = 1, .stages = 0};
    MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while (4 * g.rows * g.rows <= size)
        g.rows *= 2;
    g.columns = size / g.rows;
    while (1 << g.stages < g.columns)
        g.stages++;
    g.row = g.rank / g.columns;
    g.column = g.rank % g.columns;
    g.height = first_of(n, g.rows, g.row + 1) - first_of(n, g.rows, g.row);
    g.width = block_start(n, &g, g.column + 1) - block_start(n, &g, g.column);

    g.places = memory(sizeof(int) * g.height * NONZEROS);
    unsigned long long seed = random_after(314159265, 1000003ULL * g.rank);
    for (int i = 0; i < g.height * NONZEROS; i++)
        g.places[i] = (int)(g.width * random_number(&seed));
    g.sums = memory(sizeof(double) * (g.height + 1));
    g.incoming = memory(sizeof(double) * (g.height + 1));
    double *vectors[5];
    for (int i = 0; i < 5; i++)
        vectors[i] = memory(sizeof(double) * (g.width + 1));
    double *x = vectors[0], *z = vectors[1];

    broadcast(&flag, 1, LOGICAL);
    /* The first iteration is not timed. */
    for (int iteration = 0; iteration <= iterations; iteration++) {
        if (iteration == 1)
            MPI_Barrier(MPI_COMM_WORLD);
        if (iteration <= 1)
            for (int i = 0; i < g.width; i++)
                x[i] = 1;
        solve(&g, x, z, vectors[2], vectors[3], vectors[4]);
        double norms[2] = {0, 0};
        for (int i = 0; i < g.width; i++) {
            norms[0] += x[i] * z[i];
            norms[1] += z[i] * z[i];
        }
        sum_of_row(&g, norms, 2);
        for (int i = 0; i < g.width; i++)
            x[i] = z[i] / sqrt(1 + norms[1]);
    }
    double mine = MPI_Wtime(), slowest;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
