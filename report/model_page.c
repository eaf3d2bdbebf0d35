/* model_page.c - the page about a model. */
#include "report/model_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_read.h"
#include "report/report.h"

enum {
    FACT_SHOWN = 240,  /* characters of a fact that are shown: networks and clusters have thousands */
    TABLE_SHOWN = 9,   /* members of a table that is drawn */
    LINES_SHOWN = 512, /* weights of a group that are drawn as a line */
    TEXT = 96
};

s3svm_group_summary s3svm_model_group_summary(const sos_model *m, uint32_t group)
{
    const size_t first = sos_model_group_offset(m, group);
    const bool last = group + 1 == sos_model_groups(m);
    const size_t end = last ? sos_model_weight_count(m) : sos_model_group_offset(m, group + 1);
    const double *w = sos_model_weights(m);
    s3svm_group_summary s = { .weights = end - first, .least = NAN, .most = NAN };
    for (size_t i = first; i < end; i++) {
        s.zeros += w[i] == 0;
        s.least = fmin(s.least, w[i]);
        s.most = fmax(s.most, w[i]);
        s.square += w[i] * w[i];
    }
    return s;
}

/* ---------------------------------------------------------------- facts */

/* The record of training, number by number. */
static void training_show(s3svm_report *page, const sos_model *m)
{
    static const struct {
        const char *member, *name;
    } SHOWN[] = { { "examples", "examples" }, { "C", "C" },
                  { "round", "rounds" },      { "primal", "objective" },
                  { "gap", "relative gap" },  { "hinge", "mean slack" },
                  { "loss", "mean loss" },    { "seconds", "seconds" } };
    const char *text = sos_model_fact(m, "training");
    sos_json_value *record = NULL;
    if (!text || sos_json_read(text, strlen(text), "training", &record, NULL)) return;
    const char *data = sos_json_value_text(sos_json_value_member(record, "data"));
    if (data) s3svm_report_fact(page, "data", "%s", data);
    for (size_t i = 0; i < sizeof SHOWN / sizeof *SHOWN; i++) {
        char number[S3SVM_NUMBER_TEXT];
        const double x = sos_json_value_number(sos_json_value_member(record, SHOWN[i].member));
        if (isfinite(x)) s3svm_report_fact(page, SHOWN[i].name, "%s", s3svm_number_text(x, 4, number));
    }
    sos_json_free(record);
}

/* A fact in a row of a table: texts as they read, the beginning of what is longer. */
static void fact_row(s3svm_report *page, const sos_model *m, const char *key)
{
    const char *value = sos_model_fact(m, key);
    sos_json_value *read = NULL;
    const bool fine = !sos_json_read(value, strlen(value), key, &read, NULL);
    const char *shown = fine && sos_json_value_text(read) ? sos_json_value_text(read) : value;
    const size_t length = strlen(shown);
    s3svm_report_cell(page, "%s", key);
    if (length <= FACT_SHOWN)
        s3svm_report_cell(page, "%s", shown);
    else
        s3svm_report_cell(page, "%.*s ... (%zu characters)", FACT_SHOWN, shown, length);
    sos_json_free(read);
}

static void facts_show(s3svm_report *page, const sos_model *m)
{
    static const s3svm_column columns[] = { { .name = "Fact" }, { .name = "what the model file says", .text = true } };
    training_show(page, m);
    s3svm_report_table(page, "Facts that travel with the model", sizeof columns / sizeof *columns, columns);
    for (size_t i = 0; i < sos_model_facts(m); i++)
        if (strcmp(sos_model_fact_key(m, i), "training") != 0) fact_row(page, m, sos_model_fact_key(m, i));
}

/* ---------------------------------------------------------------- groups */

static const char *kind_name(sos_group_kind kind)
{
    switch (kind) {
    case SOS_GROUP_FREE: return "weights of features";
    case SOS_GROUP_NONNEGATIVE: return "strengths";
    case SOS_GROUP_TABLE: return "table";
    case SOS_GROUP_COUNT: return "function of the count";
    }
    return "?";
}

static void groups_list(s3svm_report *page, const sos_model *m)
{
    static const s3svm_column columns[] = { { .name = "Group" }, { .name = "kind", .text = true },
                                            { .name = "size" },  { .name = "weights" },
                                            { .name = "zeros" }, { .name = "least" },
                                            { .name = "most" },  { .name = "sum of squares" } };
    s3svm_report_table(page, "Groups of weights", sizeof columns / sizeof *columns, columns);
    for (uint32_t g = 0; g < sos_model_groups(m); g++) {
        const sos_group *spec = sos_model_group(m, g);
        const s3svm_group_summary s = s3svm_model_group_summary(m, g);
        char text[S3SVM_NUMBER_TEXT];
        s3svm_report_cell(page, "%s", spec->name);
        s3svm_report_cell(page, "%s", kind_name(spec->kind));
        s3svm_report_number(page, (double)spec->size, "%zu", spec->size);
        s3svm_report_number(page, (double)s.weights, "%zu", s.weights);
        s3svm_report_number(page, (double)s.zeros, "%zu", s.zeros);
        s3svm_report_number(page, s.least, "%s", s3svm_number_text(s.least, 4, text));
        s3svm_report_number(page, s.most, "%s", s3svm_number_text(s.most, 4, text));
        s3svm_report_number(page, s.square, "%s", s3svm_number_text(s.square, 4, text));
    }
}

/* What a feature of a group says of two labels: how much more label 0 costs than label 1; with more labels, one line each. */
static void free_chart(s3svm_report *page, const sos_model *m, uint32_t group)
{
    const sos_group *spec = sos_model_group(m, group);
    const double *w = sos_model_weights(m) + sos_model_group_offset(m, group);
    const size_t labels = sos_model_labels(m), lines = labels == 2 ? 1 : labels < S3SVM_PALETTE ? labels : S3SVM_PALETTE;
    if (spec->size > LINES_SHOWN) {
        s3svm_report_text(page, "%s: %zu features are too many to draw.", spec->name, spec->size);
        return;
    }
    double *x = malloc((1 + lines) * spec->size * sizeof *x);
    s3svm_series series[S3SVM_PALETTE] = { 0 };
    char names[S3SVM_PALETTE][TEXT];
    if (!x) {
        s3svm_report_no_memory(page, "a chart");
        return;
    }
    for (size_t j = 0; j < spec->size; j++) x[j] = (double)j;
    for (size_t l = 0; l < lines; l++) {
        double *y = x + (1 + l) * spec->size;
        for (size_t j = 0; j < spec->size; j++) y[j] = labels == 2 ? w[2 * j] - w[2 * j + 1] : w[j * labels + l];
        snprintf(names[l], TEXT, "label %zu", l);
        series[l] = (s3svm_series){ .name = labels == 2 ? "for label 1" : names[l], .count = spec->size, .x = x, .y = y };
    }
    s3svm_report_chart(page, &(s3svm_chart){ .title = spec->name,
                                             .note = labels == 2 ? "Positive weights favour label 1." : "Costs of labels.",
                                             .x = { .name = "feature" },
                                             .y = { .name = labels == 2 ? "cost of 0 less cost of 1" : "cost", .zero = true },
                                             .count = lines,
                                             .series = series });
    free(x);
}

static void strengths_bars(s3svm_report *page, const sos_model *m, uint32_t group)
{
    const sos_group *spec = sos_model_group(m, group);
    const size_t count = spec->size < 32 ? spec->size : 32;
    const char *names[32];
    char texts[32][TEXT];
    for (size_t j = 0; j < count; j++) {
        snprintf(texts[j], TEXT, "feature %zu", j);
        names[j] = texts[j];
    }
    s3svm_report_bars(page, &(s3svm_bars){ .title = spec->name,
                                           .note = "What members that differ cost for one unit of the feature.",
                                           .axis = "strength",
                                           .count = count,
                                           .names = names,
                                           .values = sos_model_weights(m) + sos_model_group_offset(m, group) });
}

/* The shape that a table is drawn in: its patch, or a line. */
static void table_shape(const sos_group *spec, size_t *width, size_t *height)
{
    *width = spec->patch_width ? spec->patch_width : spec->size == 4 ? 2 : spec->size == 9 ? 3 : spec->size;
    *height = spec->size / *width;
}

static bool tables_alike(const sos_group *a, const sos_group *b)
{
    return b->kind == SOS_GROUP_TABLE && a->size == b->size && a->patch_width == b->patch_width && a->strengths == b->strengths;
}

/* "name, strength 1, label 2", as far as there are several. */
static void function_name(const sos_model *m, uint32_t group, size_t function, char text[TEXT])
{
    const sos_group *spec = sos_model_group(m, group);
    const size_t labels = sos_model_labels(m) == 2 ? 1 : sos_model_labels(m);
    int at = snprintf(text, TEXT, "%.30s", spec->name);
    if (spec->strengths > 1) at += snprintf(text + at, TEXT - (size_t)at, ", strength %zu", function / labels);
    if (labels > 1) snprintf(text + at, TEXT - (size_t)at, ", label %zu", function % labels);
}

/* What shares of the members cost: a line per function. */
static void curves_chart(s3svm_report *page, const sos_model *m, uint32_t group)
{
    const sos_group *spec = sos_model_group(m, group);
    const size_t functions = sos_model_functions(m, group), lines = functions < S3SVM_PALETTE ? functions : S3SVM_PALETTE;
    double *y = malloc(lines * spec->size * sizeof *y);
    s3svm_series series[S3SVM_PALETTE] = { 0 };
    char names[S3SVM_PALETTE][TEXT];
    if (!y) {
        s3svm_report_no_memory(page, "a chart");
        return;
    }
    for (size_t i = 0; i < lines; i++) {
        sos_model_table(m, group, i, y + i * spec->size);
        function_name(m, group, i, names[i]);
        series[i] = (s3svm_series){ .name = names[i], .count = spec->size, .x = spec->shares, .y = y + i * spec->size };
    }
    s3svm_report_chart(page,
                       &(s3svm_chart){ .title = spec->name,
                                       .note = sos_model_labels(m) == 2 ? "What a clique costs by the share of it labelled 1."
                                                                        : "What a clique costs by the share that has a label.",
                                       .x = { .name = "share of the members" },
                                       .y = { .name = "cost", .zero = true },
                                       .count = lines,
                                       .series = series });
    free(y);
}

/* The tables from this group on that have its shape, all labels of each; returns how many groups these are. */
static uint32_t tables_draw(s3svm_report *page, const sos_model *m, uint32_t group)
{
    const sos_group *spec = sos_model_group(m, group);
    const size_t copies = sos_model_functions(m, group), entries = (size_t)1 << spec->size;
    uint32_t groups = 1;
    while (group + groups < sos_model_groups(m) && tables_alike(spec, sos_model_group(m, group + groups))) groups++;
    if (spec->size > TABLE_SHOWN) {
        s3svm_report_text(page, "%s: tables of %zu members are too large to draw.", spec->name, spec->size);
        return groups;
    }
    const size_t count = groups * copies;
    double *costs = malloc(count * entries * sizeof *costs);
    char(*texts)[TEXT] = malloc(count * sizeof *texts);
    const char **names = malloc(count * sizeof *names);
    if (costs && texts && names) {
        for (size_t i = 0; i < count; i++) {
            const uint32_t g = group + (uint32_t)(i / copies);
            sos_model_table(m, g, i % copies, costs + i * entries);
            if (copies == 1)
                snprintf(texts[i], TEXT, "%.60s", sos_model_group(m, g)->name);
            else
                function_name(m, g, i % copies, texts[i]);
            names[i] = texts[i];
        }
        s3svm_patches patches = { .caption = "What each labelling of the members costs; label 1 is drawn dark",
                                  .count = count,
                                  .names = names,
                                  .costs = costs,
                                  .ink = true };
        table_shape(spec, &patches.width, &patches.height);
        s3svm_report_patches(page, &patches);
    } else
        s3svm_report_no_memory(page, "tables");
    free(costs);
    free(texts);
    free(names);
    return groups;
}

static void groups_draw(s3svm_report *page, const sos_model *m)
{
    for (uint32_t g = 0; g < sos_model_groups(m);) {
        const sos_group_kind kind = sos_model_group(m, g)->kind;
        if (kind == SOS_GROUP_TABLE) {
            g += tables_draw(page, m, g);
            continue;
        }
        if (kind == SOS_GROUP_FREE)
            free_chart(page, m, g);
        else if (kind == SOS_GROUP_COUNT)
            curves_chart(page, m, g);
        else
            strengths_bars(page, m, g);
        g++;
    }
}

sos_status s3svm_model_page(const sos_model *m, const char *name, const char *path, sos_error *error)
{
    s3svm_report page;
    char subtitle[TEXT];
    if (!m || !name || !path) return sos_fail(error, SOS_ERR_ARGUMENT, "no model, no name or no path was given");
    snprintf(subtitle, sizeof subtitle, "%zu labels, %zu weights in %zu groups", sos_model_labels(m), sos_model_weight_count(m),
             sos_model_groups(m));
    s3svm_report_open(&page, path, name, subtitle, error);
    s3svm_report_heading(&page, "Where it comes from");
    facts_show(&page, m);
    s3svm_report_heading(&page, "What it has learned");
    groups_list(&page, m);
    groups_draw(&page, m);
    return s3svm_report_close(&page);
}
