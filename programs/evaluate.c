/* evaluate.c - s3svm evaluate: how well a model does on pictures whose labels are known. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include <s3svm/noise_options.h>
#include <s3svm/truth.h>

#include "base/json.h"
#include "base/path.h"
#include "command.h"
#include "options.h"
#include "pictures.h"

typedef struct evaluation {
    const char *model_name, *data, *output;
    int64_t threads;
    bool force, json, evidence;
    s3svm_noise_options noise_wanted;

    bool noisy; /* noise is added */
    s3svm_noise noise;
    picture_model m;
    s3svm_dataset set;
    char **outputs;
    s3svm_task_result *results;
    s3svm_confusion *counts; /* one per image, then all in the first; NULL: of no interest */
    size_t done;
    double seconds;
} evaluation;

/* ---------------------------------------------------------------- reports */

/* Which of the scores. */
typedef double score_part(const s3svm_task_score *s);
static double part_error(const s3svm_task_score *s) { return s->error; }
static double part_iou(const s3svm_task_score *s) { return s->iou; }
static double part_extra(const s3svm_task_score *s) { return s->extra; }

static double mean_of(const evaluation *e, score_part *part)
{
    double sum = 0;
    for (size_t i = 0; i < e->set.count; i++)
        if (e->results[i].done) sum += part(&e->results[i].score);
    return sum / (double)e->done;
}

/* Of the task's measure number m. */
static double measure_mean(const evaluation *e, size_t m)
{
    double sum = 0;
    for (size_t i = 0; i < e->set.count; i++)
        if (e->results[i].done) sum += e->results[i].measures[m];
    return sum / (double)e->done;
}

/* measures NULL: their means. */
static void scores_json(sos_json *out, const evaluation *e, double error, double iou, double extra, const double measures[])
{
    const char *const *names = e->m.task->measures;
    sos_json_real(out, "error", error);
    if (e->m.task->extra) sos_json_real(out, e->m.task->extra, extra);
    sos_json_real(out, "iou", iou);
    for (size_t m = 0; names && names[m]; m++) sos_json_real(out, names[m], measures ? measures[m] : measure_mean(e, m));
}

static void counts_json(sos_json *out, const s3svm_confusion *c, const s3svm_task_labels *labels)
{
    sos_json_real(out, "accuracy", s3svm_confusion_accuracy(c));
    sos_json_real(out, "class_accuracy", s3svm_confusion_mean(c));
    sos_json_real(out, "mean_iou", s3svm_confusion_mean_iou(c));
    sos_json_open(out, "labels", '[');
    for (size_t l = 0; l < c->labels; l++) {
        sos_json_open(out, NULL, '{');
        sos_json_text(out, "name", labels->names[l]);
        sos_json_real(out, "accuracy", s3svm_confusion_of(c, l));
        sos_json_real(out, "iou", s3svm_confusion_iou(c, l));
        sos_json_open(out, "called", '[');
        for (size_t m = 0; m < c->labels; m++) sos_json_real(out, NULL, c->counts[l * c->labels + m]);
        sos_json_close(out, ']');
        sos_json_close(out, '}');
    }
    sos_json_close(out, ']');
}

/* A row per label: what its pixels are called, in per cent. */
static void counts_print(const s3svm_confusion *c, const s3svm_task_labels *labels)
{
    printf("  accuracy     %.2f %% of all pixels, %.2f %% as the mean of the labels, mean IoU %.2f %%\n\n",
           100 * s3svm_confusion_accuracy(c), 100 * s3svm_confusion_mean(c), 100 * s3svm_confusion_mean_iou(c));
    printf("  %-20s %7s %7s   called, %%:", "label", "right", "iou");
    for (size_t l = 0; l < c->labels; l++) printf(" %5zu", l);
    putchar('\n');
    for (size_t t = 0; t < c->labels; t++) {
        double sum = 0;
        for (size_t l = 0; l < c->labels; l++) sum += c->counts[t * c->labels + l];
        printf("  %2zu %-17.17s %7.2f %7.2f             ", t, labels->names[t], 100 * s3svm_confusion_of(c, t),
               100 * s3svm_confusion_iou(c, t));
        for (size_t l = 0; l < c->labels; l++) printf(" %5.1f", sum > 0 ? 100 * c->counts[t * c->labels + l] / sum : 0);
        putchar('\n');
    }
}

static void noise_json(sos_json *out, const evaluation *e)
{
    sos_json_open(out, "noise", '[');
    if (e->noisy) {
        sos_json_open(out, NULL, '{');
        sos_json_text(out, "model", s3svm_noise_name(e->noise.model));
        sos_json_real(out, "sigma", e->noise.sigma);
        sos_json_count(out, "seed", e->noise.seed);
        sos_json_close(out, '}');
    }
    sos_json_close(out, ']');
}

static void images_json(sos_json *out, const evaluation *e)
{
    sos_json_open(out, "images", '[');
    for (size_t i = 0; i < e->set.count; i++) {
        const s3svm_task_result *r = &e->results[i];
        if (!r->done) continue;
        sos_json_open(out, NULL, '{');
        sos_json_text(out, "name", e->set.items[i].name);
        scores_json(out, e, r->score.error, r->score.iou, r->score.extra, r->measures);
        sos_json_real(out, "seconds", r->seconds);
        sos_json_close(out, '}');
    }
    sos_json_close(out, ']');
}

static void failures_json(sos_json *out, const evaluation *e)
{
    sos_json_open(out, "failed", '[');
    for (size_t i = 0; i < e->set.count; i++) {
        if (e->results[i].done) continue;
        sos_json_open(out, NULL, '{');
        sos_json_text(out, "name", e->set.items[i].name);
        sos_json_text(out, "error", e->results[i].error.message);
        sos_json_close(out, '}');
    }
    sos_json_close(out, ']');
}

static void json_print(const evaluation *e)
{
    sos_json out = { .file = stdout };
    sos_json_open(&out, NULL, '{');
    sos_json_text(&out, "data", e->data);
    sos_json_text(&out, "model", e->m.name);
    sos_json_text(&out, "task", e->m.task->name);
    noise_json(&out, e);
    scores_json(&out, e, mean_of(e, part_error), mean_of(e, part_iou), mean_of(e, part_extra), NULL);
    if (e->counts) counts_json(&out, &e->counts[0], s3svm_task_model_labels(e->m.model));
    sos_json_real(&out, "seconds_per_image", e->seconds / (double)e->done);
    sos_json_real(&out, "seconds", e->seconds);
    images_json(&out, e);
    if (e->done < e->set.count) failures_json(&out, e);
    sos_json_close(&out, '}');
}

static size_t worst_of(const evaluation *e)
{
    size_t worst = 0;
    for (size_t i = 1; i < e->set.count; i++)
        if (e->results[i].done && !(e->results[i].score.error <= e->results[worst].score.error)) worst = i;
    return worst;
}

static void images_print(const evaluation *e)
{
    printf("%s\n  images       %zu", e->data, e->done);
    if (e->done < e->set.count) printf(" of %zu", e->set.count);
    if (e->noisy)
        printf(", %s noise, sigma %g, seed %llu", s3svm_noise_name(e->noise.model), e->noise.sigma,
               (unsigned long long)e->noise.seed);
    putchar('\n');
}

static void text_print(const evaluation *e)
{
    const size_t worst = worst_of(e);
    images_print(e);
    printf("  model        %s (%s)\n", e->m.name, e->m.task->name);
    printf("  error        %.3f %% of the pixels on average; the worst is %.3f %%, of %s\n", 100 * mean_of(e, part_error),
           100 * e->results[worst].score.error, e->set.items[worst].name);
    if (e->m.task->extra) printf("  %-12s %.3f %%\n", e->m.task->extra, 100 * mean_of(e, part_extra));
    printf("  iou          %.4f on average\n", mean_of(e, part_iou));
    const char *const *names = e->m.task->measures;
    for (size_t m = 0; names && names[m]; m++) printf("  %-12s %.4f on average\n", names[m], measure_mean(e, m));
    printf("  seconds      %.4f: %.4f an image\n", e->seconds, e->seconds / (double)e->done);
    if (e->counts) counts_print(&e->counts[0], s3svm_task_model_labels(e->m.model));
}

/* All images in the first one's. */
static void counts_add_up(evaluation *e)
{
    for (size_t i = 1; i < e->set.count; i++) {
        s3svm_confusion *all = &e->counts[0], *one = &e->counts[i];
        if (!all->counts) {
            *all = *one;
            *one = (s3svm_confusion){ 0 };
            continue;
        }
        for (size_t j = 0; j < one->labels * one->labels; j++) all->counts[j] += one->counts[j];
    }
}

static void report(evaluation *e)
{
    if (e->counts) counts_add_up(e);
    if (e->json)
        json_print(e);
    else
        text_print(e);
}

/* ---------------------------------------------------------------- the run */

/* By what the folder holds. */
static int model_choose(evaluation *e)
{
    s3svm_folder_list list = { 0 };
    size_t others;
    char *scribbles = sos_path_join(e->data, "scribbles", ""), *images = sos_path_join(e->data, "images", "");
    picture_look look = { .noise = e->noisy, .scribbles = scribbles && sos_path_is_folder(scribbles) };
    if (images && !look.noise && !look.scribbles && !s3svm_folder_pictures(images, &list, &others, NULL))
        look.coloured = picture_coloured(list.count, list.paths);
    const int code = picture_model_choose(&look, &e->m);
    s3svm_folder_list_free(&list);
    free(scribbles);
    free(images);
    return code;
}

static int data_open(evaluation *e)
{
    sos_error error;
    const s3svm_task *task = e->m.task;
    if (e->noisy && !task->noise) return command_fail("%s: noise is not for the task \"%s\"", e->m.name, task->name);
    if (s3svm_dataset_open(e->data, task->images, task->scribbles, &e->set, &error)) return command_fail("%s", error.message);
    if (task->objects && s3svm_dataset_tell_truths(&e->set, S3SVM_UNSURE_TOLD, false, NULL, &error))
        return command_fail("%s", error.message);
    if (e->evidence && !s3svm_task_model_evidence(e->m.model))
        return command_fail("%s: the model has not learned what to make of evidence", e->m.name);
    if ((e->evidence || s3svm_task_model_maps(e->m.model)) && s3svm_dataset_find_maps(&e->set, &error))
        return command_fail("%s needs maps: %s", e->m.name, error.message);
    if (!e->set.items[0].image && !e->noisy)
        return command_fail(
            "there are no noisy pictures: '%s' has no folder images/; add noise to labels/ with --noise plain or "
            "shifted, or write noisy pictures with s3svm add-noise",
            e->data);
    e->results = calloc(e->set.count, sizeof *e->results);
    e->counts = task->several ? calloc(e->set.count, sizeof *e->counts) : NULL;
    return e->results && (e->counts || !task->several) ? COMMAND_DONE : command_fail("no memory for %zu results", e->set.count);
}

static int label(evaluation *e)
{
    const s3svm_task_job job = { .model = e->m.model,
                                 .count = e->set.count,
                                 .items = e->set.items,
                                 .noise = e->noisy ? &e->noise : NULL,
                                 .outputs = e->outputs,
                                 .score = true,
                                 .counts = e->counts,
                                 .work = { .threads = (int)e->threads } };
    return pictures_label(&job, "evaluate", e->results, &e->done, &e->seconds);
}

static int evaluation_run(evaluation *e)
{
    int code = e->model_name ? picture_model_read(e->model_name, &e->m) : model_choose(e);
    if (!code) code = data_open(e);
    if (!code && e->output) code = picture_outputs_make(e->set.count, e->set.items, &e->m, e->output, e->force, &e->outputs);
    if (!code) code = label(e);
    if (e->done && code != COMMAND_INTERRUPTED) report(e);
    picture_outputs_free(e->set.count, e->outputs);
    free(e->results);
    for (size_t i = 0; e->counts && i < e->set.count; i++) s3svm_confusion_free(&e->counts[i]);
    free(e->counts);
    s3svm_dataset_free(&e->set);
    picture_model_free(&e->m);
    return code;
}

static const s3svm_option OPTIONS[] = {
    { "model", 'm', S3SVM_SETS_TEXT(evaluation, model_name), "MODEL", "a model of s3svm train, or the name of a built-in one",
      0, 0 },
    { "data", 0, S3SVM_SETS_TEXT(evaluation, data), "DIR", "pictures in DIR/images, their true labels in DIR/labels", 0, 0 },
    S3SVM_NOISE_OPTIONS(evaluation, noise_wanted, 1),
    { "evidence", 0, S3SVM_SETS_FLAG(evaluation, evidence), NULL,
      "for models that have learned with --evidence: DIR/maps says more of each picture", 0, 0 },
    { "output", 'o', S3SVM_SETS_TEXT(evaluation, output), "OUTDIR", "also write the labels, as pictures, to this folder", 0,
      0 },
    { "force", 0, S3SVM_SETS_FLAG(evaluation, force), NULL, "replace existing pictures", 0, 0 },
    { "threads", 0, S3SVM_SETS_INTEGER(evaluation, threads), "N",
      "number of pictures processed in parallel (default 0: all cores)", 0, 4096 },
    { "json", 0, S3SVM_SETS_FLAG(evaluation, json), NULL, "print a JSON object, with every image", 0, 0 },
    S3SVM_OPTIONS_END,
};

static int evaluate_run(const command *self, int argc, char *argv[])
{
    evaluation e = { .noise_wanted = s3svm_noise_options_none() };
    s3svm_noise noises[S3SVM_NOISES_MAX];
    sos_error error;
    int count;
    const int code = options_parse_table(self, OPTIONS, &e, argc, argv, &count);
    if (code != OPTIONS_RUN) return code;
    if (count) return options_wrong(self, "unexpected argument '%s'", argv[0]);
    if (!e.data) return options_wrong(self, "no --data DIR given");
    if (e.output && !*e.output) return options_wrong(self, "OUTDIR has no name");
    if (s3svm_noise_options_check(&e.noise_wanted, &error)) return options_wrong(self, "%s", error.message);
    e.noisy = s3svm_noise_options_make(&e.noise_wanted, noises);
    if (e.noisy) e.noise = noises[0];
    return evaluation_run(&e);
}

const command evaluate_command = {
    .name = "evaluate",
    .arguments = "[-m MODEL] --data DIR",
    .summary = "measure a model on pictures with known labels",
    .details = "Labels the pictures in DIR/images and compares the result with DIR/labels; files of the same name\n"
               "belong together. error is the fraction of wrong pixels and iou the intersection over union of result\n"
               "and truth, both averaged over the images; seconds per image include reading it. Models that need\n"
               "scribbles or maps find them in DIR/scribbles and DIR/maps. Scores whose name ends in _without_unsure\n"
               "leave out pixels whose true label is not sure.\n"
               "\n"
               "Drawings need no images: with any of --noise, --sigma and --seed, noise is added to the labels as by\n"
               "s3svm add-noise. Without -m, a built-in model is chosen by the contents of DIR.",
    .examples = "  s3svm evaluate -m model.json --data drawings --noise plain --sigma 0.7 --seed 2\n"
                "  s3svm evaluate -m model.json --data test --json >result.json\n"
                "  s3svm evaluate -m model.json --data test -o restored\n",
    .run = evaluate_run,
};
