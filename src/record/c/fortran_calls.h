/* Included for each way to name a function in Fortran: F(name), and PF(name) behind it. */

/* Declares both functions and defines the one that is seen: what to do when nothing is recorded, and in which order the rest goes. */
#define FORTRAN(name, parameters, arguments, prepare, record)                                                                  \
    FORTRAN_CALL(name, enter, PARAMS(parameters), PARAMS(arguments), PARAMS(prepare), PARAMS(record))
#define FORTRAN_WAIT(name, parameters, arguments, prepare, record)                                                             \
    FORTRAN_CALL(name, enter_wait, PARAMS(parameters), PARAMS(arguments), PARAMS(prepare), PARAMS(record))
#define FORTRAN_CALL(name, begins, parameters, arguments, prepare, record)                                                     \
    extern void PF(name)(parameters, I *error) __attribute__((weak));                                                          \
    void F(name)(parameters, I *error);                                                                                        \
    void F(name)(parameters, I *error) {                                                                                       \
        if (IDLE) {                                                                                                            \
            PF(name)(arguments, error);                                                                                        \
            return;                                                                                                            \
        }                                                                                                                      \
        prepare;                                                                                                               \
        uint64_t begin = begins();                                                                                             \
        PF(name)(arguments, error);                                                                                            \
        uint64_t end = leave();                                                                                                \
        record;                                                                                                                \
    }
#define NONE (void)0

/* ---- Messages ---- */

#define F_SEND(name, mode)                                                                                                     \
    FORTRAN(name, PARAMS(void *data, I *count, I *type, I *to, I *tag, I *comm), PARAMS(data, count, type, to, tag, comm), NONE, \
            record_send(OP_SEND, mode, RC, BYTES(count, type), *to, *tag, COMM(comm), 0, begin, end))
#define F_ISEND(name, op, mode)                                                                                                \
    FORTRAN(name, PARAMS(void *data, I *count, I *type, I *to, I *tag, I *comm, I *request),                                   \
            PARAMS(data, count, type, to, tag, comm, request), NONE,                                                           \
            record_send(op, mode, RC, BYTES(count, type), *to, *tag, COMM(comm), f_request(request), begin, end))
F_SEND(send, STANDARD)
F_SEND(bsend, BUFFERED)
F_SEND(ssend, SYNCHRONOUS)
F_SEND(rsend, READY)
F_ISEND(isend, OP_ISEND, STANDARD)
F_ISEND(ibsend, OP_ISEND, BUFFERED)
F_ISEND(issend, OP_ISEND, SYNCHRONOUS)
F_ISEND(irsend, OP_ISEND, READY)
F_ISEND(send_init, OP_SEND_INIT, STANDARD)
F_ISEND(bsend_init, OP_SEND_INIT, BUFFERED)
F_ISEND(ssend_init, OP_SEND_INIT, SYNCHRONOUS)
F_ISEND(rsend_init, OP_SEND_INIT, READY)

#define F_IRECV(name, op)                                                                                                      \
    FORTRAN(name, PARAMS(void *data, I *count, I *type, I *from, I *tag, I *comm, I *request),                                 \
            PARAMS(data, count, type, from, tag, comm, request), NONE,                                                         \
            record_recv(op, RC, BYTES(count, type), *from, *tag, COMM(comm), f_request(request), begin, end))
F_IRECV(irecv, OP_IRECV)
F_IRECV(recv_init, OP_RECV_INIT)

/* Source and tag where the call left them open. */
#define TOLD(from, tag)                                                                                                        \
    int source = *(from), message = *(tag);                                                                                    \
    if (open && RC == MPI_SUCCESS) {                                                                                           \
        MPI_Status told;                                                                                                       \
        PMPI_Status_f2c(status, &told);                                                                                        \
        source = told.MPI_SOURCE, message = told.MPI_TAG;                                                                      \
    }
#define OPEN(from, tag)                                                                                                        \
    int open = is_open(*(from), *(tag));                                                                                       \
    f_make_room(1);                                                                                                            \
    status = f_status(status, open)
FORTRAN(recv, PARAMS(void *data, I *count, I *type, I *from, I *tag, I *comm, I *status),
        PARAMS(data, count, type, from, tag, comm, status), OPEN(from, tag),
        TOLD(from, tag) record_recv(OP_RECV, RC, BYTES(count, type), source, message, COMM(comm), 0, begin, end))
FORTRAN(sendrecv,
        PARAMS(void *s, I *sn, I *st, I *to, I *send_tag, void *r, I *rn, I *rt, I *from, I *tag, I *comm, I *status),
        PARAMS(s, sn, st, to, send_tag, r, rn, rt, from, tag, comm, status), OPEN(from, tag),
        TOLD(from, tag) record_sendrecv(RC, BYTES(sn, st), *to, *send_tag, BYTES(rn, rt), source, message, COMM(comm), begin, end))
FORTRAN(sendrecv_replace, PARAMS(void *data, I *count, I *type, I *to, I *send_tag, I *from, I *tag, I *comm, I *status),
        PARAMS(data, count, type, to, send_tag, from, tag, comm, status), OPEN(from, tag),
        TOLD(from, tag) record_sendrecv(RC, BYTES(count, type), *to, *send_tag, BYTES(count, type), source, message, COMM(comm), begin, end))

#define F_PROBED                                                                                                               \
    MPI_Status told;                                                                                                           \
    PMPI_Status_f2c(status, &told);                                                                                            \
    record_probe(RC, COMM(comm), &told, begin, end)
#define F_WANTED f_make_room(1), status = f_status(status, 1)
FORTRAN_WAIT(probe, PARAMS(I *from, I *tag, I *comm, I *status), PARAMS(from, tag, comm, status), F_WANTED, F_PROBED)
FORTRAN_WAIT(
    iprobe, PARAMS(I *from, I *tag, I *comm, I *flag, I *status), PARAMS(from, tag, comm, flag, status), F_WANTED,
    if (!*flag) record_poll(IPROBE, begin, end); else { F_PROBED; })
#define F_MESSAGE KEY(PMPI_Message_f2c(*message))
FORTRAN_WAIT(mprobe, PARAMS(I *from, I *tag, I *comm, I *message, I *status), PARAMS(from, tag, comm, message, status), F_WANTED,
        F_PROBED; message_found(F_MESSAGE, COMM(comm), &told))
FORTRAN_WAIT(
    improbe, PARAMS(I *from, I *tag, I *comm, I *flag, I *message, I *status), PARAMS(from, tag, comm, flag, message, status), F_WANTED,
    if (!*flag) record_poll(IMPROBE, begin, end); else { F_PROBED; message_found(F_MESSAGE, COMM(comm), &told); })
FORTRAN(mrecv, PARAMS(void *data, I *count, I *type, I *message, I *status), PARAMS(data, count, type, message, status),
        struct found_message taken = message_take(F_MESSAGE), record_found(OP_RECV, RC, taken, BYTES(count, type), 0, begin, end))
FORTRAN(imrecv, PARAMS(void *data, I *count, I *type, I *message, I *request), PARAMS(data, count, type, message, request),
        struct found_message taken = message_take(F_MESSAGE), record_found(OP_IRECV, RC, taken, BYTES(count, type), f_request(request), begin, end))

/* ---- Requests ---- */

FORTRAN(start, PARAMS(I *request), PARAMS(request), NONE, f_keep(1, request); record_starts(RC, 1, handles, begin, end))
FORTRAN(startall, PARAMS(I *count, I *requests), PARAMS(count, requests), NONE,
        f_keep(*count, requests); record_starts(RC, *count, handles, begin, end))
extern void PF(request_free)(I *request, I *error) __attribute__((weak));
void F(request_free)(I *request, I *error);
void F(request_free)(I *request, I *error) {
    if (IDLE) {
        PF(request_free)(request, error);
        return;
    }
    f_keep(1, request);
    uint64_t key = handles[0], begin = enter_wait();
    int is_late = is_told_late(key);
    if (is_late) {
        MPI_Request kept = PMPI_Request_f2c(*request);
        release(&kept, key, begin);
        *request = PMPI_Request_c2f(kept);
        if (error) *error = MPI_SUCCESS;
    } else {
        PF(request_free)(request, error);
    }
    uint64_t end = leave();
    record_freed(is_late, RC, key, begin, end);
}
FORTRAN_WAIT(cancel, PARAMS(I *request), PARAMS(request), uint64_t key = known_request(f_request(request)), record_request(OP_CANCEL, key, begin, end))
FORTRAN_WAIT(wait, PARAMS(I *request, I *status), PARAMS(request, status), f_keep(1, request); status = f_status(status, want_statuses()),
        record_all(WAIT, 1, f_seen(status, 1), begin, end))
FORTRAN_WAIT(
    request_get_status, PARAMS(I *request, I *flag, I *status), PARAMS(request, flag, status),
    f_keep(1, request); status = f_status(status, want_statuses()),
    if (!*flag) record_poll(GET_STATUS, begin, end); else record_all(GET_STATUS, 1, f_seen(status, 1), begin, end))
FORTRAN_WAIT(waitall, PARAMS(I *count, I *requests, I *status), PARAMS(count, requests, status),
        f_keep(*count, requests); status = f_status(status, want_statuses()),
        record_all(WAITALL, *count, f_seen(status, *count), begin, end))
FORTRAN_WAIT(waitany, PARAMS(I *count, I *requests, I *index, I *status), PARAMS(count, requests, index, status),
        f_keep(*count, requests); status = f_status(status, want_statuses()),
        record_some(WAITANY, *index != MPI_UNDEFINED, f_from_zero(index, *index != MPI_UNDEFINED, requests, *count), f_seen(status, 1), begin, end))
FORTRAN_WAIT(waitsome, PARAMS(I *count, I *requests, I *some, I *indices, I *status), PARAMS(count, requests, some, indices, status),
        f_keep(*count, requests); status = f_status(status, want_statuses()),
        int many = *some == MPI_UNDEFINED ? 0 : *some;
        record_some(WAITSOME, many, f_from_zero(indices, many, requests, *count), f_seen(status, many), begin, end))
FORTRAN_WAIT(
    test, PARAMS(I *request, I *flag, I *status), PARAMS(request, flag, status),
    f_keep(1, request); status = f_status(status, want_statuses()),
    if (*flag) record_all(TEST, 1, f_seen(status, 1), begin, end); else record_poll(TEST, begin, end))
FORTRAN_WAIT(
    testall, PARAMS(I *count, I *requests, I *flag, I *status), PARAMS(count, requests, flag, status),
    f_keep(*count, requests); status = f_status(status, want_statuses()),
    if (*flag) record_all(TESTALL, *count, f_seen(status, *count), begin, end); else record_poll(TESTALL, begin, end))
FORTRAN_WAIT(
    testany, PARAMS(I *count, I *requests, I *index, I *flag, I *status), PARAMS(count, requests, index, flag, status),
    f_keep(*count, requests); status = f_status(status, want_statuses()),
    if (!*flag) record_poll(TESTANY, begin, end);
    else record_some(TESTANY, *index != MPI_UNDEFINED, f_from_zero(index, *index != MPI_UNDEFINED, requests, *count), f_seen(status, 1), begin, end))
FORTRAN_WAIT(
    testsome, PARAMS(I *count, I *requests, I *some, I *indices, I *status), PARAMS(count, requests, some, indices, status),
    f_keep(*count, requests); status = f_status(status, want_statuses()),
    int many = *some == MPI_UNDEFINED ? 0 : *some; if (*some == 0) record_poll(TESTSOME, begin, end);
    else record_some(TESTSOME, many, f_from_zero(indices, many, requests, *count), f_seen(status, many), begin, end))

/* ---- Collectives ---- */

#define F_COLLECTIVE(name, iname, parameters, arguments, what)                                                                 \
    FORTRAN(name, PARAMS(parameters), PARAMS(arguments), NONE, finish_collective(RC, what, begin, end))                        \
    FORTRAN(iname, PARAMS(parameters, I *request), PARAMS(arguments, request), NONE,                                           \
            finish_icollective(RC, what, f_request(request), begin, end))
#define F_PAIR void *s, I *sn, I *st, void *r, I *rn, I *rt
#define F_PAIR_ARGUMENTS s, sn, st, r, rn, rt
/* Types that are significant at some processes only must not be looked at elsewhere: they may be anything. */
#define F_TYPE_AT(significant, type) ((significant) ? TYPE(type) : MPI_BYTE)
F_COLLECTIVE(barrier, ibarrier, PARAMS(I *comm), PARAMS(comm), one_size(BARRIER, 0, COMM(comm), 0, MPI_BYTE))
F_COLLECTIVE(bcast, ibcast, PARAMS(void *data, I *count, I *type, I *root, I *comm), PARAMS(data, count, type, root, comm),
             one_size(BCAST, *root, COMM(comm), *count, TYPE(type)))
F_COLLECTIVE(reduce, ireduce, PARAMS(void *s, void *r, I *count, I *type, I *op, I *root, I *comm),
             PARAMS(s, r, count, type, op, root, comm), one_size(REDUCE, *root, COMM(comm), *count, TYPE(type)))
#define F_REDUCTION(name, iname, kind)                                                                                         \
    F_COLLECTIVE(name, iname, PARAMS(void *s, void *r, I *count, I *type, I *op, I *comm), PARAMS(s, r, count, type, op, comm), \
                 one_size(kind, 0, COMM(comm), *count, TYPE(type)))
F_REDUCTION(allreduce, iallreduce, ALLREDUCE)
F_REDUCTION(scan, iscan, SCAN)
F_REDUCTION(exscan, iexscan, EXSCAN)
F_REDUCTION(reduce_scatter_block, ireduce_scatter_block, REDUCE_SCATTER_BLOCK)
F_COLLECTIVE(reduce_scatter, ireduce_scatter, PARAMS(void *s, void *r, I *counts, I *type, I *op, I *comm),
             PARAMS(s, r, counts, type, op, comm), all_v(REDUCE_SCATTER, 0, COMM(comm), counts, TYPE(type)))
F_COLLECTIVE(gather, igather, PARAMS(F_PAIR, I *root, I *comm), PARAMS(F_PAIR_ARGUMENTS, root, comm),
             rooted(GATHER, *root, COMM(comm), *rn, F_TYPE_AT(is_root(COMM(comm), *root), rt), *sn,
                    F_TYPE_AT(!is_root(COMM(comm), *root), st)))
F_COLLECTIVE(scatter, iscatter, PARAMS(F_PAIR, I *root, I *comm), PARAMS(F_PAIR_ARGUMENTS, root, comm),
             rooted(SCATTER, *root, COMM(comm), *sn, F_TYPE_AT(is_root(COMM(comm), *root), st), *rn,
                    F_TYPE_AT(!is_root(COMM(comm), *root), rt)))
F_COLLECTIVE(allgather, iallgather, PARAMS(F_PAIR, I *comm), PARAMS(F_PAIR_ARGUMENTS, comm),
             one_size(ALLGATHER, 0, COMM(comm), *rn, TYPE(rt)))
F_COLLECTIVE(alltoall, ialltoall, PARAMS(F_PAIR, I *comm), PARAMS(F_PAIR_ARGUMENTS, comm),
             one_size(ALLTOALL, 0, COMM(comm), *rn, TYPE(rt)))
F_COLLECTIVE(gatherv, igatherv, PARAMS(void *s, I *sn, I *st, void *r, I *rn, I *rd, I *rt, I *root, I *comm),
             PARAMS(s, sn, st, r, rn, rd, rt, root, comm),
             rooted_v(GATHERV, 0, *root, COMM(comm), rn, F_TYPE_AT(is_root(COMM(comm), *root), rt), *sn,
                      F_TYPE_AT(!is_root(COMM(comm), *root), st)))
F_COLLECTIVE(scatterv, iscatterv, PARAMS(void *s, I *sn, I *sd, I *st, void *r, I *rn, I *rt, I *root, I *comm),
             PARAMS(s, sn, sd, st, r, rn, rt, root, comm),
             rooted_v(SCATTERV, 0, *root, COMM(comm), sn, F_TYPE_AT(is_root(COMM(comm), *root), st), *rn,
                      F_TYPE_AT(!is_root(COMM(comm), *root), rt)))
F_COLLECTIVE(allgatherv, iallgatherv, PARAMS(void *s, I *sn, I *st, void *r, I *rn, I *rd, I *rt, I *comm),
             PARAMS(s, sn, st, r, rn, rd, rt, comm), all_v(ALLGATHERV, 0, COMM(comm), rn, TYPE(rt)))
F_COLLECTIVE(alltoallv, ialltoallv, PARAMS(void *s, I *sn, I *sd, I *st, void *r, I *rn, I *rd, I *rt, I *comm),
             PARAMS(s, sn, sd, st, r, rn, rd, rt, comm),
             exchange(0, COMM(comm), f_in_place(s), sn, F_TYPE_AT(!f_in_place(s), st), NULL, rn, TYPE(rt), NULL))
F_COLLECTIVE(alltoallw, ialltoallw, PARAMS(void *s, I *sn, I *sd, I *st, void *r, I *rn, I *rd, I *rt, I *comm),
             PARAMS(s, sn, sd, st, r, rn, rd, rt, comm),
             exchange(0, COMM(comm), f_in_place(s), sn, MPI_BYTE, f_in_place(s) ? NULL : f_types(st, COMM(comm), 0), rn, MPI_BYTE,
                      f_types(rt, COMM(comm), 1)))

#define F_NEIGHBOR(name, iname, parameters, arguments, what)                                                                   \
    FORTRAN(name, PARAMS(parameters), PARAMS(arguments), NONE, record_neighbors(RC, COMM(comm), 0, what, NULL, begin, end))    \
    FORTRAN(iname, PARAMS(parameters, I *request), PARAMS(arguments, request), NONE,                                           \
            MPI_Request made = PMPI_Request_f2c(*request); record_neighbors(RC, COMM(comm), 0, what, &made, begin, end))
F_NEIGHBOR(neighbor_allgather, ineighbor_allgather, PARAMS(F_PAIR, I *comm), PARAMS(F_PAIR_ARGUMENTS, comm),
           PARAMS(*sn, NULL, TYPE(st), NULL, *rn, NULL, TYPE(rt), NULL))
F_NEIGHBOR(neighbor_alltoall, ineighbor_alltoall, PARAMS(F_PAIR, I *comm), PARAMS(F_PAIR_ARGUMENTS, comm),
           PARAMS(*sn, NULL, TYPE(st), NULL, *rn, NULL, TYPE(rt), NULL))
F_NEIGHBOR(neighbor_allgatherv, ineighbor_allgatherv, PARAMS(void *s, I *sn, I *st, void *r, I *rn, I *rd, I *rt, I *comm),
           PARAMS(s, sn, st, r, rn, rd, rt, comm), PARAMS(*sn, NULL, TYPE(st), NULL, 0, rn, TYPE(rt), NULL))
F_NEIGHBOR(neighbor_alltoallv, ineighbor_alltoallv, PARAMS(void *s, I *sn, I *sd, I *st, void *r, I *rn, I *rd, I *rt, I *comm),
           PARAMS(s, sn, sd, st, r, rn, rd, rt, comm), PARAMS(0, sn, TYPE(st), NULL, 0, rn, TYPE(rt), NULL))

/* ---- Types and communicators ---- */

FORTRAN(type_free, PARAMS(I *type), PARAMS(type), types_forget(), record_quiet(begin, end))

#define F_MAKES(name, how, parameters, arguments)                                                                              \
    FORTRAN(name, PARAMS(parameters, I *made), PARAMS(arguments, made), NONE,                                                  \
            record_comm(RC, how, COMM(comm), RC == MPI_SUCCESS ? COMM(made) : MPI_COMM_NULL, begin, end))
F_MAKES(comm_dup, AGREED, PARAMS(I *comm), PARAMS(comm))
F_MAKES(comm_dup_with_info, AGREED, PARAMS(I *comm, I *info), PARAMS(comm, info))
F_MAKES(comm_create, AGREED, PARAMS(I *comm, I *group), PARAMS(comm, group))
F_MAKES(comm_create_group, UNSEEN, PARAMS(I *comm, I *group, I *tag), PARAMS(comm, group, tag))
F_MAKES(comm_split, SPLIT, PARAMS(I *comm, I *color, I *key), PARAMS(comm, color, key))
F_MAKES(comm_split_type, SPLIT, PARAMS(I *comm, I *type, I *key, I *info), PARAMS(comm, type, key, info))
F_MAKES(cart_create, AGREED, PARAMS(I *comm, I *n, I *d, I *p, I *reorder), PARAMS(comm, n, d, p, reorder))
F_MAKES(cart_sub, SPLIT, PARAMS(I *comm, I *remain), PARAMS(comm, remain))
F_MAKES(graph_create, AGREED, PARAMS(I *comm, I *n, I *i, I *e, I *reorder), PARAMS(comm, n, i, e, reorder))
F_MAKES(dist_graph_create, AGREED, PARAMS(I *comm, I *n, I *s, I *g, I *d, I *w, I *info, I *reorder),
        PARAMS(comm, n, s, g, d, w, info, reorder))
F_MAKES(dist_graph_create_adjacent, AGREED, PARAMS(I *comm, I *i, I *s, I *sw, I *o, I *d, I *dw, I *info, I *reorder),
        PARAMS(comm, i, s, sw, o, d, dw, info, reorder))
F_MAKES(intercomm_merge, UNSEEN, PARAMS(I *comm, I *high), PARAMS(comm, high))
F_MAKES(intercomm_create, UNSEEN, PARAMS(I *comm, I *leader, I *peer, I *remote, I *tag), PARAMS(comm, leader, peer, remote, tag))
FORTRAN(comm_idup, PARAMS(I *comm, I *made, I *request), PARAMS(comm, made, request), NONE,
        record_idup(RC, COMM(comm), COMM(made), begin, end))
FORTRAN_WAIT(comm_free, PARAMS(I *comm), PARAMS(comm), int64_t id = comm_take(KEY(COMM(comm))), record_comm_free(id, begin, end))
FORTRAN_WAIT(comm_disconnect, PARAMS(I *comm), PARAMS(comm), int64_t id = comm_take(KEY(COMM(comm))), record_comm_free(id, begin, end))

/* ---- One-sided communication ---- */

#define WIN PMPI_Win_f2c(*win)
#define F_WINDOW(name, parameters, arguments)                                                                                  \
    FORTRAN(name, PARAMS(parameters, I *win), PARAMS(arguments, win), NONE, record_window(RC, WIN, COMM(comm), begin, end))
F_WINDOW(win_create, PARAMS(void *base, MPI_Aint *size, I *unit, I *info, I *comm), PARAMS(base, size, unit, info, comm))
F_WINDOW(win_allocate, PARAMS(MPI_Aint *size, I *unit, I *info, I *comm, void *base), PARAMS(size, unit, info, comm, base))
F_WINDOW(win_allocate_shared, PARAMS(MPI_Aint *size, I *unit, I *info, I *comm, void *base), PARAMS(size, unit, info, comm, base))
F_WINDOW(win_create_dynamic, PARAMS(I *info, I *comm), PARAMS(info, comm))
FORTRAN_WAIT(win_free, PARAMS(I *win), PARAMS(win), int64_t id = window_take(KEY(WIN)), record_window_free(id, begin, end))
#define F_TARGET I *target, MPI_Aint *at, I *tn, I *tt
#define F_RMA(name, parameters, arguments, kind, there, back)                                                                  \
    FORTRAN(name, PARAMS(parameters), PARAMS(arguments), NONE, record_rma(kind, RC, WIN, *target, there, back, begin, end))
F_RMA(put, PARAMS(void *o, I *n, I *t, F_TARGET, I *win), PARAMS(o, n, t, target, at, tn, tt, win), RMA_PUT, BYTES(n, t), 0)
F_RMA(get, PARAMS(void *o, I *n, I *t, F_TARGET, I *win), PARAMS(o, n, t, target, at, tn, tt, win), RMA_GET, 0, BYTES(n, t))
F_RMA(accumulate, PARAMS(void *o, I *n, I *t, F_TARGET, I *op, I *win), PARAMS(o, n, t, target, at, tn, tt, op, win), RMA_ACCUMULATE,
      BYTES(n, t), 0)
F_RMA(get_accumulate, PARAMS(void *o, I *n, I *t, void *r, I *rn, I *rt, F_TARGET, I *op, I *win),
      PARAMS(o, n, t, r, rn, rt, target, at, tn, tt, op, win), RMA_GET_ACCUMULATE,
      PMPI_Op_f2c(*op) == MPI_NO_OP ? 0 : BYTES(n, t), BYTES(rn, rt))
F_RMA(fetch_and_op, PARAMS(void *o, void *r, I *type, I *target, MPI_Aint *at, I *op, I *win), PARAMS(o, r, type, target, at, op, win),
      RMA_FETCH_AND_OP, bytes_of(1, TYPE(type)), bytes_of(1, TYPE(type)))
F_RMA(compare_and_swap, PARAMS(void *o, void *c, void *r, I *type, I *target, MPI_Aint *at, I *win),
      PARAMS(o, c, r, type, target, at, win), RMA_COMPARE_AND_SWAP, 2 * bytes_of(1, TYPE(type)), bytes_of(1, TYPE(type)))
#define F_SYNC(name, kind, parameters, arguments, target)                                                                      \
    FORTRAN(name, PARAMS(parameters), PARAMS(arguments), NONE, record_sync(kind, RC, WIN, target, begin, end))
F_SYNC(win_fence, SYNC_FENCE, PARAMS(I *hint, I *win), PARAMS(hint, win), -1)
F_SYNC(win_post, SYNC_POST, PARAMS(I *group, I *hint, I *win), PARAMS(group, hint, win), -1)
F_SYNC(win_start, SYNC_START, PARAMS(I *group, I *hint, I *win), PARAMS(group, hint, win), -1)
F_SYNC(win_complete, SYNC_COMPLETE, PARAMS(I *win), PARAMS(win), -1)
F_SYNC(win_wait, SYNC_WAIT, PARAMS(I *win), PARAMS(win), -1)
F_SYNC(win_lock, SYNC_LOCK, PARAMS(I *type, I *target, I *hint, I *win), PARAMS(type, target, hint, win), *target)
F_SYNC(win_unlock, SYNC_UNLOCK, PARAMS(I *target, I *win), PARAMS(target, win), *target)
F_SYNC(win_lock_all, SYNC_LOCK_ALL, PARAMS(I *hint, I *win), PARAMS(hint, win), -1)
F_SYNC(win_unlock_all, SYNC_UNLOCK_ALL, PARAMS(I *win), PARAMS(win), -1)
F_SYNC(win_flush, SYNC_FLUSH, PARAMS(I *target, I *win), PARAMS(target, win), *target)
F_SYNC(win_flush_local, SYNC_FLUSH, PARAMS(I *target, I *win), PARAMS(target, win), *target)
F_SYNC(win_flush_all, SYNC_FLUSH_ALL, PARAMS(I *win), PARAMS(win), -1)
F_SYNC(win_flush_local_all, SYNC_FLUSH_ALL, PARAMS(I *win), PARAMS(win), -1)

/* ---- Begin and end; files and new processes are counted ---- */

extern void PF(init)(I *error) __attribute__((weak));
extern void PF(init_thread)(I *required, I *provided, I *error) __attribute__((weak));
extern void PF(finalize)(I *error) __attribute__((weak));
extern void PF(abort)(I *comm, I *code, I *error) __attribute__((weak));
void F(init)(I *error);
void F(init_thread)(I *required, I *provided, I *error);
void F(finalize)(I *error);
void F(abort)(I *comm, I *code, I *error);

void F(init)(I *error) {
    int nested = depth;
    if (!nested) before_init();
    depth = 1;
    PF(init)(error);
    if (!nested && RC == MPI_SUCCESS) begin_recording(MPI_THREAD_SINGLE);
    depth = nested;
}

void F(init_thread)(I *required, I *provided, I *error) {
    int nested = depth;
    if (!nested) before_init();
    depth = 1;
    PF(init_thread)(required, provided, error);
    if (!nested && RC == MPI_SUCCESS) begin_recording(*provided);
    depth = nested;
}

void F(finalize)(I *error) {
    int nested = depth;
    if (!nested) end_recording();
    depth = 1;
    PF(finalize)(error);
    depth = nested;
}

void F(abort)(I *comm, I *code, I *error) {
    record_abort(*code);
    PF(abort)(comm, code, error);
}

#define F_COUNTED(name, shown, parameters, arguments)                                                                          \
    FORTRAN_WAIT(name, PARAMS(parameters), PARAMS(arguments), NONE, record_other("MPI_" shown, begin, end))
#define F_FIVE(name, shown) F_COUNTED(name, shown, PARAMS(void *a, void *b, void *c, void *d, void *e), PARAMS(a, b, c, d, e))
#define F_SIX(name, shown) F_COUNTED(name, shown, PARAMS(void *a, void *b, void *c, void *d, void *e, void *f), PARAMS(a, b, c, d, e, f))
F_COUNTED(file_close, "File_close", PARAMS(I *f), PARAMS(f))
F_COUNTED(file_sync, "File_sync", PARAMS(I *f), PARAMS(f))
F_FIVE(file_read, "File_read")
F_FIVE(file_write, "File_write")
F_FIVE(file_read_all, "File_read_all")
F_FIVE(file_write_all, "File_write_all")
F_FIVE(file_read_shared, "File_read_shared")
F_FIVE(file_write_shared, "File_write_shared")
F_FIVE(file_read_ordered, "File_read_ordered")
F_FIVE(file_write_ordered, "File_write_ordered")
F_FIVE(file_iread, "File_iread")
F_FIVE(file_iwrite, "File_iwrite")
F_SIX(file_read_at, "File_read_at")
F_SIX(file_write_at, "File_write_at")
F_SIX(file_read_at_all, "File_read_at_all")
F_SIX(file_write_at_all, "File_write_at_all")
F_SIX(file_iread_at, "File_iread_at")
F_SIX(file_iwrite_at, "File_iwrite_at")
