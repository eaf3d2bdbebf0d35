/* communicator_mpi.c - the operations of a communicator, by MPI.
 *
 * A rank that waits does not turn in a circle: where ranks share cores, as on a machine that is over-subscribed, it would take
 * from the others the time that it waits for.  So all operations are of the kind that returns at once, and are looked after
 * with pauses that grow. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "communicator_mpi.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* MPI counts by int: more goes in pieces.  A piece of integers, and one of bytes. */
enum { INTEGERS_AT_ONCE = 1 << 20, BYTES_AT_ONCE = 1 << 26 };

enum { GATHER_TAG = 17 };

/* Turns without a pause, then pauses from the first to the last, in nanoseconds: a network answers within some microseconds, an
 * oracle within milliseconds. */
enum { TURNS = 2000, PAUSE_FIRST = 5000, PAUSE_LAST = 500000 };

static int broken; /* an operation failed */

static sos_status failed(int code, const char *what, sos_error *error)
{
    broken = 1;
    char words[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    MPI_Error_string(code, words, &length);
    if (!error) return SOS_ERR_IO;
    error->status = SOS_ERR_IO;
    snprintf(error->message, sizeof error->message, "MPI: %s failed, perhaps since another process ended: %.300s", what, words);
    return SOS_ERR_IO;
}

static int await(MPI_Request *request)
{
    int done = 0, code = MPI_SUCCESS;
    long pause = PAUSE_FIRST;
    for (int turn = 0; code == MPI_SUCCESS && !done; turn++) {
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done || turn < TURNS) continue;
        const struct timespec wait = { 0, pause };
        nanosleep(&wait, NULL);
        if (pause < PAUSE_LAST) pause += pause / 4;
    }
    return code;
}

static sos_status reduce(size_t count, int64_t values[], MPI_Op op, const char *what, sos_error *error)
{
    int code = MPI_SUCCESS;
    for (size_t at = 0; at < count && code == MPI_SUCCESS; at += INTEGERS_AT_ONCE) {
        const size_t left = count - at;
        const int piece = left < INTEGERS_AT_ONCE ? (int)left : INTEGERS_AT_ONCE;
        MPI_Request request;
        code = MPI_Iallreduce(MPI_IN_PLACE, values + at, piece, MPI_INT64_T, op, MPI_COMM_WORLD, &request);
        if (code == MPI_SUCCESS) code = await(&request);
    }
    return code == MPI_SUCCESS ? SOS_OK : failed(code, what, error);
}

static sos_status take_sum(void *user, size_t count, int64_t values[], sos_error *error)
{
    (void)user;
    return reduce(count, values, MPI_SUM, "a sum", error);
}

static sos_status take_max(void *user, size_t count, int64_t values[], sos_error *error)
{
    (void)user;
    return reduce(count, values, MPI_MAX, "a maximum", error);
}

static int piece_of(size_t left) { return left < BYTES_AT_ONCE ? (int)left : BYTES_AT_ONCE; }

static sos_status broadcast(void *user, size_t bytes, void *data, sos_error *error)
{
    int code = MPI_SUCCESS;
    (void)user;
    for (size_t at = 0; at < bytes && code == MPI_SUCCESS; at += BYTES_AT_ONCE) {
        MPI_Request request;
        code = MPI_Ibcast((char *)data + at, piece_of(bytes - at), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
        if (code == MPI_SUCCESS) code = await(&request);
    }
    return code == MPI_SUCCESS ? SOS_OK : failed(code, "a broadcast", error);
}

/* One rank's bytes, from it to rank 0. */
static int hand_over(int rank, int from, size_t bytes, const char *data, char *room)
{
    int code = MPI_SUCCESS;
    for (size_t at = 0; at < bytes && code == MPI_SUCCESS; at += BYTES_AT_ONCE) {
        MPI_Request request;
        const int piece = piece_of(bytes - at);
        code = rank ? MPI_Isend(data + at, piece, MPI_BYTE, 0, GATHER_TAG, MPI_COMM_WORLD, &request)
                    : MPI_Irecv(room + at, piece, MPI_BYTE, from, GATHER_TAG, MPI_COMM_WORLD, &request);
        if (code == MPI_SUCCESS) code = await(&request);
    }
    return code;
}

static sos_status gather(void *user, const void *data, const size_t bytes[], void *all, sos_error *error)
{
    const sos_communicator *c = user;
    char *room = all;
    int code = MPI_SUCCESS;
    if (c->rank) {
        code = hand_over((int)c->rank, 0, bytes[c->rank], data, NULL);
    } else {
        memcpy(room, data, bytes[0]);
        room += bytes[0];
        for (size_t r = 1; r < c->size && code == MPI_SUCCESS; r++) {
            code = hand_over(0, (int)r, bytes[r], NULL, room);
            room += bytes[r];
        }
    }
    return code == MPI_SUCCESS ? SOS_OK : failed(code, "gathering", error);
}

sos_status s3svm_mpi_open(sos_communicator *out, sos_error *error);
sos_status s3svm_mpi_open(sos_communicator *out, sos_error *error)
{
    static sos_communicator own; /* there is one world */
    int rank = 0, size = 0, given;
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
    if (code == MPI_SUCCESS) code = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS) code = MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (code == MPI_SUCCESS) code = MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (code != MPI_SUCCESS) return failed(code, "the start", error);
    own = (sos_communicator){ .rank = (size_t)rank,
                              .size = (size_t)size,
                              .user = &own,
                              .sum = take_sum,
                              .max = take_max,
                              .broadcast = broadcast,
                              .gather = gather };
    *out = own;
    return SOS_OK;
}

void s3svm_mpi_close(int code);
void s3svm_mpi_close(int code)
{
    if (broken) MPI_Abort(MPI_COMM_WORLD, code ? code : 1);
    MPI_Finalize();
}
