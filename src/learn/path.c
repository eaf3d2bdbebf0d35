/* path.c - training for several values of C, one after the other (math.md, 12.7). */
#include "learn/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "learn/example_oracle.h"

static sos_status path_check(size_t count, const double values[], sos_error *error)
{
    if (!count || !values) return sos_fail(error, SOS_ERR_ARGUMENT, "a path needs values of C");
    for (size_t i = 0; i < count; i++)
        if (!(values[i] > 0 && isfinite(values[i])) || (i && !(values[i] > values[i - 1])))
            return sos_fail(error, SOS_ERR_ARGUMENT, "values of C must be over 0 and increase; number %zu is %g", i, values[i]);
    return SOS_OK;
}

/* Trains for the current C of the path and judges the weights. */
static sos_status path_point(sos_trainer *t, sos_model *m, size_t count, sos_example *const validation[], sos_path_point *point,
                             sos_error *error)
{
    sos_status status = sos_trainer_run(t, &point->result, error);
    if (status) return status;
    memcpy(m->weights, t->best.weights, m->layout->weights * sizeof *m->weights);
    if (count)
        status = sos_examples_evaluate(t->pass.share, m, count, validation, t->settings.work.threads, NULL,
                                       &point->validation_loss, error);
    return status;
}

static sos_status follow_path(sos_trainer *t, sos_model *m, size_t validation_count, sos_example *const validation[],
                              size_t values_count, const double values[], sos_error *error)
{
    sos_trainer_path *path = &t->path;
    bool resumed;
    sos_status status = sos_trainer_begin(t, &resumed, error);
    if (status) return status;
    if (!sos_grow(&path->points, &path->room, values_count)) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a path");
    status = sos_share_agree(t->pass.share, status, error);
    if (status) return status;
    if (resumed && (path->point >= values_count || t->master.C != values[path->point]))
        return sos_fail(error, SOS_ERR_ARGUMENT, "the checkpoint is of a path with other values of C");
    for (bool stopped = false; !stopped && path->point < values_count;) {
        sos_path_point point = { .C = values[path->point], .result.resumed = resumed, .validation_loss = NAN };
        if (!resumed) sos_trainer_next_C(t, values[path->point]);
        status = path_point(t, m, validation_count, validation, &point, error);
        if (status) return status;
        if (!path->point || !validation_count || point.validation_loss < path->points[path->chosen].validation_loss) {
            path->chosen = path->point;
            memcpy(path->kept, m->weights, m->layout->weights * sizeof *path->kept);
        }
        path->points[path->point++] = point;
        stopped = point.result.outcome == SOS_TRAIN_STOPPED;
        resumed = false;
    }
    return SOS_OK;
}

/* What the model and the caller get: the weights of the chosen C, and what each value gave. */
static sos_status path_deliver(const sos_trainer *t, sos_model *m, size_t values_count, const double values[],
                               sos_path_point path[], size_t *best, sos_error *error)
{
    const sos_trainer_path *found = &t->path;
    memcpy(m->weights, found->kept, m->layout->weights * sizeof *m->weights);
    for (size_t i = 0; path && i < values_count; i++)
        path[i] = i < found->point ? found->points[i] : (sos_path_point){ .C = values[i], .validation_loss = NAN };
    if (best) *best = (size_t)found->chosen;
    return sos_train_status(&found->points[found->point - 1].result, error);
}

/* The weights of the model change on the way, since validation predicts by them: a failure puts the old ones back. */
static sos_status train_path_with(sos_model *m, sos_share *share, const sos_oracle *oracle, sos_recaller recaller,
                                  uint64_t data, size_t validation_count, sos_example *const validation[], size_t values_count,
                                  const double values[], const sos_train_settings *settings, sos_path_point path[],
                                  size_t *best, sos_error *error)
{
    const size_t bytes = m->layout->weights * sizeof *m->weights;
    double *before = malloc(bytes ? bytes : 1);
    sos_status status = before ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a path");
    status = sos_share_agree(share, status, error);
    sos_trainer t;
    if (!status) status = sos_trainer_create(&t, share, m->layout, oracle, recaller, data, settings, error);
    if (!status) {
        memcpy(before, m->weights, bytes);
        status = follow_path(&t, m, validation_count, validation, values_count, values, error);
        if (status)
            memcpy(m->weights, before, bytes);
        else
            status = path_deliver(&t, m, values_count, values, path, best, error);
        sos_trainer_free(&t);
    }
    free(before);
    return status;
}

sos_status sos_train_path(sos_model *m, size_t count, sos_example *const examples[], size_t validation_count,
                          sos_example *const validation[], size_t values_count, const double values[],
                          const sos_train_settings *settings, sos_path_point path[], size_t *best, sos_error *error)
{
    sos_status status = path_check(values_count, values, error);
    if (status) return status;
    sos_train_settings s = settings ? *settings : sos_train_defaults();
    sos_share share;
    s.C = values[0];
    status = sos_share_join(&share, s.work.communicator, error);
    if (!status) status = sos_examples_check(&share, m, count, examples, SOS_EXAMPLES_LEARN, error);
    if (!status) status = sos_examples_check(&share, m, validation_count, validation, SOS_EXAMPLES_JUDGE, error);
    if (status) return status;
    sos_example_oracle o;
    status = sos_example_oracle_create(&o, &share, count, examples, &s, error);
    if (status) return status;
    const sos_oracle oracle = sos_example_oracle_interface(&o);
    status = train_path_with(m, &share, &oracle, sos_example_oracle_recaller(&o, m), o.hash, validation_count, validation,
                             values_count, values, &s, path, best, error);
    sos_example_oracle_free(&o);
    return status;
}
