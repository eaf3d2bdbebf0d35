/* features.c - groups and facts of models of denoising. */
#include "denoise/features.h"

#include <string.h>

#include "base/error.h"
#include "tasks/facts.h"

enum {
    VERSION = 1,        /* of the fact "features": of paper and full, whose designs follow from their names */
    VERSION_DESIGN = 2, /* of all others: the design is written down */
    FACTS_MAX = 9,      /* members of the fact */
    BLUR_MAX = 64
};
static const char TASK[] = "denoise";

void s3svm_denoise_features_free(s3svm_denoise_features *f)
{
    s3svm_response_free(&f->response);
    s3svm_own_maps_free(&f->maps);
}

static bool design_follows(const s3svm_denoise_features *f) { return !strcmp(f->name, "paper") || !strcmp(f->name, "full"); }

/* ---------------------------------------------------------------- groups */

static sos_status groups_add(sos_model *m, const s3svm_denoise_features *f, sos_error *error)
{
    s3svm_denoise_groups list;
    s3svm_denoise_groups_list(f, &list);
    sos_status status = SOS_OK;
    for (size_t g = 0; g < list.count && !status; g++) {
        uint32_t number;
        status = sos_model_add_group(m, &list.groups[g], &number, error);
    }
    return status;
}

static sos_status groups_check(const sos_model *m, const s3svm_denoise_features *f, sos_error *error)
{
    s3svm_denoise_groups list;
    s3svm_denoise_groups_list(f, &list);
    if (sos_model_labels(m) == 2 && s3svm_facts_groups(m, list.count, list.groups)) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "the model's groups are not those of the %s model of denoising", f->name);
}

/* ---------------------------------------------------------------- facts */

static void design_write(sos_json *j, const s3svm_denoise_design *d)
{
    sos_json_open(j, "unaries", '[');
    for (s3svm_denoise_unary u = 0; u < S3SVM_UNARIES; u++)
        if (s3svm_design_has_unary(d, u)) sos_json_text(j, NULL, s3svm_denoise_unary_name(u));
    sos_json_close(j, ']');
    sos_json_open(j, "cliques", '[');
    for (s3svm_denoise_cliques c = 0; c < S3SVM_CLIQUES; c++)
        if (s3svm_design_has_cliques(d, c)) sos_json_text(j, NULL, s3svm_denoise_cliques_name(c));
    sos_json_close(j, ']');
}

static void key_write(sos_json *j, const s3svm_denoise_design *d, const s3svm_denoise_key *k)
{
    sos_json_open(j, "direction", '{');
    sos_json_real(j, "blur", k->blur);
    sos_json_count(j, "steps", k->steps);
    sos_json_count(j, "length", k->length);
    sos_json_count(j, "every", k->every);
    if (s3svm_design_has_long_lines(d)) {
        sos_json_count(j, "long_steps", k->long_steps);
        sos_json_count(j, "long_stride", k->long_stride);
        sos_json_count(j, "long_class", k->long_class);
    }
    sos_json_floats(j, "thresholds", k->thresholds, k->threshold);
    sos_json_floats(j, "knots", k->knots, k->knot);
    sos_json_close(j, '}');
}

static void networks_write(sos_json *j, const s3svm_denoise_features *f)
{
    sos_json_real(j, "undecided", f->undecided);
    sos_json_floats(j, "knots", f->knots, f->knot);
    sos_json_open(j, "networks", '[');
    for (size_t s = 0; s < S3SVM_RESPONSE_STAGES; s++) {
        const s3svm_perceptron *p = &f->response.stages[s];
        sos_json_open(j, NULL, '{');
        sos_json_count(j, "inputs", p->inputs);
        sos_json_floats(j, "numbers", s3svm_perceptron_numbers(p), p->numbers);
        sos_json_close(j, '}');
    }
    sos_json_close(j, ']');
}

static void features_write(sos_json *j, const void *data)
{
    const s3svm_denoise_features *f = data;
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "version", design_follows(f) ? VERSION : VERSION_DESIGN);
    sos_json_text(j, "model", f->name);
    if (f->alone && design_follows(f)) sos_json_truth(j, "alone", true);
    if (!design_follows(f)) design_write(j, &f->design);
    if (s3svm_design_has_directions(&f->design)) key_write(j, &f->design, &f->key);
    if (s3svm_design_has_networks(&f->design)) networks_write(j, f);
    sos_json_close(j, '}');
}

static sos_status facts_set(sos_model *m, const s3svm_denoise_features *f, sos_error *error)
{
    const sos_status status = s3svm_facts_set_text(m, "task", TASK, error);
    return status ? status : s3svm_facts_set(m, "features", features_write, f, error);
}

static void networks_read(s3svm_facts *t, s3svm_response *r)
{
    static const char *const members[] = { "inputs", "numbers", NULL };
    const sos_json_value *list = s3svm_facts_list(t, t->whole, "networks", S3SVM_RESPONSE_STAGES, S3SVM_RESPONSE_STAGES);
    for (size_t s = 0; s < S3SVM_RESPONSE_STAGES; s++) {
        const sos_json_value *network = sos_json_value_item(list, s);
        const size_t inputs = r->stages[s].inputs, numbers = s3svm_perceptron_numbers(&r->stages[s]);
        s3svm_facts_members(t, network, members);
        s3svm_facts_count(t, network, "inputs", inputs, inputs);
        s3svm_facts_reals(t, network, "numbers", numbers, numbers, r->stages[s].numbers);
    }
}

/* Paper and full are of the first version, all others, which say what they are made of, of the second. */
static void name_read(s3svm_facts *t, s3svm_denoise_features *f)
{
    s3svm_facts_kind(t, VERSION_DESIGN, sizeof f->name, f->name);
    if (t->status) return;
    const size_t version = s3svm_facts_count(t, t->whole, "version", 1, VERSION_DESIGN);
    if (design_follows(f) && version != VERSION) s3svm_facts_wrong(t, "the model %s has version %d", f->name, VERSION);
    if (!design_follows(f) && version == VERSION) s3svm_facts_wrong(t, "an unknown model of denoising: \"%s\"", f->name);
}

static void increasing_check(s3svm_facts *t, const char *what, size_t count, const float x[])
{
    for (size_t i = 1; i < count; i++)
        if (!(x[i] > x[i - 1])) s3svm_facts_wrong(t, "%s %zu is not greater than the previous one", what, i);
}

/* A set of names as bits. */
static unsigned names_read(s3svm_facts *t, const char *member, size_t count, const char *(*name_of)(size_t))
{
    const sos_json_value *list = s3svm_facts_list(t, t->whole, member, 0, count);
    unsigned set = 0;
    for (size_t i = 0; i < sos_json_value_size(list) && !t->status; i++) {
        const char *text = sos_json_value_text(sos_json_value_item(list, i));
        size_t found = 0;
        while (found < count && (!text || strcmp(text, name_of(found)) != 0)) found++;
        if (found == count || set >> found & 1)
            s3svm_facts_wrong(t, "value %zu of \"%s\" is unknown or repeated", i, member);
        else
            set |= 1U << found;
    }
    return set;
}

static const char *unary_name(size_t u) { return s3svm_denoise_unary_name((s3svm_denoise_unary)u); }
static const char *cliques_name(size_t c) { return s3svm_denoise_cliques_name((s3svm_denoise_cliques)c); }

static s3svm_denoise_design design_read(s3svm_facts *t, const s3svm_denoise_features *f)
{
    if (design_follows(f)) {
        s3svm_denoise_design d = s3svm_denoise_preset_find(f->name)->design;
        if (f->alone) d.unaries = 1U << S3SVM_UNARY_CONSTANT;
        return d;
    }
    return (s3svm_denoise_design){ names_read(t, "unaries", S3SVM_UNARIES, unary_name),
                                   names_read(t, "cliques", S3SVM_CLIQUES, cliques_name) };
}

static void long_lines_read(s3svm_facts *t, const sos_json_value *key, s3svm_denoise_key *k)
{
    k->long_steps = s3svm_facts_count(t, key, "long_steps", 4, S3SVM_DENOISE_STEPS_MAX);
    k->long_stride = s3svm_facts_count(t, key, "long_stride", 1, S3SVM_DENOISE_STRIDE_MAX);
    k->long_class = s3svm_facts_count(t, key, "long_class", 1, k->thresholds);
}

static void key_read(s3svm_facts *t, const s3svm_denoise_design *d, s3svm_denoise_key *k)
{
    static const char *const members[] = { "blur",  "steps",      "length",      "every",      "thresholds",
                                           "knots", "long_steps", "long_stride", "long_class", NULL },
                             *const short_members[] = { "blur", "steps", "length", "every", "thresholds", "knots", NULL };
    const bool tables = s3svm_design_has_cliques(d, S3SVM_CLIQUES_LINE_TABLES) ||
                        s3svm_design_has_cliques(d, S3SVM_CLIQUES_LONG_TABLES);
    const bool has_long = s3svm_design_has_long_lines(d);
    const size_t shortest = s3svm_design_has_lines(d) || has_long ? S3SVM_DENOISE_LENGTH_MIN : 0;
    const sos_json_value *key = sos_json_value_member(t->whole, "direction");
    s3svm_facts_members(t, key, has_long ? members : short_members);
    k->blur = s3svm_facts_real(t, key, "blur");
    k->steps = s3svm_facts_count(t, key, "steps", 4, S3SVM_DENOISE_STEPS_MAX);
    k->length = s3svm_facts_count(t, key, "length", shortest, S3SVM_DENOISE_LENGTH_MAX);
    k->every = s3svm_facts_count(t, key, "every", 1, S3SVM_DENOISE_LENGTH_MAX);
    k->thresholds = s3svm_facts_reals(t, key, "thresholds", 1, S3SVM_DENOISE_THRESHOLDS_MAX, k->threshold);
    k->knots = s3svm_facts_reals(t, key, "knots", 2, S3SVM_DENOISE_KNOTS_MAX, k->knot);
    if (has_long) long_lines_read(t, key, k);
    increasing_check(t, "threshold", k->thresholds, k->threshold);
    increasing_check(t, "knot", k->knots, k->knot);
    if (!t->status && !(k->blur > 0 && k->blur <= BLUR_MAX))
        s3svm_facts_wrong(t, "\"blur\" must be above 0 and at most %d", BLUR_MAX);
    if (!t->status && tables && k->length > S3SVM_DENOISE_TABLE_MAX)
        s3svm_facts_wrong(t, "tables of lines of %zu pixels; at most %d are possible", k->length, S3SVM_DENOISE_TABLE_MAX);
    if (!t->status && k->steps % 4) s3svm_facts_wrong(t, "\"steps\" must be a multiple of 4");
}

/* The members that a design needs, and no others. */
static void members_check(s3svm_facts *t, const s3svm_denoise_features *f)
{
    const char *names[FACTS_MAX + 1] = { NULL };
    size_t count = 0;
    names[count++] = "version";
    names[count++] = "model";
    if (f->alone) names[count++] = "alone";
    if (!design_follows(f)) {
        names[count++] = "unaries";
        names[count++] = "cliques";
    }
    if (s3svm_design_has_directions(&f->design)) names[count++] = "direction";
    if (s3svm_design_has_networks(&f->design)) {
        names[count++] = "undecided";
        names[count++] = "knots";
        names[count++] = "networks";
    }
    s3svm_facts_members(t, t->whole, names);
}

static void facts_read(s3svm_facts *t, s3svm_denoise_features *f)
{
    name_read(t, f);
    f->alone = design_follows(f) && sos_json_value_truth(sos_json_value_member(t->whole, "alone"));
    f->design = design_read(t, f);
    members_check(t, f);
    if (!t->status && s3svm_design_has_directions(&f->design)) key_read(t, &f->design, &f->key);
    if (t->status || !s3svm_design_has_networks(&f->design)) return;
    t->status = s3svm_response_create(&f->response, t->error);
    f->undecided = s3svm_facts_real(t, t->whole, "undecided");
    f->knots = s3svm_facts_reals(t, t->whole, "knots", 2, S3SVM_DENOISE_KNOTS_MAX, f->knot);
    increasing_check(t, "knot", f->knots, f->knot);
    networks_read(t, &f->response);
}

sos_status s3svm_denoise_features_read(const sos_model *m, s3svm_denoise_features *f, sos_error *error)
{
    *f = (s3svm_denoise_features){ 0 };
    sos_status status = s3svm_facts_task(m, TASK, error);
    if (status) return status;
    s3svm_facts t = s3svm_facts_open(m, "features", error);
    facts_read(&t, f);
    status = s3svm_facts_close(&t);
    if (!status) status = groups_check(m, f, error);
    if (!status) status = s3svm_own_maps_read(m, &f->maps, error);
    if (status) s3svm_denoise_features_free(f);
    return status;
}

sos_status s3svm_denoise_features_model(const s3svm_denoise_features *f, sos_model **out, sos_error *error)
{
    sos_model *m;
    sos_status status = sos_model_create(2, &m, error);
    if (status) return status;
    status = groups_add(m, f, error);
    if (!status) status = facts_set(m, f, error);
    if (status)
        sos_model_free(m);
    else
        *out = m;
    return status;
}
