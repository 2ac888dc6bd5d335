/* The calls with counts, in C. Included once for counts of type int, and once for those of MPI 4 (MPI_Send_c and so on), with

     C(name)  the name of a function, P(name) the one behind it
     COUNT, DISPLACEMENT  the types of counts and displacements
     WIDE  whether counts are MPI_Count */

#define SEND(name, mode)                                                                                                       \
    int C(name)(const void *data, COUNT count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {                            \
        if (IDLE) return P(name)(data, count, type, to, tag, comm);                                                            \
        uint64_t begin = enter();                                                                                              \
        int rc = P(name)(data, count, type, to, tag, comm);                                                                    \
        uint64_t end = leave();                                                                                                \
        record_send(OP_SEND, mode, rc, bytes_of(count, type), to, tag, comm, 0, begin, end);                                   \
        return rc;                                                                                                             \
    }
#define ISEND(name, op, mode)                                                                                                  \
    int C(name)(const void *data, COUNT count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {      \
        if (IDLE) return P(name)(data, count, type, to, tag, comm, request);                                                   \
        uint64_t begin = enter();                                                                                              \
        int rc = P(name)(data, count, type, to, tag, comm, request);                                                           \
        uint64_t end = leave();                                                                                                \
        record_send(op, mode, rc, bytes_of(count, type), to, tag, comm, KEY(*request), begin, end);                            \
        return rc;                                                                                                             \
    }
SEND(Send, STANDARD)
SEND(Bsend, BUFFERED)
SEND(Ssend, SYNCHRONOUS)
SEND(Rsend, READY)
ISEND(Isend, OP_ISEND, STANDARD)
ISEND(Ibsend, OP_ISEND, BUFFERED)
ISEND(Issend, OP_ISEND, SYNCHRONOUS)
ISEND(Irsend, OP_ISEND, READY)
ISEND(Send_init, OP_SEND_INIT, STANDARD)
ISEND(Bsend_init, OP_SEND_INIT, BUFFERED)
ISEND(Ssend_init, OP_SEND_INIT, SYNCHRONOUS)
ISEND(Rsend_init, OP_SEND_INIT, READY)

int C(Recv)(void *data, COUNT count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
    if (IDLE) return P(Recv)(data, count, type, from, tag, comm, status);
    MPI_Status own;
    int open = is_open(from, tag);
    if (open && status == MPI_STATUS_IGNORE) status = &own;
    uint64_t begin = enter();
    int rc = P(Recv)(data, count, type, from, tag, comm, status);
    uint64_t end = leave();
    if (open && rc == MPI_SUCCESS) from = status->MPI_SOURCE, tag = status->MPI_TAG;
    record_recv(OP_RECV, rc, bytes_of(count, type), from, tag, comm, 0, begin, end);
    return rc;
}

#define IRECV(name, op)                                                                                                        \
    int C(name)(void *data, COUNT count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {          \
        if (IDLE) return P(name)(data, count, type, from, tag, comm, request);                                                 \
        uint64_t begin = enter();                                                                                              \
        int rc = P(name)(data, count, type, from, tag, comm, request);                                                         \
        uint64_t end = leave();                                                                                                \
        record_recv(op, rc, bytes_of(count, type), from, tag, comm, KEY(*request), begin, end);                                \
        return rc;                                                                                                             \
    }
IRECV(Irecv, OP_IRECV)
IRECV(Recv_init, OP_RECV_INIT)

int C(Mrecv)(void *data, COUNT count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
    if (IDLE) return P(Mrecv)(data, count, type, message, status);
    struct found_message taken = message_take(KEY(*message));
    uint64_t begin = enter();
    int rc = P(Mrecv)(data, count, type, message, status);
    uint64_t end = leave();
    record_found(OP_RECV, rc, taken, bytes_of(count, type), 0, begin, end);
    return rc;
}

int C(Imrecv)(void *data, COUNT count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {
    if (IDLE) return P(Imrecv)(data, count, type, message, request);
    struct found_message taken = message_take(KEY(*message));
    uint64_t begin = enter();
    int rc = P(Imrecv)(data, count, type, message, request);
    uint64_t end = leave();
    record_found(OP_IRECV, rc, taken, bytes_of(count, type), KEY(*request), begin, end);
    return rc;
}

int C(Sendrecv)(const void *sent, COUNT send_count, MPI_Datatype send_type, int to, int send_tag, void *received, COUNT recv_count,
                MPI_Datatype recv_type, int from, int recv_tag, MPI_Comm comm, MPI_Status *status) {
    if (IDLE)
        return P(Sendrecv)(sent, send_count, send_type, to, send_tag, received, recv_count, recv_type, from, recv_tag, comm, status);
    MPI_Status own;
    int open = is_open(from, recv_tag);
    if (open && status == MPI_STATUS_IGNORE) status = &own;
    uint64_t begin = enter();
    int rc = P(Sendrecv)(sent, send_count, send_type, to, send_tag, received, recv_count, recv_type, from, recv_tag, comm, status);
    uint64_t end = leave();
    if (open && rc == MPI_SUCCESS) from = status->MPI_SOURCE, recv_tag = status->MPI_TAG;
    record_sendrecv(rc, bytes_of(send_count, send_type), to, send_tag, bytes_of(recv_count, recv_type), from, recv_tag, comm, begin, end);
    return rc;
}

int C(Sendrecv_replace)(void *data, COUNT count, MPI_Datatype type, int to, int send_tag, int from, int recv_tag, MPI_Comm comm,
                        MPI_Status *status) {
    if (IDLE) return P(Sendrecv_replace)(data, count, type, to, send_tag, from, recv_tag, comm, status);
    MPI_Status own;
    int open = is_open(from, recv_tag);
    if (open && status == MPI_STATUS_IGNORE) status = &own;
    uint64_t begin = enter();
    int rc = P(Sendrecv_replace)(data, count, type, to, send_tag, from, recv_tag, comm, status);
    uint64_t end = leave();
    if (open && rc == MPI_SUCCESS) from = status->MPI_SOURCE, recv_tag = status->MPI_TAG;
    uint64_t bytes = bytes_of(count, type);
    record_sendrecv(rc, bytes, to, send_tag, bytes, from, recv_tag, comm, begin, end);
    return rc;
}

/* ---- Collectives ---- */

/* Defines a collective and the one that does not block: parameters, arguments, and what is recorded. */
#define PARAMETERS(...) __VA_ARGS__
#define COLLECTIVE(name, iname, parameters, arguments, what)                                                                   \
    int C(name)(parameters) {                                                                                                  \
        if (IDLE) return P(name)(arguments);                                                                                   \
        uint64_t begin = enter();                                                                                              \
        int rc = P(name)(arguments);                                                                                           \
        uint64_t end = leave();                                                                                                \
        finish_collective(rc, what, begin, end);                                                                               \
        return rc;                                                                                                             \
    }                                                                                                                          \
    int C(iname)(parameters, MPI_Request *request) {                                                                           \
        if (IDLE) return P(iname)(arguments, request);                                                                         \
        uint64_t begin = enter();                                                                                              \
        int rc = P(iname)(arguments, request);                                                                                 \
        uint64_t end = leave();                                                                                                \
        finish_icollective(rc, what, KEY(*request), begin, end);                                                               \
        return rc;                                                                                                             \
    }

COLLECTIVE(Bcast, Ibcast, PARAMETERS(void *data, COUNT count, MPI_Datatype type, int root, MPI_Comm comm),
           PARAMETERS(data, count, type, root, comm), one_size(BCAST, root, comm, count, type))
COLLECTIVE(Reduce, Ireduce, PARAMETERS(const void *s, void *r, COUNT count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
           PARAMETERS(s, r, count, type, op, root, comm), one_size(REDUCE, root, comm, count, type))
#define REDUCTION(name, iname, kind)                                                                                           \
    COLLECTIVE(name, iname, PARAMETERS(const void *s, void *r, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),      \
               PARAMETERS(s, r, count, type, op, comm), one_size(kind, 0, comm, count, type))
REDUCTION(Allreduce, Iallreduce, ALLREDUCE)
REDUCTION(Scan, Iscan, SCAN)
REDUCTION(Exscan, Iexscan, EXSCAN)
REDUCTION(Reduce_scatter_block, Ireduce_scatter_block, REDUCE_SCATTER_BLOCK)
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           PARAMETERS(const void *s, void *r, const COUNT counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           PARAMETERS(s, r, counts, type, op, comm), all_v(REDUCE_SCATTER, WIDE, comm, counts, type))

#define PAIR const void *s, COUNT sn, MPI_Datatype st, void *r, COUNT rn, MPI_Datatype rt
#define PAIR_ARGUMENTS s, sn, st, r, rn, rt
COLLECTIVE(Gather, Igather, PARAMETERS(PAIR, int root, MPI_Comm comm), PARAMETERS(PAIR_ARGUMENTS, root, comm),
           rooted(GATHER, root, comm, rn, rt, sn, st))
COLLECTIVE(Scatter, Iscatter, PARAMETERS(PAIR, int root, MPI_Comm comm), PARAMETERS(PAIR_ARGUMENTS, root, comm),
           rooted(SCATTER, root, comm, sn, st, rn, rt))
/* What is received is significant even in place. */
COLLECTIVE(Allgather, Iallgather, PARAMETERS(PAIR, MPI_Comm comm), PARAMETERS(PAIR_ARGUMENTS, comm), one_size(ALLGATHER, 0, comm, rn, rt))
COLLECTIVE(Alltoall, Ialltoall, PARAMETERS(PAIR, MPI_Comm comm), PARAMETERS(PAIR_ARGUMENTS, comm), one_size(ALLTOALL, 0, comm, rn, rt))
COLLECTIVE(Gatherv, Igatherv,
           PARAMETERS(const void *s, COUNT sn, MPI_Datatype st, void *r, const COUNT rn[], const DISPLACEMENT rd[], MPI_Datatype rt,
                      int root, MPI_Comm comm),
           PARAMETERS(s, sn, st, r, rn, rd, rt, root, comm), rooted_v(GATHERV, WIDE, root, comm, rn, rt, sn, st))
COLLECTIVE(Scatterv, Iscatterv,
           PARAMETERS(const void *s, const COUNT sn[], const DISPLACEMENT sd[], MPI_Datatype st, void *r, COUNT rn, MPI_Datatype rt,
                      int root, MPI_Comm comm),
           PARAMETERS(s, sn, sd, st, r, rn, rt, root, comm), rooted_v(SCATTERV, WIDE, root, comm, sn, st, rn, rt))
COLLECTIVE(Allgatherv, Iallgatherv,
           PARAMETERS(const void *s, COUNT sn, MPI_Datatype st, void *r, const COUNT rn[], const DISPLACEMENT rd[], MPI_Datatype rt,
                      MPI_Comm comm),
           PARAMETERS(s, sn, st, r, rn, rd, rt, comm), all_v(ALLGATHERV, WIDE, comm, rn, rt))
COLLECTIVE(Alltoallv, Ialltoallv,
           PARAMETERS(const void *s, const COUNT sn[], const DISPLACEMENT sd[], MPI_Datatype st, void *r, const COUNT rn[],
                      const DISPLACEMENT rd[], MPI_Datatype rt, MPI_Comm comm),
           PARAMETERS(s, sn, sd, st, r, rn, rd, rt, comm), exchange(WIDE, comm, s == MPI_IN_PLACE, sn, st, NULL, rn, rt, NULL))
COLLECTIVE(Alltoallw, Ialltoallw,
           PARAMETERS(const void *s, const COUNT sn[], const DISPLACEMENT sd[], const MPI_Datatype st[], void *r, const COUNT rn[],
                      const DISPLACEMENT rd[], const MPI_Datatype rt[], MPI_Comm comm),
           PARAMETERS(s, sn, sd, st, r, rn, rd, rt, comm),
           exchange(WIDE, comm, s == MPI_IN_PLACE, sn, MPI_BYTE, st, rn, MPI_BYTE, rt))

#define NEIGHBOR(name, iname, parameters, arguments, what)                                                                     \
    int C(name)(parameters) {                                                                                                  \
        if (IDLE) return P(name)(arguments);                                                                                   \
        uint64_t begin = enter();                                                                                              \
        int rc = P(name)(arguments);                                                                                           \
        uint64_t end = leave();                                                                                                \
        record_neighbors(rc, comm, WIDE, what, NULL, begin, end);                                                              \
        return rc;                                                                                                             \
    }                                                                                                                          \
    int C(iname)(parameters, MPI_Request *request) {                                                                           \
        if (IDLE) return P(iname)(arguments, request);                                                                         \
        uint64_t begin = enter();                                                                                              \
        int rc = P(iname)(arguments, request);                                                                                 \
        uint64_t end = leave();                                                                                                \
        record_neighbors(rc, comm, WIDE, what, request, begin, end);                                                           \
        return rc;                                                                                                             \
    }
NEIGHBOR(Neighbor_allgather, Ineighbor_allgather, PARAMETERS(PAIR, MPI_Comm comm), PARAMETERS(PAIR_ARGUMENTS, comm),
         PARAMETERS(sn, NULL, st, NULL, rn, NULL, rt, NULL))
NEIGHBOR(Neighbor_alltoall, Ineighbor_alltoall, PARAMETERS(PAIR, MPI_Comm comm), PARAMETERS(PAIR_ARGUMENTS, comm),
         PARAMETERS(sn, NULL, st, NULL, rn, NULL, rt, NULL))
NEIGHBOR(Neighbor_allgatherv, Ineighbor_allgatherv,
         PARAMETERS(const void *s, COUNT sn, MPI_Datatype st, void *r, const COUNT rn[], const DISPLACEMENT rd[], MPI_Datatype rt,
                    MPI_Comm comm),
         PARAMETERS(s, sn, st, r, rn, rd, rt, comm), PARAMETERS(sn, NULL, st, NULL, 0, rn, rt, NULL))
NEIGHBOR(Neighbor_alltoallv, Ineighbor_alltoallv,
         PARAMETERS(const void *s, const COUNT sn[], const DISPLACEMENT sd[], MPI_Datatype st, void *r, const COUNT rn[],
                    const DISPLACEMENT rd[], MPI_Datatype rt, MPI_Comm comm),
         PARAMETERS(s, sn, sd, st, r, rn, rd, rt, comm), PARAMETERS(0, sn, st, NULL, 0, rn, rt, NULL))
NEIGHBOR(Neighbor_alltoallw, Ineighbor_alltoallw,
         PARAMETERS(const void *s, const COUNT sn[], const MPI_Aint sd[], const MPI_Datatype st[], void *r, const COUNT rn[],
                    const MPI_Aint rd[], const MPI_Datatype rt[], MPI_Comm comm),
         PARAMETERS(s, sn, sd, st, r, rn, rd, rt, comm), PARAMETERS(0, sn, MPI_BYTE, st, 0, rn, MPI_BYTE, rt))

/* ---- One-sided communication ---- */

#define RMA(name, parameters, arguments, kind, there, back)                                                                    \
    int C(name)(parameters) {                                                                                                  \
        if (IDLE) return P(name)(arguments);                                                                                   \
        uint64_t begin = enter();                                                                                              \
        int rc = P(name)(arguments);                                                                                           \
        uint64_t end = leave();                                                                                                \
        record_rma(kind, rc, win, target, there, back, begin, end);                                                            \
        return rc;                                                                                                             \
    }
#define TARGET int target, MPI_Aint at, COUNT tn, MPI_Datatype tt
#define TARGET_ARGUMENTS target, at, tn, tt
RMA(Put, PARAMETERS(const void *o, COUNT n, MPI_Datatype t, TARGET, MPI_Win win), PARAMETERS(o, n, t, TARGET_ARGUMENTS, win), RMA_PUT,
    bytes_of(n, t), 0)
RMA(Get, PARAMETERS(void *o, COUNT n, MPI_Datatype t, TARGET, MPI_Win win), PARAMETERS(o, n, t, TARGET_ARGUMENTS, win), RMA_GET, 0,
    bytes_of(n, t))
RMA(Accumulate, PARAMETERS(const void *o, COUNT n, MPI_Datatype t, TARGET, MPI_Op op, MPI_Win win),
    PARAMETERS(o, n, t, TARGET_ARGUMENTS, op, win), RMA_ACCUMULATE, bytes_of(n, t), 0)
RMA(Get_accumulate,
    PARAMETERS(const void *o, COUNT n, MPI_Datatype t, void *r, COUNT rn, MPI_Datatype rt, TARGET, MPI_Op op, MPI_Win win),
    PARAMETERS(o, n, t, r, rn, rt, TARGET_ARGUMENTS, op, win), RMA_GET_ACCUMULATE, op == MPI_NO_OP ? 0 : bytes_of(n, t), bytes_of(rn, rt))

#undef SEND
#undef ISEND
#undef IRECV
#undef COLLECTIVE
#undef REDUCTION
#undef NEIGHBOR
#undef RMA
#undef PAIR
#undef PAIR_ARGUMENTS
#undef TARGET
#undef TARGET_ARGUMENTS
#undef PARAMETERS
