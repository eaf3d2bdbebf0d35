#define _POSIX_C_SOURCE 200809L
#include "communicator_threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "support.h"

enum { RANKS_MAX = 16 };

static struct {
    pthread_barrier_t barrier;
    size_t size, bytes, operations, failing;
    void *shown[RANKS_MAX];
    rank_work *work;
    void *user;
} ranks;

/* All ranks show their data; when the function returns true all have, and none goes on before release. */
static bool show(size_t rank, void *data, size_t bytes, sos_error *error)
{
    ranks.shown[rank] = data;
    if (rank == 0) ranks.bytes += bytes;
    if (rank == 0) ranks.operations++;
    pthread_barrier_wait(&ranks.barrier);
    const bool fails = ranks.failing && ranks.operations >= ranks.failing;
    if (!fails) return true;
    pthread_barrier_wait(&ranks.barrier);
    error->status = SOS_ERR_IO;
    snprintf(error->message, sizeof error->message, "another rank is gone");
    return false;
}

static void release(void) { pthread_barrier_wait(&ranks.barrier); }

static size_t rank_of(void *user) { return (size_t)(uintptr_t)user; }

static sos_status combine(void *user, size_t count, int64_t values[], bool sum, sos_error *error)
{
    int64_t *out = test_room(NULL, count, sizeof *out);
    if (!show(rank_of(user), values, count * sizeof *values, error)) {
        free(out);
        return SOS_ERR_IO;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t total = 0;
        int64_t largest = INT64_MIN;
        for (size_t r = 0; r < ranks.size; r++) {
            const int64_t x = ((const int64_t *)ranks.shown[r])[i];
            total += (uint64_t)x;
            if (x > largest) largest = x;
        }
        out[i] = sum ? (int64_t)total : largest;
    }
    release();
    memcpy(values, out, count * sizeof *values);
    free(out);
    return SOS_OK;
}

static sos_status take_sum(void *user, size_t count, int64_t values[], sos_error *error)
{
    return combine(user, count, values, true, error);
}

static sos_status take_max(void *user, size_t count, int64_t values[], sos_error *error)
{
    return combine(user, count, values, false, error);
}

static sos_status broadcast(void *user, size_t bytes, void *data, sos_error *error)
{
    if (!show(rank_of(user), data, bytes, error)) return SOS_ERR_IO;
    if (rank_of(user)) memcpy(data, ranks.shown[0], bytes);
    release();
    return SOS_OK;
}

static sos_status gather(void *user, const void *data, const size_t bytes[], void *all, sos_error *error)
{
    void *shown;
    memcpy(&shown, &data, sizeof shown);
    if (!show(rank_of(user), shown, bytes[rank_of(user)], error)) return SOS_ERR_IO;
    char *at = all;
    for (size_t r = 0; !rank_of(user) && r < ranks.size; r++) {
        memcpy(at, ranks.shown[r], bytes[r]);
        at += bytes[r];
    }
    release();
    return SOS_OK;
}

static void *rank_begin(void *user)
{
    const sos_communicator c = { .rank = rank_of(user),
                                 .size = ranks.size,
                                 .user = user,
                                 .sum = take_sum,
                                 .max = take_max,
                                 .broadcast = broadcast,
                                 .gather = gather };
    ranks.work(&c, ranks.user);
    return NULL;
}

void ranks_run(size_t size, rank_work *work, void *user)
{
    pthread_t threads[RANKS_MAX];
    check(size > 0 && size <= RANKS_MAX);
    /* Clang's OpenMP 14 ends when the last thread that has used it does, and breaks down in a critical section when it begins
     * anew: this thread, which stays, uses it too. */
    sos_thread_count(0);
    ranks.size = size;
    ranks.bytes = ranks.operations = 0;
    ranks.work = work;
    ranks.user = user;
    check(!pthread_barrier_init(&ranks.barrier, NULL, (unsigned)size));
    for (size_t r = 0; r < size; r++) check(!pthread_create(&threads[r], NULL, rank_begin, (void *)(uintptr_t)r));
    for (size_t r = 0; r < size; r++) check(!pthread_join(threads[r], NULL));
    pthread_barrier_destroy(&ranks.barrier);
}

size_t ranks_bytes(void) { return ranks.bytes; }
void ranks_fail_from(size_t operation) { ranks.failing = operation; }
