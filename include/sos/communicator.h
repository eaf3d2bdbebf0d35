/* communicator.h - how processes that train together exchange data: four operations that all of them call in the same order,
 * with the same counts.  Each process has a rank, from 0 to size - 1.
 *
 * The library itself uses no network: a program that runs as several processes provides the operations, as `s3svm train` does
 * with MPI (docs/cluster.md).  Sums and maxima are of integers, so that the order of operands does not matter. */
#ifndef SOS_COMMUNICATOR_H
#define SOS_COMMUNICATOR_H

#include <stdint.h>

#include <sos/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sos_communicator {
    size_t rank, size;
    void *user; /* passed to the operations */

    /* Replaces values[i], on all ranks, by the sum modulo 2^64, or by the maximum, of values[i] over all ranks. */
    sos_status (*sum)(void *user, size_t count, int64_t values[], sos_error *error);
    sos_status (*max)(void *user, size_t count, int64_t values[], sos_error *error);

    /* Copies data of rank 0 to all other ranks. */
    sos_status (*broadcast)(void *user, size_t bytes, void *data, sos_error *error);

    /* Rank r has bytes[r] bytes in data; rank 0 receives those of all ranks in all, concatenated by rank.  On the other ranks
     * all is NULL.  bytes is the same on all ranks. */
    sos_status (*gather)(void *user, const void *data, const size_t bytes[], void *all, sos_error *error);

    uint64_t reserved[8]; /* 0 (status.h) */
} sos_communicator;

#ifdef __cplusplus
}
#endif

#endif
