/* folds.c - cross-validation: which C serves examples best that were not learned from. */
#include <sos/learn.h>

#include <stdlib.h>

#include "base/error.h"

/* Examples dealt out: those of one fold, and all others. */
typedef struct deal {
    sos_example **learned, **judged;
    size_t learned_count, judged_count;
} deal;

static void deal_out(deal *d, size_t count, sos_example *const examples[], size_t folds, size_t fold)
{
    d->learned_count = d->judged_count = 0;
    for (size_t i = 0; i < count; i++)
        if (i % folds == fold)
            d->judged[d->judged_count++] = examples[i];
        else
            d->learned[d->learned_count++] = examples[i];
}

/* A path over all values without one fold; its losses count as often as the fold has examples. */
static sos_status fold_run(const sos_model *m, const deal *d, size_t values_count, const double values[],
                           const sos_train_settings *settings, sos_path_point path[], double losses[], sos_error *error)
{
    sos_model *copy;
    sos_status status = sos_model_copy(m, &copy, error);
    if (status) return status;
    status = sos_train_path(copy, d->learned_count, d->learned, d->judged_count, d->judged, values_count, values, settings,
                            path, NULL, error);
    sos_model_free(copy);
    for (size_t v = 0; !status && v < values_count; v++) losses[v] += path[v].validation_loss * (double)d->judged_count;
    return status;
}

static sos_status folds_run(const sos_model *m, size_t count, sos_example *const examples[], size_t folds, size_t values_count,
                            const double values[], const sos_train_settings *settings, deal *d, sos_path_point path[],
                            double losses[], sos_error *error)
{
    sos_train_settings s = settings ? *settings : sos_train_defaults();
    sos_status status = SOS_OK;
    s.checkpoint = NULL; /* of the training that follows */
    for (size_t fold = 0; fold < folds && !status; fold++) {
        deal_out(d, count, examples, folds, fold);
        status = fold_run(m, d, values_count, values, &s, path, losses, error);
    }
    return status;
}

static size_t least_of(size_t count, const double losses[])
{
    size_t best = 0;
    for (size_t v = 1; v < count; v++)
        if (losses[v] < losses[best]) best = v;
    return best;
}

sos_status sos_train_folds(const sos_model *m, size_t count, sos_example *const examples[], size_t folds, size_t values_count,
                           const double values[], const sos_train_settings *settings, double losses[], size_t *best,
                           sos_error *error)
{
    if (folds < 2 || folds > count)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu folds of %zu examples; there must be 2 or more, of one at least", folds,
                        count);
    deal d = { .learned = calloc(count, sizeof(sos_example *)), .judged = calloc(count, sizeof(sos_example *)) };
    sos_path_point *path = calloc(values_count ? values_count : 1, sizeof *path);
    double *sums = calloc(values_count ? values_count : 1, sizeof *sums);
    sos_status status = d.learned && d.judged && path && sums ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for folds");
    if (!status) status = folds_run(m, count, examples, folds, values_count, values, settings, &d, path, sums, error);
    for (size_t v = 0; !status && losses && v < values_count; v++) losses[v] = sums[v] / (double)count;
    if (!status && best) *best = least_of(values_count, sums);
    free(d.learned);
    free(d.judged);
    free(path);
    free(sums);
    return status;
}
