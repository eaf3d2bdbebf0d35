/* checkpoint.c - the state of training in a file.  The numbers are the machine's own, so that a file serves the machine that
 * wrote it: a mark tells its byte order, a version its layout, a hash at the end that all of it is there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/output.h"
#include "learn/trainer.h"

static const char MARK[16] = "s3svm state 3\n";
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

static void state_fields(stream *s, const sos_trainer *trainer, sos_trainer_state *t)
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
    field(s, t->best_slack, examples * sizeof *t->best_slack);
    field(s, t->best_floor, groups * sizeof *t->best_floor);
    field(s, &t->last, sizeof t->last);
    field(s, t->best, d * sizeof *t->best);
    field(s, t->optimum, d * sizeof *t->optimum);
    field(s, t->cone_multiplier, rows * sizeof *t->cone_multiplier);
    cuts_field(s, &t->planes, d);
    cuts_field(s, &t->cache, d);
    points_field(s, t);
    field(s, &t->chosen, sizeof t->chosen);
    field(s, t->kept, d * sizeof *t->kept);
}

sos_status sos_checkpoint_write(const sos_trainer *t, const char *path, sos_error *error)
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
    state_fields(&s, t, &state);
    uint64_t hash = s.hash;
    field(&s, &hash, sizeof hash);
    return sos_output_commit(&out); /* which knows of errors in writing */
}

static sos_status content_check(const sos_trainer *t, const sos_trainer_state *read, const char *path, sos_error *error)
{
    if (read->identity != t->state.identity)
        return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' is a checkpoint of another model, other examples or slacks", path);
    bool fits = (read->point == 0 || read->chosen < read->point) && read->stage <= SOS_STAGE_ALL;
    for (size_t i = 0; i < read->planes.count; i++) fits &= read->planes.list[i].group < t->groups;
    for (size_t i = 0; i < read->cache.count; i++) fits &= read->cache.list[i].group < t->examples;
    return fits ? SOS_OK : sos_fail(error, SOS_ERR_FORMAT, "'%.200s' is a damaged checkpoint", path);
}

static sos_status parse(sos_trainer *t, const char *text, size_t length, const char *path, sos_error *error)
{
    stream s = { .from = text, .left = length, .hash = SOS_HASH_START };
    char mark[sizeof MARK] = "";
    uint64_t order = 0, hash = 0;
    field(&s, mark, sizeof mark);
    field(&s, &order, sizeof order);
    if (s.failed || memcmp(mark, MARK, sizeof mark) != 0 || order != BYTE_ORDER_MARK)
        return sos_fail(error, SOS_ERR_FORMAT, "'%.200s' is not a checkpoint of this version and machine", path);
    /* The hash comes first: what passes it was written by us, and its counts can be believed. */
    const size_t body = length < sizeof hash ? 0 : length - sizeof hash;
    memcpy(&hash, text + body, sizeof hash);
    if (hash != sos_hash(SOS_HASH_START, text, body))
        return sos_fail(error, SOS_ERR_FORMAT, "'%.200s' is a truncated or damaged checkpoint", path);
    s.left -= sizeof hash;
    state_fields(&s, t, &t->state);
    if (s.no_memory) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the checkpoint '%.200s'", path);
    if (s.failed || s.left) return sos_fail(error, SOS_ERR_FORMAT, "'%.200s' is a checkpoint of another problem", path);
    return SOS_OK;
}

sos_status sos_checkpoint_read(sos_trainer *t, const char *path, bool *found, sos_error *error)
{
    FILE *file = fopen(path, "rb");
    *found = file;
    if (!file && errno == ENOENT) return SOS_OK;
    if (!file) return sos_fail(error, SOS_ERR_IO, "cannot read the checkpoint '%.200s': %s", path, strerror(errno));
    char *text = NULL;
    size_t length = 0;
    sos_status status = sos_stream_read(file, path, SOS_CONTENT_BYTES, &text, &length, error);
    fclose(file);
    const uint64_t identity = t->state.identity;
    if (!status) status = parse(t, text, length, path, error);
    free(text);
    if (status) return status;
    const sos_trainer_state read = t->state;
    t->state.identity = identity;
    return content_check(t, &read, path, error);
}
