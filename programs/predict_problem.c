/* predict_problem.c - labels for the examples of a file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include "base/clock.h"
#include "base/json.h"
#include "files.h"
#include "options.h"
#include "predict.h"
#include "progress.h"

typedef struct prediction {
    sos_model *model;
    const char *name; /* of the problem, for people */
    size_t count;
    sos_example **examples;
    uint8_t **labels;
    size_t *n;
    double *losses; /* NaN: no truth */
    sos_minimize_result *results;
    double seconds;
} prediction;

static bool prediction_allocate(prediction *p)
{
    const size_t room = p->count ? p->count : 1;
    p->labels = calloc(room, sizeof *p->labels);
    p->n = calloc(room, sizeof *p->n);
    p->losses = calloc(room, sizeof *p->losses);
    p->results = calloc(room, sizeof *p->results);
    bool ok = p->labels && p->n && p->losses && p->results;
    for (size_t i = 0; ok && i < p->count; i++) {
        p->n[i] = sos_example_variables(p->examples[i]);
        p->labels[i] = malloc(p->n[i]);
        ok = p->labels[i];
    }
    return ok;
}

static void prediction_free(prediction *p)
{
    for (size_t i = 0; p->labels && i < p->count; i++) free(p->labels[i]);
    free(p->labels);
    free(p->n);
    free(p->losses);
    free(p->results);
    sos_problem_free(p->count, p->examples);
    sos_model_free(p->model);
}

static int prediction_read(prediction *p, const char *model, const char *problem)
{
    char *text = NULL;
    size_t length = 0;
    sos_error error;
    if (sos_model_read(model, &p->model, &error)) return command_fail("%s", error.message);
    if (text_read(problem, &text, &length, &error)) return command_fail("%s", error.message);
    p->name = text_name(problem);
    const sos_status status = sos_problem_parse(text, length, p->name, p->model, NULL, &p->count, &p->examples, &error);
    free(text);
    if (status) return command_fail("%s", error.message);
    return prediction_allocate(p) ? COMMAND_DONE : command_fail("no memory for the labels of %zu examples", p->count);
}

static int prediction_make(prediction *p)
{
    progress shown;
    sos_error error;
    sos_minimize_settings settings = sos_minimize_defaults();
    settings.work.progress = progress_report;
    settings.work.user = &shown;
    sos_status status = SOS_OK;
    size_t i = 0;
    progress_begin(&shown, p->name);
    for (; i < p->count; i++) {
        status = sos_model_predict(p->model, p->examples[i], &settings, p->labels[i], &p->results[i], &error);
        if (status) break;
        p->losses[i] = sos_example_truth(p->examples[i]) ? sos_example_loss(p->examples[i], p->labels[i]) : NAN;
    }
    progress_end(&shown);
    p->seconds = sos_seconds() - shown.started;
    if (status == SOS_CANCELLED && progress_interrupted()) {
        command_fail("interrupted");
        return COMMAND_INTERRUPTED;
    }
    return status ? command_fail("%s: example %zu: %s", p->name, i, error.message) : COMMAND_DONE;
}

/* The mean loss of the examples with truths; NaN: there are none. */
static double mean_loss(const prediction *p, size_t *truths, size_t *worst)
{
    double sum = 0;
    *truths = *worst = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (isnan(p->losses[i])) continue;
        if (!*truths || p->losses[i] > p->losses[*worst]) *worst = i;
        ++*truths;
        sum += p->losses[i];
    }
    return *truths ? sum / (double)*truths : NAN;
}

static size_t variables_count(const prediction *p)
{
    size_t sum = 0;
    for (size_t i = 0; i < p->count; i++) sum += p->n[i];
    return sum;
}

static void json_print(const prediction *p, const char *model)
{
    size_t truths, worst;
    const double loss = mean_loss(p, &truths, &worst);
    sos_json out = { .file = stdout };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "file", p->name);
    sos_json_text(&out, "model", model);
    sos_json_count(&out, "variables", variables_count(p));
    sos_json_real(&out, "loss", loss);
    sos_json_count(&out, "truths", truths);
    sos_json_real(&out, "seconds", p->seconds);
    sos_json_open(&out, "examples", '[');
    for (size_t i = 0; i < p->count; i++) {
        sos_json_open(&out, NULL, '{');
        sos_json_count(&out, "variables", p->n[i]);
        sos_json_real(&out, "energy", p->results[i].energy);
        sos_json_real(&out, "lower_bound", p->results[i].lower_bound);
        sos_json_real(&out, "loss", p->losses[i]);
        sos_json_close(&out, '}');
    }
    sos_json_close(&out, ']');
    sos_json_close(&out, '}');
}

static void text_print(const prediction *p, FILE *out)
{
    size_t truths, worst;
    const double loss = mean_loss(p, &truths, &worst);
    fprintf(out, "%s\n  size         %zu example%s, %zu variables\n", p->name, p->count, p->count == 1 ? "" : "s",
            variables_count(p));
    if (truths)
        fprintf(out, "  loss         %.5g on average of %zu with true labels; the worst is %.5g, of example %zu\n", loss,
                truths, p->losses[worst], worst);
    else
        fputs("  loss         unknown: there are no true labels\n", out);
    fprintf(out, "  seconds      %.4f\n", p->seconds);
}

int predict_problem(const command *self, const request *r)
{
    if (!r->model) return options_wrong(self, "no MODEL given: -m names it");
    const bool standard = r->output && !strcmp(r->output, "-");
    if (r->json && standard) return options_wrong(self, "--json and -o - both write to standard output");
    const file_use inputs[] = { { "", r->model }, { "", r->problem } }, outputs[] = { { "-o", r->output } };

    prediction p = { 0 };
    sos_error error;
    int code = files_guard(2, inputs, 1, outputs);
    if (!code) code = prediction_read(&p, r->model, r->problem);
    if (!code) code = prediction_make(&p);
    if (!code && r->output && label_rows_write(r->output, p.count, p.labels, p.n, &error))
        code = command_fail("%s", error.message);
    if (!code && r->json)
        json_print(&p, r->model);
    else if (!code)
        text_print(&p, standard ? stderr : stdout);
    prediction_free(&p);
    return code;
}
