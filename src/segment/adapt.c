/* adapt.c - a model that goes on learning: its networks, then its weights. */
#include "segment/adapt.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "segment/model.h"
#include "segment/response_lesson.h"

/* ---------------------------------------------------------------- who is told */

bool sos_adapt_tell(sos_adapt_course *c, double done, const sos_train_round *round)
{
    static const double BEGINS[] = { [SOS_ADAPT_NETWORKS] = 0, [SOS_ADAPT_WEIGHTS] = 0.4, [SOS_ADAPT_JUDGE] = 0.7 };
    const double ends = c->phase == SOS_ADAPT_JUDGE ? 1 : BEGINS[c->phase + 1];
    const double within = BEGINS[c->phase] + (done > 0 ? done : 0) * (ends - BEGINS[c->phase]);
    bool go_on = true;
    if (!c->settings->watch) return true;
#pragma omp critical(sos_adapt_tell)
    {
        const sos_adapt_event e = {
            .phase = c->phase, .fold = c->fold, .folds = c->folds, .share = c->from + within * (c->to - c->from), .round = round
        };
        if (!c->stopped) c->stopped = !c->settings->watch(c->settings->user, &e);
        go_on = !c->stopped;
    }
    return go_on;
}

bool sos_adapt_progress(void *course, const char *phase, double done)
{
    (void)phase;
    return sos_adapt_tell(course, done, NULL);
}

/* ---------------------------------------------------------------- networks */

/* Networks that see what pictures look like, too, and so far make nothing of it. */
static void network_widen(const sos_perceptron *from, sos_perceptron *to)
{
    const size_t first = from->inputs * from->hidden, rest = sos_perceptron_numbers(from) - first;
    memcpy(to->numbers, from->numbers, first * sizeof *to->numbers);
    memcpy(to->numbers + to->inputs * to->hidden, from->numbers + first, rest * sizeof *to->numbers);
}

/* A copy with room for count more pictures, which are not known yet. */
static sos_status response_widen(const sos_segment_response *from, size_t count, sos_segment_response *out, sos_error *error)
{
    const sos_status status = sos_segment_response_create(from->pictures + count, true, true, out, error);
    if (status) return status;
    out->pictures = from->pictures;
    memcpy(out->hashes, from->hashes, from->pictures * sizeof *out->hashes);
    for (size_t k = 0; k < SOS_SEGMENT_NETWORKS; k++) network_widen(&from->networks[k], &out->networks[k]);
    return SOS_OK;
}

static sos_status response_adapt(sos_segment_response *r, size_t count, const sos_marked photographs[],
                                 const sos_segment_settings *settings, sos_error *error)
{
    sos_segment_response wide = { 0 };
    sos_status status = response_widen(r, count, &wide, error);
    if (!status) status = sos_response_talk_on(count, photographs, settings, &wide, error);
    if (status) {
        sos_segment_response_free(&wide);
        return status;
    }
    for (size_t i = 0; i < count; i++) wide.hashes[wide.pictures++] = sos_segment_response_hash(&photographs[i].photograph);
    sos_segment_response_free(r);
    *r = wide;
    return SOS_OK;
}

static sos_status networks_adapt(sos_model *m, size_t count, const sos_marked photographs[],
                                 const sos_segment_settings *settings, sos_error *error)
{
    sos_segment_parts *parts = NULL;
    sos_status status = sos_segment_parts_read(m, &parts, error);
    if (!status && !parts->response.dialogues)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "only a model that has learned from dialogues goes on learning from people");
    if (!status) status = response_adapt(&parts->response, count, photographs, settings, error);
    if (!status) status = sos_segment_parts_set(parts, m, error);
    sos_segment_parts_free(parts);
    return status;
}

/* ---------------------------------------------------------------- weights */

static bool round_tell(void *course, const sos_train_round *round)
{
    sos_adapt_course *c = course;
    return sos_adapt_tell(c, 1 - (round->gap < 1 ? round->gap : 1), round);
}

/* Changes of weights count by the number of photographs, as in training from the beginning. */
static const double C_PHOTOGRAPH = 2;

static sos_status weights_train(sos_model *m, size_t count, sos_example *const examples[], sos_segment_method method,
                                sos_adapt_course *course, sos_error *error)
{
    const size_t numbers = sos_model_weight_count(m);
    double *from = malloc((numbers + 1) * sizeof *from);
    if (!from) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu weights", numbers);
    memcpy(from, sos_model_weights(m), numbers * sizeof *from);
    sos_train_settings settings = sos_segment_training(SOS_SEGMENT_FULL, method);
    settings.C = C_PHOTOGRAPH * (double)count;
    settings.from = from;
    settings.threads = course->settings->threads;
    settings.progress = round_tell;
    settings.user = course;
    const sos_status status = sos_train(m, count, examples, &settings, NULL, error);
    free(from);
    return status;
}

static sos_status weights_adapt(sos_model *m, size_t count, const sos_marked photographs[],
                                const sos_segment_settings *settings, sos_adapt_course *course, sos_error *error)
{
    const size_t moments = count * SOS_SEGMENT_MOMENTS;
    sos_segment_model *p = NULL;
    sos_example **examples = calloc(moments, sizeof(sos_example *));
    sos_status status = examples ? sos_segment_model_create(m, &p, error)
                                 : sos_fail(error, SOS_ERR_MEMORY, "no memory for examples of %zu photographs", count);
    if (!status) status = sos_segment_model_dialogues(p, count, photographs, settings->seed, &settings->work, examples, error);
    if (!status) status = weights_train(m, moments, examples, sos_segment_model_method(p), course, error);
    for (size_t i = 0; i < moments && examples; i++) sos_example_free(examples[i]);
    free(examples);
    sos_segment_model_free(p);
    return status;
}

/* ---------------------------------------------------------------- both */

static sos_segment_settings settings_of(sos_adapt_course *course)
{
    sos_segment_settings s = sos_segment_defaults();
    s.dialogues = true;
    s.seed = course->settings->seed;
    s.work = (sos_work){ .threads = course->settings->threads, .progress = sos_adapt_progress, .user = course };
    return s;
}

static sos_status model_adapt(sos_model *m, size_t count, const sos_marked photographs[], sos_adapt_course *course,
                              sos_error *error)
{
    const sos_segment_settings s = settings_of(course);
    course->phase = SOS_ADAPT_NETWORKS;
    sos_status status = networks_adapt(m, count, photographs, &s, error);
    course->phase = SOS_ADAPT_WEIGHTS;
    return status ? status : weights_adapt(m, count, photographs, &s, course, error);
}

sos_status sos_adapt_learn(const sos_model *from, size_t count, const sos_marked *const photographs[], sos_adapt_course *course,
                           sos_model **out, sos_error *error)
{
    sos_model *m = NULL;
    sos_marked *borrowed = malloc((count + 1) * sizeof *borrowed);
    sos_status status = borrowed ? sos_model_copy(from, &m, error)
                                 : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", count);
    for (size_t i = 0; i < count && borrowed; i++) borrowed[i] = *photographs[i];
    if (!status) status = model_adapt(m, count, borrowed, course, error);
    free(borrowed);
    if (status)
        sos_model_free(m);
    else
        *out = m;
    return status;
}
