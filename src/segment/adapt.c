/* adapt.c - a model that goes on learning: its weights, then how it looks at outlines.
 *
 * The networks that judge pixels stay as they are.  Going on with them too was tried (docs/experiments.md, "One's own
 * photographs"): first clicks did better, and later ones worse by more. */
#include "segment/adapt.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "segment/model.h"

/* ---------------------------------------------------------------- who is told */

bool sos_adapt_tell(sos_adapt_course *c, double done, const sos_train_round *round)
{
    static const double BEGINS[] = { [SOS_ADAPT_WEIGHTS] = 0, [SOS_ADAPT_OUTLINES] = 0.4, [SOS_ADAPT_JUDGE] = 0.7 };
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

/* The same as a sos_progress. */
static bool course_progress(void *course, const char *phase, double done)
{
    (void)phase;
    return sos_adapt_tell(course, done, NULL);
}

/* ---------------------------------------------------------------- weights */

static bool round_tell(void *course, const sos_train_round *round)
{
    sos_adapt_course *c = course;
    return sos_adapt_tell(c, 1 - (round->gap < 1 ? round->gap : 1), round);
}

static const double C_EXAMPLE = 2.5; /* C of each example: at ten times that 20 photographs are learned by heart */

static sos_status weights_train(sos_model *m, size_t count, sos_example *const examples[], sos_segment_method method,
                                sos_adapt_course *course, sos_error *error)
{
    const size_t numbers = sos_model_weight_count(m);
    double *from = malloc((numbers + 1) * sizeof *from);
    if (!from) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu weights", numbers);
    memcpy(from, sos_model_weights(m), numbers * sizeof *from);
    sos_train_settings settings = sos_segment_training(SOS_SEGMENT_FULL, method);
    settings.C = C_EXAMPLE * (double)count;
    settings.from = from;
    settings.threads = course->settings->threads;
    settings.progress = round_tell;
    settings.user = course;
    const sos_status status = sos_train(m, count, examples, &settings, NULL, error);
    free(from);
    return status;
}

static sos_status weights_adapt(sos_model *m, size_t count, const sos_marked photographs[], const sos_work *work,
                                sos_adapt_course *course, sos_error *error)
{
    const size_t moments = count * SOS_SEGMENT_MOMENTS;
    sos_segment_model *p = NULL;
    sos_example **examples = calloc(moments, sizeof(sos_example *));
    sos_status status = examples ? sos_segment_model_create(m, &p, error)
                                 : sos_fail(error, SOS_ERR_MEMORY, "no memory for examples of %zu photographs", count);
    if (!status) status = sos_segment_model_dialogues(p, count, photographs, course->settings->seed, work, examples, error);
    if (!status) status = weights_train(m, moments, examples, sos_segment_model_method(p), course, error);
    for (size_t i = 0; i < moments && examples; i++) sos_example_free(examples[i]);
    free(examples);
    sos_segment_model_free(p);
    return status;
}

/* ---------------------------------------------------------------- both */

static sos_status model_adapt(sos_model *m, size_t count, const sos_marked photographs[], sos_adapt_course *course,
                              sos_error *error)
{
    const sos_work work = { .threads = course->settings->threads, .progress = course_progress, .user = course };
    course->phase = SOS_ADAPT_WEIGHTS;
    const sos_status status = weights_adapt(m, count, photographs, &work, course, error);
    course->phase = SOS_ADAPT_OUTLINES;
    return status ? status : sos_outline_adapt(m, count, photographs, &work, error);
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
