#include "experiments/segment/kept.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/output.h"
#include "base/path.h"
#include "tasks/cache.h"

enum { HASH_ROOM = 17, JUDGED = 5, TRAINED = 6, POINT = 4 }; /* numbers of a row */

typedef struct number {
    const char *name;
    size_t offset; /* of a double in an outcome */
} number;

#define NUMBER(member)                                                                                                         \
    {                                                                                                                          \
#member, offsetof(s3svm_segment_outcome, member)                                                                       \
    }
static const number NUMBERS[] = { NUMBER(error),
                                  NUMBER(error_without_unsure),
                                  NUMBER(iou),
                                  NUMBER(seconds_per_image),
                                  NUMBER(seconds_per_fifth),
                                  NUMBER(seconds_features),
                                  NUMBER(processor_features),
                                  NUMBER(seconds_training),
                                  NUMBER(processor_training),
                                  NUMBER(training_error),
                                  NUMBER(relations) };
enum { NUMBERS_COUNT = sizeof NUMBERS / sizeof *NUMBERS };

/* ---------------------------------------------------------------- which run */

static void key_add_real(s3svm_cache_key *key, double x) { s3svm_cache_key_add(key, &x, sizeof x); }

uint64_t s3svm_segment_run(const s3svm_segment_results *r)
{
    const s3svm_segment_plan *p = &r->plan;
    s3svm_cache_key key = s3svm_cache_key_of("experiment interactive", 1);
    s3svm_cache_key_add(&key, sos_version(), strlen(sos_version()));
    const uint64_t numbers[] = {
        p->seed, r->train, r->validation, r->images, p->side, p->samples, p->outlines, p->choose_once
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) s3svm_cache_key_add_number(&key, numbers[i]);
    key_add_real(&key, p->relations);
    for (size_t i = 0; i < p->values; i++) key_add_real(&key, p->C[i]);
    for (size_t i = 0; i < r->images; i++) {
        const s3svm_marked *m = &r->pictures[i];
        const size_t n = s3svm_image_size(&m->photograph);
        s3svm_cache_key_add_number(&key, m->photograph.width);
        s3svm_cache_key_add_number(&key, m->photograph.height);
        s3svm_cache_key_add(&key, m->photograph.pixels, 3 * n);
        s3svm_cache_key_add(&key, m->marks.pixels, n);
        s3svm_cache_key_add(&key, m->truth, n);
        s3svm_cache_key_add(&key, m->care, n);
    }
    return key.parts[0];
}

static void hash_text(uint64_t hash, char text[HASH_ROOM]) { snprintf(text, HASH_ROOM, "%016" PRIx64, hash); }

/* The path of its file, to free. */
static char *kept_path(const s3svm_segment_results *r, size_t split, size_t contender)
{
    char name[64];
    snprintf(name, sizeof name, "split-%zu-%s", split + 1, s3svm_contender_row(contender)->word);
    return sos_path_join(r->plan.kept, name, ".json");
}

/* ---------------------------------------------------------------- writing */

static void rows_write(sos_json *j, const char *name, size_t count, size_t each, const double numbers[])
{
    sos_json_open(j, name, '[');
    sos_json_reals(j, count * each, numbers, each);
    sos_json_close(j, ']');
}

static void judged_write(sos_json *j, const s3svm_segment_results *r, const s3svm_segment_outcome *o, double room[])
{
    for (size_t i = 0; i < r->test; i++) {
        const s3svm_segment_judged *a = &o->judged[i];
        const double row[JUDGED] = { (double)a->picture, a->error, a->error_without_unsure, a->iou, a->seconds };
        memcpy(room + JUDGED * i, row, sizeof row);
    }
    rows_write(j, "judged", r->test, JUDGED, room);
}

static void trained_write(sos_json *j, const s3svm_segment_outcome *o)
{
    double rows[S3SVM_SEGMENT_TRIED][TRAINED];
    for (size_t i = 0; i < o->values; i++) {
        const s3svm_segment_trained *t = &o->trained[i];
        const double row[TRAINED] = { t->C, t->validation, (double)t->rounds, t->gap, t->seconds, t->processor };
        memcpy(rows[i], row, sizeof row);
    }
    rows_write(j, "trained", o->values, TRAINED, rows[0]);
}

static void curve_write(sos_json *j, const s3svm_segment_outcome *o, double room[])
{
    for (size_t i = 0; i < o->curve.count; i++) {
        const s3svm_curve_point *p = &o->curve.points[i];
        const double row[POINT] = { p->C, p->seconds, p->primal, p->dual };
        memcpy(room + POINT * i, row, sizeof row);
    }
    rows_write(j, "curve", o->curve.count, POINT, room);
}

/* Labels as the lengths of runs, the first of zeros. */
static void labels_write(sos_json *j, size_t n, const uint8_t labels[])
{
    sos_json_open_row(j, NULL, '[');
    uint8_t label = 0;
    for (size_t i = 0, first = 0; i <= n; i++) {
        if (i < n && labels[i] == label) continue;
        sos_json_count(j, NULL, i - first);
        label = !label;
        first = i;
    }
    sos_json_close(j, ']');
}

static sos_status outcome_write(sos_json *j, const s3svm_segment_results *r, size_t split, size_t contender, double room[],
                                sos_error *error)
{
    const s3svm_segment_outcome *o = s3svm_segment_outcome_at(r, split, contender);
    const sos_model *model = split ? NULL : r->models[contender];
    char hash[HASH_ROOM], *text = NULL;
    size_t length;
    sos_status status = model ? sos_model_write_memory(model, &text, &length, error) : SOS_OK;
    if (status) return status;
    hash_text(r->run, hash);
    sos_json_open(j, NULL, '{');
    sos_json_text(j, "run", hash);
    for (size_t i = 0; i < NUMBERS_COUNT; i++) {
        double x;
        memcpy(&x, (const char *)o + NUMBERS[i].offset, sizeof x);
        sos_json_real(j, NUMBERS[i].name, x);
    }
    sos_json_count(j, "weights", o->weights);
    sos_json_count(j, "best", o->best);
    judged_write(j, r, o, room);
    trained_write(j, o);
    curve_write(j, o, room);
    sos_json_open(j, "labels", '[');
    for (size_t i = 0; !split && i < r->test; i++)
        labels_write(j, s3svm_image_size(&r->pictures[o->judged[i].picture].photograph), r->labels[contender][i]);
    sos_json_close(j, ']');
    if (text) sos_json_text(j, "model", text);
    sos_json_close(j, '}');
    free(text);
    return SOS_OK;
}

sos_status s3svm_segment_kept_write(const s3svm_segment_results *r, size_t split, size_t contender, sos_error *error)
{
    if (!r->plan.kept) return SOS_OK;
    const s3svm_segment_outcome *o = s3svm_segment_outcome_at(r, split, contender);
    char *path = kept_path(r, split, contender);
    double *room = malloc((JUDGED * r->test + POINT * o->curve.count) * sizeof *room);
    sos_output out;
    sos_status status = path && room ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory to keep results");
    if (!status) status = sos_output_open(&out, path, error);
    if (!status) {
        sos_json j = { .file = out.file };
        status = outcome_write(&j, r, split, contender, room, error);
        if (status)
            sos_output_abandon(&out);
        else
            status = sos_output_commit(&out);
    }
    free(room);
    free(path);
    return status;
}

/* ---------------------------------------------------------------- reading */

/* A file being read; the first thing that is wrong is remembered. */
typedef struct reading {
    const sos_json_value *whole;
    s3svm_segment_results *r;
    s3svm_segment_outcome *o;
    bool wrong, no_memory;
} reading;

static size_t count_of(reading *t, const sos_json_value *v, size_t most)
{
    const double x = sos_json_value_number(v);
    const bool is = x >= 0 && x <= (double)most && x == floor(x);
    t->wrong |= !is;
    return is ? (size_t)x : 0;
}

/* A list of so many rows. */
static const sos_json_value *rows_of(reading *t, const char *name, size_t each, size_t least, size_t most, size_t *count)
{
    const sos_json_value *list = sos_json_value_member(t->whole, name);
    const size_t size = sos_json_value_size(list);
    *count = size / each;
    if (sos_json_value_kind(list) == SOS_JSON_LIST && size % each == 0 && *count >= least && *count <= most) return list;
    t->wrong = true;
    *count = 0;
    return NULL;
}

static double item_of(const sos_json_value *list, size_t i) { return sos_json_value_number(sos_json_value_item(list, i)); }

/* Pictures must be those that the split tests on. */
static void judged_read(reading *t, const size_t test[])
{
    size_t count;
    const sos_json_value *list = rows_of(t, "judged", JUDGED, t->r->test, t->r->test, &count);
    if (t->wrong) return;
    t->o->judged = calloc(t->r->test, sizeof *t->o->judged);
    t->no_memory |= !t->o->judged;
    for (size_t i = 0; i < count && t->o->judged; i++) {
        const size_t at = JUDGED * i;
        t->o->judged[i] = (s3svm_segment_judged){ .picture = count_of(t, sos_json_value_item(list, at), t->r->images - 1),
                                                  .error = item_of(list, at + 1),
                                                  .error_without_unsure = item_of(list, at + 2),
                                                  .iou = item_of(list, at + 3),
                                                  .seconds = item_of(list, at + 4) };
        t->wrong |= t->o->judged[i].picture != test[i] || !(t->o->judged[i].error >= 0 && t->o->judged[i].error <= 1);
    }
}

static void trained_read(reading *t)
{
    const sos_json_value *list = rows_of(t, "trained", TRAINED, 0, S3SVM_SEGMENT_TRIED, &t->o->values);
    for (size_t i = 0; i < t->o->values; i++) {
        const size_t at = TRAINED * i;
        t->o->trained[i] = (s3svm_segment_trained){ .C = item_of(list, at),
                                                    .validation = item_of(list, at + 1),
                                                    .rounds = count_of(t, sos_json_value_item(list, at + 2), UINT32_MAX),
                                                    .gap = item_of(list, at + 3),
                                                    .seconds = item_of(list, at + 4),
                                                    .processor = item_of(list, at + 5) };
    }
    t->o->best = count_of(t, sos_json_value_member(t->whole, "best"), t->o->values ? t->o->values - 1 : 0);
}

static void curve_read(reading *t)
{
    s3svm_curve *c = &t->o->curve;
    const sos_json_value *list = rows_of(t, "curve", POINT, 0, SIZE_MAX, &c->room);
    c->points = calloc(c->room ? c->room : 1, sizeof *c->points);
    t->no_memory |= !c->points;
    for (size_t i = 0; c->points && i < c->room; i++, c->count++) {
        const size_t at = POINT * i;
        c->points[i] = (s3svm_curve_point){ .C = item_of(list, at),
                                            .seconds = item_of(list, at + 1),
                                            .primal = item_of(list, at + 2),
                                            .dual = item_of(list, at + 3) };
    }
}

/* NULL: the runs do not add up to n, or there is no memory. */
static uint8_t *labels_of(reading *t, const sos_json_value *runs, size_t n)
{
    uint8_t *labels = calloc(n, 1);
    size_t done = 0;
    t->no_memory |= !labels;
    for (size_t k = 0; labels && k < sos_json_value_size(runs); k++) {
        const size_t length = count_of(t, sos_json_value_item(runs, k), n - done);
        memset(labels + done, (int)(k % 2), length);
        done += length;
    }
    t->wrong |= done != n;
    return labels;
}

static void labels_read(reading *t, size_t contender)
{
    const sos_json_value *list = sos_json_value_member(t->whole, "labels");
    uint8_t **labels = t->r->labels[contender] = calloc(t->r->test, sizeof *labels);
    t->no_memory |= !labels;
    for (size_t i = 0; labels && i < t->r->test && !t->wrong; i++) {
        const s3svm_marked *p = &t->r->pictures[t->o->judged[i].picture];
        labels[i] = labels_of(t, sos_json_value_item(list, i), s3svm_image_size(&p->photograph));
    }
}

static void model_read(reading *t, size_t contender)
{
    const char *text = sos_json_value_text(sos_json_value_member(t->whole, "model"));
    if (contender == S3SVM_CONTENDER_GRABCUT) return;
    t->wrong |= !text || sos_model_parse(text, strlen(text), "model", &t->r->models[contender], NULL);
}

static void outcome_read(reading *t, size_t split, size_t contender)
{
    for (size_t i = 0; i < NUMBERS_COUNT; i++) {
        const double x = sos_json_value_number(sos_json_value_member(t->whole, NUMBERS[i].name));
        memcpy((char *)t->o + NUMBERS[i].offset, &x, sizeof x);
    }
    t->o->weights = count_of(t, sos_json_value_member(t->whole, "weights"), UINT32_MAX);
    judged_read(t, s3svm_segment_order(t->r, split) + t->r->train + t->r->validation);
    trained_read(t);
    curve_read(t);
    if (split || t->wrong || t->no_memory) return;
    labels_read(t, contender);
    if (!t->wrong && !t->no_memory) model_read(t, contender);
}

static sos_status file_read(s3svm_segment_results *r, size_t split, size_t contender, const char *path, sos_error *error)
{
    char *text, hash[HASH_ROOM];
    size_t length;
    sos_json_value *whole;
    sos_status status = sos_file_read(path, SOS_CONTENT_TEXT, &text, &length, error);
    if (status) return status;
    status = sos_json_read(text, length, path, &whole, error);
    free(text);
    if (status) return status;
    reading t = { .whole = whole, .r = r, .o = s3svm_segment_outcome_at(r, split, contender) };
    const char *run = sos_json_value_text(sos_json_value_member(whole, "run"));
    hash_text(r->run, hash);
    if (!run || strcmp(run, hash) != 0) {
        status = sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' is of a run with other pictures, options or program", path);
    } else {
        outcome_read(&t, split, contender);
        if (t.no_memory)
            status = sos_fail(error, SOS_ERR_MEMORY, "no memory for '%.300s'", path);
        else if (t.wrong)
            status = sos_fail(error, SOS_ERR_FORMAT, "'%.300s' is damaged; without it, that part runs again", path);
    }
    sos_json_free(whole);
    return status;
}

sos_status s3svm_segment_kept_read(s3svm_segment_results *r, size_t split, size_t contender, bool *found, sos_error *error)
{
    *found = false;
    if (!r->plan.kept) return SOS_OK;
    char *path = kept_path(r, split, contender);
    if (!path) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the name of a file");
    *found = sos_path_exists(path);
    const sos_status status = *found ? file_read(r, split, contender, path, error) : SOS_OK;
    for (size_t i = 0; *found && !status && i < r->test; i++)
        s3svm_contest_errors(&r->contest, split, contender)[i] = s3svm_segment_outcome_at(r, split, contender)->judged[i].error;
    free(path);
    return status;
}
