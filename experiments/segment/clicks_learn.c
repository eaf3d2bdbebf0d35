#include "experiments/segment/clicks_learn.h"

#include <stdio.h>
#include <stdlib.h>

#include <s3svm/adapt.h>

#include "base/error.h"
#include "segment/marks/marks.h"

size_t s3svm_clicks_lesson(const s3svm_clicks_plan *p)
{
    size_t most = 0;
    for (size_t i = 0; i < p->learn.count; i++)
        if ((size_t)p->learn.values[i] > most) most = (size_t)p->learn.values[i];
    return most;
}

static bool watch(void *user, const s3svm_adapt_event *e)
{
    const s3svm_clicks_plan *p = user;
    return !p->progress || p->progress(p->user, "learning from one's own", e->share);
}

/* The model of a split that a user would have: it has learned from the first so many photographs of its order, or is the old
 * one where cross-validation on these says that nothing was gained. */
static sos_status split_learn(const s3svm_clicks_results *r, size_t split, size_t count, const size_t order[],
                              s3svm_segment_model **out, sos_error *error)
{
    char path[sizeof r->methods[0].word + 24];
    s3svm_adapt_settings s = s3svm_adapt_defaults();
    s3svm_adapt_result result;
    s3svm_clicks_plan plan = r->plan;
    sos_model *from = NULL, *learned = NULL;
    s.work.threads = plan.threads;
    s.watch = watch;
    s.work.user = &plan;
    s3svm_clicks_path(plan.models, split, sizeof path, path);
    s3svm_marked *pictures = calloc(count, sizeof *pictures);
    sos_status status = pictures ? s3svm_clicks_model_read(path, &from, error)
                                 : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", count);
    for (size_t i = 0; i < count && !status; i++)
        status = s3svm_marked_read(&r->data.items[order[i]], true, &pictures[i], error);
    if (!status) status = s3svm_segment_adapt(from, count, pictures, &s, &learned, &result, error);
    if (!status) status = s3svm_segment_model_create(result.better ? learned : from, out, error);
    for (size_t i = 0; i < count && pictures; i++) s3svm_marked_free(&pictures[i]);
    free(pictures);
    sos_model_free(from);
    sos_model_free(learned);
    return status;
}

static sos_status method_learn(s3svm_clicks_results *r, size_t count, size_t order[], sos_error *error)
{
    char word[32], name[48];
    s3svm_clicks_method *m;
    snprintf(word, sizeof word, "learned-%zu", count);
    snprintf(name, sizeof name, "Having learned from %zu", count);
    sos_status status = s3svm_clicks_method_add(r, true, word, name, &m, error);
    for (size_t split = 0; split < s3svm_clicks_splits(&r->plan) && !status; split++) {
        s3svm_parts parts;
        status = s3svm_clicks_order(r, split, &parts, order, error);
        if (!status) status = split_learn(r, split, count, order, &m->models[split], error);
    }
    return status;
}

sos_status s3svm_clicks_learn(s3svm_clicks_results *r, sos_error *error)
{
    const size_t lesson = s3svm_clicks_lesson(&r->plan);
    if (!lesson) return SOS_OK;
    if (lesson >= r->data.count)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu photographs are too few to learn from %zu and test on others",
                        r->data.count, lesson);
    size_t *order = malloc(r->data.count * sizeof *order);
    sos_status status = order ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", r->data.count);
    for (size_t i = 0; i < r->plan.learn.count && !status; i++)
        status = method_learn(r, (size_t)r->plan.learn.values[i], order, error);
    free(order);
    return status;
}
