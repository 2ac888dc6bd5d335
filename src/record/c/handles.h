/* Types, communicators and windows: from handles to what a file tells. */

#define KEY(handle) ((uint64_t)(uintptr_t)(handle))

/* ---- What is not recorded, by name ---- */

static struct { const char *name; uint64_t count; } others[192];
static int others_named;

/* A call that is in the file with its name and nothing else. Names are literals, so their addresses tell them apart. */
static void record_other(const char *name, uint64_t begin, uint64_t end) {
    unsigned char *p = begin_record(OP_OTHER, begin, end, 0);
    int i = 0;
    while (i < others_named && others[i].name != name) i++;
    if (i == (int)(sizeof others / sizeof *others)) i--;
    p = put(p, (uint64_t)i);
    if (i == others_named) {
        size_t length = strlen(name);
        others[others_named++].name = name;
        p = put(p, length);
        memcpy(p, name, length);
        p += length;
    }
    others[i].count++;
    end_record(p);
}

/* ---- Types: only their size matters ---- */

static struct { uint64_t key, size; } types[64];

/* With several threads nothing is kept: one might find the size that another is about to write. */
static inline uint64_t type_size(MPI_Datatype type) {
    uint64_t key = KEY(type);
    size_t slot = (size_t)((key * 0x9e3779b97f4a7c15u) >> 58);
    if (LIKELY(types[slot].key == key + 1)) return types[slot].size;
    MPI_Count count = 0;
    PMPI_Type_size_x(type, &count);
    uint64_t size = count > 0 ? (uint64_t)count : 0;
    if (LIKELY(!multiple)) {
        types[slot].key = key + 1;
        types[slot].size = size;
    }
    return size;
}

/* Nothing is asked about the type of no elements: it may be none. */
static inline uint64_t bytes_of(int64_t count, MPI_Datatype type) {
    return count > 0 ? (uint64_t)count * type_size(type) : 0;
}

/* A handle may come to stand for another type. */
static void types_forget(void) {
    if (LIKELY(!multiple)) memset(types, 0, sizeof types);
}

/* ---- Communicators ---- */

enum { NOT_RECORDED = -2 };

static struct map comms;
static struct comm_info { int size, rank; } *comm_info;
static int64_t comms_made, comms_room;
static MPI_Group world_group;
static uint64_t last_comm_key;
static int64_t last_comm_id = NOT_RECORDED;

/* Takes the lock of begin_record(), which may be taken twice. */
#define LOCK() if (UNLIKELY(multiple)) pthread_mutex_lock(&one_writer)
#define UNLOCK() if (UNLIKELY(multiple)) pthread_mutex_unlock(&one_writer)

/* The size of a recorded communicator, and this process's rank there: a copy, since another thread may move the list. */
static inline struct comm_info comm_about(int64_t id) {
    LOCK();
    struct comm_info about = comm_info[id];
    UNLOCK();
    return about;
}

/* With several threads there is no last one, and nothing is written that others read without the lock. */
static void comm_forget_last(void) {
    if (last_comm_id != NOT_RECORDED) last_comm_id = NOT_RECORDED;
}

static int64_t comm_number(MPI_Comm comm, int size, int rank) {
    if (comms_made == comms_room) {
        comms_room = comms_room ? 2 * comms_room : 64;
        comm_info = realloc(comm_info, (size_t)comms_room * sizeof *comm_info);
        if (comm_info == NULL) {
            complain("no memory is left for the communicators of the program");
            exit(3);
        }
    }
    comm_info[comms_made].size = size;
    comm_info[comms_made].rank = rank;
    map_put(&comms, KEY(comm), comms_made);
    comm_forget_last();
    return comms_made++;
}

/* Ranks of the world as runs with equal steps, as most communicators are. */
static unsigned char *put_members(unsigned char *p, const int *members, int size) {
    int64_t expected = 0;
    for (int i = 0; i < size;) {
        int step = i + 1 < size ? members[i + 1] - members[i] : 1, length = 1;
        while (i + length < size && members[i + length] - members[i + length - 1] == step) length++;
        p = put_signed(p, members[i] - expected);
        p = put_signed(p, step);
        p = put(p, (uint64_t)length);
        expected = (int64_t)members[i + length - 1] + 1;
        i += length;
    }
    return p;
}

static int *members_of(MPI_Group group, int size) {
    int *members = malloc(2 * (size_t)size * sizeof *members + 1);
    if (members == NULL) {
        complain("no memory is left for the members of a communicator");
        exit(3);
    }
    for (int i = 0; i < size; i++) members[size + i] = i;
    if (size > 0) PMPI_Group_translate_ranks(group, size, members + size, world_group, members);
    return members;
}

/* What a call that makes a communicator costs: nothing that is seen, a split (of all members of the parent, each of which tells where it
   wants to be), or an agreement (of all members of the parent). */
enum making { UNSEEN, SPLIT, AGREED };

/* No members: the call has made nothing for this process. The parent is -1 where it is not known. */
static void write_comm(int64_t id, const int *members, int size, int how, int64_t parent, uint64_t begin, uint64_t end) {
    unsigned char *p = begin_record(OP_COMM, begin, end, (size_t)size * 30);
    *p++ = (unsigned char)(parent >= 0 ? how : UNSEEN);
    p = put(p, (uint64_t)(parent >= 0 ? parent : 0));
    p = put(p, (uint64_t)id);
    p = put(p, (uint64_t)size);
    end_record(put_members(p, members, size));
}

/* Writes a communicator that this process is in; made by the call of those times. */
static int64_t comm_define(MPI_Comm comm, int how, int64_t parent, uint64_t begin, uint64_t end) {
    int size, rank, inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter) {
        map_put(&comms, KEY(comm), NOT_RECORDED);
        comm_forget_last();
        record_other("intercommunicators", begin, end);
        return NOT_RECORDED;
    }
    MPI_Group group;
    PMPI_Comm_size(comm, &size);
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_group(comm, &group);
    int *members = members_of(group, size);
    PMPI_Group_free(&group);
    int foreign = 0;
    for (int i = 0; i < size; i++) foreign |= members[i] < 0;
    if (foreign) {
        map_put(&comms, KEY(comm), NOT_RECORDED);
        comm_forget_last();
        record_other("communicators with processes that were added later", begin, end);
    } else {
        int64_t id = comm_number(comm, size, rank);
        write_comm(id, members, size, how, parent, begin, end);
        free(members);
        return id;
    }
    free(members);
    return NOT_RECORDED;
}

static int64_t comm_find(MPI_Comm comm) {
    LOCK();
    int64_t id = map_get(&comms, KEY(comm));
    /* One that no call we know has made. What is told of it is not the end of the call that uses it. */
    if (id == ABSENT && comm != MPI_COMM_NULL) {
        int64_t begun = entered;
        int has_begun = has_entered;
        entered = has_entered = 0;
        id = comm_define(comm, UNSEEN, -1, last, last);
        entered = begun;
        has_entered = has_begun;
    }
    if (id >= 0 && !multiple) {
        last_comm_key = KEY(comm);
        last_comm_id = id;
    }
    UNLOCK();
    return id;
}

/* The number of a communicator; negative for one that is not recorded. */
static inline int64_t comm_id(MPI_Comm comm) {
    if (LIKELY(last_comm_id >= 0 && last_comm_key == KEY(comm))) return last_comm_id;
    return comm_find(comm);
}

/* A call that makes a communicator has ended. */
static void record_comm(int rc, int how, MPI_Comm parent, MPI_Comm made, uint64_t begin, uint64_t end) {
    if (rc != MPI_SUCCESS) {
        record_quiet(begin, end);
        return;
    }
    LOCK();
    int64_t old = comm_id(parent);
    if (made == MPI_COMM_NULL)
        write_comm(0, NULL, 0, how, old, begin, end);
    else
        comm_define(made, how, old, begin, end);
    UNLOCK();
}

/* The new communicator of MPI_Comm_idup has the members of the old one; it cannot be asked yet. Its request is unknown to readers. */
static void record_idup(int rc, MPI_Comm old, MPI_Comm made, uint64_t begin, uint64_t end) {
    if (rc != MPI_SUCCESS || made == MPI_COMM_NULL || comm_id(old) < 0) {
        record_quiet(begin, end);
        return;
    }
    int size;
    MPI_Group group;
    LOCK();
    PMPI_Comm_size(old, &size);
    PMPI_Comm_group(old, &group);
    int *members = members_of(group, size);
    PMPI_Group_free(&group);
    int64_t parent = comm_id(old), id = comm_number(made, size, comm_info[parent].rank);
    write_comm(id, members, size, AGREED, parent, begin, end);
    UNLOCK();
    free(members);
}

/* A communicator is about to be freed: its number. Once it is, another thread may get the same handle for a new one. */
static int64_t comm_take(uint64_t key) {
    LOCK();
    int64_t id = map_get(&comms, key);
    map_remove(&comms, key);
    comm_forget_last();
    UNLOCK();
    return id;
}

static void record_comm_free(int64_t id, uint64_t begin, uint64_t end) {
    if (id < 0) {
        record_quiet(begin, end);
        return;
    }
    unsigned char *p = begin_record(OP_COMM_FREE, begin, end, 0);
    end_record(put(p, (uint64_t)id));
}

/* ---- Windows ---- */

static struct map windows;
static int64_t windows_made;

static void record_window(int rc, MPI_Win win, MPI_Comm comm, uint64_t begin, uint64_t end) {
    int64_t id = rc == MPI_SUCCESS ? comm_id(comm) : NOT_RECORDED;
    if (id < 0) {
        record_quiet(begin, end);
        return;
    }
    unsigned char *p = begin_record(OP_WIN, begin, end, 0);
    map_put(&windows, KEY(win), windows_made);
    p = put(p, (uint64_t)windows_made++);
    end_record(put(p, (uint64_t)id));
}

static int64_t window_id(uint64_t key) {
    LOCK();
    int64_t id = map_get(&windows, key);
    UNLOCK();
    return id;
}

/* As comm_take(). */
static int64_t window_take(uint64_t key) {
    LOCK();
    int64_t id = map_get(&windows, key);
    map_remove(&windows, key);
    UNLOCK();
    return id;
}

static void record_window_free(int64_t id, uint64_t begin, uint64_t end) {
    if (id < 0) {
        record_quiet(begin, end);
        return;
    }
    unsigned char *p = begin_record(OP_WIN_FREE, begin, end, 0);
    end_record(put(p, (uint64_t)id));
}

enum rma { RMA_PUT, RMA_GET, RMA_ACCUMULATE, RMA_GET_ACCUMULATE, RMA_FETCH_AND_OP, RMA_COMPARE_AND_SWAP };

/* Bytes that go to the target, and that come from there. */
static void record_rma(int kind, int rc, MPI_Win win, int target, uint64_t there, uint64_t back, uint64_t begin, uint64_t end) {
    int64_t id = window_id(KEY(win));
    if (rc != MPI_SUCCESS || target < 0) {
        record_quiet(begin, end);
    } else if (id < 0) {
        record_other("one-sided calls on windows that are not recorded", begin, end);
    } else {
        unsigned char *p = begin_record(OP_RMA, begin, end, 0);
        *p++ = (unsigned char)kind;
        p = put(p, (uint64_t)id);
        p = put(p, (uint64_t)target);
        p = put(p, there);
        end_record(put(p, back));
    }
}

enum sync {
    SYNC_FENCE, SYNC_POST, SYNC_START, SYNC_COMPLETE, SYNC_WAIT, SYNC_LOCK, SYNC_UNLOCK, SYNC_LOCK_ALL, SYNC_UNLOCK_ALL, SYNC_FLUSH,
    SYNC_FLUSH_ALL
};

static void record_sync(int kind, int rc, MPI_Win win, int target, uint64_t begin, uint64_t end) {
    int64_t id = window_id(KEY(win));
    if (rc != MPI_SUCCESS) {
        record_quiet(begin, end);
    } else if (id < 0) {
        record_other("one-sided calls on windows that are not recorded", begin, end);
    } else {
        unsigned char *p = begin_record(OP_WIN_SYNC, begin, end, 0);
        *p++ = (unsigned char)kind;
        p = put(p, (uint64_t)id);
        end_record(put_signed(p, target));
    }
}
