/* Begin and end of a recording. */

/* exit() without MPI_Finalize. Of signals nothing has to be known: what is in the file is there. */
static void on_exit_without_end(void) {
    if (!is_made || getpid() != owner) return;
    recording = 0;
    settle();
    close_file();
}

static unsigned char *put_fixed(unsigned char *p, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) *p++ = (unsigned char)(value >> (8 * i));
    return p;
}

static unsigned char *put_text(unsigned char *p, const char *text, int length) {
    /* The first line of it. */
    int shown = 0;
    while (shown < length && shown < 400 && text[shown] && text[shown] != '\n') shown++;
    p = put_fixed(p, (uint64_t)shown, 2);
    memcpy(p, text, (size_t)shown);
    return p + shown;
}

/* Whether the program runs with the library that this was compiled for. */
static int same_library(const char *version) {
#if defined(OPEN_MPI)
    int major = 0;
    const char *number = strstr(version, "Open MPI v");
    return number != NULL && sscanf(number + 10, "%d", &major) == 1 && major == OMPI_MAJOR_VERSION;
#elif defined(MPICH_VERSION) || defined(I_MPI_VERSION) || defined(MVAPICH2_VERSION) || defined(CRAY_MPICH_VERSION)
    /* MPICH and its descendants have one binary interface. */
    return strstr(version, "Open MPI") == NULL;
#else
    (void)version;
    return 1;
#endif
}

static void put_header(int rank, int ranks, int flags, const char *library, int library_length) {
    static const unsigned char magic[8] = {0x8d, 'm', 'r', 'e', 'c', '\r', '\n', 0x1a};
    char host[256] = "";
    uint64_t bits;
    gethostname(host, sizeof host - 1);
    memcpy(&bits, &ticks_per_second, sizeof bits);
    unsigned char *p = buffer;
    memcpy(p, magic, sizeof magic);
    p += sizeof magic;
    p = put_fixed(p, FORMAT_VERSION, 2);
    p = put_fixed(p, (uint64_t)flags, 2);
    p = put_fixed(p, (uint64_t)rank, 4);
    p = put_fixed(p, (uint64_t)ranks, 4);
    p = put_fixed(p, (uint64_t)sysconf(_SC_NPROCESSORS_ONLN), 4);
    p = put_fixed(p, nanoseconds(CLOCK_REALTIME), 8);
    p = put_fixed(p, bits, 8);
    p = put_text(p, library, library_length);
    p = put_text(p, host, (int)strlen(host));
    made = (uint64_t)(p - buffer);
}

/* Keeps what the kernel says of the processor, once for each host: the name of the processor is in it. */
static void note_host(const char *folder) {
    char host[256] = "", path[4400], text[4096];
    gethostname(host, sizeof host - 1);
    snprintf(path, sizeof path, "%.4000s/host-%s.cpuinfo", folder, host);
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (to < 0) return;
    int from = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    ssize_t length = from < 0 ? 0 : read(from, text, sizeof text);
    if (length > 0 && write(to, text, (size_t)length) != length) complain("the name of the processor is not recorded");
    if (from >= 0) close(from);
    close(to);
}

static void begin_recording(int provided) {
    const char *folder = getenv("MOPSIM_RECORD_DIR");
    if (recording || folder == NULL || *folder == 0) return;
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "", path[4096];
    int library_length = 0, rank, ranks, flags = 0, mine = 1;
    MPI_Comm parent = MPI_COMM_NULL;
    PMPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        complain("a process that was added to the program by MPI_Comm_spawn is not recorded");
        return;
    }
    PMPI_Get_library_version(library, &library_length);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    /* The first MPI program of the command is recorded; a second one would write over it. */
    if (rank == 0) {
        snprintf(path, sizeof path, "%s/begun", folder);
        int begun = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
        mine = begun >= 0;
        if (begun >= 0) {
            close(begun);
        } else if (errno == EEXIST) {
            complain("the command starts a second MPI program: only the first one is recorded");
            snprintf(path, sizeof path, "%s/second", folder);
            int second = open(path, O_WRONLY | O_CREAT, 0666);
            if (second >= 0) close(second);
        } else {
            char text[4200];
            snprintf(text, sizeof text, "%.3900s: nothing can be written there (%s); nothing is recorded", folder, strerror(errno));
            complain(text);
        }
    }
    PMPI_Bcast(&mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!mine) return;

    pthread_mutexattr_t twice;
    pthread_mutexattr_init(&twice);
    pthread_mutexattr_settype(&twice, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&one_writer, &twice);
    multiple = provided == MPI_THREAD_MULTIPLE;
    if (multiple) flags |= FLAG_MULTIPLE;
    if (clock_kind == 2) flags |= FLAG_CPU_TIME;
    if (getenv("MOPSIM_RECORD_INSTRUCTIONS") != NULL) {
        if (instructions_open())
            flags |= FLAG_INSTRUCTIONS;
        else if (rank == 0)
            complain("instructions cannot be counted here (see perf_event_open(2)); time alone is recorded");
    }
    snprintf(path, sizeof path, "%s/rank-%06d.mrec", folder, rank);
    file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    snprintf(file_path, sizeof file_path, "%s", path);
    struct stat made_file;
    int is_known = file >= 0 && fstat(file, &made_file) == 0;
    if (is_known) {
        file_device = made_file.st_dev;
        file_number = made_file.st_ino;
        move_up();
    }
    if (!is_known || !map_part(0)) {
        char text[4200];
        snprintf(text, sizeof text, "%.3900s: %s; this rank is not recorded", path, strerror(errno));
        complain(text);
        if (file >= 0) {
            close(file);
            unlink(path);
            file = -1;
        }
        return;
    }
    is_made = 1;
    note_host(folder);
    owner = getpid();
    clock_calibrate();
    short_gap = (uint64_t)(ticks_per_second * 1e-6);
    put_header(rank, ranks, flags, library, library_length);
    no_request = KEY(MPI_REQUEST_NULL);
    PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
    comm_number(MPI_COMM_WORLD, ranks, rank);
    comm_number(MPI_COMM_SELF, 1, 0);
    atexit(on_exit_without_end);
    last = now();
    if (instruction_file >= 0) call_instructions = last_instructions = instructions();
    recording = 1;
    unsigned char *p = begin_record(OP_BEGIN, last, last, 0);
    end_record(put(p, (uint64_t)(provided == MPI_THREAD_MULTIPLE ? 3 : provided == MPI_THREAD_SERIALIZED ? 2 : provided == MPI_THREAD_FUNNELED)));
}

/* Before MPI ends, since its end may fail. */
static void end_recording(void) {
    if (!recording) return;
    uint64_t time = now();
    call_instructions = instruction_file >= 0 ? instructions() : 0;
    end_released();
    end_record(begin_record(OP_FINALIZE, time, time, 0));
    recording = 0;
    unsigned char *p = room(FIXED);
    if (failed) return;
    *p++ = OP_END;
    p = put(p, records);
    p = put(p, overlapped);
    memcpy(p, "mrec\r\n\x1a\x8d", 8);
    made = base + (uint64_t)(p + 8 - buffer);
    close_file();
    PMPI_Group_free(&world_group);
}

static void before_init(void) {
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    if (getenv("MOPSIM_RECORD_DIR") == NULL) return;
    PMPI_Get_library_version(library, &length);
    if (!same_library(library)) {
        char text[sizeof library + 100];
        snprintf(text, sizeof text, "the program runs with `%.*s`, the recorder was compiled for another MPI library:", (int)strcspn(library, "\n,"),
                 library);
        complain(text);
        complain("name the compiler of that library with --mpicc");
        syscall(SYS_exit_group, 2);
    }
    clock_choose(getenv("MOPSIM_RECORD_CPU_TIME") != NULL);
}

int MPI_Init(int *argc, char ***argv) {
    if (depth) return PMPI_Init(argc, argv);
    before_init();
    depth = 1;
    int rc = PMPI_Init(argc, argv);
    if (rc == MPI_SUCCESS) begin_recording(MPI_THREAD_SINGLE);
    depth = 0;
    return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    if (depth) return PMPI_Init_thread(argc, argv, required, provided);
    before_init();
    depth = 1;
    int rc = PMPI_Init_thread(argc, argv, required, provided);
    if (rc == MPI_SUCCESS) begin_recording(*provided);
    depth = 0;
    return rc;
}

int MPI_Finalize(void) {
    if (depth) return PMPI_Finalize();
    end_recording();
    depth = 1;
    int rc = PMPI_Finalize();
    depth = 0;
    return rc;
}

static void record_abort(int code) {
    if (!recording) return;
    uint64_t time = now();
    unsigned char *p = begin_record(OP_ABORT, time, time, 0);
    end_record(put_signed(p, code));
    recording = 0;
}

int MPI_Abort(MPI_Comm comm, int code) {
    record_abort(code);
    return PMPI_Abort(comm, code);
}
