/* evaluate.c - s3svm evaluate: how well a model does on pictures whose labels are known. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include "command.h"
#include "label/label.h"
#include "noise_options.h"
#include "options.h"
#include "pictures.h"
#include "tasks/score.h"

typedef struct evaluation {
    const char *model_path, *data, *output;
    int64_t threads;
    bool force, json;
    noise_choice noise;

    picture_model m;
    sos_dataset set;
    char **outputs;
    sos_task_result *results;
    sos_confusion *counts; /* one per image, then all in the first; NULL: the task has no use for them */
    double seconds;
} evaluation;

/* ---------------------------------------------------------------- reports */

/* Which of the scores. */
typedef double score_part(const sos_task_score *s);
static double part_error(const sos_task_score *s) { return s->error; }
static double part_iou(const sos_task_score *s) { return s->iou; }
static double part_extra(const sos_task_score *s) { return s->extra; }

static double mean_of(const evaluation *e, score_part *part)
{
    double sum = 0;
    for (size_t i = 0; i < e->set.count; i++) sum += part(&e->results[i].score);
    return sum / (double)e->set.count;
}

static void scores_json(sos_json *out, const evaluation *e, double error, double iou, double extra)
{
    sos_json_real(out, "error", error);
    if (e->m.task->extra) sos_json_real(out, e->m.task->extra, extra);
    sos_json_real(out, "iou", iou);
}

/* All images in the first. */
static void counts_add_up(evaluation *e)
{
    const size_t labels = e->counts[0].labels;
    for (size_t i = 1; i < e->set.count; i++)
        for (size_t j = 0; j < labels * labels; j++) e->counts[0].counts[j] += e->counts[i].counts[j];
}

static void counts_json(sos_json *out, const evaluation *e, const sos_label_names *names)
{
    const sos_confusion *c = &e->counts[0];
    sos_json_real(out, "accuracy", sos_confusion_accuracy(c));
    sos_json_real(out, "class_accuracy", sos_confusion_mean(c));
    sos_json_real(out, "mean_iou", sos_confusion_mean_iou(c));
    sos_json_open(out, "labels", '[');
    for (size_t l = 0; l < c->labels; l++) {
        sos_json_open(out, NULL, '{');
        sos_json_text(out, "name", names->name[l]);
        sos_json_real(out, "accuracy", sos_confusion_of(c, l));
        sos_json_real(out, "iou", sos_confusion_iou(c, l));
        sos_json_open(out, "called", '[');
        for (size_t m = 0; m < c->labels; m++) sos_json_real(out, NULL, c->counts[l * c->labels + m]);
        sos_json_close(out, ']');
        sos_json_close(out, '}');
    }
    sos_json_close(out, ']');
}

/* A row per label: what its pixels are called, in per cent. */
static void counts_print(const evaluation *e, const sos_label_names *names)
{
    const sos_confusion *c = &e->counts[0];
    printf("  accuracy     %.2f %% of all pixels, %.2f %% as the mean of the labels, mean IoU %.2f %%\n\n",
           100 * sos_confusion_accuracy(c), 100 * sos_confusion_mean(c), 100 * sos_confusion_mean_iou(c));
    printf("  %-20s %7s %7s   called, %%:", "label", "right", "iou");
    for (size_t l = 0; l < c->labels; l++) printf(" %5zu", l);
    putchar('\n');
    for (size_t t = 0; t < c->labels; t++) {
        double sum = 0;
        for (size_t l = 0; l < c->labels; l++) sum += c->counts[t * c->labels + l];
        printf("  %2zu %-17.17s %7.2f %7.2f             ", t, names->name[t], 100 * sos_confusion_of(c, t),
               100 * sos_confusion_iou(c, t));
        for (size_t l = 0; l < c->labels; l++) printf(" %5.1f", sum > 0 ? 100 * c->counts[t * c->labels + l] / sum : 0);
        putchar('\n');
    }
}

static void json_print(const evaluation *e, const sos_label_names *names)
{
    sos_json out = { .file = stdout };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "data", e->data);
    sos_json_text(&out, "model", e->m.name);
    sos_json_text(&out, "task", e->m.task->name);
    noise_json(&out, "noise", &e->noise);
    scores_json(&out, e, mean_of(e, part_error), mean_of(e, part_iou), mean_of(e, part_extra));
    if (e->counts) counts_json(&out, e, names);
    sos_json_real(&out, "seconds_per_image", pictures_seconds(e->set.count, e->results));
    sos_json_real(&out, "seconds", e->seconds);
    sos_json_open(&out, "images", '[');
    for (size_t i = 0; i < e->set.count; i++) {
        const sos_task_result *r = &e->results[i];
        sos_json_open(&out, NULL, '{');
        sos_json_text(&out, "name", e->set.items[i].name);
        scores_json(&out, e, r->score.error, r->score.iou, r->score.extra);
        sos_json_real(&out, "seconds", r->seconds);
        sos_json_close(&out, '}');
    }
    sos_json_close(&out, ']');
    sos_json_close(&out, '}');
}

static size_t worst_of(const evaluation *e)
{
    size_t worst = 0;
    for (size_t i = 1; i < e->set.count; i++)
        if (e->results[i].score.error > e->results[worst].score.error) worst = i;
    return worst;
}

static void text_print(const evaluation *e, const sos_label_names *names)
{
    char text[NOISE_TEXT];
    const size_t worst = worst_of(e);
    printf("%s\n  images       %zu%s%s\n", e->data, e->set.count, e->noise.count ? ", " : "",
           e->noise.count ? noise_text(&e->noise.noises[0], text) : "");
    printf("  model        %s (%s)\n", e->m.name, e->m.task->name);
    printf("  error        %.3f %% of the pixels on average; the worst is %.3f %%, of %s\n", 100 * mean_of(e, part_error),
           100 * e->results[worst].score.error, e->set.items[worst].name);
    if (e->m.task->extra) printf("  %-12s %.3f %%\n", e->m.task->extra, 100 * mean_of(e, part_extra));
    printf("  iou          %.4f on average\n", mean_of(e, part_iou));
    printf("  seconds      %.4f: %.4f an image\n", e->seconds, pictures_seconds(e->set.count, e->results));
    if (e->counts) counts_print(e, names);
}

/* Names of labels are known where there are counts. */
static int report(evaluation *e)
{
    sos_error error;
    sos_label_names *names = calloc(1, sizeof *names);
    if (!names) return command_fail("no memory for the names of labels");
    sos_status status = SOS_OK;
    if (e->counts) status = sos_label_names_of(e->m.model, names, &error);
    if (!status && e->counts) counts_add_up(e);
    if (!status && e->json)
        json_print(e, names);
    else if (!status)
        text_print(e, names);
    free(names);
    return status ? command_fail("%s: %s", e->m.name, error.message) : COMMAND_DONE;
}

/* ---------------------------------------------------------------- the run */

static int data_open(evaluation *e)
{
    sos_error error;
    const sos_task *task = e->m.task;
    if (e->noise.count && !task->noise) return command_fail("%s: noise is not for the task \"%s\"", e->m.name, task->name);
    if (sos_dataset_open(e->data, task->images, task->scribbles, &e->set, &error)) return command_fail("%s", error.message);
    if (!e->set.items[0].image && !e->noise.count)
        return command_fail("there are no noisy pictures: '%s' has no folder images/; --noise plain or shifted adds noise to "
                            "those in labels/, s3svm add-noise writes noisy ones",
                            e->data);
    e->results = calloc(e->set.count, sizeof *e->results);
    e->counts = task->judge ? calloc(e->set.count, sizeof *e->counts) : NULL;
    return e->results && (e->counts || !task->judge) ? COMMAND_DONE : command_fail("no memory for %zu results", e->set.count);
}

static int label(evaluation *e)
{
    const sos_task_job job = { .task = e->m.task,
                               .model = e->m.model,
                               .count = e->set.count,
                               .items = e->set.items,
                               .noise = e->noise.count ? &e->noise.noises[0] : NULL,
                               .outputs = e->outputs,
                               .score = true,
                               .counts = e->counts,
                               .threads = (int)e->threads };
    return pictures_label(&job, "evaluate", e->results, &e->seconds);
}

static int evaluation_run(evaluation *e)
{
    int code = picture_model_read(e->model_path, &e->m);
    if (!code) code = data_open(e);
    if (!code && e->output) code = picture_outputs_make(e->set.count, e->set.items, e->output, e->force, &e->outputs);
    if (!code) code = label(e);
    if (!code) code = report(e);
    picture_outputs_free(e->set.count, e->outputs);
    free(e->results);
    for (size_t i = 0; e->counts && i < e->set.count; i++) sos_confusion_free(&e->counts[i]);
    free(e->counts);
    sos_dataset_free(&e->set);
    picture_model_free(&e->m);
    return code;
}

static const sos_option OPTIONS[] = {
    { "model", 'm', SOS_SETS_TEXT(evaluation, model_path), "MODEL", "the model, as s3svm train writes it", 0, 0 },
    { "data", 0, SOS_SETS_TEXT(evaluation, data), "DIR", "pictures in DIR/images, their true labels in DIR/labels", 0, 0 },
    NOISE_OPTIONS(evaluation, noise, 1),
    { "output", 'o', SOS_SETS_TEXT(evaluation, output), "OUTDIR", "write the restored pictures too", 0, 0 },
    { "force", 0, SOS_SETS_FLAG(evaluation, force), NULL, "replace pictures that are there", 0, 0 },
    { "threads", 0, SOS_SETS_INTEGER(evaluation, threads), "N", "so many pictures at once (0: as many as there are cores)", 0,
      4096 },
    { "json", 0, SOS_SETS_FLAG(evaluation, json), NULL, "print a JSON object, with every image", 0, 0 },
    SOS_OPTIONS_END,
};

static int evaluate_run(const command *self, int argc, char *argv[])
{
    evaluation e = { .noise = noise_none() };
    int count;
    int code = options_parse_table(self, OPTIONS, &e, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (count) return options_wrong(self, "what is '%s' for?", argv[0]);
    if (!e.data) return options_wrong(self, "no --data DIR given");
    if (e.output && !*e.output) return options_wrong(self, "OUTDIR has no name");
    code = noise_check(self, &e.noise);
    return code == OPTIONS_RUN ? evaluation_run(&e) : code;
}

const command evaluate_command = {
    .name = "evaluate",
    .arguments = "[-m MODEL] --data DIR",
    .summary = "how well a model does on pictures whose labels are known",
    .details = "Labels the pictures in DIR/images and compares with DIR/labels, files of the same name belonging\n"
               "together.  error is the fraction of wrong pixels, iou the intersection of result and truth over their\n"
               "union, each the mean over the images; seconds of an image are for reading and labelling it.  Models\n"
               "for photographs with scribbles find these in DIR/scribbles; error_without_unsure leaves pixels out\n"
               "whose true label is 128.\n"
               "\n"
               "Drawings need no images: with any of --noise, --sigma and --seed noise is added to the labels, as\n"
               "s3svm add-noise does it.  Without -m the model that the program carries inside is judged.",
    .examples = "  s3svm evaluate -m model.json --data drawings --noise plain --sigma 0.7 --seed 2\n"
                "  s3svm evaluate -m model.json --data test --json >result.json\n"
                "  s3svm evaluate -m model.json --data test -o restored\n",
    .run = evaluate_run,
};
