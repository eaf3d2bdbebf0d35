/* adapt_lesson.c - somebody's own photographs as lessons have them, from folders or from memory, for adapting a model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "segment/adapt.h"
#include "segment/lesson.h"
#include "segment/task.h"
#include "tasks/facts.h"
#include "tasks/lesson_making.h"

enum { PIXELS = 250000 }; /* of a photograph: models learn from a fifth of a megapixel, larger ones are reduced */

/* Maps would have to be there in dialogues. */
bool s3svm_segment_adapts(const void *settings, const sos_model *from)
{
    const s3svm_segment_lesson_settings *o = settings;
    s3svm_segment_model *p;
    sos_error none;
    if (o->maps.kind || s3svm_segment_model_create(from, &p, &none)) return false;
    const bool adapts = p->parts->response.dialogues && p->parts->maps.kind == S3SVM_MAPS_NONE;
    s3svm_segment_model_free(p);
    return adapts;
}

/* ---------------------------------------------------------------- photographs */

/* Those that can be learned from: borrowed, or smaller copies. */
typedef struct own_list {
    size_t count, passed; /* passed: without an object, or with nothing else */
    s3svm_marked *list;
    bool *copied;
} own_list;

static void own_list_free(own_list *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->copied[i]) s3svm_marked_free(&a->list[i]);
    free(a->list);
    free(a->copied);
}

static uint8_t *bytes_copy(const uint8_t bytes[], size_t count)
{
    uint8_t *copy = malloc(count + 1);
    if (copy) memcpy(copy, bytes, count);
    return copy;
}

static sos_status photograph_reduce(const s3svm_marked *m, size_t factor, s3svm_marked *out, sos_error *error)
{
    const size_t n = s3svm_image_size(&m->photograph);
    s3svm_marked own = { .photograph = m->photograph, .marks = m->marks };
    own.photograph.pixels = bytes_copy(m->photograph.pixels, 3 * n);
    own.marks.pixels = bytes_copy(m->marks.pixels, n);
    own.truth = bytes_copy(m->truth, n);
    own.care = bytes_copy(m->care, n);
    sos_status status = own.photograph.pixels && own.marks.pixels && own.truth && own.care
                            ? s3svm_marked_shrink(&own, factor, error)
                            : sos_fail(error, SOS_ERR_MEMORY, "no memory for a photograph of %zu pixels", n);
    if (status)
        s3svm_marked_free(&own);
    else
        *out = own;
    return status;
}

static bool has_both(const s3svm_marked *m)
{
    const size_t n = s3svm_image_size(&m->photograph);
    return memchr(m->truth, 1, n) && memchr(m->truth, 0, n);
}

/* The next of the list: as it is, or smaller. */
static sos_status photograph_take(const s3svm_lesson_picture *p, own_list *a, sos_error *error)
{
    const s3svm_marked seen = { .photograph = p->in.colour, .marks = p->in.marks, .truth = p->truth, .care = p->care };
    const size_t n = s3svm_image_size(&seen.photograph);
    size_t factor = 1;
    while (n / (factor * factor) > PIXELS) factor++;
    s3svm_marked *place = &a->list[a->count];
    *place = seen;
    const sos_status status = factor > 1 ? photograph_reduce(&seen, factor, place, error) : SOS_OK;
    if (status) return status;
    a->copied[a->count] = factor > 1;
    if (has_both(place)) {
        a->count++;
        return SOS_OK;
    }
    if (factor > 1) s3svm_marked_free(place);
    a->passed++;
    return SOS_OK;
}

static sos_status own_list_make(const s3svm_lesson_pictures *p, const sos_work *work, own_list *a, sos_error *error)
{
    char line[120];
    *a = (own_list){ .list = calloc(p->count + 1, sizeof *a->list), .copied = calloc(p->count + 1, sizeof *a->copied) };
    sos_status status = a->list && a->copied ? SOS_OK
                                             : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", p->count);
    for (size_t i = 0; i < p->count && !status; i++) status = photograph_take(&p->pictures[i], a, error);
    snprintf(line, sizeof line, "%zu photographs without an object, or with nothing else, are passed over", a->passed);
    if (!status && a->passed && work->tell) work->tell(work->user, line);
    return status;
}

/* ---------------------------------------------------------------- which model is kept */

static void change_write(sos_json *j, const char *name, double before, double after)
{
    sos_json_open_row(j, name, '{');
    sos_json_real(j, "before", before);
    sos_json_real(j, "after", after);
    sos_json_close(j, '}');
}

static void result_write(sos_json *j, const void *data)
{
    const s3svm_adapt_result *r = data;
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "photographs", r->photographs);
    change_write(j, "clicks", r->before.clicks, r->after.clicks);
    change_write(j, "error", r->before.error, r->after.error);
    change_write(j, "strokes_error", r->strokes_before, r->strokes_after);
    sos_json_text(j, "weights", r->better ? "new" : "old");
    sos_json_close(j, '}');
}

/* The old model where nothing was gained; what its weights were trained by holds for the old one only. */
static sos_status model_keep(const sos_model *from, const s3svm_adapt_result *r, sos_model **learned, sos_error *error)
{
    sos_model *old = NULL;
    sos_status status = SOS_OK;
    if (!r->better) {
        status = sos_model_copy(from, &old, error);
        if (status) return status;
        sos_model_free(*learned);
        *learned = old;
    } else {
        status = sos_model_set_fact(*learned, "training", NULL, error);
    }
    return status ? status : s3svm_facts_set(*learned, "own photographs", result_write, r, error);
}

/* ---------------------------------------------------------------- adapting */

/* Training by dialogues, with a second look at outlines, whatever else the settings say. */
static s3svm_segment_lesson_settings dialogues_of(const void *settings)
{
    s3svm_segment_lesson_settings o = *(const s3svm_segment_lesson_settings *)settings;
    o.dialogues = o.outlines = true;
    return o;
}

sos_status s3svm_segment_adapt_data(const void *settings, const sos_model *from, const s3svm_lesson_data *data,
                                    const s3svm_adapt_settings *adapt, sos_model **out, s3svm_adapt_result *result,
                                    sos_error *error)
{
    const s3svm_segment_lesson_settings o = dialogues_of(settings);
    s3svm_adapt_settings a = *adapt;
    s3svm_lesson_making k = { .task = &s3svm_segment_task, .from = from, .work = adapt->work };
    s3svm_lesson_set set = { .list.share = &k.share };
    own_list own = { 0 };
    sos_model *learned = NULL;
    s3svm_adapt_result unseen = { 0 }, *found = result ? result : &unseen;
    k.work.communicator = NULL;
    sos_status status = sos_share_join(&k.share, NULL, error);
    if (!status) status = s3svm_segment_lesson_steps.begin(&o, from, &k.plan, error);
    if (status) return status;
    k.plan.evidence = false; /* photographs are marked without */
    status = s3svm_lesson_set_fill(&k, data, true, &set, error);
    if (!status) status = own_list_make(&set.list, &k.work, &own, error);
    a.seed = (uint64_t)o.seed;
    if (o.cache && !a.cache) a.cache = o.cache;
    if (!status) status = s3svm_segment_adapt(from, own.count, own.list, &a, &learned, found, error);
    if (!status) status = model_keep(from, found, &learned, error);
    own_list_free(&own);
    s3svm_lesson_set_free(&set);
    s3svm_segment_lesson_steps.end(k.plan.own);
    if (status)
        sos_model_free(learned);
    else
        *out = learned;
    return status;
}
