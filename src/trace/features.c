/* features.c - groups and facts of models of thin structures. */
#include "trace/features.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "tasks/facts.h"

enum { VERSION = 2 };
static const char TASK[] = "trace";

/* Where a line is clear. */
const s3svm_line_shape s3svm_trace_shapes[S3SVM_TRACE_SHAPES] = {
    { .length = S3SVM_TRACE_LENGTH, .stride = 1, .every = 2, .first_class = 2 },
    { .length = S3SVM_TRACE_LENGTH, .stride = 3, .every = 2, .first_class = 2 },
};
static const char *const SHAPE_NAMES[S3SVM_TRACE_SHAPES] = { "line", "long line" };

void s3svm_trace_features_free(s3svm_trace_features *f)
{
    s3svm_evidence_free(&f->evidence);
    s3svm_own_maps_free(&f->maps);
}

/* ---------------------------------------------------------------- groups */

/* Adds a group of that name, and returns its number. */
static uint32_t group_add(s3svm_trace_groups *g, sos_group group, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static uint32_t group_add(s3svm_trace_groups *g, sos_group group, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(g->names[g->count], sizeof g->names[0], format, arguments);
    va_end(arguments);
    group.name = g->names[g->count];
    g->groups[g->count] = group;
    return (uint32_t)g->count++;
}

/* Costs of two pixels: 0 for two that are no structure, and free otherwise; and a cost for different labels. */
static const sos_group PAIR_TABLE = { .kind = SOS_GROUP_TABLE, .size = 2, .anchored = true };
static const sos_group PAIR = { .kind = SOS_GROUP_TABLE, .size = 2, .anchored = true, .swap = true };

/* A table says with a hundred weights what pairs say with a few, so at the same C the sum of squares would keep it small; pairs
 * along lines get the same. */
static const double LINE_STIFFNESS = 0.05;

static void lines_list(const s3svm_trace_features *f, s3svm_trace_groups *g)
{
    const sos_group table = {
        .kind = SOS_GROUP_TABLE, .size = S3SVM_TRACE_LENGTH, .anchored = true, .reversal = true, .stiffness = LINE_STIFFNESS
    };
    sos_group pair = PAIR_TABLE;
    pair.stiffness = LINE_STIFFNESS;
    for (size_t s = 0; s < S3SVM_TRACE_SHAPES; s++) {
        g->pairs[s] = g->tables[s] = (uint32_t)g->count;
        for (size_t class = s3svm_trace_shapes[s].first_class; class <= S3SVM_TRACE_THRESHOLDS; class ++)
            if (f->design->cliques & S3SVM_TRACE_LINE_TABLES)
                group_add(g, table, "%s %zu", SHAPE_NAMES[s], class);
            else
                for (size_t d = 1; d < S3SVM_TRACE_LENGTH; d++)
                    group_add(g, pair, "%s %zu, distance %zu", SHAPE_NAMES[s], class, d);
    }
}

/* Where structures are rare and their borders uncertain, the hinge is least for an energy that calls nothing a structure: with
 * a constant to say so, and log odds that count nothing.  So training leaves the constant at 0, from where bias.c takes it. */
static const double CONSTANT_STIFFNESS = 1e9;

void s3svm_trace_groups_list(const s3svm_trace_features *f, s3svm_trace_groups *g)
{
    const sos_group one = { .kind = SOS_GROUP_FREE, .size = 1 };
    const sos_group fixed = { .kind = SOS_GROUP_FREE, .size = 1, .stiffness = CONSTANT_STIFFNESS };
    memset(g, 0, sizeof *g);
    g->constant = group_add(g, f->alone ? one : fixed, "constant");
    if (!f->alone) g->odds = group_add(g, one, "odds");
    if (f->design->cliques & S3SVM_TRACE_NEIGHBOURS) {
        g->neighbours = group_add(g, PAIR, "pair");
        group_add(g, PAIR, "pair across");
    }
    g->keyed = (uint32_t)g->count;
    for (size_t class = 0; f->design->cliques & S3SVM_TRACE_KEYED && class <= S3SVM_TRACE_THRESHOLDS; class ++)
        for (size_t turn = 0; turn <= S3SVM_TRACE_STEPS / 2; turn++)
            group_add(g, PAIR_TABLE, "pair %zu, turn %zu", class, turn);
    if (s3svm_trace_has_lines(f->design)) lines_list(f, g);
}

static sos_status groups_check(const sos_model *m, const s3svm_trace_features *f, sos_error *error)
{
    s3svm_trace_groups list;
    s3svm_trace_groups_list(f, &list);
    if (sos_model_labels(m) == 2 && s3svm_facts_groups(m, list.count, list.groups)) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "the model's groups are not those of the %s model of thin structures",
                    f->design->name);
}

/* ---------------------------------------------------------------- facts, written */

static void networks_write(sos_json *j, const s3svm_evidence *e)
{
    sos_json_floats(j, "channel", 3, e->channel);
    sos_json_floats(j, "side", 1, &e->side);
    sos_json_count(j, "folds", e->folds);
    sos_json_open(j, "networks", '[');
    for (size_t k = 0; k < e->folds; k++) {
        sos_json_floats(j, NULL, S3SVM_UNET_NUMBERS, e->first[k].numbers);
        sos_json_floats(j, NULL, s3svm_perceptron_numbers(&e->second[k]), e->second[k].numbers);
    }
    sos_json_close(j, ']');
}

static void features_write(sos_json *j, const void *data)
{
    const s3svm_trace_features *f = data;
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "version", VERSION);
    sos_json_text(j, "model", f->design->name);
    sos_json_truth(j, "alone", f->alone);
    sos_json_floats(j, "thresholds", S3SVM_TRACE_THRESHOLDS, f->threshold);
    sos_json_floats(j, "even", 1, &f->even);
    if (!f->alone) networks_write(j, &f->evidence);
    sos_json_close(j, '}');
}

sos_status s3svm_trace_features_model(const s3svm_trace_features *f, sos_model **out, sos_error *error)
{
    sos_model *m;
    s3svm_trace_groups list;
    sos_status status = sos_model_create(2, &m, error);
    if (status) return status;
    s3svm_trace_groups_list(f, &list);
    for (size_t g = 0; g < list.count && !status; g++) {
        uint32_t number;
        status = sos_model_add_group(m, &list.groups[g], &number, error);
    }
    if (!status) status = s3svm_facts_set_text(m, "task", TASK, error);
    if (!status) status = s3svm_facts_set(m, "features", features_write, f, error);
    if (status)
        sos_model_free(m);
    else
        *out = m;
    return status;
}

/* ---------------------------------------------------------------- facts, read */

static void networks_read(s3svm_facts *t, s3svm_evidence *e)
{
    float channel[3], side = 0;
    const size_t folds = s3svm_facts_count(t, t->whole, "folds", 1, S3SVM_EVIDENCE_FOLDS_MAX);
    s3svm_facts_reals(t, t->whole, "channel", 3, 3, channel);
    if (sos_json_value_member(t->whole, "side")) s3svm_facts_reals(t, t->whole, "side", 1, 1, &side); /* 1.0.0-rc.1 has none */
    if (!(side >= 0)) s3svm_facts_wrong(t, "the side of pictures is %g", (double)side);
    const sos_json_value *list = s3svm_facts_list(t, t->whole, "networks", 2 * folds, 2 * folds);
    if (t->status) return;
    t->status = s3svm_evidence_create(folds, e, t->error);
    if (t->status) return;
    memcpy(e->channel, channel, sizeof channel);
    e->side = side;
    for (size_t k = 0; k < folds; k++) {
        const size_t numbers = s3svm_perceptron_numbers(&e->second[k]);
        s3svm_facts_numbers(t, sos_json_value_item(list, 2 * k), "a first network", S3SVM_UNET_NUMBERS, S3SVM_UNET_NUMBERS,
                            e->first[k].numbers);
        s3svm_facts_numbers(t, sos_json_value_item(list, 2 * k + 1), "a second network", numbers, numbers,
                            e->second[k].numbers);
    }
}

static void facts_read(s3svm_facts *t, s3svm_trace_features *f)
{
    static const char *const members[] = { "version", "model", "alone", "thresholds", "even",
                                           "channel", "side",  "folds", "networks",   NULL },
                             *const alone_members[] = { "version", "model", "alone", "thresholds", "even", NULL };
    char name[S3SVM_TRACE_NAME_ROOM] = "";
    s3svm_facts_kind(t, VERSION, sizeof name, name);
    if (t->status) return;
    f->design = s3svm_trace_design_find(name);
    if (!f->design) s3svm_facts_wrong(t, "an unknown model of thin structures: \"%s\"", name);
    f->alone = sos_json_value_truth(sos_json_value_member(t->whole, "alone"));
    s3svm_facts_members(t, t->whole, f->alone ? alone_members : members);
    s3svm_facts_reals(t, t->whole, "thresholds", S3SVM_TRACE_THRESHOLDS, S3SVM_TRACE_THRESHOLDS, f->threshold);
    s3svm_facts_reals(t, t->whole, "even", 1, 1, &f->even);
    for (size_t i = 1; i < S3SVM_TRACE_THRESHOLDS && !t->status; i++)
        if (!(f->threshold[i] > f->threshold[i - 1])) s3svm_facts_wrong(t, "threshold %zu is not above the one before", i);
    if (!t->status && !f->alone) networks_read(t, &f->evidence);
}

sos_status s3svm_trace_features_read(const sos_model *m, s3svm_trace_features *f, sos_error *error)
{
    *f = (s3svm_trace_features){ 0 };
    sos_status status = s3svm_facts_task(m, TASK, error);
    if (status) return status;
    s3svm_facts t = s3svm_facts_open(m, "features", error);
    facts_read(&t, f);
    status = s3svm_facts_close(&t);
    if (!status) status = groups_check(m, f, error);
    if (!status) status = s3svm_own_maps_read(m, &f->maps, error);
    if (status) s3svm_trace_features_free(f);
    return status;
}
