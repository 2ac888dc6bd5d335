/* Rank 0 hands out work to whoever asks: any source, any tag, probes, matched probes, and a receive that is posted before it is known from
   whom. */

#include "counted.h"

enum { ASK = 1, WORK = 2, STOP = 3, TASKS = 40, LONGEST = 500 };

static void master(void) {
    char data[LONGEST];
    MPI_Status status;
    MPI_Request request;
    int handed = 0, stopped = 0, index;
    while (stopped < ranks - 1) {
        int flag = 0, size = 0, worker;
        switch (handed % 5) {
        case 0:
            MPI_Recv(data, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
            break;
        case 1:
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_BYTE, &size);
            MPI_Recv(data, size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 2:
            MPI_Irecv(data, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
            if (handed % 2)
                MPI_Wait(&request, &status);
            else
                do MPI_Testany(1, &request, &index, &flag, &status);
                while (!flag);
            break;
        case 3:
            do MPI_Iprobe(MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &flag, &status);
            while (!flag);
            MPI_Recv(data, LONGEST, MPI_BYTE, status.MPI_SOURCE, ASK, MPI_COMM_WORLD, &status);
            break;
        default: {
            MPI_Message message;
            MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
            if (handed % 2)
                MPI_Mrecv(data, LONGEST, MPI_BYTE, &message, MPI_STATUS_IGNORE);
            else {
                MPI_Imrecv(data, LONGEST, MPI_BYTE, &message, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
        }
        }
        worker = status.MPI_SOURCE;
        int tag = handed < TASKS ? WORK : STOP;
        handed++;
        stopped += tag == STOP;
        MPI_Send(data, 10 + handed, MPI_BYTE, worker, tag, MPI_COMM_WORLD);
        count(worker, 10 + handed);
    }
}

static void worker(void) {
    char data[LONGEST] = "";
    MPI_Status status;
    MPI_Request ask;
    /* Asks again and again by one request, and hears by another, whose tag it does not know. */
    MPI_Request hear;
    MPI_Send_init(data, 20 + rank, MPI_BYTE, 0, ASK, MPI_COMM_WORLD, &ask);
    MPI_Recv_init(data, LONGEST, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &hear);
    do {
        MPI_Start(&ask);
        count(0, 20 + rank);
        MPI_Wait(&ask, MPI_STATUS_IGNORE);
        MPI_Start(&hear);
        if (rank % 2)
            MPI_Wait(&hear, &status);
        else {
            int done, index;
            MPI_Waitsome(1, &hear, &done, &index, &status);
        }
        work(3000 * rank);
    } while (status.MPI_TAG != STOP);
    MPI_Request_free(&ask);
    MPI_Request_free(&hear);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    if (rank == 0)
        master();
    else
        worker();
    end();
    return 0;
}
