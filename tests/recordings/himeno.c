/* Himeno: Jacobi steps of a Poisson equation with 19 points around each, on a 3-D grid of floats cut along all axes.
 *
 * himeno NX NY NZ STEPS */
#include "recording.h"

typedef struct {
    int points[3]; /* with the layers that belong to neighbours */
    int before[3], after[3];
    float *p, *next, *out[2], *in[2];
} part;

static float *at(const part *q, float *grid, int i, int j, int k) {
    return grid + ((size_t)i * q->points[1] + j) * q->points[2] + k;
}

/* One layer, whole, into a buffer or out of it. */
static int layer(part *q, int axis, int number, float *buffer, int out) {
    int count = 0, a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2, place[3];
    place[axis] = number;
    for (place[a] = 0; place[a] < q->points[a]; place[a]++)
        for (place[b] = 0; place[b] < q->points[b]; place[b]++) {
            float *point = at(q, q->p, place[0], place[1], place[2]);
            if (out)
                buffer[count++] = *point;
            else
                *point = buffer[count++];
        }
    return count;
}

static void exchange(part *q, int axis) {
    int before = q->before[axis], after = q->after[axis], n = 0, last = q->points[axis] - 1;
    if (before < 0 && after < 0)
        return;
    MPI_Request requests[4];
    int count = layer(q, axis, 1, q->out[0], 1);
    layer(q, axis, last - 1, q->out[1], 1);
    if (after >= 0)
        MPI_Irecv(q->in[1], count, MPI_FLOAT, after, 1, MPI_COMM_WORLD, &requests[n++]);
    if (before >= 0) {
        MPI_Irecv(q->in[0], count, MPI_FLOAT, before, 2, MPI_COMM_WORLD, &requests[n++]);
        MPI_Isend(q->out[0], count, MPI_FLOAT, before, 1, MPI_COMM_WORLD, &requests[n++]);
    }
    if (after >= 0)
        MPI_Isend(q->out[1], count, MPI_FLOAT, after, 2, MPI_COMM_WORLD, &requests[n++]);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    if (after >= 0)
        layer(q, axis, last, q->in[1], 0);
    if (before >= 0)
        layer(q, axis, 0, q->in[0], 0);
}

static void jacobi(part *q, int steps) {
    for (int step = 0; step < steps; step++) {
        float mine = 0, all;
        for (int i = 1; i < q->points[0] - 1; i++)
            for (int j = 1; j < q->points[1] - 1; j++)
                for (int k = 1; k < q->points[2] - 1; k++) {
                    float sum = 0;
                    for (int x = -1; x <= 1; x++)
                        for (int y = -1; y <= 1; y++)
                            for (int z = -1; z <= 1; z++)
                                if (x * y * z == 0)
                                    sum += *at(q, q->p, i + x, j + y, k + z);
                    float change = sum / 19 - *at(q, q->p, i, j, k);
                    mine += change * change;
                    *at(q, q->next, i, j, k) = *at(q, q->p, i, j, k) + 0.8f * change;
                }
        float *swap = q->p;
        q->p = q->next;
        q->next = swap;
        for (int axis = 2; axis >= 0; axis--)
            exchange(q, axis);
        MPI_Allreduce(&mine, &all, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    }
}

static void slowest(void) {
    double mine = MPI_Wtime(), all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int size, rank, all[3], dims[3] = {0, 0, 0}, place[3], largest = 1;
    for (int axis = 0; axis < 3; axis++)
        all[axis] = argument(argc, argv, axis + 1);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 3, dims);
    /* The longest axis is the last one. */
    int swap = dims[0];
    dims[0] = dims[2];
    dims[2] = swap;
    part q;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    place[0] = rank / (dims[1] * dims[2]);
    place[1] = rank / dims[2] % dims[1];
    place[2] = rank % dims[2];
    int stride[3] = {dims[1] * dims[2], dims[2], 1};
    for (int axis = 0; axis < 3; axis++) {
        q.before[axis] = place[axis] > 0 ? rank - stride[axis] : -1;
        q.after[axis] = place[axis] < dims[axis] - 1 ? rank + stride[axis] : -1;
        q.points[axis] = first_of(all[axis], dims[axis], place[axis] + 1) - first_of(all[axis], dims[axis], place[axis]) +
                         (q.before[axis] >= 0) + (q.after[axis] >= 0);
        largest = q.points[axis] > largest ? q.points[axis] : largest;
    }
    size_t points = (size_t)q.points[0] * q.points[1] * q.points[2];
    q.p = memory(points * sizeof(float));
    q.next = memory(points * sizeof(float));
    for (int i = 0; i < 2; i++) {
        q.out[i] = memory(sizeof(float) * largest * largest);
        q.in[i] = memory(sizeof(float) * largest * largest);
    }
    for (size_t i = 0; i < points; i++)
        q.p[i] = q.next[i] = (float)(i % 7);

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    jacobi(&q, 3); /* how long does a step take? */
    slowest();
    MPI_Barrier(MPI_COMM_WORLD);
    jacobi(&q, argument(argc, argv, 4));
    slowest();
    MPI_Finalize();
    return 0;
}
