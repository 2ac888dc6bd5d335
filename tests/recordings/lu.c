/* LU: wavefronts through a grid cut into columns (NAS-95-020, section 4.2; E. Barszcz et al., RNR-93-007). The numbers are those of
 * a plain relaxation; what counts is which of them has to go where.
 *
 * lu N ITERATIONS, on 2^k ranks */
#include "recording.h"

enum { FROM_SOUTH = 1, FROM_NORTH, FROM_EAST, FROM_WEST };

typedef struct {
    int n, nx, ny, x0, y0;                /* points of all, of this rank, before this rank */
    int north, south, west, east;         /* neighbours, or -1 */
    int first_i, last_i, first_j, last_j; /* points that are not on the boundary of the grid */
    double *u, *buffer;
} part;

/* Values of a point; two layers belong to neighbours. */
static double *at(part *p, int i, int j, int k) {
    return p->u + 5 * (((size_t)k * (p->ny + 4) + j + 2) * (p->nx + 4) + i + 2);
}

static int copy(double *buffer, int place, double *point, int out) {
    memcpy(out ? buffer + place : point, out ? point : buffer + place, 5 * sizeof(double));
    return place + 5;
}

/* Two layers of a side of the grid, into the buffer or out of it. Gives how many values that are. */
static int layers(part *p, int axis, int from, int out) {
    int place = 0;
    for (int k = 0; k < p->n; k++)
        for (int other = 0; other < (axis == 0 ? p->ny : p->nx); other++)
            for (int layer = from; layer < from + 2; layer++)
                place = copy(p->buffer, place, axis == 0 ? at(p, layer, other, k) : at(p, other, layer, k), out);
    return place;
}

static void shift(part *p, int axis, int source, int to, int tag, int send_from, int recv_at) {
    size_t most = 10 * (size_t)p->n * (p->nx > p->ny ? p->nx : p->ny);
    double *incoming = memory(most * sizeof(double));
    int values = layers(p, axis, send_from, 1);
    MPI_Request request;
    if (source >= 0)
        MPI_Irecv(incoming, values, MPI_DOUBLE, source, tag, MPI_COMM_WORLD, &request);
    if (to >= 0)
        MPI_Send(p->buffer, values, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
    if (source >= 0) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        memcpy(p->buffer, incoming, values * sizeof(double));
        layers(p, axis, recv_at, 0);
    }
    free(incoming);
}

/* Fourth differences need two layers of all neighbours. */
static void right_hand_side(part *p) {
    shift(p, 0, p->north, p->south, FROM_NORTH, p->nx - 2, -2);
    shift(p, 0, p->south, p->north, FROM_SOUTH, 0, p->nx);
    shift(p, 1, p->west, p->east, FROM_WEST, p->ny - 2, -2);
    shift(p, 1, p->east, p->west, FROM_EAST, 0, p->ny);
    for (int k = 0; k < p->n; k++)
        for (int j = p->first_j; j <= p->last_j; j++)
            for (int i = p->first_i; i <= p->last_i; i++)
                at(p, i, j, k)[0] += 1e-6 * (at(p, i - 1, j, k)[1] - at(p, i, j + 1, k)[2]);
}

/* The edge of a plane, along one of its sides. */
static int edge(part *p, int along_j, int fixed, int k, int out) {
    int place = 0;
    for (int other = along_j ? p->first_j : p->first_i; other <= (along_j ? p->last_j : p->last_i); other++)
        place = copy(p->buffer, place, along_j ? at(p, fixed, other, k) : at(p, other, fixed, k), out);
    return place;
}

static void take(part *p, int from, int tag, int along_j, int fixed, int k) {
    if (from < 0)
        return;
    int values = 5 * (along_j ? p->last_j - p->first_j + 1 : p->last_i - p->first_i + 1);
    MPI_Recv(p->buffer, values, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    edge(p, along_j, fixed, k, 0);
}

static void give(part *p, int to, int tag, int along_j, int fixed, int k) {
    if (to >= 0)
        MPI_Send(p->buffer, edge(p, along_j, fixed, k, 1), MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
}

static void sweeps(part *p) {
    for (int k = 1; k < p->n - 1; k++) {
        take(p, p->north, FROM_NORTH, 1, -1, k);
        take(p, p->west, FROM_WEST, 0, -1, k);
        for (int j = p->first_j; j <= p->last_j; j++)
            for (int i = p->first_i; i <= p->last_i; i++)
                for (int m = 0; m < 5; m++)
                    at(p, i, j, k)[m] = 0.3 * (at(p, i - 1, j, k)[m] + at(p, i, j - 1, k)[m] + at(p, i, j, k - 1)[m]);
        give(p, p->south, FROM_NORTH, 1, p->nx - 1, k);
        give(p, p->east, FROM_WEST, 0, p->ny - 1, k);
    }
    for (int k = p->n - 2; k > 0; k--) {
        take(p, p->south, FROM_SOUTH, 1, p->nx, k);
        take(p, p->east, FROM_EAST, 0, p->ny, k);
        for (int j = p->last_j; j >= p->first_j; j--)
            for (int i = p->last_i; i >= p->first_i; i--)
                for (int m = 0; m < 5; m++)
                    at(p, i, j, k)[m] += 0.1 * (at(p, i + 1, j, k)[m] + at(p, i, j + 1, k)[m] + at(p, i, j, k + 1)[m]);
        give(p, p->north, FROM_SOUTH, 1, 0, k);
        give(p, p->west, FROM_EAST, 0, 0, k);
    }
}

static void sum(part *p, int count) {
    double mine[5] = {0}, all[5];
    for (int j = p->first_j; j <= p->last_j; j++)
        for (int m = 0; m < count; m++)
            mine[m] += at(p, p->first_i, j, 1)[m];
    MPI_Allreduce(mine, all, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void slowest(void) {
    double mine = MPI_Wtime(), all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void solve(part *p, int steps, int norms_at) {
    right_hand_side(p);
    sum(p, 5);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 1; step <= steps; step++) {
        sweeps(p);
        if (step == norms_at)
            sum(p, 5);
        right_hand_side(p);
        if (step == norms_at)
            sum(p, 5);
    }
    slowest();
}

/* Values at a side of a box go to the rank before, which needs the point after its own last one. */
static void pass_back(part *p, int source, int needs, int to, int gives, int tag, int values) {
    if (needs) {
        MPI_Request request;
        MPI_Irecv(p->buffer, values, MPI_DOUBLE, source, tag, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (gives)
        MPI_Send(p->buffer, values, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
}

/* The integral over the surface of the box of points 1 to n - 2 along x, 1 to n - 3 along y: four corners for each square, so
 * the points of the next rank. */
static void surface_integral(part *p) {
    int x1 = 1, x2 = p->n - 2, y1 = 1, y2 = p->n - 3;
    int last_x = p->x0 + p->nx - 1, last_y = p->y0 + p->ny - 1;
    int x_needs = last_x >= x1 && last_x + 1 <= x2, x_gives = p->x0 - 1 >= x1 && p->x0 <= x2;
    int y_needs = last_y >= y1 && last_y + 1 <= y2, y_gives = p->y0 - 1 >= y1 && p->y0 <= y2;
    /* Bottom and top: both go in one message. */
    pass_back(p, p->east, y_needs, p->west, y_gives, FROM_EAST, 2 * p->nx);
    pass_back(p, p->south, x_needs, p->north, x_gives, FROM_SOUTH, 2 * (p->ny + 2));
    sum(p, 1);
    /* Each of the sides that this rank has. */
    for (int side = 0; side < 2; side++)
        if (p->y0 <= (side ? y2 : y1) && (side ? y2 : y1) <= last_y)
            pass_back(p, p->south, x_needs, p->north, x_gives, FROM_SOUTH, p->n);
    sum(p, 1);
    for (int side = 0; side < 2; side++)
        if (p->x0 <= (side ? x2 : x1) && (side ? x2 : x1) <= last_x)
            pass_back(p, p->east, y_needs, p->west, y_gives, FROM_EAST, p->n);
    sum(p, 1);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, n = argument(argc, argv, 1), steps = argument(argc, argv, 2), flag = 0;
    double constants[5] = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    /* As many rows as columns of ranks, or twice as many. */
    int rows = 1;
    while (rows * rows < size)
        rows *= 2;
    int columns = size / rows, row = rank % rows, column = rank / rows;
    part p = {.n = n};
    p.x0 = first_of(n, rows, row);
    p.nx = first_of(n, rows, row + 1) - p.x0;
    p.y0 = first_of(n, columns, column);
    p.ny = first_of(n, columns, column + 1) - p.y0;
    p.north = row > 0 ? rank - 1 : -1;
    p.south = row < rows - 1 ? rank + 1 : -1;
    p.west = column > 0 ? rank - rows : -1;
    p.east = column < columns - 1 ? rank + rows : -1;
    p.first_i = p.north < 0 ? 1 : 0;
    p.last_i = p.south < 0 ? p.nx - 2 : p.nx - 1;
    p.first_j = p.west < 0 ? 1 : 0;
    p.last_j = p.east < 0 ? p.ny - 2 : p.ny - 1;
    p.u = memory(5 * sizeof(double) * n * (p.nx + 4) * (p.ny + 4));
    p.buffer = memory(10 * sizeof(double) * n * (p.nx + p.ny));

    /* What rank 0 read: how often to print, iterations, norms, time step, relaxation, tolerances, points, timers. */
    for (int i = 0; i < 3; i++)
        broadcast(&steps, 1, MPI_INT);
    broadcast(constants, 1, MPI_DOUBLE);
    broadcast(constants, 1, MPI_DOUBLE);
    broadcast(constants, 5, MPI_DOUBLE);
    for (int i = 0; i < 3; i++)
        broadcast(&n, 1, MPI_INT);
    broadcast(&flag, 1, LOGICAL);

    right_hand_side(&p); /* the forcing term */
    solve(&p, 1, steps);
    solve(&p, steps, steps);
    sum(&p, 5);
    surface_integral(&p);
    MPI_Finalize();
    return 0;
}
