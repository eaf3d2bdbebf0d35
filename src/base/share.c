#include "base/share.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

sos_status sos_share_join(sos_share *c, const sos_communicator *comm, sos_error *error)
{
    *c = (sos_share){ .comm = comm && comm->size > 1 ? comm : NULL };
    if (!comm) return SOS_OK;
    const sos_status status = sos_reserved_check("sos_communicator", comm, error);
    if (status) return status;
    if (!comm->size || comm->rank >= comm->size)
        return sos_fail(error, SOS_ERR_ARGUMENT, "rank %zu of %zu", comm->rank, comm->size);
    if (comm->size > 1 && !(comm->sum && comm->max && comm->broadcast && comm->gather))
        return sos_fail(error, SOS_ERR_ARGUMENT, "a communicator lacks an operation");
    return SOS_OK;
}

static sos_status note(sos_share *c, double began, size_t bytes, sos_status status)
{
    c->seconds += sos_seconds() - began;
    c->bytes += bytes;
    if (status) c->lost = true;
    return status;
}

sos_status sos_share_sum(sos_share *c, size_t count, int64_t values[], sos_error *error)
{
    const double began = sos_seconds();
    if (!c->comm || !count) return SOS_OK;
    return note(c, began, count * sizeof *values, c->comm->sum(c->comm->user, count, values, error));
}

sos_status sos_share_max(sos_share *c, size_t count, int64_t values[], sos_error *error)
{
    const double began = sos_seconds();
    if (!c->comm || !count) return SOS_OK;
    return note(c, began, count * sizeof *values, c->comm->max(c->comm->user, count, values, error));
}

sos_status sos_share_broadcast(sos_share *c, size_t bytes, void *data, sos_error *error)
{
    const double began = sos_seconds();
    if (!c->comm || !bytes) return SOS_OK;
    return note(c, began, sos_share_rank(c) ? 0 : bytes, c->comm->broadcast(c->comm->user, bytes, data, error));
}

/* How many bytes each rank has, on all ranks, to free. */
static sos_status sizes_exchange(sos_share *c, size_t bytes, int64_t **out, sos_error *error)
{
    int64_t *sizes = calloc(sos_share_processes(c), sizeof *sizes);
    sos_status status = sizes ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu ranks", sos_share_processes(c));
    status = sos_share_agree(c, status, error);
    if (!status) {
        sizes[sos_share_rank(c)] = (int64_t)bytes;
        status = sos_share_sum(c, sos_share_processes(c), sizes, error);
    }
    if (status)
        free(sizes);
    else
        *out = sizes;
    return status;
}

static sos_status gather_into(sos_share *c, const void *data, const int64_t sizes[], char **all, size_t *total,
                              sos_error *error)
{
    const size_t size = sos_share_processes(c), rank = sos_share_rank(c);
    size_t *bytes = malloc(size * sizeof *bytes), sum = 0;
    for (size_t r = 0; bytes && r < size; r++) {
        bytes[r] = (size_t)sizes[r];
        sum += bytes[r];
    }
    char *room = rank ? NULL : malloc(sum ? sum : 1);
    sos_status status = bytes && (rank || room) ? SOS_OK
                                                : sos_fail(error, SOS_ERR_MEMORY, "no memory for what %zu ranks have", size);
    status = sos_share_agree(c, status, error);
    const double began = sos_seconds();
    if (!status) status = note(c, began, bytes[rank], c->comm->gather(c->comm->user, data, bytes, room, error));
    free(bytes);
    if (status) {
        free(room);
        return status;
    }
    *all = room;
    *total = sum;
    return SOS_OK;
}

sos_status sos_share_gather(sos_share *c, size_t bytes, const void *data, char **all, size_t *total, sos_error *error)
{
    *all = NULL;
    *total = bytes;
    if (c->comm) {
        int64_t *sizes;
        sos_status status = sizes_exchange(c, bytes, &sizes, error);
        if (status) return status;
        status = gather_into(c, data, sizes, all, total, error);
        free(sizes);
        return status;
    }
    *all = malloc(bytes ? bytes : 1);
    if (!*all) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu bytes", bytes);
    if (bytes) memcpy(*all, data, bytes);
    return SOS_OK;
}

/* The words go by a sum to which the others add nothing: rank 0 need not be the one that failed. */
static sos_status words_share(sos_share *c, bool mine, sos_error *why, sos_error *error)
{
    int64_t words[(sizeof *why + sizeof(int64_t) - 1) / sizeof(int64_t)] = { 0 };
    if (mine) memcpy(words, why, sizeof *why);
    const sos_status status = sos_share_sum(c, sizeof words / sizeof *words, words, error);
    if (!status) memcpy(why, words, sizeof *why);
    return status;
}

sos_status sos_share_agree_by(sos_share *c, size_t number, sos_status status, sos_error *error)
{
    if (!c->comm || c->lost) return status;
    const int64_t key = (int64_t)(number * sos_share_processes(c) + sos_share_rank(c));
    int64_t first = status ? INT64_MAX - key : 0;
    const sos_status told = sos_share_max(c, 1, &first, error);
    if (told || !first) return told;
    sos_error why = { status, "" };
    const bool mine = status && first == INT64_MAX - key;
    if (mine && error) why = *error;
    why.status = status;
    const sos_status shared = words_share(c, mine, &why, error);
    return shared ? shared : sos_fail(error, why.status, "%s", why.message);
}

sos_status sos_share_agree(sos_share *c, sos_status status, sos_error *error)
{
    return sos_share_agree_by(c, sos_share_rank(c), status, error);
}

sos_status sos_share_text(sos_share *c, const char *what, char **text, size_t *length, sos_error *error)
{
    int64_t size = *text ? (int64_t)*length : -1;
    if (!c->comm) return SOS_OK;
    sos_status status = sos_share_broadcast(c, sizeof size, &size, error);
    if (status || size < 0) return status;
    if (!sos_share_is_first(c)) *text = malloc((size_t)size + 1);
    *length = (size_t)size;
    status = *text ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %s of %zu bytes", what, *length);
    status = sos_share_agree(c, status, error);
    return status ? status : sos_share_broadcast(c, *length, *text, error);
}

/* ---- who does what ---- */

typedef struct piece {
    size_t number;
    double cost;
    bool first;
} piece;

/* Those of the first examples, then the others; the dearest before the cheap. */
static int by_turn(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    if (x->first != y->first) return x->first ? -1 : 1;
    if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static size_t least_loaded(size_t size, const double load[])
{
    size_t least = 0;
    for (size_t r = 1; r < size; r++)
        if (load[r] < load[least]) least = r;
    return least;
}

sos_status sos_share_deal(const sos_share *c, size_t count, const double cost[], bool **mine, sos_error *error)
{
    const size_t size = sos_share_processes(c);
    *mine = NULL;
    if (size == 1) return SOS_OK;
    piece *pieces = malloc((count + 1) * sizeof *pieces);
    double *load = calloc(size, sizeof *load);
    bool *own = calloc(count + 1, sizeof *own);
    const bool ok = pieces && load && own;
    for (size_t i = 0; ok && i < count; i++) pieces[i] = (piece){ i, cost[i], i % SOS_SUBSET_EVERY == 0 };
    if (ok) qsort(pieces, count, sizeof *pieces, by_turn);
    for (size_t i = 0; ok && i < count; i++) {
        const size_t r = least_loaded(size, load);
        load[r] += pieces[i].cost;
        own[pieces[i].number] = r == sos_share_rank(c);
    }
    free(pieces);
    free(load);
    if (!ok) free(own);
    if (!ok) return sos_fail(error, SOS_ERR_MEMORY, "no memory to deal out %zu examples", count);
    *mine = own;
    return SOS_OK;
}
