/* checkpoint.c - the state of training in a file, which rank 0 has, for any number of ranks.  The numbers are the machine's
 * own, so that a file serves the machine that wrote it: a mark tells its byte order, a version its layout, a hash at the end
 * that all of it is there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/output.h"
#include "learn/trainer.h"

static const char MARK[16] = "s3svm state 7\n";
static const char FORMER[] = "s3svm state 6\n"; /* of 0.2: it has no bits of the oracle */
static const uint64_t BYTE_ORDER_MARK = UINT64_C(0x0102030405060708);

/* One order of fields for writing and reading. */
typedef struct stream {
    sos_output *out;  /* or NULL: reading */
    const char *from; /* what is left to read */
    size_t left;
    uint64_t hash;
    bool failed;    /* the file ended, */
    bool no_memory; /* or memory did */
} stream;

static void field(stream *s, void *data, size_t bytes)
{
    if (s->failed || !bytes) return;
    if (s->out) {
        s->failed = fwrite(data, 1, bytes, s->out->file) != bytes;
    } else if (bytes > s->left) {
        s->failed = true;
        return;
    } else {
        memcpy(data, s->from, bytes);
        s->from += bytes;
        s->left -= bytes;
    }
    s->hash = sos_hash(s->hash, data, bytes);
}

static void cuts_field(stream *s, sos_cuts *cuts, size_t d)
{
    uint64_t count = cuts->count;
    field(s, &count, sizeof count);
    if (!s->out && (s->failed || count > s->left / ((d + 1) * sizeof(double)))) {
        s->failed = true;
        return;
    }
    for (size_t i = 0; !s->failed && i < count; i++) {
        if (!s->out) {
            double *a = calloc(d, sizeof *a);
            if (!a || !sos_grow(&cuts->list, &cuts->room, i + 1)) {
                free(a);
                s->failed = s->no_memory = true;
                return;
            }
            cuts->list[cuts->count++] = (sos_cut){ .a = a };
        }
        sos_cut *cut = &cuts->list[i];
        field(s, cut->a, d * sizeof *cut->a);
        field(s, &cut->b, sizeof cut->b);
        field(s, &cut->group, sizeof cut->group);
        field(s, &cut->idle, sizeof cut->idle);
        field(s, &cut->multiplier, sizeof cut->multiplier);
        field(s, &cut->born, sizeof cut->born);
    }
}

static void points_field(stream *s, sos_trainer_state *state)
{
    if (!s->out && !s->failed) {
        s->failed = state->point > s->left / sizeof *state->points;
        s->no_memory = !s->failed && !sos_grow(&state->points, &state->points_room, (size_t)state->point);
        s->failed |= s->no_memory;
    }
    field(s, state->points, (size_t)state->point * sizeof *state->points);
}

/* What is kept of single examples, of all ranks. */
typedef struct kept {
    double *slack; /* [examples] */
    sos_cuts cache;
} kept;

static void kept_free(kept *k)
{
    free(k->slack);
    sos_cuts_free(&k->cache);
}

static void state_fields(stream *s, const sos_trainer *trainer, sos_trainer_state *t, kept *k)
{
    const size_t d = trainer->layout->weights, rows = trainer->cone.row_count, examples = trainer->examples;
    const size_t groups = trainer->groups;
    field(s, &t->identity, sizeof t->identity);
    field(s, &t->point, sizeof t->point);
    field(s, &t->C, sizeof t->C);
    field(s, &t->stage, sizeof t->stage);
    field(s, &t->round, sizeof t->round);
    field(s, &t->rounds, sizeof t->rounds);
    field(s, &t->oracle_calls, sizeof t->oracle_calls);
    field(s, &t->cache_hits, sizeof t->cache_hits);
    field(s, &t->beaten, sizeof t->beaten);
    field(s, &t->approximate, sizeof t->approximate);
    field(s, &t->pending, sizeof t->pending);
    field(s, &t->stiff, sizeof t->stiff);
    field(s, &t->stale, sizeof t->stale);
    field(s, &t->precise, sizeof t->precise);
    field(s, &t->mark_primal, sizeof t->mark_primal);
    field(s, &t->mark_dual, sizeof t->mark_dual);
    field(s, &t->fruitless, sizeof t->fruitless);
    field(s, &t->seconds, sizeof t->seconds);
    field(s, &t->seconds_oracle, sizeof t->seconds_oracle);
    field(s, &t->seconds_qp, sizeof t->seconds_qp);
    field(s, &t->dual, sizeof t->dual);
    field(s, &t->primal, sizeof t->primal);
    field(s, &t->best_hinge, sizeof t->best_hinge);
    field(s, &t->best_missed, sizeof t->best_missed);
    field(s, k->slack, examples * sizeof *k->slack);
    field(s, t->best_group, groups * sizeof *t->best_group);
    field(s, t->best_floor, groups * sizeof *t->best_floor);
    field(s, &t->last, sizeof t->last);
    field(s, t->best, d * sizeof *t->best);
    field(s, t->optimum, d * sizeof *t->optimum);
    field(s, t->cone_multiplier, rows * sizeof *t->cone_multiplier);
    cuts_field(s, &t->planes, d);
    cuts_field(s, &k->cache, d);
    field(s, &t->cached, sizeof t->cached);
    cuts_field(s, &t->asked, d);
    field(s, &t->ahead, sizeof t->ahead);
    field(s, &t->ahead_off, sizeof t->ahead_off);
    field(s, &t->trusted, sizeof t->trusted);
    field(s, &t->ahead_begin, sizeof t->ahead_begin);
    field(s, &t->aim_bound, sizeof t->aim_bound);
    field(s, t->aim, d * sizeof *t->aim);
    field(s, t->ahead_sums, (d + 3) * sizeof *t->ahead_sums);
    cuts_field(s, &t->common, d);
    points_field(s, t);
    field(s, &t->chosen, sizeof t->chosen);
    field(s, t->kept, d * sizeof *t->kept);
}

/* ---- writing ---- */

/* A cached plane without its numbers, which stand behind it. */
typedef struct cut_head {
    uint64_t born, example;
    double b;
} cut_head;

/* Of this rank: the slacks of its examples, each behind its number; its cached planes. */
static char *own_pack(const sos_trainer *t, size_t *bytes)
{
    const size_t d = t->layout->weights;
    const sos_cuts *cache = &t->state.cache;
    *bytes = sizeof(uint64_t) + t->own * (sizeof(uint64_t) + sizeof(double)) +
             cache->count * (sizeof(cut_head) + d * sizeof(double));
    char *all = malloc(*bytes), *at = all;
    if (!all) return NULL;
    const uint64_t own = t->own;
    memcpy(at, &own, sizeof own);
    at += sizeof own;
    for (size_t k = 0; k < t->own; k++) {
        const uint64_t i = t->mine[k];
        memcpy(at, &i, sizeof i);
        memcpy(at + sizeof i, &t->state.best_slack[k], sizeof(double));
        at += sizeof i + sizeof(double);
    }
    /* How many planes follow is told by the bytes: all of a rank's slacks stand first. */
    for (size_t c = 0; c < cache->count; c++) {
        const sos_cut *cut = &cache->list[c];
        const cut_head head = { cut->born, cut->group, cut->b };
        memcpy(at, &head, sizeof head);
        memcpy(at + sizeof head, cut->a, d * sizeof *cut->a);
        at += sizeof head + d * sizeof *cut->a;
    }
    return all;
}

/* Adds what a rank packed; false: no memory. */
static bool own_unpack(const sos_trainer *t, const char *from, size_t bytes, kept *k)
{
    const size_t d = t->layout->weights;
    const char *end = from + bytes;
    uint64_t own;
    memcpy(&own, from, sizeof own);
    from += sizeof own;
    for (uint64_t n = 0; n < own; n++) {
        uint64_t i;
        memcpy(&i, from, sizeof i);
        memcpy(&k->slack[i], from + sizeof i, sizeof(double));
        from += sizeof i + sizeof(double);
    }
    while (from < end) {
        cut_head head;
        memcpy(&head, from, sizeof head);
        double *a = malloc(d * sizeof *a);
        if (!a || !sos_grow(&k->cache.list, &k->cache.room, k->cache.count + 1)) {
            free(a);
            return false;
        }
        memcpy(a, from + sizeof head, d * sizeof *a);
        k->cache.list[k->cache.count++] = (sos_cut){ .a = a, .b = head.b, .group = (uint32_t)head.example, .born = head.born };
        from += sizeof head + d * sizeof *a;
    }
    return true;
}

static int by_age(const void *a, const void *b)
{
    const sos_cut *x = a, *y = b;
    if (x->born != y->born) return x->born < y->born ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* On rank 0: what all ranks have, in the order in which one alone would. */
static sos_status kept_merge(const sos_trainer *t, const char *all, size_t total, kept *k, sos_error *error)
{
    bool ok = k->slack;
    for (size_t at = 0; ok && at < total;) {
        uint64_t bytes;
        memcpy(&bytes, all + at, sizeof bytes);
        ok = own_unpack(t, all + at + sizeof bytes, (size_t)bytes, k);
        at += sizeof bytes + (size_t)bytes;
    }
    if (!ok) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the caches of %zu examples", t->examples);
    if (k->cache.count) qsort(k->cache.list, k->cache.count, sizeof *k->cache.list, by_age);
    return SOS_OK;
}

/* What this rank has, behind its number of bytes; to free. */
static sos_status own_send(sos_trainer *t, char **all, size_t *total, sos_error *error)
{
    size_t bytes = 0;
    char *packed = own_pack(t, &bytes);
    char *sent = packed ? malloc(sizeof(uint64_t) + bytes) : NULL;
    sos_status status = sent ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory to write a checkpoint");
    if (sent) {
        const uint64_t length = bytes;
        memcpy(sent, &length, sizeof length);
        memcpy(sent + sizeof length, packed, bytes);
    }
    free(packed);
    status = sos_ranks_agree(t->ranks, sos_ranks_rank(t->ranks), status, error);
    if (!status) status = sos_ranks_gather(t->ranks, sizeof(uint64_t) + bytes, sent, all, total, error);
    free(sent);
    return status;
}

static sos_status file_write(const sos_trainer *t, kept *k, const char *path, sos_error *error)
{
    sos_output out;
    const sos_status status = sos_output_open(&out, path, error);
    if (status) return status;
    stream s = { .out = &out, .hash = SOS_HASH_START };
    sos_trainer_state state = t->state; /* fields are only read */
    char mark[sizeof MARK];
    uint64_t order = BYTE_ORDER_MARK;
    memcpy(mark, MARK, sizeof mark);
    field(&s, mark, sizeof mark);
    field(&s, &order, sizeof order);
    state_fields(&s, t, &state, k);
    uint64_t hash = s.hash;
    field(&s, &hash, sizeof hash);
    return sos_output_commit(&out); /* which knows of errors in writing */
}

sos_status sos_checkpoint_write(sos_trainer *t, const char *path, sos_error *error)
{
    if (sos_ranks_size(t->ranks) == 1) return file_write(t, &(kept){ t->state.best_slack, t->state.cache }, path, error);
    char *all;
    size_t total;
    sos_status status = own_send(t, &all, &total, error);
    if (status || sos_ranks_rank(t->ranks)) return status;
    kept k = { .slack = calloc(t->examples, sizeof *k.slack) };
    status = kept_merge(t, all, total, &k, error);
    free(all);
    if (!status) status = file_write(t, &k, path, error);
    kept_free(&k);
    return status;
}

/* ---- reading ---- */

static sos_status content_check(const sos_trainer *t, const sos_trainer_state *read, const kept *k, const char *path,
                                sos_error *error)
{
    if (read->identity != t->state.identity)
        return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' is a checkpoint of another model, other examples or slacks", path);
    bool fits = (read->point == 0 || read->chosen < read->point) && read->stage <= SOS_STAGE_ALL;
    for (size_t i = 0; i < read->planes.count; i++) fits &= read->planes.list[i].group < t->groups;
    for (size_t i = 0; i < k->cache.count; i++) fits &= k->cache.list[i].group < t->examples;
    for (size_t i = 0; i < read->asked.count; i++) fits &= read->asked.list[i].group <= SOS_ASK_REST;
    fits &= read->cached == k->cache.count && read->pending <= SOS_ROUND_AIMED;
    fits &= read->common.count == 2 || (!read->common.count && !read->trusted);
    fits &= !read->ahead || read->asked.count;
    return fits ? SOS_OK : sos_fail(error, SOS_ERR_FORMAT, "'%.200s' is a damaged checkpoint", path);
}

static sos_status parse(sos_trainer *t, const char *text, size_t length, const char *path, kept *k, sos_error *error)
{
    stream s = { .from = text, .left = length, .hash = SOS_HASH_START };
    char mark[sizeof MARK] = "";
    uint64_t order = 0, hash = 0;
    field(&s, mark, sizeof mark);
    field(&s, &order, sizeof order);
    if (!memcmp(mark, FORMER, sizeof FORMER - 1))
        return sos_fail(error, SOS_ERR_FORMAT, "'%.200s' is a checkpoint of s3svm 0.2: go on with that version, or begin anew",
                        path);
    if (s.failed || memcmp(mark, MARK, sizeof mark) != 0 || order != BYTE_ORDER_MARK)
        return sos_fail(error, SOS_ERR_FORMAT, "'%.200s' is not a checkpoint of this version and machine", path);
    /* The hash comes first: what passes it was written by us, and its counts can be believed. */
    const size_t body = length < sizeof hash ? 0 : length - sizeof hash;
    memcpy(&hash, text + body, sizeof hash);
    if (hash != sos_hash(SOS_HASH_START, text, body))
        return sos_fail(error, SOS_ERR_FORMAT, "'%.200s' is a truncated or damaged checkpoint", path);
    s.left -= sizeof hash;
    state_fields(&s, t, &t->state, k);
    if (s.no_memory) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the checkpoint '%.200s'", path);
    if (s.failed || s.left) return sos_fail(error, SOS_ERR_FORMAT, "'%.200s' is a checkpoint of another problem", path);
    return SOS_OK;
}

/* Takes over what is of this rank's examples; the rest goes. */
static void kept_take(sos_trainer *t, kept *k)
{
    for (size_t n = 0; n < t->own; n++) t->state.best_slack[n] = k->slack[t->mine[n]];
    size_t taken = 0;
    for (size_t c = 0; c < k->cache.count; c++)
        if (sos_trainer_place(t, k->cache.list[c].group) < t->own)
            k->cache.list[taken++] = k->cache.list[c];
        else
            free(k->cache.list[c].a);
    k->cache.count = taken;
    t->state.cache = k->cache;
    k->cache = (sos_cuts){ 0 };
}

/* On rank 0: the file's content, to free; NULL where there is no file. */
static sos_status file_read(const char *path, char **text, size_t *length, sos_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file && errno == ENOENT) return SOS_OK;
    if (!file) return sos_fail(error, SOS_ERR_IO, "cannot read the checkpoint '%.200s': %s", path, strerror(errno));
    const sos_status status = sos_stream_read(file, path, SOS_CONTENT_BYTES, text, length, error);
    fclose(file);
    return status;
}

/* From rank 0 to all; *text is NULL on all where there is none. */
static sos_status text_share(sos_ranks *ranks, char **text, size_t *length, sos_error *error)
{
    int64_t size = sos_ranks_rank(ranks) || !*text ? -1 : (int64_t)*length;
    sos_status status = sos_ranks_max(ranks, 1, &size, error);
    if (status || size < 0 || sos_ranks_size(ranks) == 1) return status;
    if (sos_ranks_rank(ranks)) *text = malloc((size_t)size + 1);
    *length = (size_t)size;
    status = *text ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a checkpoint of %zu bytes", *length);
    status = sos_ranks_agree(ranks, sos_ranks_rank(ranks), status, error);
    return status ? status : sos_ranks_broadcast(ranks, *length, *text, error);
}

static sos_status text_take(sos_trainer *t, const char *text, size_t length, const char *path, sos_error *error)
{
    kept k = { .slack = calloc(t->examples, sizeof *k.slack) };
    const uint64_t identity = t->state.identity;
    sos_status status = k.slack ? parse(t, text, length, path, &k, error)
                                : sos_fail(error, SOS_ERR_MEMORY, "no memory for the checkpoint '%.200s'", path);
    const sos_trainer_state read = t->state;
    t->state.identity = identity;
    if (!status) status = content_check(t, &read, &k, path, error);
    if (!status) kept_take(t, &k);
    kept_free(&k);
    return status;
}

sos_status sos_checkpoint_read(sos_trainer *t, const char *path, bool *found, sos_error *error)
{
    char *text = NULL;
    size_t length = 0;
    sos_status status = sos_ranks_rank(t->ranks) ? SOS_OK : file_read(path, &text, &length, error);
    status = sos_ranks_agree(t->ranks, sos_ranks_rank(t->ranks), status, error);
    if (!status) status = text_share(t->ranks, &text, &length, error);
    *found = !status && text;
    if (*found) status = text_take(t, text, length, path, error);
    free(text);
    return sos_ranks_agree(t->ranks, sos_ranks_rank(t->ranks), status, error);
}
