/* Collectives: what a file tells of them. */

enum kind {
    BARRIER, BCAST, REDUCE, ALLREDUCE, ALLTOALL, ALLTOALLV, GATHER, GATHERV, ALLGATHER, ALLGATHERV, SCATTER, SCATTERV, REDUCE_SCATTER,
    SCAN, EXSCAN, REDUCE_SCATTER_BLOCK
};

/* What a call gives. Counts are `int`, or MPI_Count where `wide`. Which of it holds depends on the kind of the call, and on whether this
   process is the root: what is not significant there is not touched, since it may be anything. */
struct collective {
    int kind, wide, root, nonblocking;
    MPI_Comm comm;
    uint64_t request;
    uint64_t bytes;                      /* of the one size, or of this process's own part */
    const void *send_counts, *recv_counts;
    MPI_Datatype send_type, recv_type;
    const MPI_Datatype *send_types, *recv_types; /* of alltoallw, NULL in others */
};

static inline int64_t count_at(const void *counts, int wide, int i) {
    return wide ? (int64_t)((const MPI_Count *)counts)[i] : ((const int *)counts)[i];
}

static unsigned char *put_counts(unsigned char *p, const void *counts, int wide, int size, MPI_Datatype type, const MPI_Datatype *types) {
    p = put(p, (uint64_t)size);
    for (int i = 0; i < size; i++) p = put(p, bytes_of(count_at(counts, wide, i), types ? types[i] : type));
    return p;
}

static void record_collective(int rc, const struct collective *call, uint64_t begin, uint64_t end) {
    int64_t id = rc == MPI_SUCCESS ? comm_id(call->comm) : NOT_RECORDED;
    if (rc != MPI_SUCCESS) {
        record_quiet(begin, end);
        return;
    }
    if (id < 0) {
        record_other("collectives on communicators that are not recorded", begin, end);
        return;
    }
    int size = comm_about(id).size, has_send = call->send_counts != NULL, has_recv = call->recv_counts != NULL;
    unsigned char *p = begin_record(call->nonblocking ? OP_ICOLLECTIVE : OP_COLLECTIVE, begin, end,
                                    (size_t)(has_send + has_recv) * (size_t)size * 10);
    *p++ = (unsigned char)call->kind;
    p = put(p, (uint64_t)id);
    p = put(p, (uint64_t)call->root);
    p = put(p, call->bytes);
    if (call->nonblocking) p = put_request(p, new_request(call->request));
    p = has_send ? put_counts(p, call->send_counts, call->wide, size, call->send_type, call->send_types) : put(p, 0);
    p = has_recv ? put_counts(p, call->recv_counts, call->wide, size, call->recv_type, call->recv_types) : put(p, 0);
    end_record(p);
}

/* Whether this process is the root; on an intercommunicator it does not matter. */
static inline int is_root(MPI_Comm comm, int root) {
    int64_t id = comm_id(comm);
    return id >= 0 && comm_about(id).rank == root;
}

/* Whether this process can be seen in collectives of a communicator at all. */
static inline int is_known(MPI_Comm comm) { return comm_id(comm) >= 0; }

/* ---- One function for each pattern of arguments ---- */

static struct collective one_size(int kind, int root, MPI_Comm comm, int64_t count, MPI_Datatype type) {
    struct collective call = {.kind = kind, .root = root, .comm = comm};
    if (is_known(comm)) call.bytes = bytes_of(count, type);
    return call;
}

/* What the root gives or takes counts at the root, since the other side may be MPI_IN_PLACE there. */
static struct collective rooted(int kind, int root, MPI_Comm comm, int64_t roots, MPI_Datatype roots_type, int64_t others, MPI_Datatype others_type) {
    struct collective call = {.kind = kind, .root = root, .comm = comm};
    if (is_known(comm)) call.bytes = is_root(comm, root) ? bytes_of(roots, roots_type) : bytes_of(others, others_type);
    return call;
}

static struct collective rooted_v(int kind, int wide, int root, MPI_Comm comm, const void *counts, MPI_Datatype type, int64_t own, MPI_Datatype own_type) {
    struct collective call = {.kind = kind, .wide = wide, .root = root, .comm = comm};
    if (!is_known(comm)) return call;
    if (is_root(comm, root)) {
        call.bytes = bytes_of(count_at(counts, wide, root), type);
        if (kind == GATHERV) {
            call.recv_counts = counts;
            call.recv_type = type;
        } else {
            call.send_counts = counts;
            call.send_type = type;
        }
    } else {
        call.bytes = bytes_of(own, own_type);
    }
    return call;
}

/* Counts received from all, of allgatherv, or of the parts of the result, of reduce_scatter. */
static struct collective all_v(int kind, int wide, MPI_Comm comm, const void *counts, MPI_Datatype type) {
    struct collective call = {.kind = kind, .wide = wide, .comm = comm, .recv_counts = counts, .recv_type = type};
    int64_t id = comm_id(comm);
    if (id >= 0) call.bytes = bytes_of(count_at(counts, wide, comm_about(id).rank), type);
    return call;
}

static struct collective exchange(int wide, MPI_Comm comm, int in_place, const void *send_counts, MPI_Datatype send_type,
                                  const MPI_Datatype *send_types, const void *recv_counts, MPI_Datatype recv_type,
                                  const MPI_Datatype *recv_types) {
    struct collective call = {.kind = ALLTOALLV, .wide = wide, .comm = comm, .recv_counts = recv_counts, .recv_type = recv_type,
                              .recv_types = recv_types};
    /* In place as much is sent to each as comes from there. */
    call.send_counts = in_place ? recv_counts : send_counts;
    call.send_type = in_place ? recv_type : send_type;
    call.send_types = in_place ? recv_types : send_types;
    return call;
}

static inline void finish_collective(int rc, struct collective call, uint64_t begin, uint64_t end) {
    record_collective(rc, &call, begin, end);
}

static inline void finish_icollective(int rc, struct collective call, uint64_t request, uint64_t begin, uint64_t end) {
    call.nonblocking = 1;
    call.request = request;
    record_collective(rc, &call, begin, end);
}

/* ---- Exchanges with the neighbours of a Cartesian grid or a graph ---- */

/* Asks the neighbours of this process, with the sources in front: their numbers, and an allocated list. */
static int *neighbors_of(MPI_Comm comm, int *grid, int *sources, int *destinations) {
    int topology, weighted, *list = NULL;
    *sources = *destinations = 0;
    PMPI_Topo_test(comm, &topology);
    *grid = topology == MPI_CART;
    if (topology == MPI_CART) {
        int dimensions;
        PMPI_Cartdim_get(comm, &dimensions);
        *sources = *destinations = 2 * dimensions;
        list = malloc((size_t)(4 * dimensions + 1) * sizeof *list);
        for (int d = 0; list && d < dimensions; d++) {
            int before, after;
            PMPI_Cart_shift(comm, d, 1, &before, &after);
            list[2 * d] = list[2 * dimensions + 2 * d] = before;
            list[2 * d + 1] = list[2 * dimensions + 2 * d + 1] = after;
        }
    } else if (topology == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, sources, destinations, &weighted);
        size_t all = (size_t)(*sources + *destinations);
        list = malloc((2 * all + 1) * sizeof *list);
        if (list)
            PMPI_Dist_graph_neighbors(comm, *sources, list, list + all, *destinations, list + *sources, list + all + *sources);
    } else if (topology == MPI_GRAPH) {
        int rank, many;
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, &many);
        *sources = *destinations = many;
        list = malloc((size_t)(2 * many + 1) * sizeof *list);
        if (list) {
            PMPI_Graph_neighbors(comm, rank, many, list);
            memcpy(list + many, list, (size_t)many * sizeof *list);
        }
    }
    if (list == NULL) *sources = *destinations = 0;
    return list;
}

/* One size for all neighbours, or counts; types for each of neighbor_alltoallw. */
static void record_neighbors(int rc, MPI_Comm comm, int wide, int64_t sent, const void *send_counts, MPI_Datatype send_type,
                             const MPI_Datatype *send_types, int64_t received, const void *recv_counts, MPI_Datatype recv_type,
                             const MPI_Datatype *recv_types, const MPI_Request *request, uint64_t begin, uint64_t end) {
    int64_t id = rc == MPI_SUCCESS ? comm_id(comm) : NOT_RECORDED;
    if (rc != MPI_SUCCESS) {
        record_quiet(begin, end);
        return;
    }
    if (id < 0) {
        record_other("collectives on communicators that are not recorded", begin, end);
        return;
    }
    int grid, sources, destinations, *list = neighbors_of(comm, &grid, &sources, &destinations);
    unsigned char *p = begin_record(request ? OP_INEIGHBOR : OP_NEIGHBOR, begin, end, (size_t)(sources + destinations) * 16);
    /* On a grid what goes to the neighbour before comes there from the one behind, even if both are the same process. */
    *p++ = (unsigned char)grid;
    p = put(p, (uint64_t)id);
    if (request) p = put_request(p, new_request(KEY(*request)));
    p = put(p, (uint64_t)destinations);
    for (int i = 0; i < destinations; i++) {
        p = put_signed(p, partner(list[sources + i]));
        p = put(p, bytes_of(send_counts ? count_at(send_counts, wide, i) : sent, send_types ? send_types[i] : send_type));
    }
    p = put(p, (uint64_t)sources);
    for (int i = 0; i < sources; i++) {
        p = put_signed(p, partner(list[i]));
        p = put(p, bytes_of(recv_counts ? count_at(recv_counts, wide, i) : received, recv_types ? recv_types[i] : recv_type));
    }
    end_record(p);
    free(list);
}
