/* example_oracle.c - see example_oracle.h. */
#include "learn/example_oracle.h"

#include <stdlib.h>

#include "base/hash.h"
#include "learn/example.h"

static sos_status violate_example(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                                  sos_error *error)
{
    const sos_example_oracle *o = user;
    sos_example *x = o->examples[i];
    sos_minimize_settings s = sos_minimize_defaults();
    sos_minimize_result r;
    s.start = o->warm ? SOS_START_FLOW : SOS_START_COLD;
    const sos_status status = x->layout->labels == 2 ? sos_example_minimize(x, w, true, &s, o->labels[i], &r, error)
                                                     : sos_example_search(x, w, &o->searching, o->labels[i], &r, error);
    if (status) return status;
    sos_example_add_psi(x, o->labels[i], sos_example_reference(x), difference);
    *loss = sos_example_loss(x, o->labels[i]);
    *missed = 2 * r.rounding; /* the flow's minimum and this labelling's energy each moved by as much */
    return SOS_OK;
}

sos_status sos_examples_check(const sos_model *m, size_t count, sos_example *const examples[], sos_example_use use,
                              sos_error *error)
{
    if (!m || (count && !examples)) return sos_fail(error, SOS_ERR_ARGUMENT, "no model or no examples were given");
    for (size_t i = 0; i < count; i++) {
        if (!examples[i]) return sos_fail(error, SOS_ERR_ARGUMENT, "example %zu is missing", i);
        if (!sos_example_fits(examples[i], m))
            return sos_fail(error, SOS_ERR_ARGUMENT, "example %zu was made for a model with other groups", i);
        if (use != SOS_EXAMPLES_PREDICT && !sos_example_truth(examples[i]))
            return sos_fail(error, SOS_ERR_ARGUMENT, "example %zu has no true labels", i);
        sos_error why;
        if (use == SOS_EXAMPLES_LEARN && sos_example_lesson_check(examples[i], &why))
            return sos_fail(error, SOS_ERR_ARGUMENT, "example %zu: %s", i, why.message);
    }
    return SOS_OK;
}

void sos_label_arrays_free(size_t count, uint8_t **labels)
{
    for (size_t i = 0; labels && i < count; i++) free(labels[i]);
    free(labels);
}

uint8_t **sos_label_arrays_create(size_t count, sos_example *const examples[])
{
    uint8_t **labels = calloc(count ? count : 1, sizeof *labels);
    for (size_t i = 0; labels && i < count; i++) {
        labels[i] = malloc(sos_example_variables(examples[i]));
        if (labels[i]) continue;
        sos_label_arrays_free(count, labels);
        return NULL;
    }
    return labels;
}

/* Flows are kept as far as memory goes: the examples' sizes tell before the first is there. */
static bool flows_fit(size_t count, sos_example *const examples[], size_t memory)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += 2 * sos_example_bytes(examples[i]);
    return !memory || bytes <= memory;
}

sos_status sos_example_oracle_create(sos_example_oracle *o, size_t count, sos_example *const examples[],
                                     const sos_train_settings *settings, sos_error *error)
{
    *o = (sos_example_oracle){ .count = count, .examples = examples, .labels = sos_label_arrays_create(count, examples) };
    if (!o->labels) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the labels of %zu examples", count);
    o->warm = settings->warm && flows_fit(count, examples, settings->memory);
    o->searching = (sos_example_searching){ .searches = settings->searches, .exhaustive = settings->exhaustive };
    return SOS_OK;
}

void sos_example_oracle_free(sos_example_oracle *o)
{
    for (size_t i = 0; i < o->count; i++) sos_example_forget_flow(o->examples[i]);
    sos_label_arrays_free(o->count, o->labels);
}

/* Moves need not find the minimum of more than two labels. */
static bool is_approximate(const sos_example_oracle *o, size_t labels)
{
    bool listed = true;
    for (size_t i = 0; i < o->count; i++) listed = listed && sos_example_is_listed(o->examples[i], o->searching.exhaustive);
    return labels > 2 && !listed;
}

sos_oracle sos_example_oracle_interface(sos_example_oracle *o, size_t labels)
{
    return (
        sos_oracle){ .examples = o->count, .user = o, .violate = violate_example, .approximate = is_approximate(o, labels) };
}

uint64_t sos_example_oracle_hash(const sos_example_oracle *o, const sos_train_settings *settings)
{
    uint64_t hash = SOS_HASH_START;
    for (size_t i = 0; settings->checkpoint && i < o->count; i++) hash = sos_example_hash(o->examples[i], hash);
    return hash;
}
