/* example_minimize.c - the labels of least energy: two labels exactly, more by expansion moves. */
#include "learn/example_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The labelling that is returned costs no more than the one that the moves started from, nor, for training, than the true one.
 */
static sos_status expand_from_best(sos_example *x, bool loss_augmented, sos_expand_settings *s, uint8_t labels[],
                                   sos_expand_result *r, sos_error *error)
{
    sos_status status = sos_expand(x->multi, s, labels, r, error);
    if (status || !loss_augmented || !sos_example_truth_is_less(x, r->energy)) return status;
    memcpy(labels, sos_example_reference(x), x->n);
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
        s.work.progress = settings->work.progress;
        s.work.user = settings->work.user;
    }
    uint8_t *found; /* labels are left alone where moves are stopped */
    if (!sos_copy_array(&found, labels, x->n, 1)) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu labels", x->n);
    sos_example_keep_fixed(x, found);
    sos_expand_result r;
    status = expand_from_best(x, loss_augmented, &s, found, &r, error);
    if (!status) {
        memcpy(labels, found, x->n);
        *result = (sos_minimize_result){ .energy = r.energy,
                                         .lower_bound = r.lower_bound,
                                         .rounding = r.rounding,
                                         .warm = s.start == SOS_EXPAND_LABELS,
                                         .bytes = r.bytes,
                                         .seconds_solve = r.seconds };
    }
    free(found);
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

/* Costs of a precise energy, at most: 64 MB of them. */
static const size_t PRECISE_MOST = (size_t)1 << 23;

bool sos_example_has_precise(const sos_example *x)
{
    const size_t costs = x->layout->labels == 2 ? sos_energy_unshared_costs(x->energy) : 0;
    return costs && costs <= PRECISE_MOST;
}

sos_status sos_example_minimize_precisely(sos_example *x, const double w[], uint8_t labels[], sos_minimize_result *result,
                                          sos_error *error)
{
    sos_energy *e = NULL;
    sos_minimize_result r = { 0 };
    double off = 0;
    sos_status status = sos_example_set_energy(x, w, true, error);
    if (!status) status = sos_energy_copy(x->energy, &e, error);
    if (!status) status = sos_energy_unshare(e, &off, error);
    if (!status) status = sos_minimize(e, NULL, labels, &r, error);
    sos_energy_free(e);
    r.energy *= x->scale;
    r.lower_bound = x->scale * (r.lower_bound - off);
    r.rounding = x->scale * (r.rounding + off);
    if (!status) *result = r;
    return status;
}

/* Can the energy with these weights be set up? */
static sos_status arguments_check(const sos_example *x, const double w[], bool loss_augmented, sos_error *error)
{
    if (!x || (!w && x->layout->weights)) return sos_fail(error, SOS_ERR_ARGUMENT, "no example or no weights were given");
    for (size_t i = 0; i < x->layout->weights; i++)
        if (!isfinite(w[i])) return sos_fail(error, SOS_ERR_ARGUMENT, "weight %zu is %g", i, w[i]);
    return loss_augmented ? sos_example_lesson_check(x, error) : SOS_OK;
}

sos_status sos_example_energy(sos_example *x, const double w[], bool loss_augmented, const sos_energy **out, sos_error *error)
{
    sos_status status = arguments_check(x, w, loss_augmented, error);
    if (status) return status;
    if (!out) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the energy was given");
    if (x->layout->labels != 2)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the example has %zu labels; its energy is a sos_multi_energy",
                        x->layout->labels);
    status = sos_example_set_energy(x, w, loss_augmented, error);
    if (!status) *out = x->energy;
    return status;
}

sos_status sos_example_multi_energy(sos_example *x, const double w[], bool loss_augmented, const sos_multi_energy **out,
                                    sos_error *error)
{
    sos_status status = arguments_check(x, w, loss_augmented, error);
    if (status) return status;
    if (!out) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the energy was given");
    if (x->layout->labels == 2)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the example has two labels; its energy is a sos_energy");
    status = sos_example_set_multi_energy(x, w, loss_augmented, error);
    if (!status) *out = x->multi;
    return status;
}

sos_status sos_example_minimize(sos_example *x, const double w[], bool loss_augmented, const sos_minimize_settings *settings,
                                uint8_t labels[], sos_minimize_result *result, sos_error *error)
{
    sos_status status = arguments_check(x, w, loss_augmented, error);
    if (status) return status;
    if (!labels) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the labels was given");
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
    if (!sos_example_fits(x, m)) return sos_fail(error, SOS_ERR_ARGUMENT, "the example was made for a model with other groups");
    return sos_example_minimize(x, m->weights, false, settings, labels, result, error);
}
