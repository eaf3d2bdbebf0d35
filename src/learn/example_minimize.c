/* example_minimize.c - the labels of least energy: two labels exactly, more by expansion moves. */
#include "learn/example.h"

#include <math.h>
#include <string.h>

/* Expansion moves need not find the minimum.  But the labelling that is returned costs no more than the one that the moves
 * started from, nor, for training, than the true one: no constraint that is found is less violated than none. */
static sos_status expand_from_best(sos_example *x, bool loss_augmented, sos_expand_settings *s, uint8_t labels[],
                                   sos_expand_result *r, sos_error *error)
{
    sos_status status = sos_expand(x->multi, s, labels, r, error);
    if (status || !loss_augmented || sos_multi_energy_value(x->multi, x->truth) >= r->energy) return status;
    memcpy(labels, x->truth, x->n);
    s->start = SOS_EXPAND_LABELS;
    return sos_expand(x->multi, s, labels, r, error);
}

static sos_status minimize_labels(sos_example *x, const double w[], bool loss_augmented, const sos_minimize_settings *settings,
                                  uint8_t labels[], sos_minimize_result *result, sos_error *error)
{
    sos_status status = sos_example_set_multi_energy(x, w, loss_augmented, error);
    if (status) return status;
    sos_expand_settings s = sos_expand_defaults();
    if (settings) {
        s.start = settings->start == SOS_START_LABELS ? SOS_EXPAND_LABELS : SOS_EXPAND_UNARIES;
        s.bits = settings->bits;
        s.memory_limit = settings->memory_limit;
        s.progress = settings->progress;
        s.user = settings->user;
    }
    sos_expand_result r;
    status = expand_from_best(x, loss_augmented, &s, labels, &r, error);
    if (!status)
        *result = (sos_minimize_result){ .energy = r.energy,
                                         .lower_bound = r.lower_bound,
                                         .rounding = r.rounding,
                                         .warm = s.start == SOS_EXPAND_LABELS,
                                         .bytes = r.bytes,
                                         .seconds_solve = r.seconds };
    return status;
}

static sos_status minimize_two(sos_example *x, const double w[], bool loss_augmented, const sos_minimize_settings *settings,
                               uint8_t labels[], sos_minimize_result *result, sos_error *error)
{
    sos_status status = sos_example_set_energy(x, w, loss_augmented, error);
    if (status) return status;
    if (!settings || settings->start != SOS_START_FLOW) return sos_minimize(x->energy, settings, labels, result, error);
    if (!x->minimizer) status = sos_minimizer_create(&x->minimizer, error);
    if (!status) status = sos_minimizer_run(x->minimizer, x->energy, settings, labels, result, error);
    x->flow_bytes = result->bytes;
    return status;
}

sos_status sos_example_minimize(sos_example *x, const double w[], bool loss_augmented, const sos_minimize_settings *settings,
                                uint8_t labels[], sos_minimize_result *result, sos_error *error)
{
    if (!x || (!w && x->layout->weights) || !labels)
        return sos_fail(error, SOS_ERR_ARGUMENT, "no example, no weights or no labels were given");
    sos_status status = loss_augmented ? sos_example_truth_check(x, error) : SOS_OK;
    for (size_t i = 0; !status && i < x->layout->weights; i++)
        if (!isfinite(w[i])) status = sos_fail(error, SOS_ERR_ARGUMENT, "weight %zu is %g", i, w[i]);
    if (status) return status;
    sos_minimize_result r = { 0 };
    status = x->layout->labels == 2 ? minimize_two(x, w, loss_augmented, settings, labels, &r, error)
                                    : minimize_labels(x, w, loss_augmented, settings, labels, &r, error);
    r.energy *= x->scale;
    r.lower_bound *= x->scale;
    r.rounding *= x->scale;
    if (!status && result) *result = r;
    return status;
}

sos_status sos_model_predict(const sos_model *m, sos_example *x, const sos_minimize_settings *settings, uint8_t labels[],
                             sos_minimize_result *result, sos_error *error)
{
    if (!m || !x) return sos_fail(error, SOS_ERR_ARGUMENT, "no model or no example was given");
    if (m->layout->identity != x->layout->identity)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the example was made for a model with other groups");
    return sos_example_minimize(x, m->weights, false, settings, labels, result, error);
}
