/* outline_model.c - what a second look has learned, as the fact "outline" of a model. */
#include <math.h>

#include "base/error.h"
#include "segment/outline.h"
#include "tasks/facts.h"

enum { VERSION = 1 };
static const char KEY[] = "outline";

void sos_outline_model_free(sos_outline_model *m)
{
    sos_perceptron_free(&m->network);
    *m = (sos_outline_model){ 0 };
}

static void fact_write(sos_json *j, const void *data)
{
    const sos_outline_model *m = data;
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "version", VERSION);
    sos_json_real(j, "strength", m->strength);
    sos_json_count(j, "hidden", m->network.hidden);
    sos_json_floats(j, "network", sos_perceptron_numbers(&m->network), m->network.numbers);
    sos_json_close(j, '}');
}

sos_status sos_outline_model_write(const sos_outline_model *outline, sos_model *m, sos_error *error)
{
    return sos_facts_set(m, KEY, fact_write, outline, error);
}

static void fact_read(sos_facts *t, sos_outline_model *m)
{
    static const char *const members[] = { "version", "strength", "hidden", "network", NULL };
    sos_facts_members(t, t->whole, members);
    sos_facts_count(t, t->whole, "version", 1, VERSION);
    m->strength = sos_facts_real(t, t->whole, "strength");
    if (!t->status && !(m->strength >= 0 && m->strength <= SOS_OUTLINE_STRENGTH_MAX))
        sos_facts_wrong(t, "\"strength\" must be 0 to %d", SOS_OUTLINE_STRENGTH_MAX);
    const size_t hidden = sos_facts_count(t, t->whole, "hidden", SOS_PERCEPTRON_HIDDEN_STEP, SOS_PERCEPTRON_HIDDEN_MAX);
    if (!t->status && hidden % SOS_PERCEPTRON_HIDDEN_STEP)
        sos_facts_wrong(t, "\"hidden\" must be a multiple of %d", SOS_PERCEPTRON_HIDDEN_STEP);
    if (!t->status) t->status = sos_perceptron_create(SOS_OUTLINE_FEATURES, hidden, 1, &m->network, t->error);
    if (t->status) return;
    const size_t numbers = sos_perceptron_numbers(&m->network);
    sos_facts_reals(t, t->whole, "network", numbers, numbers, m->network.numbers);
}

sos_status sos_outline_model_read(const sos_model *m, sos_outline_model *out, sos_error *error)
{
    sos_outline_model outline = { 0 };
    if (!sos_model_fact(m, KEY)) {
        *out = outline;
        return SOS_OK;
    }
    sos_facts t = sos_facts_open(m, KEY, error);
    fact_read(&t, &outline);
    const sos_status status = sos_facts_close(&t);
    if (status)
        sos_outline_model_free(&outline);
    else
        *out = outline;
    return status;
}
