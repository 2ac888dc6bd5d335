/* Clock, buffer, file: what every record goes through. No call of MPI is in here. */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <pthread.h>
#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define LIKELY(x) __builtin_expect(!!(x), 1)

/* Version of the format, as docs/reference/recording-format.md describes it. */
#define FORMAT_VERSION 2
enum { FLAG_INSTRUCTIONS = 1, FLAG_MULTIPLE = 2, FLAG_CPU_TIME = 4, FLAG_NO_ROOM = 8 };
enum { FLAGS_AT = 10 /* in the header */ };

/* The records. */
enum op {
    OP_END = 0, OP_BEGIN, OP_FINALIZE, OP_QUIET, OP_COMM, OP_COMM_FREE, OP_SEND, OP_ISEND, OP_SEND_INIT, OP_RECV, OP_IRECV,
    OP_RECV_INIT, OP_START, OP_SENDRECV, OP_COMPLETE, OP_POLLS, OP_PROBE, OP_REQUEST_FREE, OP_CANCEL, OP_COLLECTIVE,
    OP_ICOLLECTIVE, OP_NEIGHBOR, OP_INEIGHBOR, OP_WIN, OP_WIN_FREE, OP_RMA, OP_WIN_SYNC, OP_OTHER, OP_ABORT, OP_ENTER, OP_LEAVE
};

/* ---- State of the process ---- */

static int recording;                  /* between MPI_Init and MPI_Finalize, where all went well */
static int multiple;                   /* several threads may call at the same time */
static pthread_mutex_t one_writer;   /* may be taken twice by a thread */
static int threads_inside;
static uint64_t overlapped;            /* calls that began while another thread was in one */
static __thread int depth __attribute__((tls_model("initial-exec"))); /* calls of MPI by MPI itself are not recorded */
static pid_t owner;                    /* a child made by fork() must not write */

static int is_made;                    /* there is a file, whose end is to be cut off */
static int file = -1;
static char file_path[4400];
static dev_t file_device;
static ino_t file_number;
/* A part of the file in memory, which the system keeps whatever becomes of the process: even SIGKILL loses nothing of it. */
static unsigned char *buffer;
static size_t capacity;
static uint64_t base, made;            /* where the part begins in the file, and where the next record goes */
static uint64_t records;
static uint64_t last;                  /* when the last call ended */
static uint64_t last_request;
static int failed;

static void complain(const char *what) {
    char text[256];
    int length = snprintf(text, sizeof text, "mopsim record: %s\n", what);
    if (length > 0) {
        ssize_t ignored = write(2, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
        (void)ignored;
    }
}

/* ---- Clock ---- */

static int clock_kind; /* 0 time of the day that never jumps, 1 counter of the processor, 2 processor time of the thread */
static double ticks_per_second = 1e9;

static inline uint64_t nanoseconds(clockid_t which) {
    struct timespec t;
    clock_gettime(which, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t counter(void) {
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return nanoseconds(CLOCK_MONOTONIC);
#endif
}

static inline uint64_t now(void) {
    if (LIKELY(clock_kind == 1)) return counter();
    return nanoseconds(clock_kind == 2 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
}

/* Whether the counter of the processor runs at one speed, whatever the processor does. */
static int counter_is_steady(void) {
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
#elif defined(__aarch64__)
    return 1;
#else
    return 0;
#endif
}

static uint64_t calibration_ticks, calibration_time;

static void clock_choose(int cpu_time) {
    clock_kind = cpu_time ? 2 : counter_is_steady();
    calibration_time = nanoseconds(CLOCK_MONOTONIC);
    calibration_ticks = now();
}

/* Speed of the counter over what passed since clock_choose(), and 20 ms at least. */
static void clock_calibrate(void) {
    if (clock_kind != 1) return;
    uint64_t time;
    while ((time = nanoseconds(CLOCK_MONOTONIC)) < calibration_time + 20000000u) {
        struct timespec rest = {0, 2000000};
        nanosleep(&rest, NULL);
    }
    ticks_per_second = (double)(now() - calibration_ticks) * 1e9 / (double)(time - calibration_time);
}

/* ---- Instructions ---- */

static int instruction_file = -1;
static uint64_t instruction_id;
static uint64_t last_instructions, call_instructions;

static uint64_t instructions(void) {
    uint64_t value = 0, id = 0;
#ifdef __linux__
    /* The program may have closed the descriptor and opened something else: to read that would take it away from the program. */
    if (ioctl(instruction_file, PERF_EVENT_IOC_ID, &id) != 0 || id != instruction_id) return last_instructions;
#endif
    if (read(instruction_file, &value, sizeof value) != (ssize_t)sizeof value) return last_instructions;
    return value;
}

static int instructions_open(void) {
#ifdef __linux__
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.size = sizeof attributes;
    attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    instruction_file = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (instruction_file >= 0 && ioctl(instruction_file, PERF_EVENT_IOC_ID, &instruction_id) != 0) {
        close(instruction_file);
        instruction_file = -1;
    }
#endif
    return instruction_file >= 0;
}

/* ---- File ---- */

/* Whether a descriptor is that of the recording. */
static int is_recording(int descriptor) {
    struct stat found;
    return descriptor >= 0 && fstat(descriptor, &found) == 0 && found.st_dev == file_device && found.st_ino == file_number;
}

/* Programs close descriptors that they did not open (daemons do, in a loop), and may then get the number of ours for a file of their own. So
   the descriptor is looked at before each use, and if it is another one it is the program's: ours is opened again, by its name. */
static int file_is_open(void) {
    if (is_recording(file)) return 1;
    int again = open(file_path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (!is_recording(again)) {
        if (again >= 0) close(again);
        file = -1;
        errno = EBADF;
        return 0;
    }
    file = again;
    return 1;
}

/* Out of the way of programs that count on low numbers. */
static void move_up(void) {
    int high = fcntl(file, F_DUPFD_CLOEXEC, 200);
    if (high < 0) return;
    close(file);
    file = high;
}

/* The next part of the file, with room for so many bytes. Its blocks are reserved, so that a full disk is told here and not by a signal. */
static int map_part(size_t most) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = made & ~(page - 1);
    size_t length = 1 << 18;
    if (most + page > length) length = (most + 2 * page) & ~(page - 1);
    /* What exceeds a limit of the shell (ulimit -f) would end the program by a signal. */
    struct rlimit limit;
    if (!file_is_open()) return 0;
    int is_too_much = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && from + length > limit.rlim_cur;
    int error = is_too_much ? EFBIG : posix_fallocate(file, (off_t)from, (off_t)length);
    if (error != 0) {
        errno = error;
        return 0;
    }
    void *mapped = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, (off_t)from);
    if (mapped == MAP_FAILED) return 0;
#ifdef MADV_POPULATE_WRITE
    /* MAP_POPULATE makes pages of files ready to be read only: each would stop the program once more at its first record. Where the
       system does not know this advice, it does. */
    (void)madvise(mapped, length, MADV_POPULATE_WRITE);
#endif
    if (buffer != NULL) munmap(buffer, capacity);
    buffer = mapped;
    capacity = length;
    base = from;
    return 1;
}

/* The file ends where its records end. */
static void close_file(void) {
    if (!is_made) return;
    is_made = 0;
    if (!file_is_open()) return;
    if (ftruncate(file, (off_t)made) != 0) complain("the end of a recording cannot be cut off; it can be read all the same");
    close(file);
    file = -1;
}

/* Says in the header, which needs no more room, why the file has no end. */
static void tell_no_room(void) {
    unsigned char flags;
    if (!file_is_open()) return;
    if (pread(file, &flags, 1, FLAGS_AT) != 1) return;
    flags |= FLAG_NO_ROOM;
    if (pwrite(file, &flags, 1, FLAGS_AT) != 1) complain("nor can it be said in the recording");
}

static void next_part(size_t most) {
    uint64_t before = now();
    if (failed || !map_part(most)) {
        if (!failed) {
            complain("a recording cannot be written (is the disk full?); it ends here, the program goes on");
            tell_no_room();
            close_file();
        }
        /* The record that is being made goes nowhere. */
        failed = 1;
        recording = 0;
        capacity = most > 1 << 18 ? most : 1 << 18;
        buffer = malloc(capacity);
        base = made;
        if (buffer == NULL) {
            complain("no memory is left");
            exit(3);
        }
    }
    /* The program does not compute meanwhile. */
    last += now() - before;
}

/* ---- Records ---- */

static inline unsigned char *put(unsigned char *p, uint64_t value) {
    while (value >= 0x80) {
        *p++ = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    *p++ = (unsigned char)value;
    return p;
}

static inline unsigned char *put_signed(unsigned char *p, int64_t value) {
    return put(p, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

static inline unsigned char *put_request(unsigned char *p, uint64_t handle) {
    p = put_signed(p, (int64_t)(handle - last_request));
    last_request = handle;
    return p;
}

#define FIXED 256 /* bytes that any record without a list needs at most */

/* Where the next record of at most so many bytes goes. */
static inline unsigned char *room(size_t most) {
    if (UNLIKELY(made - base + most > capacity)) next_part(most);
    return buffer + (made - base);
}

/* Tests and probes that found nothing are counted until something else happens: programs call them in loops. */
static struct { int call; uint64_t count, begin, end; } polls;
static uint64_t short_gap; /* ticks of a microsecond: less between two polls is no computation */

/* The first byte of a record is written last: until then the file ends in front of it. */
static unsigned char *record_at;
static int record_op;

static inline unsigned char *head_at(unsigned char *p, int op, uint64_t begin, uint64_t end) {
    record_at = p;
    record_op = op;
    *p++ = 0;
    p = put(p, begin > last ? begin - last : 0);
    p = put(p, end > begin ? end - begin : 0);
    if (UNLIKELY(instruction_file >= 0)) {
        uint64_t after = instructions();
        p = put(p, call_instructions > last_instructions ? call_instructions - last_instructions : 0);
        last_instructions = after;
    }
    if (LIKELY(end > last)) last = end;
    return p;
}

static inline void done(unsigned char *p) {
    __atomic_signal_fence(__ATOMIC_RELEASE);
    *record_at = (unsigned char)record_op;
    records++;
    made = base + (uint64_t)(p - buffer);
}

/* A receive that has ended is written with the next record: what the program does next may be a send for which somebody waits. */
static struct { int is_there; int64_t comm, from, tag; uint64_t bytes, begin, end; } received;

static unsigned char *put_received(unsigned char *p) {
    p = head_at(p, OP_RECV, received.begin, received.end);
    p = put(p, (uint64_t)received.comm);
    p = put_signed(p, received.from);
    p = put_signed(p, received.tag);
    return put(p, received.bytes);
}

/* Writes what was kept back: polls or a receive, never both. */
static void settle(void) {
    unsigned char *p = room(FIXED);
    if (received.is_there) {
        received.is_there = 0;
        done(put_received(p));
    } else if (polls.count) {
        p = head_at(p, OP_POLLS, polls.begin, polls.end);
        *p++ = (unsigned char)polls.call;
        p = put(p, polls.count);
        polls.count = 0;
        done(p);
    }
}

/* When a call began that follows polls: what is short between two of these is no computation. */
static inline uint64_t behind_polls(uint64_t begin) { return begin > last && begin < last + short_gap ? last : begin; }

/* ---- Several threads ----

   What a call waits for may be what another thread does before it returns. So where anything else is recorded between its begin and its
   end, both are: what it starts belongs to where it began, and what it waits for to where it returned. A call is written as ever if
   nothing was in between. */

static __thread int64_t thread_number; /* from 1, in the order of their first calls; 0 before that */
static int64_t threads_known;
/* The thread whose call began last, with nothing recorded since then; 0 for none. */
static int64_t entered;
static uint64_t entered_at;
/* Whether the call of this thread has a begin, which is either the one above or in the file. */
static __thread int has_entered;

static void write_thread(int op, uint64_t begin) {
    unsigned char *p;
    if (polls.count) {
        settle();
        begin = behind_polls(begin);
    }
    p = head_at(room(FIXED), op, begin, begin);
    done(put(p, (uint64_t)(op == OP_ENTER ? entered : thread_number)));
}

/* Something is about to be recorded, so that the call that began last has to be there before. */
static void write_entered(void) {
    if (entered == 0) return;
    write_thread(OP_ENTER, entered_at);
    entered = 0;
}

/* A call begins: when. One that starts nothing, but waits for what was started, or looks at it, needs no begin. */
__attribute__((noinline, cold)) static uint64_t enter_beside_others(int starts) {
    uint64_t begin = now();
    if (__atomic_fetch_add(&threads_inside, 1, __ATOMIC_RELAXED) > 0) __atomic_fetch_add(&overlapped, 1, __ATOMIC_RELAXED);
    has_entered = starts;
    if (starts) {
        pthread_mutex_lock(&one_writer);
        if (thread_number == 0) thread_number = ++threads_known;
        write_entered();
        entered = thread_number;
        entered_at = begin;
        pthread_mutex_unlock(&one_writer);
    }
    return begin;
}

/* Takes the lock for the record of a call: when it begins. Its end stands where it returned, if its begin is in the file. */
__attribute__((noinline, cold)) static uint64_t lock_writer(uint64_t begin) {
    pthread_mutex_lock(&one_writer);
    if (has_entered && entered == thread_number) {
        entered = 0;
    } else {
        write_entered();
        if (has_entered) {
            write_thread(OP_LEAVE, last);
            begin = last;
        }
    }
    has_entered = 0;
    return begin;
}

/* Begins a record of a call with up to `list` bytes beside its fixed part. */
static inline unsigned char *begin_record(int op, uint64_t begin, uint64_t end, size_t list) {
    if (UNLIKELY(multiple)) begin = lock_writer(begin);
    if (received.is_there) {
        settle();
    } else if (UNLIKELY(polls.count)) {
        settle();
        begin = behind_polls(begin);
    }
    return head_at(room(FIXED + list), op, begin, end);
}

static inline void end_record(unsigned char *p) {
    done(p);
    if (UNLIKELY(multiple)) pthread_mutex_unlock(&one_writer);
}

static void record_quiet(uint64_t begin, uint64_t end) { end_record(begin_record(OP_QUIET, begin, end, 0)); }

static void record_poll(int call, uint64_t begin, uint64_t end) {
    if (UNLIKELY(multiple)) begin = lock_writer(begin);
    if (received.is_there || (polls.count && (polls.call != call || begin > polls.end + short_gap))) settle();
    if (polls.count == 0) {
        polls.call = call;
        polls.begin = begin;
    }
    polls.count++;
    polls.end = end;
    if (UNLIKELY(multiple)) pthread_mutex_unlock(&one_writer);
}

/* ---- Calls of MPI: where they begin and end ---- */

#define IDLE UNLIKELY(!recording || depth)

__attribute__((always_inline)) static inline uint64_t enter_call(int starts) {
    depth = 1;
    if (UNLIKELY(instruction_file >= 0)) call_instructions = instructions();
    if (UNLIKELY(multiple)) return enter_beside_others(starts);
    return now();
}

static inline uint64_t enter(void) { return enter_call(1); }

/* Of a call that waits for what was started, or looks whether it is there. */
static inline uint64_t enter_wait(void) { return enter_call(0); }

static inline uint64_t leave(void) {
    uint64_t end = now();
    if (UNLIKELY(multiple)) __atomic_fetch_sub(&threads_inside, 1, __ATOMIC_RELAXED);
    depth = 0;
    return end;
}

/* ---- Maps from handles to numbers: open addressing, moved back on removal ---- */

struct map { uint64_t *keys; int64_t *values; size_t slots, used; };

static inline size_t map_slot(const struct map *map, uint64_t key) {
    return (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (map->slots - 1);
}

/* Keys are stored plus one, so that 0 is a free slot. The largest key is no handle of any library. */
enum { ABSENT = -1 };

static int64_t map_get(const struct map *map, uint64_t key) {
    if (map->used == 0) return ABSENT;
    for (size_t i = map_slot(map, key); map->keys[i]; i = (i + 1) & (map->slots - 1))
        if (map->keys[i] == key + 1) return map->values[i];
    return ABSENT;
}

static void map_put(struct map *map, uint64_t key, int64_t value);

static void map_grow(struct map *map) {
    struct map more = {.slots = map->slots ? 2 * map->slots : 64};
    more.keys = calloc(more.slots, sizeof *more.keys);
    more.values = calloc(more.slots, sizeof *more.values);
    if (more.keys == NULL || more.values == NULL) {
        complain("no memory is left for the handles of the program");
        exit(3);
    }
    for (size_t i = 0; i < map->slots; i++)
        if (map->keys[i]) map_put(&more, map->keys[i] - 1, map->values[i]);
    free(map->keys);
    free(map->values);
    *map = more;
}

static void map_put(struct map *map, uint64_t key, int64_t value) {
    if (2 * (map->used + 1) > map->slots) map_grow(map);
    size_t i = map_slot(map, key);
    while (map->keys[i] && map->keys[i] != key + 1) i = (i + 1) & (map->slots - 1);
    map->used += map->keys[i] == 0;
    map->keys[i] = key + 1;
    map->values[i] = value;
}

static void map_remove(struct map *map, uint64_t key) {
    if (map->used == 0) return;
    size_t mask = map->slots - 1, i = map_slot(map, key);
    while (map->keys[i] && map->keys[i] != key + 1) i = (i + 1) & mask;
    if (map->keys[i] == 0) return;
    map->used--;
    for (size_t next = (i + 1) & mask; map->keys[next]; next = (next + 1) & mask) {
        size_t home = map_slot(map, map->keys[next] - 1);
        if (((next - home) & mask) < ((next - i) & mask)) continue;
        map->keys[i] = map->keys[next];
        map->values[i] = map->values[next];
        i = next;
    }
    map->keys[i] = 0;
}
