/* Messages and requests: what a file tells of them. */

enum mode { STANDARD, BUFFERED, SYNCHRONOUS, READY };
/* Calls that complete requests or look for messages. */
enum completion { WAIT, WAITALL, WAITANY, WAITSOME, TEST, TESTALL, TESTANY, TESTSOME, IPROBE, IMPROBE, WIN_TEST, GET_STATUS, RELEASED };

/* A partner in a file: a rank of the communicator, -1 for none, -2 for any. Tags: -1 for any. */
static inline int partner(int rank) {
    if (LIKELY(rank >= 0)) return rank;
    return rank == MPI_ANY_SOURCE ? -2 : -1;
}

static inline int message_tag(int tag) { return tag == MPI_ANY_TAG ? -1 : tag; }

/* Requests whose source or tag is open (0: until they complete, 1: persistent ones, as often as they are started). */
static struct map open_requests;
/* Requests that the program has tried to take back. */
static struct map cancelled;
/* Messages that a probe has taken out of the queue: communicator, source, tag. */
static struct map found;
static struct found_message { int64_t comm; int source, tag, under_way; } *found_info;
static size_t found_room;

/* ---- Requests of several threads ----

   A handle that one thread has just completed may be that of another thread's next request before either is recorded. So handles are
   claimed before a call that may complete them, and a new request whose handle is claimed gets a number in the place of it. */

static struct map request_numbers, claimed;
static uint64_t numbers_made;
static __thread uint64_t *claims;
static __thread int claims_made;

/* Numbers that no handle is: no address of a program, no small number. */
#define FIRST_NUMBER ((uint64_t)1 << 52)

/* Claims of a thread end with its next request or its next claims: until then they only make numbers that were not needed. */
static void end_claims(void) {
    LOCK();
    for (int i = 0; i < claims_made; i++) {
        int64_t others = map_get(&claimed, claims[i]) - 1;
        if (others > 0)
            map_put(&claimed, claims[i], others);
        else
            map_remove(&claimed, claims[i]);
    }
    claims_made = 0;
    UNLOCK();
}

__attribute__((noinline, cold)) static uint64_t request_number(uint64_t handle, int is_new) {
    LOCK();
    if (is_new) end_claims();
    int64_t number = map_get(&request_numbers, handle);
    if (is_new && map_get(&claimed, handle) > 0) {
        number = (int64_t)(FIRST_NUMBER + numbers_made++);
        map_put(&request_numbers, handle, number);
    }
    UNLOCK();
    return number == ABSENT ? handle : (uint64_t)number;
}

/* What represents a handle in the file, and one that a call has just given. */
static inline uint64_t known_request(uint64_t handle) { return UNLIKELY(multiple) ? request_number(handle, 0) : handle; }
static inline uint64_t new_request(uint64_t handle) { return UNLIKELY(multiple) ? request_number(handle, 1) : handle; }

static inline int is_open(int source, int tag) { return source == MPI_ANY_SOURCE || (tag == MPI_ANY_TAG && source >= 0); }

/* Sends of all kinds; `request` for those that have one. */
static inline void record_send(int op, int mode, int rc, uint64_t bytes, int to, int tag, MPI_Comm comm, uint64_t request,
                               uint64_t begin, uint64_t end) {
    if (UNLIKELY(rc != MPI_SUCCESS)) {
        record_quiet(begin, end);
        return;
    }
    int64_t id = comm_id(comm);
    if (UNLIKELY(id < 0)) {
        record_other("messages on communicators that are not recorded", begin, end);
        return;
    }
    unsigned char *p = begin_record(op, begin, end, 0);
    *p++ = (unsigned char)mode;
    p = put(p, (uint64_t)id);
    p = put_signed(p, partner(to));
    p = put_signed(p, tag);
    p = put(p, bytes);
    if (op != OP_SEND) p = put_request(p, new_request(request));
    end_record(p);
}

/* Receives of all kinds. A blocking one from anywhere gives what its status tells. */
static inline void record_recv(int op, int rc, uint64_t bytes, int from, int tag, MPI_Comm comm, uint64_t request,
                               uint64_t begin, uint64_t end) {
    if (UNLIKELY(rc != MPI_SUCCESS)) {
        record_quiet(begin, end);
        return;
    }
    int64_t id = comm_id(comm);
    if (UNLIKELY(id < 0)) {
        record_other("messages on communicators that are not recorded", begin, end);
        return;
    }
    if (op == OP_RECV && LIKELY(!multiple && instruction_file < 0)) {
        if (UNLIKELY(polls.count)) {
            settle();
            begin = behind_polls(begin);
        } else if (received.is_there) {
            settle();
        }
        received.comm = id;
        received.from = partner(from);
        received.tag = message_tag(tag);
        received.bytes = bytes;
        received.begin = begin;
        received.end = end;
        received.is_there = 1;
        return;
    }
    unsigned char *p = begin_record(op, begin, end, 0);
    p = put(p, (uint64_t)id);
    p = put_signed(p, partner(from));
    p = put_signed(p, message_tag(tag));
    p = put(p, bytes);
    if (op != OP_RECV) {
        request = new_request(request);
        p = put_request(p, request);
        if (UNLIKELY(is_open(from, tag))) map_put(&open_requests, request, op == OP_RECV_INIT);
    }
    end_record(p);
}

static void record_sendrecv(int rc, uint64_t sent, int to, int send_tag, uint64_t received, int from, int recv_tag, MPI_Comm comm,
                            uint64_t begin, uint64_t end) {
    int64_t id = rc == MPI_SUCCESS ? comm_id(comm) : NOT_RECORDED;
    if (rc != MPI_SUCCESS) {
        record_quiet(begin, end);
    } else if (id < 0) {
        record_other("messages on communicators that are not recorded", begin, end);
    } else {
        unsigned char *p = begin_record(OP_SENDRECV, begin, end, 0);
        p = put(p, (uint64_t)id);
        p = put_signed(p, partner(to));
        p = put_signed(p, send_tag);
        p = put(p, sent);
        p = put_signed(p, partner(from));
        p = put_signed(p, message_tag(recv_tag));
        end_record(put(p, received));
    }
}

/* A probe that has found a message; of those that find nothing, see record_poll(). */
static void record_probe(int rc, MPI_Comm comm, const MPI_Status *status, uint64_t begin, uint64_t end) {
    int64_t id = rc == MPI_SUCCESS ? comm_id(comm) : NOT_RECORDED;
    if (id < 0 || status->MPI_SOURCE < 0) {
        record_quiet(begin, end);
        return;
    }
    MPI_Count bytes = 0;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    unsigned char *p = begin_record(OP_PROBE, begin, end, 0);
    p = put(p, (uint64_t)id);
    p = put_signed(p, status->MPI_SOURCE);
    p = put_signed(p, status->MPI_TAG);
    end_record(put(p, bytes > 0 ? (uint64_t)bytes : 0));
}

static void message_found(uint64_t message, MPI_Comm comm, const MPI_Status *status) {
    int64_t id = comm_id(comm), slot = 0;
    LOCK();
    while ((size_t)slot < found_room && found_info[slot].under_way) slot++;
    if ((size_t)slot >= found_room) {
        size_t room = found_room ? 2 * found_room : 64;
        found_info = realloc(found_info, room * sizeof *found_info);
        if (found_info == NULL) {
            complain("no memory is left for the messages of the program");
            exit(3);
        }
        memset(found_info + found_room, 0, (room - found_room) * sizeof *found_info);
        found_room = room;
    }
    /* The receive of a message from nobody does not remove it. */
    found_info[slot].under_way = status->MPI_SOURCE >= 0;
    found_info[slot].comm = id;
    found_info[slot].source = status->MPI_SOURCE;
    found_info[slot].tag = status->MPI_TAG;
    if (status->MPI_SOURCE >= 0) map_put(&found, message, slot);
    UNLOCK();
}

/* A message that a probe has found is about to be received: what is known of it. Once it is, another thread may get the same handle for the
   next one. */
static struct found_message message_take(uint64_t message) {
    struct found_message taken = {.under_way = 0};
    LOCK();
    int64_t slot = map_get(&found, message);
    if (slot >= 0) {
        taken = found_info[slot];
        map_remove(&found, message);
        found_info[slot].under_way = 0;
    }
    UNLOCK();
    return taken;
}

/* Its receive. */
static void record_found(int op, int rc, struct found_message taken, uint64_t bytes, uint64_t request, uint64_t begin, uint64_t end) {
    if (rc != MPI_SUCCESS || !taken.under_way) {
        record_quiet(begin, end);
        return;
    }
    if (taken.comm < 0) {
        record_other("messages on communicators that are not recorded", begin, end);
        return;
    }
    unsigned char *p = begin_record(op, begin, end, 0);
    p = put(p, (uint64_t)taken.comm);
    p = put_signed(p, taken.source);
    p = put_signed(p, taken.tag);
    p = put(p, bytes);
    if (op != OP_RECV) p = put_request(p, new_request(request));
    end_record(p);
}

static void record_starts(int rc, int count, const uint64_t *requests, uint64_t begin, uint64_t end) {
    if (rc != MPI_SUCCESS) {
        record_quiet(begin, end);
        return;
    }
    unsigned char *p = begin_record(OP_START, begin, end, (size_t)count * 10);
    p = put(p, (uint64_t)count);
    for (int i = 0; i < count; i++) p = put_request(p, requests[i]);
    end_record(p);
}

static void record_request(int op, uint64_t request, uint64_t begin, uint64_t end) {
    unsigned char *p = begin_record(op, begin, end, 0);
    if (op == OP_CANCEL)
        map_put(&cancelled, request, 1);
    else
        map_remove(&open_requests, request);
    end_record(put_request(p, request));
}

/* ---- Completion ---- */

/* Handles as they were before a call, which may change them, and statuses where the program wants none: kept for the next call. */
static __thread uint64_t *handles;
static __thread MPI_Status *statuses;
static __thread int handles_room;

static void make_room(int count) {
    if (LIKELY(count <= handles_room)) return;
    end_claims();
    free(claims);
    free(handles);
    free(statuses);
    handles_room = count < 64 ? 64 : 2 * count;
    handles = malloc((size_t)handles_room * sizeof *handles);
    statuses = malloc((size_t)handles_room * sizeof *statuses);
    claims = malloc((size_t)handles_room * sizeof *claims);
    if (handles == NULL || statuses == NULL || claims == NULL) {
        complain("no memory is left for the requests of the program");
        exit(3);
    }
}

static uint64_t no_request;

__attribute__((noinline, cold)) static void claim_handles(int count) {
    end_claims();
    LOCK();
    for (int i = 0; i < count; i++) {
        if (handles[i] == no_request) continue;
        int64_t others = map_get(&claimed, handles[i]);
        map_put(&claimed, handles[i], others > 0 ? others + 1 : 1);
        claims[claims_made++] = handles[i];
        handles[i] = request_number(handles[i], 0);
    }
    UNLOCK();
}

static inline void keep_handles(int count, const MPI_Request *requests) {
    make_room(count);
    for (int i = 0; i < count; i++) handles[i] = KEY(requests[i]);
    if (UNLIKELY(multiple)) claim_handles(count);
}

/* Whether anything has to be known of a request that its status alone tells. */
static inline int want_statuses(void) { return open_requests.used + cancelled.used > 0; }

static inline unsigned char *put_completed(unsigned char *p, uint64_t handle, const MPI_Status *status) {
    int what = 0, persistent = 0;
    if (UNLIKELY(want_statuses()) && status != NULL) {
        if (map_get(&cancelled, handle) >= 0) {
            int flag = 0;
            PMPI_Test_cancelled(status, &flag);
            what = flag ? 2 : 0;
            map_remove(&cancelled, handle);
        }
        persistent = (int)map_get(&open_requests, handle);
        if (persistent >= 0 && what == 0) what = 1;
        if (persistent == 0) map_remove(&open_requests, handle);
    }
    int64_t difference = (int64_t)(handle - last_request);
    last_request = handle;
    /* The two lowest bits tell what follows. */
    p = put(p, (((uint64_t)difference << 1) ^ (uint64_t)(difference >> 63)) << 2 | (uint64_t)what);
    if (what == 1) {
        p = put_signed(p, partner(status->MPI_SOURCE));
        p = put_signed(p, message_tag(status->MPI_TAG));
    }
    return p;
}

/* All of the kept handles are complete. */
static inline void record_all(int call, int count, const MPI_Status *status, uint64_t begin, uint64_t end) {
    int some = 0;
    for (int i = 0; i < count; i++) some += handles[i] != no_request;
    unsigned char *p = begin_record(OP_COMPLETE, begin, end, (size_t)some * 24);
    *p++ = (unsigned char)call;
    p = put(p, (uint64_t)some);
    for (int i = 0; i < count; i++)
        if (handles[i] != no_request) p = put_completed(p, handles[i], status ? status + i : NULL);
    end_record(p);
}

/* These of the kept handles are complete; a status for each of these. */
static inline void record_some(int call, int count, const int *indices, const MPI_Status *status, uint64_t begin, uint64_t end) {
    unsigned char *p = begin_record(OP_COMPLETE, begin, end, (size_t)(count > 0 ? count : 0) * 24);
    *p++ = (unsigned char)call;
    p = put(p, (uint64_t)(count > 0 ? count : 0));
    for (int i = 0; i < count; i++) p = put_completed(p, handles[indices[i]], status ? status + i : NULL);
    end_record(p);
}

/* ---- Requests that are released before they are complete ---- */

/* What becomes of a receive whose source or tag is open, or of a request that the program has tried to take back, is known from its status
   only. So it is kept when the program releases it, to whom it is gone, and asked later. */
static struct released { MPI_Request request; uint64_t handle; } *released;
static int released_count, released_room;

static int is_told_late(uint64_t handle) {
    LOCK();
    int is_late = map_get(&open_requests, handle) >= 0 || map_get(&cancelled, handle) >= 0;
    UNLOCK();
    return is_late;
}

static void keep_released(struct released one) {
    LOCK();
    if (released_count == released_room) {
        released_room = released_room ? 2 * released_room : 16;
        released = realloc(released, (size_t)released_room * sizeof *released);
        if (released == NULL) {
            complain("no memory is left for the requests of the program");
            exit(3);
        }
    }
    released[released_count++] = one;
    UNLOCK();
}

/* Writes what became of it and lets it go, if it is complete. */
static int is_over(struct released one, uint64_t time) {
    int flag = 0;
    MPI_Status status;
    int rc = PMPI_Test(&one.request, &flag, &status);
    if (rc == MPI_SUCCESS && !flag) return 0;
    if (rc == MPI_SUCCESS) {
        make_room(1);
        handles[0] = one.handle;
        record_all(RELEASED, 1, &status, time, time);
    } else {
        record_request(OP_REQUEST_FREE, one.handle, time, time);
    }
    LOCK();
    map_remove(&open_requests, one.handle);
    UNLOCK();
    if (one.request != MPI_REQUEST_NULL) PMPI_Request_free(&one.request);
    return 1;
}

/* Asks all of them. The list is taken off, since no lock is held in a call of MPI. */
static void ask_released(uint64_t time) {
    LOCK();
    struct released *list = released;
    int count = released_count;
    released = NULL;
    released_count = released_room = 0;
    UNLOCK();
    for (int i = 0; i < count; i++)
        if (!is_over(list[i], time)) keep_released(list[i]);
    free(list);
}

/* The program releases one. The others are asked whenever their number has doubled, so that those that are complete do not pile up. */
static void release(MPI_Request *request, uint64_t handle, uint64_t time) {
    struct released one = {*request, handle};
    *request = MPI_REQUEST_NULL;
    if (is_over(one, time)) return;
    keep_released(one);
    LOCK();
    int has_doubled = (released_count & (released_count - 1)) == 0;
    UNLOCK();
    if (has_doubled && released_count > 1) ask_released(time);
}

/* At the end of the program messages may still be on their way to them; what does not come soon, nobody has sent. */
static void end_released(void) {
    uint64_t time = now(), limit = nanoseconds(CLOCK_MONOTONIC) + 200000000u;
    while (released_count > 0) {
        ask_released(time);
        if (nanoseconds(CLOCK_MONOTONIC) > limit) break;
        struct timespec rest = {0, 100000};
        if (released_count > 0) nanosleep(&rest, NULL);
    }
    for (int i = 0; i < released_count; i++) {
        record_request(OP_REQUEST_FREE, released[i].handle, time, time);
        PMPI_Request_free(&released[i].request);
    }
    released_count = 0;
}

static void record_freed(int is_late, int rc, uint64_t handle, uint64_t begin, uint64_t end) {
    if (is_late || rc != MPI_SUCCESS)
        record_quiet(begin, end);
    else
        record_request(OP_REQUEST_FREE, handle, begin, end);
}
