/* Records what an MPI program does, for mopsim: preloaded into each of its processes, it sees the calls by the profiling interface of MPI
   and writes them to a file for each rank. The format is described in docs/reference/recording-format.md of mopsim.

   MOPSIM_RECORD_DIR           the folder to write into; nothing is recorded without it
   MOPSIM_RECORD_INSTRUCTIONS  counts instructions, too
   MOPSIM_RECORD_CPU_TIME      takes the processor time of the thread for its clock

   Compile with `mpicc -shared -fPIC -O1 -o libmopsim-record.so recorder.c -lpthread`. */

#define _GNU_SOURCE
#include <mpi.h>

#include "core.h"

#include "handles.h"

#include "messages.h"

#include "collectives.h"

#include "life.h"

#define C(name) MPI_##name
#define P(name) PMPI_##name
#define COUNT int
#define DISPLACEMENT int
#define WIDE 0
#include "counted_calls.h"
#undef C
#undef P
#undef COUNT
#undef DISPLACEMENT
#undef WIDE

#if MPI_VERSION >= 4
#define C(name) MPI_##name##_c
#define P(name) PMPI_##name##_c
#define COUNT MPI_Count
#define DISPLACEMENT MPI_Aint
#define WIDE 1
#include "counted_calls.h"
#undef C
#undef P
#undef COUNT
#undef DISPLACEMENT
#undef WIDE
#endif

#include "other_calls.h"

#include "fortran.h"
