/* communicator.h - how processes that train together talk to each other: a few operations that all of them call in the same
 * order, with the same counts.  Each process has a rank, from 0 to size - 1.
 *
 * The library itself has no network: whoever starts several processes gives them the operations, as `s3svm train` does by MPI
 * (docs/cluster.md).  Sums and maxima are of integers, so that it does not matter in which order they are taken. */
#ifndef SOS_COMMUNICATOR_H
#define SOS_COMMUNICATOR_H

#include <stdint.h>

#include <sos/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sos_communicator {
    size_t rank, size;
    void *user; /* of the operations */

    /* values[i] becomes the sum, modulo 2^64, or the largest, of values[i] of all ranks, on all of them. */
    sos_status (*sum)(void *user, size_t count, int64_t values[], sos_error *error);
    sos_status (*max)(void *user, size_t count, int64_t values[], sos_error *error);

    /* data of rank 0 goes to all others. */
    sos_status (*broadcast)(void *user, size_t bytes, void *data, sos_error *error);

    /* Rank r has bytes[r] bytes in data; rank 0 receives all of them in all, one rank behind the other.  all of the other
     * ranks is NULL.  bytes is the same everywhere. */
    sos_status (*gather)(void *user, const void *data, const size_t bytes[], void *all, sos_error *error);

    uint64_t reserved[8]; /* 0 (status.h) */
} sos_communicator;

#ifdef __cplusplus
}
#endif

#endif
