/* FT: a 3-D Fourier transform of a grid cut into slabs (NAS-95-020, section 3.3.4): transforms along two axes, an all-to-all
 * exchange, the transform along the third.
 *
 * ft NX NY NZ ITERATIONS, powers of two, on 2^k <= NZ ranks */
#include "recording.h"
#include <complex.h>

typedef double complex value;

static void transform(value *line, int n, int sign) {
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            value other = line[i];
            line[i] = line[j];
            line[j] = other;
        }
    }
    for (int width = 2; width <= n; width *= 2)
        for (int start = 0; start < n; start += width)
            for (int k = 0; k < width / 2; k++) {
                value low = line[start + k], high = line[start + k + width / 2] * cexp(sign * 2 * M_PI * I * k / width);
                line[start + k] = low + high;
                line[start + k + width / 2] = low - high;
            }
}

/* Transforms `lines` of them, whose elements are `stride` apart. */
static void transform_all(value *grid, int n, int lines, int stride, int sign) {
    value *line = memory(n * sizeof(value));
    for (int number = 0; number < lines; number++) {
        value *start = grid + (stride == 1 ? (size_t)number * n : (size_t)number / stride * stride * n + number % stride);
        for (int i = 0; i < n; i++)
            line[i] = start[(size_t)i * stride];
        transform(line, n, sign);
        for (int i = 0; i < n; i++)
            start[(size_t)i * stride] = line[i];
    }
    free(line);
}

/* Between slabs of planes and whole lines along the axis that was cut: each rank has the same share of the points of a plane. */
static void exchange(value *slabs, value *lines, int nxy, int nz, int size, int to_lines) {
    int planes = nz / size, share = nxy / size;
    size_t points = (size_t)planes * nxy, count = points / size;
    value *out = memory(points * sizeof(value)), *in = memory(points * sizeof(value));
    for (int pass = 0; pass < 2; pass++) {
        for (int rank = 0; rank < size; rank++)
            for (int z = 0; z < planes; z++)
                for (int s = 0; s < share; s++) {
                    value *packed = (pass ? in : out) + ((size_t)rank * planes + z) * share + s;
                    value *slab = slabs + (size_t)z * nxy + (size_t)rank * share + s;
                    value *line = lines + (size_t)s * nz + (size_t)rank * planes + z;
                    if (pass == 0)
                        *packed = to_lines ? *slab : *line;
                    else
                        *(to_lines ? line : slab) = *packed;
                }
        if (pass == 0)
            MPI_Alltoall(out, count, MPI_DOUBLE_COMPLEX, in, count, MPI_DOUBLE_COMPLEX, MPI_COMM_WORLD);
    }
    free(out);
    free(in);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int nx = argument(argc, argv, 1), ny = argument(argc, argv, 2), nz = argument(argc, argv, 3);
    int iterations = argument(argc, argv, 4), rank, size, setting = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    size_t points = (size_t)nx * ny * nz / size;
    value *u = memory(points * sizeof(value)), *v = memory(points * sizeof(value)), *w = memory(points * sizeof(value));

    /* What rank 0 read: iterations, layout, and the two numbers of its grid of ranks; timers. */
    for (int i = 0; i < 4; i++)
        broadcast(&setting, 1, MPI_INT);
    broadcast(&setting, 1, LOGICAL);

    /* The first round is not timed. */
    for (int round = 0; round < 2; round++) {
        unsigned long long seed = random_after(314159265, 2 * points * rank);
        for (size_t i = 0; i < points; i++)
            u[i] = random_number(&seed) + I * random_number(&seed);
        if (round == 1)
            MPI_Barrier(MPI_COMM_WORLD);
        transform_all(u, nx, points / nx, 1, 1);
        transform_all(u, ny, points / ny, nx, 1);
        exchange(u, v, nx * ny, nz, size, 1);
        transform_all(v, nz, points / nz, 1, 1);
    }
    for (int step = 1; step <= iterations; step++) {
        for (size_t i = 0; i < points; i++)
            w[i] = v[i] * exp(-1e-6 * step * (i % nz));
        transform_all(w, nz, points / nz, 1, -1);
        exchange(u, w, nx * ny, nz, size, 0);
        transform_all(u, nx, points / nx, 1, -1);
        transform_all(u, ny, points / ny, nx, -1);
        value mine = 0, all;
        for (size_t i = rank; i < points; i += 1024)
            mine += u[i];
        MPI_Reduce(&mine, &all, 1, MPI_DOUBLE_COMPLEX, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
