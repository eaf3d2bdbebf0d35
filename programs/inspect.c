/* inspect.c - s3svm inspect: what a model is for, what it was learned from, and its weights. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include <s3svm/embedded.h>
#include <s3svm/task.h>

#include "base/json.h"
#include "base/json_read.h"
#include "command.h"
#include "files.h"
#include "options.h"
#include "report/model_page.h"

static const char *const KINDS[] = { "free", "nonnegative", "table", "count" }; /* in the order of sos_group_kind */

typedef struct request {
    const char *page;
    bool json;
} request;

static const s3svm_option OPTIONS[] = {
    { "output", 'o', S3SVM_SETS_TEXT(request, page), "PAGE", "write an HTML page with charts and pictures", 0, 0 },
    { "json", 0, S3SVM_SETS_FLAG(request, json), NULL, "print a JSON object", 0, 0 },
    S3SVM_OPTIONS_END,
};

/* ---------------------------------------------------------------- text */

/* A fact of one line: a text without its quotes, else as it is, cut where it is long. */
static void fact_print(const char *key, const char *value)
{
    enum { MOST = 96 };
    sos_json_value *v = NULL;
    const bool read = !sos_json_read(value, strlen(value), key, &v, NULL);
    const char *text = read && sos_json_value_text(v) ? sos_json_value_text(v) : value;
    const size_t length = strlen(text);
    printf("  %-12s %.*s", key, MOST, text);
    if (length > MOST) printf("... (%zu characters)", length);
    putchar('\n');
    sos_json_free(v);
}

/* What the record of training says, in a line. */
static void training_print(const char *record)
{
    sos_json_value *v = NULL;
    sos_error error;
    if (sos_json_read(record, strlen(record), "training", &v, &error)) return;
    const char *data = sos_json_value_text(sos_json_value_member(v, "data"));
    const char *outcome = sos_json_value_text(sos_json_value_member(v, "outcome"));
    printf("  training     %g examples of %s, C = %g, %g rounds, ended by %s: objective %.6g, gap %.2g\n",
           sos_json_value_number(sos_json_value_member(v, "examples")), data ? data : "?",
           sos_json_value_number(sos_json_value_member(v, "C")), sos_json_value_number(sos_json_value_member(v, "round")),
           outcome ? outcome : "?", sos_json_value_number(sos_json_value_member(v, "primal")),
           sos_json_value_number(sos_json_value_member(v, "gap")));
    sos_json_free(v);
}

/* Which function of a group this is: of which strength and label, where there are several. */
static void function_print(const sos_model *m, uint32_t group, size_t function)
{
    const size_t labels = sos_model_labels(m) == 2 ? 1 : sos_model_labels(m);
    printf("      ");
    if (sos_model_group(m, group)->strengths > 1) printf("strength %zu%s", function / labels, labels > 1 ? ", " : ":");
    if (labels > 1) printf("label %zu:", function % labels);
}

/* The values of the functions of a count group at the shares of its knots. */
static void curves_print(const sos_model *m, uint32_t group)
{
    const sos_group *spec = sos_model_group(m, group);
    double *F = malloc(spec->size * sizeof *F);
    printf("      shares");
    for (size_t j = 0; j < spec->size; j++) printf(" %.4g", spec->shares[j]);
    putchar('\n');
    for (size_t i = 0; F && i < sos_model_functions(m, group); i++) {
        sos_model_table(m, group, i, F);
        function_print(m, group, i);
        for (size_t j = 0; j < spec->size; j++) printf(" %.4g", F[j]);
        putchar('\n');
    }
    free(F);
}

/* The costs of a table of up to 4 members; of a larger one, of none, one and all members labelled 1. */
static void table_print(const sos_model *m, uint32_t group)
{
    enum { SHOWN = 4 };
    const sos_group *spec = sos_model_group(m, group);
    const size_t entries = (size_t)1 << spec->size;
    double *f = malloc(entries * sizeof *f);
    for (size_t i = 0; f && i < sos_model_functions(m, group); i++) {
        sos_model_table(m, group, i, f);
        function_print(m, group, i);
        for (size_t S = 0; spec->size <= SHOWN && S < entries; S++) printf(" %.4g", f[S]);
        if (spec->size > SHOWN) printf(" none %.4g, the first %.4g, all %.4g", f[0], f[1], f[entries - 1]);
        putchar('\n');
    }
    free(f);
}

static void group_print(const sos_model *m, uint32_t group)
{
    const sos_group *spec = sos_model_group(m, group);
    const s3svm_group_summary s = s3svm_model_group_summary(m, group);
    printf("    %-16s %s, size %zu: %zu weights from %.4g to %.4g, %zu are 0\n", spec->name, KINDS[spec->kind], spec->size,
           s.weights, s.least, s.most, s.zeros);
    if (spec->kind == SOS_GROUP_TABLE) table_print(m, group);
    if (spec->kind == SOS_GROUP_COUNT) curves_print(m, group);
}

static void maps_print(const sos_model *m)
{
    size_t channels;
    if (!s3svm_maps_needed(m, &channels, NULL) && channels)
        printf("  needs        maps/NAME.npy of %zu channel%s for each picture\n", channels, channels == 1 ? "" : "s");
}

static void text_print(const sos_model *m, const char *name)
{
    const s3svm_task *task = NULL;
    printf("%s\n", name);
    if (!s3svm_task_of(m, &task, NULL)) printf("  for          %s: %s\n", task->name, task->summary);
    maps_print(m);
    if (sos_model_fact(m, "training")) training_print(sos_model_fact(m, "training"));
    for (size_t i = 0; i < sos_model_facts(m); i++) {
        const char *key = sos_model_fact_key(m, i);
        if (strcmp(key, "task") != 0 && strcmp(key, "training") != 0) fact_print(key, sos_model_fact(m, key));
    }
    printf("  labels       %zu\n  weights      %zu in %zu groups\n", sos_model_labels(m), sos_model_weight_count(m),
           sos_model_groups(m));
    for (uint32_t g = 0; g < sos_model_groups(m); g++) group_print(m, g);
}

/* ---------------------------------------------------------------- JSON */

static void group_json(sos_json *out, const sos_model *m, uint32_t group)
{
    const sos_group *spec = sos_model_group(m, group);
    const s3svm_group_summary s = s3svm_model_group_summary(m, group);
    sos_json_open(out, NULL, '{');
    sos_json_text(out, "name", spec->name);
    sos_json_text(out, "kind", KINDS[spec->kind]);
    sos_json_count(out, "size", spec->size);
    sos_json_count(out, "weights", s.weights);
    sos_json_count(out, "zeros", s.zeros);
    sos_json_real(out, "least", s.least);
    sos_json_real(out, "most", s.most);
    sos_json_real(out, "sum_of_squares", s.square);
    sos_json_close(out, '}');
}

static void json_print(const sos_model *m, const char *name)
{
    sos_json out = { .file = stdout };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "model", name);
    sos_json_count(&out, "labels", sos_model_labels(m));
    sos_json_count(&out, "weights", sos_model_weight_count(m));
    sos_json_open(&out, "facts", '{');
    for (size_t i = 0; i < sos_model_facts(m); i++)
        sos_json_raw(&out, sos_model_fact_key(m, i), sos_model_fact(m, sos_model_fact_key(m, i)));
    sos_json_close(&out, '}');
    sos_json_open(&out, "groups", '[');
    for (uint32_t g = 0; g < sos_model_groups(m); g++) group_json(&out, m, g);
    sos_json_close(&out, ']');
    sos_json_close(&out, '}');
}

/* ---------------------------------------------------------------- the command */

static int inspect_run(const command *self, int argc, char *argv[])
{
    request r = { 0 };
    int count;
    const int code = options_parse_table(self, OPTIONS, &r, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (count != 1) return options_wrong(self, count ? "one MODEL at a time" : "no MODEL given");
    if (files_guard(1, &(file_use){ "", argv[0] }, 1, &(file_use){ "-o", r.page })) return COMMAND_FAILED;
    sos_model *m;
    sos_error error;
    bool inside;
    if (model_find(argv[0], &m, &inside, &error)) return command_fail("%s", error.message);
    const sos_status status = r.page ? s3svm_model_page(m, argv[0], r.page, &error) : SOS_OK;
    if (!status && r.json)
        json_print(m, argv[0]);
    else if (!status)
        text_print(m, argv[0]);
    sos_model_free(m);
    return status ? command_fail("%s", error.message) : COMMAND_DONE;
}

static void models_list(void)
{
    fputs("\nModels inside the program:\n", stdout);
    for (size_t i = 0; s3svm_embedded_name(i); i++) printf("  %s\n", s3svm_embedded_name(i));
}

const command inspect_command = {
    .name = "inspect",
    .arguments = "MODEL",
    .summary = "show what a model is for and what it has learned",
    .details = "Prints the task of the model, what it was trained on and how, and its groups of weights. For small\n"
               "tables all costs are printed: entry S is the cost when exactly the members whose bit is set in S\n"
               "have label 1. With -o the same is written as a page, with charts, and tables as pictures. MODEL is a\n"
               "file, or the name of a built-in model.",
    .list = models_list,
    .examples = "  s3svm inspect model.json\n"
                "  s3svm inspect segment -o segment.html\n"
                "  s3svm inspect model.json --json\n",
    .run = inspect_run,
};
