/* The same calls for Fortran: `mpif.h` and `use mpi` reach mpi_xxx_, `use mpi_f08` reaches mpi_xxx_f08_, with the same arguments in memory. They call what is behind them with the arguments untouched, so that MPI_IN_PLACE, MPI_BOTTOM and MPI_STATUS_IGNORE of
   Fortran stay what they are; only handles are converted, to be recorded. Libraries whose Fortran functions call those of C (MPICH) are
   seen either way, and once: what MPI calls itself is not recorded. A C program has none of these functions, hence weak ones. */

#include <dlfcn.h>

typedef MPI_Fint I;
_Static_assert(sizeof(MPI_Fint) == sizeof(int), "integers of Fortran have to be those of C");

#ifdef MPI_F_STATUS_SIZE
enum { F_STATUS = MPI_F_STATUS_SIZE };
#else
enum { F_STATUS = sizeof(MPI_Status) / sizeof(int) };
#endif

static __thread I *f_statuses;
static __thread int *f_indices;
static __thread int f_room;

static void f_make_room(int count) {
    make_room(count);
    if (LIKELY(count <= f_room)) return;
    free(f_statuses);
    free(f_indices);
    f_room = count < 64 ? 64 : 2 * count;
    f_statuses = malloc((size_t)f_room * F_STATUS * sizeof *f_statuses);
    f_indices = malloc((size_t)f_room * sizeof *f_indices);
    if (f_statuses == NULL || f_indices == NULL) {
        complain("no memory is left for the requests of the program");
        exit(3);
    }
}

static uint64_t f_request(const I *request) { return KEY(PMPI_Request_f2c(*request)); }

static void f_keep(int count, const I *requests) {
    f_make_room(count);
    for (int i = 0; i < count; i++) handles[i] = f_request(requests + i);
    if (UNLIKELY(multiple)) claim_handles(count);
}

static int f_ignored(const I *status) {
#ifdef MPICH_VERSION
    if ((const void *)status == MPI_F08_STATUS_IGNORE || (const void *)status == MPI_F08_STATUSES_IGNORE) return 1;
#endif
    return status == MPI_F_STATUS_IGNORE || status == MPI_F_STATUSES_IGNORE;
}

/* Where the statuses of a call go: to those of the program, or to our own where it wants none and we do. */
static I *f_status(I *status, int wanted) { return wanted && f_ignored(status) ? f_statuses : status; }

/* Statuses as C has them; none where nobody knows them. */
static MPI_Status *f_seen(const I *status, int count) {
    if (!want_statuses() || f_ignored(status)) return NULL;
    for (int i = 0; i < count; i++) PMPI_Status_f2c((I *)(status + i * F_STATUS), statuses + i);
    return statuses;
}

/* Whether the kept request of an array can have been completed by the call: it was one, and it is gone or persistent. */
static int f_is_over(const I *requests, int count, int at, int gone) {
    return at >= 0 && at < count && handles[at] != no_request && (!gone || f_request(requests + at) == no_request);
}

/* Which of the kept requests are complete, counted from zero. Fortran counts from one, but `use mpi_f08` of MPICH 4.0 from zero. The requests
   tell: those that are complete are null now, unless they are persistent; then the one that fits, or else what the standard says. */
static const int *f_from_zero(const I *indices, int count, const I *requests, int all) {
    int base = 1;
    for (int gone = 1; gone >= 0; gone--) {
        int fits[2] = {1, 1};
        for (int i = 0; i < count; i++)
            for (int first = 0; first < 2; first++) fits[first] &= f_is_over(requests, all, indices[i] - first, gone);
        if (fits[0] || fits[1]) {
            base = fits[1];
            break;
        }
    }
    for (int i = 0; i < count; i++) {
        f_indices[i] = indices[i] - base;
        if (f_indices[i] < 0 || f_indices[i] >= all) f_indices[i] = 0;
    }
    return f_indices;
}

/* Whether an argument is MPI_IN_PLACE of Fortran, which is an address that each library keeps for itself. */
static int f_in_place(const void *data) {
    static const char *const blocks[] = {"mpi_fortran_in_place_", "mpi_fortran_in_place", "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE"};
    static const char *const pointers[] = {"MPIR_F_MPI_IN_PLACE", "MPIR_F08_MPI_IN_PLACE"};
    static __thread const void *known[6];
    static __thread int looked;
    if (!looked) {
        for (int i = 0; i < 4; i++) known[i] = dlsym(RTLD_DEFAULT, blocks[i]);
        for (int i = 0; i < 2; i++) {
            void **pointer = dlsym(RTLD_DEFAULT, pointers[i]);
            known[4 + i] = pointer ? *pointer : NULL;
        }
        looked = 1;
    }
    for (int i = 0; i < 6; i++)
        if (known[i] != NULL && known[i] == data) return 1;
    return 0;
}

/* Types of alltoallw. The list lives until the next call. */
static const MPI_Datatype *f_types(const I *types, MPI_Comm comm, int which) {
    static __thread MPI_Datatype *list[2];
    static __thread int rooms[2];
    int64_t id = comm_id(comm);
    int size = id < 0 ? 0 : comm_about(id).size;
    if (size > rooms[which]) {
        free(list[which]);
        list[which] = malloc((size_t)size * sizeof **list);
        rooms[which] = size;
        if (list[which] == NULL) {
            complain("no memory is left for the types of a call");
            exit(3);
        }
    }
    for (int i = 0; i < size; i++) list[which][i] = PMPI_Type_f2c(types[i]);
    return list[which];
}

#define RC (error ? *error : MPI_SUCCESS)
#define COMM(handle) PMPI_Comm_f2c(*(handle))
#define TYPE(handle) PMPI_Type_f2c(*(handle))
#define BYTES(count, type) (*(count) > 0 ? bytes_of(*(count), TYPE(type)) : 0)
#define PARAMS(...) __VA_ARGS__

#define F(name) mpi_##name##_
#define PF(name) pmpi_##name##_
#include "fortran_calls.h"
#undef F
#undef PF

/* In MPICH the functions of mpi_f08 with data call those of C, which are seen; the others do not. */
#if defined(OPEN_MPI) || defined(MPICH_VERSION)
#define F(name) mpi_##name##_f08_
#ifdef OPEN_MPI
#define PF(name) pmpi_##name##_f08_
#else
#define PF(name) pmpir_##name##_f08_
#endif
#include "fortran_calls.h"
#undef F
#undef PF
#endif
