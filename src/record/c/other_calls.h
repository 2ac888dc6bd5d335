/* The calls without counts, in C: requests, probes, communicators, windows, and what is only counted. */

/* ---- Requests ---- */

int MPI_Start(MPI_Request *request) {
    if (IDLE) return PMPI_Start(request);
    uint64_t begin = enter();
    int rc = PMPI_Start(request);
    uint64_t end = leave(), key = known_request(KEY(*request));
    record_starts(rc, 1, &key, begin, end);
    return rc;
}

int MPI_Startall(int count, MPI_Request requests[]) {
    if (IDLE) return PMPI_Startall(count, requests);
    uint64_t begin = enter();
    int rc = PMPI_Startall(count, requests);
    uint64_t end = leave();
    keep_handles(count, requests);
    record_starts(rc, count, handles, begin, end);
    return rc;
}

int MPI_Request_free(MPI_Request *request) {
    if (IDLE) return PMPI_Request_free(request);
    keep_handles(1, request);
    uint64_t key = handles[0], begin = enter_wait();
    int rc = MPI_SUCCESS, is_late = is_told_late(key);
    if (is_late)
        release(request, key, begin);
    else
        rc = PMPI_Request_free(request);
    uint64_t end = leave();
    record_freed(is_late, rc, key, begin, end);
    return rc;
}

int MPI_Cancel(MPI_Request *request) {
    if (IDLE) return PMPI_Cancel(request);
    uint64_t key = known_request(KEY(*request)), begin = enter_wait();
    int rc = PMPI_Cancel(request);
    uint64_t end = leave();
    if (rc == MPI_SUCCESS) record_request(OP_CANCEL, key, begin, end);
    return rc;
}

/* A status that the program does not want is wanted where something is open. */
#define ONE_STATUS(status) ((status) == MPI_STATUS_IGNORE && want_statuses() ? statuses : (status))
#define ALL_STATUSES(all) ((all) == MPI_STATUSES_IGNORE && want_statuses() ? statuses : (all))
#define SEEN(status) ((status) == MPI_STATUS_IGNORE || (status) == MPI_STATUSES_IGNORE ? NULL : (status))

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    if (IDLE) return PMPI_Wait(request, status);
    keep_handles(1, request);
    status = ONE_STATUS(status);
    uint64_t begin = enter_wait();
    int rc = PMPI_Wait(request, status);
    uint64_t end = leave();
    record_all(WAIT, 1, SEEN(status), begin, end);
    return rc;
}

/* The request stays; what is known of it then is known only here, if the program releases it. */
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
    if (IDLE) return PMPI_Request_get_status(request, flag, status);
    keep_handles(1, &request);
    status = ONE_STATUS(status);
    uint64_t begin = enter_wait();
    int rc = PMPI_Request_get_status(request, flag, status);
    uint64_t end = leave();
    if (*flag)
        record_all(GET_STATUS, 1, SEEN(status), begin, end);
    else
        record_poll(GET_STATUS, begin, end);
    return rc;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status all[]) {
    if (IDLE) return PMPI_Waitall(count, requests, all);
    keep_handles(count, requests);
    all = ALL_STATUSES(all);
    uint64_t begin = enter_wait();
    int rc = PMPI_Waitall(count, requests, all);
    uint64_t end = leave();
    record_all(WAITALL, count, SEEN(all), begin, end);
    return rc;
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
    if (IDLE) return PMPI_Waitany(count, requests, index, status);
    keep_handles(count, requests);
    status = ONE_STATUS(status);
    uint64_t begin = enter_wait();
    int rc = PMPI_Waitany(count, requests, index, status);
    uint64_t end = leave();
    record_some(WAITANY, rc == MPI_SUCCESS && *index != MPI_UNDEFINED, index, SEEN(status), begin, end);
    return rc;
}

int MPI_Waitsome(int count, MPI_Request requests[], int *found_count, int indices[], MPI_Status all[]) {
    if (IDLE) return PMPI_Waitsome(count, requests, found_count, indices, all);
    keep_handles(count, requests);
    all = ALL_STATUSES(all);
    uint64_t begin = enter_wait();
    int rc = PMPI_Waitsome(count, requests, found_count, indices, all);
    uint64_t end = leave();
    record_some(WAITSOME, *found_count == MPI_UNDEFINED ? 0 : *found_count, indices, SEEN(all), begin, end);
    return rc;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    if (IDLE) return PMPI_Test(request, flag, status);
    keep_handles(1, request);
    status = ONE_STATUS(status);
    uint64_t begin = enter_wait();
    int rc = PMPI_Test(request, flag, status);
    uint64_t end = leave();
    if (*flag)
        record_all(TEST, 1, SEEN(status), begin, end);
    else
        record_poll(TEST, begin, end);
    return rc;
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status all[]) {
    if (IDLE) return PMPI_Testall(count, requests, flag, all);
    keep_handles(count, requests);
    all = ALL_STATUSES(all);
    uint64_t begin = enter_wait();
    int rc = PMPI_Testall(count, requests, flag, all);
    uint64_t end = leave();
    if (*flag)
        record_all(TESTALL, count, SEEN(all), begin, end);
    else
        record_poll(TESTALL, begin, end);
    return rc;
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    if (IDLE) return PMPI_Testany(count, requests, index, flag, status);
    keep_handles(count, requests);
    status = ONE_STATUS(status);
    uint64_t begin = enter_wait();
    int rc = PMPI_Testany(count, requests, index, flag, status);
    uint64_t end = leave();
    if (*flag)
        record_some(TESTANY, *index != MPI_UNDEFINED, index, SEEN(status), begin, end);
    else
        record_poll(TESTANY, begin, end);
    return rc;
}

int MPI_Testsome(int count, MPI_Request requests[], int *found_count, int indices[], MPI_Status all[]) {
    if (IDLE) return PMPI_Testsome(count, requests, found_count, indices, all);
    keep_handles(count, requests);
    all = ALL_STATUSES(all);
    uint64_t begin = enter_wait();
    int rc = PMPI_Testsome(count, requests, found_count, indices, all);
    uint64_t end = leave();
    if (*found_count == 0)
        record_poll(TESTSOME, begin, end);
    else
        record_some(TESTSOME, *found_count == MPI_UNDEFINED ? 0 : *found_count, indices, SEEN(all), begin, end);
    return rc;
}

/* ---- Probes ---- */

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status) {
    if (IDLE) return PMPI_Probe(from, tag, comm, status);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    uint64_t begin = enter_wait();
    int rc = PMPI_Probe(from, tag, comm, status);
    uint64_t end = leave();
    record_probe(rc, comm, status, begin, end);
    return rc;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    if (IDLE) return PMPI_Iprobe(from, tag, comm, flag, status);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    uint64_t begin = enter_wait();
    int rc = PMPI_Iprobe(from, tag, comm, flag, status);
    uint64_t end = leave();
    if (rc == MPI_SUCCESS && !*flag)
        record_poll(IPROBE, begin, end);
    else
        record_probe(rc, comm, status, begin, end);
    return rc;
}

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    if (IDLE) return PMPI_Mprobe(from, tag, comm, message, status);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    uint64_t begin = enter_wait();
    int rc = PMPI_Mprobe(from, tag, comm, message, status);
    uint64_t end = leave();
    if (rc == MPI_SUCCESS) message_found(KEY(*message), comm, status);
    record_probe(rc, comm, status, begin, end);
    return rc;
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
    if (IDLE) return PMPI_Improbe(from, tag, comm, flag, message, status);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    uint64_t begin = enter_wait();
    int rc = PMPI_Improbe(from, tag, comm, flag, message, status);
    uint64_t end = leave();
    if (rc == MPI_SUCCESS && !*flag) {
        record_poll(IMPROBE, begin, end);
        return rc;
    }
    if (rc == MPI_SUCCESS) message_found(KEY(*message), comm, status);
    record_probe(rc, comm, status, begin, end);
    return rc;
}

/* ---- Collectives without counts ---- */

int MPI_Barrier(MPI_Comm comm) {
    if (IDLE) return PMPI_Barrier(comm);
    uint64_t begin = enter();
    int rc = PMPI_Barrier(comm);
    uint64_t end = leave();
    finish_collective(rc, one_size(BARRIER, 0, comm, 0, MPI_BYTE), begin, end);
    return rc;
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
    if (IDLE) return PMPI_Ibarrier(comm, request);
    uint64_t begin = enter();
    int rc = PMPI_Ibarrier(comm, request);
    uint64_t end = leave();
    finish_icollective(rc, one_size(BARRIER, 0, comm, 0, MPI_BYTE), KEY(*request), begin, end);
    return rc;
}

/* ---- Types ---- */

int MPI_Type_free(MPI_Datatype *type) {
    types_forget();
    return PMPI_Type_free(type);
}

/* ---- Communicators ---- */

#define PARAMETERS(...) __VA_ARGS__
#define MAKES_COMM(name, how, parameters, arguments)                                                                                \
    int MPI_##name(parameters, MPI_Comm *made) {                                                                               \
        if (IDLE) return PMPI_##name(arguments, made);                                                                         \
        uint64_t begin = enter();                                                                                              \
        int rc = PMPI_##name(arguments, made);                                                                                 \
        uint64_t end = leave();                                                                                                \
        record_comm(rc, how, comm, rc == MPI_SUCCESS ? *made : MPI_COMM_NULL, begin, end);                                                \
        return rc;                                                                                                             \
    }
MAKES_COMM(Comm_dup, AGREED, PARAMETERS(MPI_Comm comm), PARAMETERS(comm))
MAKES_COMM(Comm_dup_with_info, AGREED, PARAMETERS(MPI_Comm comm, MPI_Info info), PARAMETERS(comm, info))
MAKES_COMM(Comm_create, AGREED, PARAMETERS(MPI_Comm comm, MPI_Group group), PARAMETERS(comm, group))
MAKES_COMM(Comm_create_group, UNSEEN, PARAMETERS(MPI_Comm comm, MPI_Group group, int tag), PARAMETERS(comm, group, tag))
MAKES_COMM(Comm_split, SPLIT, PARAMETERS(MPI_Comm comm, int color, int key), PARAMETERS(comm, color, key))
MAKES_COMM(Comm_split_type, SPLIT, PARAMETERS(MPI_Comm comm, int type, int key, MPI_Info info), PARAMETERS(comm, type, key, info))
MAKES_COMM(Cart_create, AGREED, PARAMETERS(MPI_Comm comm, int n, const int d[], const int p[], int reorder), PARAMETERS(comm, n, d, p, reorder))
MAKES_COMM(Cart_sub, SPLIT, PARAMETERS(MPI_Comm comm, const int remain[]), PARAMETERS(comm, remain))
MAKES_COMM(Graph_create, AGREED, PARAMETERS(MPI_Comm comm, int n, const int i[], const int e[], int reorder), PARAMETERS(comm, n, i, e, reorder))
MAKES_COMM(Dist_graph_create, AGREED,
           PARAMETERS(MPI_Comm comm, int n, const int s[], const int g[], const int d[], const int w[], MPI_Info info, int reorder),
           PARAMETERS(comm, n, s, g, d, w, info, reorder))
MAKES_COMM(Dist_graph_create_adjacent, AGREED,
           PARAMETERS(MPI_Comm comm, int i, const int s[], const int sw[], int o, const int d[], const int dw[], MPI_Info info, int reorder),
           PARAMETERS(comm, i, s, sw, o, d, dw, info, reorder))
MAKES_COMM(Intercomm_merge, UNSEEN, PARAMETERS(MPI_Comm comm, int high), PARAMETERS(comm, high))
MAKES_COMM(Intercomm_create, UNSEEN, PARAMETERS(MPI_Comm comm, int leader, MPI_Comm peer, int remote, int tag),
           PARAMETERS(comm, leader, peer, remote, tag))

/* The new communicator has the members of the old one, and must not be asked before the request is complete. */
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request) {
    if (IDLE) return PMPI_Comm_idup(comm, made, request);
    uint64_t begin = enter();
    int rc = PMPI_Comm_idup(comm, made, request);
    uint64_t end = leave();
    record_idup(rc, comm, *made, begin, end);
    return rc;
}

#define FREES_COMM(name)                                                                                                       \
    int MPI_##name(MPI_Comm *comm) {                                                                                           \
        if (IDLE) return PMPI_##name(comm);                                                                                    \
        int64_t id = comm_take(KEY(*comm));                                                                                    \
        uint64_t begin = enter_wait();                                                                                         \
        int rc = PMPI_##name(comm);                                                                                            \
        uint64_t end = leave();                                                                                                \
        record_comm_free(id, begin, end);                                                                                      \
        return rc;                                                                                                             \
    }
FREES_COMM(Comm_free)
FREES_COMM(Comm_disconnect)

/* ---- Windows ---- */

#define MAKES_WINDOW(name, parameters, arguments)                                                                              \
    int MPI_##name(parameters, MPI_Win *win) {                                                                                 \
        if (IDLE) return PMPI_##name(arguments, win);                                                                          \
        uint64_t begin = enter();                                                                                              \
        int rc = PMPI_##name(arguments, win);                                                                                  \
        uint64_t end = leave();                                                                                                \
        record_window(rc, *win, comm, begin, end);                                                                             \
        return rc;                                                                                                             \
    }
MAKES_WINDOW(Win_create, PARAMETERS(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm),
             PARAMETERS(base, size, unit, info, comm))
MAKES_WINDOW(Win_allocate, PARAMETERS(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base),
             PARAMETERS(size, unit, info, comm, base))
MAKES_WINDOW(Win_allocate_shared, PARAMETERS(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base),
             PARAMETERS(size, unit, info, comm, base))
MAKES_WINDOW(Win_create_dynamic, PARAMETERS(MPI_Info info, MPI_Comm comm), PARAMETERS(info, comm))

int MPI_Win_free(MPI_Win *win) {
    if (IDLE) return PMPI_Win_free(win);
    int64_t id = window_take(KEY(*win));
    uint64_t begin = enter_wait();
    int rc = PMPI_Win_free(win);
    uint64_t end = leave();
    record_window_free(id, begin, end);
    return rc;
}

#define SYNC(name, kind, parameters, arguments, target)                                                                        \
    int MPI_##name(parameters) {                                                                                               \
        if (IDLE) return PMPI_##name(arguments);                                                                               \
        uint64_t begin = enter();                                                                                              \
        int rc = PMPI_##name(arguments);                                                                                       \
        uint64_t end = leave();                                                                                                \
        record_sync(kind, rc, win, target, begin, end);                                                                        \
        return rc;                                                                                                             \
    }
SYNC(Win_fence, SYNC_FENCE, PARAMETERS(int hint, MPI_Win win), PARAMETERS(hint, win), -1)
SYNC(Win_post, SYNC_POST, PARAMETERS(MPI_Group group, int hint, MPI_Win win), PARAMETERS(group, hint, win), -1)
SYNC(Win_start, SYNC_START, PARAMETERS(MPI_Group group, int hint, MPI_Win win), PARAMETERS(group, hint, win), -1)
SYNC(Win_complete, SYNC_COMPLETE, PARAMETERS(MPI_Win win), PARAMETERS(win), -1)
SYNC(Win_wait, SYNC_WAIT, PARAMETERS(MPI_Win win), PARAMETERS(win), -1)
SYNC(Win_lock, SYNC_LOCK, PARAMETERS(int type, int target, int hint, MPI_Win win), PARAMETERS(type, target, hint, win), target)
SYNC(Win_unlock, SYNC_UNLOCK, PARAMETERS(int target, MPI_Win win), PARAMETERS(target, win), target)
SYNC(Win_lock_all, SYNC_LOCK_ALL, PARAMETERS(int hint, MPI_Win win), PARAMETERS(hint, win), -1)
SYNC(Win_unlock_all, SYNC_UNLOCK_ALL, PARAMETERS(MPI_Win win), PARAMETERS(win), -1)
SYNC(Win_flush, SYNC_FLUSH, PARAMETERS(int target, MPI_Win win), PARAMETERS(target, win), target)
SYNC(Win_flush_local, SYNC_FLUSH, PARAMETERS(int target, MPI_Win win), PARAMETERS(target, win), target)
SYNC(Win_flush_all, SYNC_FLUSH_ALL, PARAMETERS(MPI_Win win), PARAMETERS(win), -1)
SYNC(Win_flush_local_all, SYNC_FLUSH_ALL, PARAMETERS(MPI_Win win), PARAMETERS(win), -1)

int MPI_Win_test(MPI_Win win, int *flag) {
    if (IDLE) return PMPI_Win_test(win, flag);
    uint64_t begin = enter_wait();
    int rc = PMPI_Win_test(win, flag);
    uint64_t end = leave();
    if (*flag)
        record_sync(SYNC_WAIT, rc, win, -1, begin, end);
    else
        record_poll(WIN_TEST, begin, end);
    return rc;
}

int MPI_Fetch_and_op(const void *o, void *r, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op, MPI_Win win) {
    if (IDLE) return PMPI_Fetch_and_op(o, r, type, target, at, op, win);
    uint64_t begin = enter();
    int rc = PMPI_Fetch_and_op(o, r, type, target, at, op, win);
    uint64_t end = leave();
    record_rma(RMA_FETCH_AND_OP, rc, win, target, bytes_of(1, type), bytes_of(1, type), begin, end);
    return rc;
}

int MPI_Compare_and_swap(const void *o, const void *c, void *r, MPI_Datatype type, int target, MPI_Aint at, MPI_Win win) {
    if (IDLE) return PMPI_Compare_and_swap(o, c, r, type, target, at, win);
    uint64_t begin = enter();
    int rc = PMPI_Compare_and_swap(o, c, r, type, target, at, win);
    uint64_t end = leave();
    record_rma(RMA_COMPARE_AND_SWAP, rc, win, target, 2 * bytes_of(1, type), bytes_of(1, type), begin, end);
    return rc;
}

/* ---- Calls that are only counted ---- */

#define COUNTED(name, parameters, arguments)                                                                                   \
    int MPI_##name(parameters) {                                                                                               \
        if (IDLE) return PMPI_##name(arguments);                                                                               \
        uint64_t begin = enter_wait();                                                                                         \
        int rc = PMPI_##name(arguments);                                                                                       \
        uint64_t end = leave();                                                                                                \
        record_other("MPI_" #name, begin, end);                                                                                \
        return rc;                                                                                                             \
    }
#define REQUEST MPI_Request *request
COUNTED(Comm_spawn,
        PARAMETERS(const char *c, char *v[], int n, MPI_Info i, int root, MPI_Comm comm, MPI_Comm *made, int errors[]),
        PARAMETERS(c, v, n, i, root, comm, made, errors))
COUNTED(Comm_spawn_multiple,
        PARAMETERS(int count, char *c[], char **v[], const int n[], const MPI_Info i[], int root, MPI_Comm comm, MPI_Comm *made, int errors[]),
        PARAMETERS(count, c, v, n, i, root, comm, made, errors))
COUNTED(Comm_accept, PARAMETERS(const char *port, MPI_Info i, int root, MPI_Comm comm, MPI_Comm *made), PARAMETERS(port, i, root, comm, made))
COUNTED(Comm_connect, PARAMETERS(const char *port, MPI_Info i, int root, MPI_Comm comm, MPI_Comm *made), PARAMETERS(port, i, root, comm, made))
COUNTED(Comm_join, PARAMETERS(int socket, MPI_Comm *made), PARAMETERS(socket, made))
#define REQUEST_RMA(name, parameters, arguments) COUNTED(name, PARAMETERS(parameters, REQUEST), PARAMETERS(arguments, request))
REQUEST_RMA(Rput, PARAMETERS(const void *o, int n, MPI_Datatype t, int to, MPI_Aint at, int tn, MPI_Datatype tt, MPI_Win win),
            PARAMETERS(o, n, t, to, at, tn, tt, win))
REQUEST_RMA(Rget, PARAMETERS(void *o, int n, MPI_Datatype t, int to, MPI_Aint at, int tn, MPI_Datatype tt, MPI_Win win),
            PARAMETERS(o, n, t, to, at, tn, tt, win))
REQUEST_RMA(Raccumulate,
            PARAMETERS(const void *o, int n, MPI_Datatype t, int to, MPI_Aint at, int tn, MPI_Datatype tt, MPI_Op op, MPI_Win win),
            PARAMETERS(o, n, t, to, at, tn, tt, op, win))
REQUEST_RMA(Rget_accumulate,
            PARAMETERS(const void *o, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, int to, MPI_Aint at, int tn, MPI_Datatype tt,
                       MPI_Op op, MPI_Win win),
            PARAMETERS(o, n, t, r, rn, rt, to, at, tn, tt, op, win))
COUNTED(Grequest_start,
        PARAMETERS(MPI_Grequest_query_function *q, MPI_Grequest_free_function *f, MPI_Grequest_cancel_function *c, void *state, REQUEST),
        PARAMETERS(q, f, c, state, request))

COUNTED(File_open, PARAMETERS(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *f), PARAMETERS(comm, name, mode, info, f))
COUNTED(File_close, PARAMETERS(MPI_File *f), PARAMETERS(f))
COUNTED(File_delete, PARAMETERS(const char *name, MPI_Info info), PARAMETERS(name, info))
COUNTED(File_sync, PARAMETERS(MPI_File f), PARAMETERS(f))
COUNTED(File_set_size, PARAMETERS(MPI_File f, MPI_Offset size), PARAMETERS(f, size))
COUNTED(File_preallocate, PARAMETERS(MPI_File f, MPI_Offset size), PARAMETERS(f, size))
COUNTED(File_set_view, PARAMETERS(MPI_File f, MPI_Offset at, MPI_Datatype e, MPI_Datatype t, const char *r, MPI_Info info),
        PARAMETERS(f, at, e, t, r, info))
COUNTED(File_seek_shared, PARAMETERS(MPI_File f, MPI_Offset at, int whence), PARAMETERS(f, at, whence))
#define FILE_CALL(name, constant)                                                                                              \
    COUNTED(name, PARAMETERS(MPI_File f, constant void *data, int n, MPI_Datatype t, MPI_Status *s), PARAMETERS(f, data, n, t, s))
#define FILE_AT(name, constant)                                                                                                \
    COUNTED(name, PARAMETERS(MPI_File f, MPI_Offset at, constant void *data, int n, MPI_Datatype t, MPI_Status *s),            \
            PARAMETERS(f, at, data, n, t, s))
#define FILE_I(name, constant)                                                                                                 \
    COUNTED(name, PARAMETERS(MPI_File f, constant void *data, int n, MPI_Datatype t, REQUEST), PARAMETERS(f, data, n, t, request))
#define FILE_I_AT(name, constant)                                                                                              \
    COUNTED(name, PARAMETERS(MPI_File f, MPI_Offset at, constant void *data, int n, MPI_Datatype t, REQUEST),                  \
            PARAMETERS(f, at, data, n, t, request))
#define FILE_BEGIN(name, constant)                                                                                             \
    COUNTED(name, PARAMETERS(MPI_File f, constant void *data, int n, MPI_Datatype t), PARAMETERS(f, data, n, t))
#define FILE_BEGIN_AT(name, constant)                                                                                          \
    COUNTED(name, PARAMETERS(MPI_File f, MPI_Offset at, constant void *data, int n, MPI_Datatype t), PARAMETERS(f, at, data, n, t))
#define FILE_END(name, constant) COUNTED(name, PARAMETERS(MPI_File f, constant void *data, MPI_Status *s), PARAMETERS(f, data, s))
#define NOTHING
#define BOTH(kind, read, write) kind(read, NOTHING) kind(write, const)
BOTH(FILE_CALL, File_read, File_write)
BOTH(FILE_CALL, File_read_all, File_write_all)
BOTH(FILE_CALL, File_read_shared, File_write_shared)
BOTH(FILE_CALL, File_read_ordered, File_write_ordered)
BOTH(FILE_AT, File_read_at, File_write_at)
BOTH(FILE_AT, File_read_at_all, File_write_at_all)
BOTH(FILE_I, File_iread, File_iwrite)
BOTH(FILE_I, File_iread_shared, File_iwrite_shared)
BOTH(FILE_I_AT, File_iread_at, File_iwrite_at)
BOTH(FILE_BEGIN, File_read_all_begin, File_write_all_begin)
BOTH(FILE_BEGIN, File_read_ordered_begin, File_write_ordered_begin)
BOTH(FILE_BEGIN_AT, File_read_at_all_begin, File_write_at_all_begin)
BOTH(FILE_END, File_read_all_end, File_write_all_end)
BOTH(FILE_END, File_read_ordered_end, File_write_ordered_end)
BOTH(FILE_END, File_read_at_all_end, File_write_at_all_end)
#if MPI_VERSION > 3 || (MPI_VERSION == 3 && MPI_SUBVERSION >= 1)
BOTH(FILE_I, File_iread_all, File_iwrite_all)
BOTH(FILE_I_AT, File_iread_at_all, File_iwrite_at_all)
#endif

/* ---- MPI 4: persistent collectives, messages in parts, and programs without MPI_Init ---- */

#if MPI_VERSION >= 4
#define PREPARES(name, parameters, arguments)                                                                                  \
    COUNTED(name, PARAMETERS(parameters, MPI_Comm comm, MPI_Info info, REQUEST), PARAMETERS(arguments, comm, info, request))
#define FROM const void *s, int sn, MPI_Datatype st
#define INTO void *r, int rn, MPI_Datatype rt
#define FROM_V const void *s, const int sn[], const int sd[], MPI_Datatype st
#define INTO_V void *r, const int rn[], const int rd[], MPI_Datatype rt
#define REDUCED const void *s, void *r, int n, MPI_Datatype t, MPI_Op op
COUNTED(Barrier_init, PARAMETERS(MPI_Comm comm, MPI_Info info, REQUEST), PARAMETERS(comm, info, request))
PREPARES(Bcast_init, PARAMETERS(void *d, int n, MPI_Datatype t, int root), PARAMETERS(d, n, t, root))
PREPARES(Reduce_init, PARAMETERS(REDUCED, int root), PARAMETERS(s, r, n, t, op, root))
PREPARES(Allreduce_init, PARAMETERS(REDUCED), PARAMETERS(s, r, n, t, op))
PREPARES(Scan_init, PARAMETERS(REDUCED), PARAMETERS(s, r, n, t, op))
PREPARES(Exscan_init, PARAMETERS(REDUCED), PARAMETERS(s, r, n, t, op))
PREPARES(Reduce_scatter_block_init, PARAMETERS(REDUCED), PARAMETERS(s, r, n, t, op))
PREPARES(Reduce_scatter_init, PARAMETERS(const void *s, void *r, const int n[], MPI_Datatype t, MPI_Op op), PARAMETERS(s, r, n, t, op))
PREPARES(Gather_init, PARAMETERS(FROM, INTO, int root), PARAMETERS(s, sn, st, r, rn, rt, root))
PREPARES(Scatter_init, PARAMETERS(FROM, INTO, int root), PARAMETERS(s, sn, st, r, rn, rt, root))
PREPARES(Gatherv_init, PARAMETERS(FROM, INTO_V, int root), PARAMETERS(s, sn, st, r, rn, rd, rt, root))
PREPARES(Scatterv_init, PARAMETERS(FROM_V, INTO, int root), PARAMETERS(s, sn, sd, st, r, rn, rt, root))
PREPARES(Allgather_init, PARAMETERS(FROM, INTO), PARAMETERS(s, sn, st, r, rn, rt))
PREPARES(Alltoall_init, PARAMETERS(FROM, INTO), PARAMETERS(s, sn, st, r, rn, rt))
PREPARES(Allgatherv_init, PARAMETERS(FROM, INTO_V), PARAMETERS(s, sn, st, r, rn, rd, rt))
PREPARES(Alltoallv_init, PARAMETERS(FROM_V, INTO_V), PARAMETERS(s, sn, sd, st, r, rn, rd, rt))
PREPARES(Neighbor_allgather_init, PARAMETERS(FROM, INTO), PARAMETERS(s, sn, st, r, rn, rt))
PREPARES(Neighbor_alltoall_init, PARAMETERS(FROM, INTO), PARAMETERS(s, sn, st, r, rn, rt))
PREPARES(Neighbor_allgatherv_init, PARAMETERS(FROM, INTO_V), PARAMETERS(s, sn, st, r, rn, rd, rt))
PREPARES(Neighbor_alltoallv_init, PARAMETERS(FROM_V, INTO_V), PARAMETERS(s, sn, sd, st, r, rn, rd, rt))
COUNTED(Psend_init,
        PARAMETERS(const void *d, int parts, MPI_Count n, MPI_Datatype t, int to, int tag, MPI_Comm comm, MPI_Info info, REQUEST),
        PARAMETERS(d, parts, n, t, to, tag, comm, info, request))
COUNTED(Precv_init,
        PARAMETERS(void *d, int parts, MPI_Count n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Info info, REQUEST),
        PARAMETERS(d, parts, n, t, from, tag, comm, info, request))
COUNTED(Isendrecv, PARAMETERS(FROM, int to, int st_tag, INTO, int from, int rt_tag, MPI_Comm comm, REQUEST),
        PARAMETERS(s, sn, st, to, st_tag, r, rn, rt, from, rt_tag, comm, request))
COUNTED(Isendrecv_replace,
        PARAMETERS(void *d, int n, MPI_Datatype t, int to, int st_tag, int from, int rt_tag, MPI_Comm comm, REQUEST),
        PARAMETERS(d, n, t, to, st_tag, from, rt_tag, comm, request))

int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session) {
    if (getenv("MOPSIM_RECORD_DIR") != NULL && !depth) complain("a program without MPI_Init (MPI_Session_init) is not recorded");
    return PMPI_Session_init(info, handler, session);
}
#endif
