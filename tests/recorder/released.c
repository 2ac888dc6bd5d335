/* Receives of which only MPI knows the source, and that the program releases without waiting for them: seen complete before, under way,
   persistent, taken back. Odd ranks receive from the even ones in front of them. */

#include "counted.h"

enum { SEEN, SEEN_AND_WAITED, EARLY, LATE, PERSISTENT, ANY_TAG, TAKEN_BACK, KNOWN_TAKEN_BACK, READY = 20, SENT };

static void send_to(int peer, int tag) {
    int value = tag;
    MPI_Send(&value, 1, MPI_INT, peer, tag, MPI_COMM_WORLD);
    count(peer, sizeof value);
}

static void receive_from(int peer, int tag) {
    int value;
    MPI_Recv(&value, 1, MPI_INT, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sender(int peer) {
    send_to(peer, SEEN);
    send_to(peer, SEEN_AND_WAITED);
    receive_from(peer, READY);
    send_to(peer, EARLY);
    send_to(peer, LATE);
    send_to(peer, PERSISTENT);
    send_to(peer, PERSISTENT + READY);
    receive_from(peer, READY);
    send_to(peer, ANY_TAG);
    send_to(peer, SENT);
}

static void see(MPI_Request request) {
    MPI_Status status;
    for (int flag = 0, looks = 0; !flag; looks++) MPI_Request_get_status(request, &flag, looks % 2 ? &status : MPI_STATUS_IGNORE);
}

static void receiver(int peer) {
    static int values[SENT];
    MPI_Request requests[SENT];
    for (int tag = SEEN; tag <= LATE; tag++)
        MPI_Irecv(&values[tag], 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &requests[tag]);
    see(requests[SEEN]);
    MPI_Request_free(&requests[SEEN]);
    see(requests[SEEN_AND_WAITED]);
    see(requests[SEEN_AND_WAITED]);
    MPI_Wait(&requests[SEEN_AND_WAITED], MPI_STATUS_IGNORE);
    /* Its message has not been sent. */
    MPI_Request_free(&requests[EARLY]);
    if (requests[EARLY] != MPI_REQUEST_NULL) MPI_Abort(MPI_COMM_WORLD, 4);
    MPI_Recv_init(&values[PERSISTENT], 1, MPI_INT, MPI_ANY_SOURCE, PERSISTENT, MPI_COMM_WORLD, &requests[PERSISTENT]);
    MPI_Start(&requests[PERSISTENT]);
    MPI_Request_free(&requests[PERSISTENT]);
    send_to(peer, READY);
    receive_from(peer, PERSISTENT + READY);
    MPI_Request_free(&requests[LATE]);
    MPI_Irecv(&values[ANY_TAG], 1, MPI_INT, peer, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[ANY_TAG]);
    MPI_Request_free(&requests[ANY_TAG]);
    send_to(peer, READY);
    receive_from(peer, SENT);
    /* Messages do not overtake each other, so the last one tells that the others are there. */
    if (values[EARLY] != EARLY || values[PERSISTENT] != PERSISTENT || values[ANY_TAG] != ANY_TAG) MPI_Abort(MPI_COMM_WORLD, 5);
    for (int tag = TAKEN_BACK; tag <= KNOWN_TAKEN_BACK; tag++) {
        MPI_Irecv(&values[tag], 1, MPI_INT, tag == TAKEN_BACK ? MPI_ANY_SOURCE : peer, tag, MPI_COMM_WORLD, &requests[tag]);
        MPI_Cancel(&requests[tag]);
        MPI_Request_free(&requests[tag]);
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    if (rank % 2)
        receiver(rank - 1);
    else if (rank + 1 < ranks)
        sender(rank + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    end();
    return 0;
}
