/* checkpoint.c - the state of training in a file, which the first process has, for any number of them.  The numbers are the
 * machine's own, so that a file serves the machine that wrote it: a mark tells its byte order, a version its layout, a hash at
 * the end that all of it is there. */
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

static void planes_field(stream *s, sos_planes *planes, size_t d)
{
    uint64_t count = planes->count;
    field(s, &count, sizeof count);
    if (!s->out && (s->failed || count > s->left / ((d + 1) * sizeof(double)))) {
        s->failed = true;
        return;
    }
    for (size_t i = 0; !s->failed && i < count; i++) {
        if (!s->out) {
            double *a = calloc(d, sizeof *a);
            if (!a || !sos_grow(&planes->list, &planes->room, i + 1)) {
                free(a);
                s->failed = s->no_memory = true;
                return;
            }
            planes->list[planes->count++] = (sos_plane){ .a = a };
        }
        sos_plane *plane = &planes->list[i];
        field(s, plane->a, d * sizeof *plane->a);
        field(s, &plane->b, sizeof plane->b);
        field(s, &plane->group, sizeof plane->group);
        field(s, &plane->idle, sizeof plane->idle);
        field(s, &plane->multiplier, sizeof plane->multiplier);
        field(s, &plane->born, sizeof plane->born);
    }
}

static void points_field(stream *s, sos_trainer_path *path)
{
    if (!s->out && !s->failed) {
        s->failed = path->point > s->left / sizeof *path->points;
        s->no_memory = !s->failed && !sos_grow(&path->points, &path->room, (size_t)path->point);
        s->failed |= s->no_memory;
    }
    field(s, path->points, (size_t)path->point * sizeof *path->points);
}

/* What stands in the file and not in a training: whose it is, and what is kept of single examples, of all processes. */
typedef struct kept {
    uint64_t identity;
    double *slack; /* [examples] at the best weights */
    sos_planes cache;
} kept;

static void kept_free(kept *k)
{
    free(k->slack);
    sos_planes_free(&k->cache);
}

#define FIELD(x) field(s, &(x), sizeof(x))

static void state_fields(stream *s, sos_trainer *t, kept *k)
{
    sos_pass *p = &t->pass;
    sos_master *m = &t->master;
    sos_best *b = &t->best;
    sos_ahead *a = &t->ahead;
    const size_t d = p->weights, groups = p->slacks.groups;
    FIELD(k->identity);
    FIELD(t->path.point);
    FIELD(m->C);
    FIELD(p->slacks.stage);
    FIELD(t->round);
    FIELD(t->rounds);
    FIELD(p->oracle_calls);
    FIELD(p->cache_hits);
    FIELD(p->beaten);
    FIELD(p->approximate);
    FIELD(t->pending);
    FIELD(m->stiff);
    FIELD(t->stopping.stale);
    FIELD(p->precise);
    FIELD(t->stopping.mark.primal);
    FIELD(t->stopping.mark.dual);
    FIELD(t->stopping.fruitless);
    FIELD(t->seconds);
    FIELD(p->seconds);
    FIELD(m->seconds);
    FIELD(m->dual);
    FIELD(b->primal);
    FIELD(b->hinge);
    FIELD(b->missed);
    field(s, k->slack, p->slacks.examples * sizeof *k->slack);
    field(s, b->group, groups * sizeof *b->group);
    field(s, b->floor, groups * sizeof *b->floor);
    FIELD(t->last);
    field(s, b->weights, d * sizeof *b->weights);
    field(s, m->optimum, d * sizeof *m->optimum);
    field(s, m->cone_multiplier, m->cone.row_count * sizeof *m->cone_multiplier);
    planes_field(s, &m->planes, d);
    planes_field(s, &k->cache, d);
    FIELD(p->cached);
    planes_field(s, &p->asked, d);
    FIELD(a->questions);
    FIELD(a->off);
    FIELD(a->trusted);
    FIELD(a->begin);
    FIELD(a->aim_bound);
    field(s, a->aim, d * sizeof *a->aim);
    field(s, a->sums, (d + 3) * sizeof *a->sums);
    planes_field(s, &a->common, d);
    points_field(s, &t->path);
    FIELD(t->path.chosen);
    field(s, t->path.kept, d * sizeof *t->path.kept);
}

/* ---- writing ---- */

/* A cached plane without its numbers, which stand behind it. */
typedef struct plane_head {
    uint64_t born, example;
    double b;
} plane_head;

/* Of this process: the slacks of its examples, each behind its number; its cached planes. */
static char *own_pack(const sos_trainer *t, size_t *bytes)
{
    const size_t d = t->pass.weights;
    const sos_planes *cache = &t->pass.cache;
    *bytes = sizeof(uint64_t) + t->pass.own * (sizeof(uint64_t) + sizeof(double)) +
             cache->count * (sizeof(plane_head) + d * sizeof(double));
    char *all = malloc(*bytes), *at = all;
    if (!all) return NULL;
    const uint64_t own = t->pass.own;
    memcpy(at, &own, sizeof own);
    at += sizeof own;
    for (size_t k = 0; k < t->pass.own; k++) {
        const uint64_t i = t->pass.mine[k];
        memcpy(at, &i, sizeof i);
        memcpy(at + sizeof i, &t->best.slack[k], sizeof(double));
        at += sizeof i + sizeof(double);
    }
    /* How many planes follow is told by the bytes: all of a process's slacks stand first. */
    for (size_t c = 0; c < cache->count; c++) {
        const sos_plane *plane = &cache->list[c];
        const plane_head head = { plane->born, plane->group, plane->b };
        memcpy(at, &head, sizeof head);
        memcpy(at + sizeof head, plane->a, d * sizeof *plane->a);
        at += sizeof head + d * sizeof *plane->a;
    }
    return all;
}

/* Adds what a process packed; false: no memory. */
static bool own_unpack(const sos_trainer *t, const char *from, size_t bytes, kept *k)
{
    const size_t d = t->pass.weights;
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
        plane_head head;
        memcpy(&head, from, sizeof head);
        double *a = malloc(d * sizeof *a);
        if (!a || !sos_grow(&k->cache.list, &k->cache.room, k->cache.count + 1)) {
            free(a);
            return false;
        }
        memcpy(a, from + sizeof head, d * sizeof *a);
        k->cache.list[k->cache.count++] = (sos_plane){
            .a = a, .b = head.b, .group = (uint32_t)head.example, .born = head.born
        };
        from += sizeof head + d * sizeof *a;
    }
    return true;
}

static int by_age(const void *a, const void *b)
{
    const sos_plane *x = a, *y = b;
    if (x->born != y->born) return x->born < y->born ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* On the first process: what all have, in the order in which one alone would. */
static sos_status kept_merge(const sos_trainer *t, const char *all, size_t total, kept *k, sos_error *error)
{
    bool ok = k->slack;
    for (size_t at = 0; ok && at < total;) {
        uint64_t bytes;
        memcpy(&bytes, all + at, sizeof bytes);
        ok = own_unpack(t, all + at + sizeof bytes, (size_t)bytes, k);
        at += sizeof bytes + (size_t)bytes;
    }
    if (!ok) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the caches of %zu examples", t->pass.slacks.examples);
    if (k->cache.count) qsort(k->cache.list, k->cache.count, sizeof *k->cache.list, by_age);
    return SOS_OK;
}

/* What this process has, behind its number of bytes; to free. */
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
    status = sos_share_agree(t->pass.share, status, error);
    if (!status) status = sos_share_gather(t->pass.share, sizeof(uint64_t) + bytes, sent, all, total, error);
    free(sent);
    return status;
}

static sos_status file_write(sos_trainer *t, kept *k, const char *path, sos_error *error)
{
    sos_output out;
    const sos_status status = sos_output_open(&out, path, error);
    if (status) return status;
    stream s = { .out = &out, .hash = SOS_HASH_START };
    char mark[sizeof MARK];
    uint64_t order = BYTE_ORDER_MARK;
    memcpy(mark, MARK, sizeof mark);
    field(&s, mark, sizeof mark);
    field(&s, &order, sizeof order);
    state_fields(&s, t, k);
    uint64_t hash = s.hash;
    field(&s, &hash, sizeof hash);
    return sos_output_commit(&out); /* which knows of errors in writing */
}

sos_status sos_checkpoint_write(sos_trainer *t, const char *path, sos_error *error)
{
    kept k = { t->identity, t->best.slack, t->pass.cache };
    if (sos_share_processes(t->pass.share) == 1) return file_write(t, &k, path, error);
    char *all;
    size_t total;
    sos_status status = own_send(t, &all, &total, error);
    if (status || !sos_share_is_first(t->pass.share)) return status;
    k = (kept){ .identity = t->identity, .slack = calloc(t->pass.slacks.examples, sizeof *k.slack) };
    status = kept_merge(t, all, total, &k, error);
    free(all);
    if (!status) status = file_write(t, &k, path, error);
    kept_free(&k);
    return status;
}

/* ---- reading ---- */

static sos_status content_check(const sos_trainer *t, const kept *k, const char *path, sos_error *error)
{
    const sos_pass *p = &t->pass;
    const sos_planes *planes = &t->master.planes, *common = &t->ahead.common;
    if (k->identity != t->identity)
        return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' is a checkpoint of another model, other examples or slacks", path);
    bool fits = (t->path.point == 0 || t->path.chosen < t->path.point) && p->slacks.stage <= SOS_STAGE_ALL;
    for (size_t i = 0; i < planes->count; i++) fits &= planes->list[i].group < p->slacks.groups;
    for (size_t i = 0; i < k->cache.count; i++) fits &= k->cache.list[i].group < p->slacks.examples;
    for (size_t i = 0; i < p->asked.count; i++) fits &= p->asked.list[i].group <= SOS_ASK_REST;
    fits &= p->cached == k->cache.count && t->pending <= SOS_ROUND_AIMED;
    fits &= common->count == 2 || (!common->count && !t->ahead.trusted);
    fits &= !t->ahead.questions || p->asked.count;
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
    state_fields(&s, t, k);
    if (s.no_memory) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the checkpoint '%.200s'", path);
    if (s.failed || s.left) return sos_fail(error, SOS_ERR_FORMAT, "'%.200s' is a checkpoint of another problem", path);
    return SOS_OK;
}

/* Takes over what is of this process's examples; the rest goes. */
static void kept_take(sos_trainer *t, kept *k)
{
    for (size_t n = 0; n < t->pass.own; n++) t->best.slack[n] = k->slack[t->pass.mine[n]];
    size_t taken = 0;
    for (size_t c = 0; c < k->cache.count; c++)
        if (sos_pass_place(&t->pass, k->cache.list[c].group) < t->pass.own)
            k->cache.list[taken++] = k->cache.list[c];
        else
            free(k->cache.list[c].a);
    k->cache.count = taken;
    t->pass.cache = k->cache;
    k->cache = (sos_planes){ 0 };
}

/* On the first process: the file's content, to free; NULL where there is no file. */
static sos_status file_read(const char *path, char **text, size_t *length, sos_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file && errno == ENOENT) return SOS_OK;
    if (!file) return sos_fail(error, SOS_ERR_IO, "cannot read the checkpoint '%.200s': %s", path, strerror(errno));
    const sos_status status = sos_stream_read(file, path, SOS_CONTENT_BYTES, text, length, error);
    fclose(file);
    return status;
}

static sos_status text_take(sos_trainer *t, const char *text, size_t length, const char *path, sos_error *error)
{
    kept k = { .slack = calloc(t->pass.slacks.examples, sizeof *k.slack) };
    sos_status status = k.slack ? parse(t, text, length, path, &k, error)
                                : sos_fail(error, SOS_ERR_MEMORY, "no memory for the checkpoint '%.200s'", path);
    if (!status) status = content_check(t, &k, path, error);
    if (!status) kept_take(t, &k);
    kept_free(&k);
    return status;
}

sos_status sos_checkpoint_read(sos_trainer *t, const char *path, bool *found, sos_error *error)
{
    sos_share *share = t->pass.share;
    char *text = NULL;
    size_t length = 0;
    sos_status status = sos_share_is_first(share) ? file_read(path, &text, &length, error) : SOS_OK;
    status = sos_share_agree(share, status, error);
    if (!status) status = sos_share_text(share, "a checkpoint", &text, &length, error);
    *found = !status && text;
    if (*found) status = text_take(t, text, length, path, error);
    free(text);
    return sos_share_agree(share, status, error);
}
