/* adapt.c - a model that goes on learning: how far its weights go, and who is told.
 *
 * The networks that judge pixels stay as they are.  Going on with them too was tried (docs/notes/clicks.md): first clicks did
 * better, and later ones worse by more. */
#include "segment/adapt.h"

#include <stdlib.h>

#include "base/error.h"

/* ---------------------------------------------------------------- who is told */

bool s3svm_adapt_tell(s3svm_adapt_progress *c, double done, const sos_train_round *round)
{
    bool go_on = true;
    if (!c->settings->watch) return true;
#pragma omp critical(s3svm_adapt_tell)
    {
        const double within = done > 0 ? done : 0;
        const s3svm_adapt_event e = {
            .phase = c->phase, .fold = c->fold, .folds = c->folds, .share = c->from + within * (c->to - c->from), .round = round
        };
        if (!c->stopped) c->stopped = !c->settings->watch(c->settings->work.user, &e);
        go_on = !c->stopped;
    }
    return go_on;
}

static bool progress_callback(void *progress, const char *phase, double done)
{
    (void)phase;
    return s3svm_adapt_tell(progress, done, NULL);
}

sos_work s3svm_adapt_work(s3svm_adapt_progress *c)
{
    return (sos_work){ .threads = c->settings->work.threads, .progress = progress_callback, .user = c };
}

/* ---------------------------------------------------------------- weights */

static bool round_tell(void *progress, const sos_train_round *round)
{
    return s3svm_adapt_tell(progress, 1 - (round->gap < 1 ? round->gap : 1), round);
}

/* C of each example: at the largest, 20 photographs begin to be learned by heart (docs/notes/clicks.md). */
static const double STRENGTHS[S3SVM_ADAPT_STRENGTHS] = { 0, 2.5, 10 };

static sos_status list_make(const s3svm_own_lesson *l, const bool chosen[], bool wanted, size_t *count, sos_example ***list,
                            sos_error *error)
{
    *list = malloc((s3svm_own_lesson_examples(l) + 1) * sizeof(sos_example *));
    if (!*list) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu examples", s3svm_own_lesson_examples(l));
    *count = s3svm_own_lesson_list(l, chosen, wanted, *list);
    return SOS_OK;
}

static sos_status examples_train(size_t count, sos_example *list[], size_t strength, s3svm_adapt_progress *progress,
                                 sos_model *m, sos_error *error)
{
    s3svm_segment_model *p;
    sos_model *from = NULL;
    sos_status status = s3svm_segment_model_create(m, &p, error);
    if (status) return status;
    sos_train_settings settings = s3svm_segment_training(s3svm_segment_model_features(p), s3svm_segment_model_method(p));
    s3svm_segment_model_free(p);
    status = sos_model_copy(m, &from, error); /* m's own weights change */
    if (status) return status;
    settings.C = STRENGTHS[strength] * (double)count;
    settings.from = sos_model_weights(from);
    settings.memory = sos_train_defaults().memory; /* a server has other uses for it */
    settings.work.threads = progress->settings->work.threads;
    settings.watch = round_tell;
    settings.work.user = progress;
    status = sos_train(m, count, list, &settings, NULL, error);
    sos_model_free(from);
    return status;
}

sos_status s3svm_adapt_weights(const s3svm_own_lesson *l, const bool chosen[], size_t strength, s3svm_adapt_progress *progress,
                               sos_model *m, sos_error *error)
{
    sos_example **list;
    size_t count = 0;
    if (!(STRENGTHS[strength] > 0)) return SOS_OK;
    sos_status status = list_make(l, chosen, true, &count, &list, error);
    if (status) return status;
    status = examples_train(count, list, strength, progress, m, error);
    free(list);
    return status;
}

sos_status s3svm_adapt_loss(const s3svm_own_lesson *l, const bool chosen[], const sos_model *m, int threads, double *loss,
                            sos_error *error)
{
    const sos_work work = { .threads = threads };
    sos_example **list;
    size_t count = 0;
    double mean = 0;
    sos_status status = list_make(l, chosen, false, &count, &list, error);
    if (status) return status;
    if (count) status = sos_evaluate(m, count, list, &work, NULL, &mean, error);
    free(list);
    *loss = mean * (double)count;
    return status;
}
