/* outline_model.c - the learned refinement of outlines, as the fact "outline" of a model. */
#include <math.h>

#include "base/error.h"
#include "segment/outlines/outline.h"
#include "tasks/facts.h"

enum { VERSION = 1 };
static const char KEY[] = "outline";

void s3svm_outline_model_free(s3svm_outline_model *m)
{
    s3svm_perceptron_free(&m->network);
    *m = (s3svm_outline_model){ 0 };
}

static void fact_write(sos_json *j, const void *data)
{
    const s3svm_outline_model *m = data;
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "version", VERSION);
    if (m->network.inputs > S3SVM_OUTLINE_FEATURES) sos_json_truth(j, "evidence", true);
    sos_json_real(j, "strength", m->strength);
    sos_json_count(j, "hidden", m->network.hidden);
    sos_json_floats(j, "network", s3svm_perceptron_numbers(&m->network), m->network.numbers);
    sos_json_close(j, '}');
}

sos_status s3svm_outline_model_write(const s3svm_outline_model *outline, sos_model *m, sos_error *error)
{
    return s3svm_facts_set(m, KEY, fact_write, outline, error);
}

static void fact_read(s3svm_facts *t, s3svm_outline_model *m)
{
    static const char *const members[] = { "version", "evidence", "strength", "hidden", "network", NULL };
    s3svm_facts_members(t, t->whole, members);
    s3svm_facts_count(t, t->whole, "version", 1, VERSION);
    m->strength = s3svm_facts_real(t, t->whole, "strength");
    if (!t->status && !(m->strength >= 0 && m->strength <= S3SVM_OUTLINE_STRENGTH_MAX))
        s3svm_facts_wrong(t, "\"strength\" must be 0 to %d", S3SVM_OUTLINE_STRENGTH_MAX);
    const size_t hidden = s3svm_facts_count(t, t->whole, "hidden", S3SVM_PERCEPTRON_HIDDEN_STEP, S3SVM_PERCEPTRON_HIDDEN_MAX);
    if (!t->status && hidden % S3SVM_PERCEPTRON_HIDDEN_STEP)
        s3svm_facts_wrong(t, "\"hidden\" must be a multiple of %d", S3SVM_PERCEPTRON_HIDDEN_STEP);
    const bool evidence = sos_json_value_truth(sos_json_value_member(t->whole, "evidence"));
    const size_t inputs = evidence ? S3SVM_OUTLINE_FEATURES_MAX : S3SVM_OUTLINE_FEATURES;
    if (!t->status) t->status = s3svm_perceptron_create(inputs, hidden, 1, &m->network, t->error);
    if (t->status) return;
    const size_t numbers = s3svm_perceptron_numbers(&m->network);
    s3svm_facts_reals(t, t->whole, "network", numbers, numbers, m->network.numbers);
}

sos_status s3svm_outline_model_read(const sos_model *m, s3svm_outline_model *out, sos_error *error)
{
    s3svm_outline_model outline = { 0 };
    if (!sos_model_fact(m, KEY)) {
        *out = outline;
        return SOS_OK;
    }
    s3svm_facts t = s3svm_facts_open(m, KEY, error);
    fact_read(&t, &outline);
    const sos_status status = s3svm_facts_close(&t);
    if (status)
        s3svm_outline_model_free(&outline);
    else
        *out = outline;
    return status;
}
