/* train_denoise.c - s3svm train denoise: models that restore noisy drawings. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include "command.h"
#include "denoise/data.h"
#include "denoise/denoise.h"
#include "noise_options.h"
#include "options.h"
#include "progress.h"
#include "tasks/facts.h"
#include "training.h"

/* ---------------------------------------------------------------- drawings */

/* The drawings of a folder, once for each noise. */
typedef struct collection {
    size_t loads, count;
    sos_drawings loaded[NOISES_MAX];
    sos_plane *noisy;       /* these two borrow from loaded */
    const uint8_t **truths; /* a label per pixel */
    sos_example **examples;
} collection;

static void collection_free(collection *c)
{
    sos_problem_free(c->examples ? c->count : 0, c->examples);
    for (size_t i = 0; i < c->loads; i++) sos_drawings_free(&c->loaded[i]);
    free(c->noisy);
    free(c->truths);
}

static int collection_read(collection *c, const char *folder, const noise_choice *n, uint64_t *hash)
{
    sos_dataset d;
    sos_error error;
    sos_status status = sos_dataset_open(folder, SOS_IMAGES_OPTIONAL, false, &d, &error);
    if (status) return command_fail("%s", error.message);
    if (hash) status = sos_dataset_hash(&d, hash, &error);
    const size_t loads = n->count ? n->count : 1;
    for (size_t i = 0; i < loads && !status; i++) {
        status = sos_drawings_load(&d, n->count ? &n->noises[i] : NULL, &c->loaded[i], &error);
        if (!status) c->loads++;
    }
    sos_dataset_free(&d);
    return status ? command_fail("%s", error.message) : COMMAND_DONE;
}

/* All drawings in one list. */
static int collection_join(collection *c)
{
    size_t total = 0;
    for (size_t i = 0; i < c->loads; i++) total += c->loaded[i].count;
    c->noisy = calloc(total, sizeof *c->noisy);
    c->truths = calloc(total, sizeof *c->truths);
    if (!c->noisy || !c->truths) return command_fail("no memory for %zu drawings", total);
    for (size_t i = 0; i < c->loads; i++)
        for (size_t j = 0; j < c->loaded[i].count; j++, c->count++) {
            c->noisy[c->count] = c->loaded[i].noisy[j];
            c->truths[c->count] = c->loaded[i].truths[j];
        }
    return COMMAND_DONE;
}

static sos_status examples_make(collection *c, const sos_model *m, sos_error *error)
{
    progress shown;
    sos_status status = SOS_OK;
    c->examples = calloc(c->count, sizeof *c->examples);
    if (!c->examples) {
        *error = (sos_error){ SOS_ERR_MEMORY, "no memory for the examples" };
        return SOS_ERR_MEMORY;
    }
    progress_begin(&shown, "train");
    for (size_t i = 0; i < c->count && !status; i++) {
        if (progress_report(&shown, "examples", (double)i / (double)c->count))
            status = sos_denoise_example(m, &c->noisy[i], c->truths[i], &c->examples[i], error);
        else
            status = SOS_CANCELLED;
    }
    progress_end(&shown);
    return status;
}

/* ---------------------------------------------------------------- the run */

typedef struct lesson {
    const char *data, *validation, *note;
    char *line; /* the command line */
    int kind;
    noise_choice noise;
    training t;
    sos_model *model;
    collection learned, other;
} lesson;

static void noise_write(sos_json *j, const void *noise) { noise_json(j, NULL, noise); }

static sos_status facts_set(lesson *l, sos_error *error)
{
    sos_status status = sos_facts_set(l->model, "noise", noise_write, &l->noise, error);
    if (!status) status = training_fact(l->model, "command", l->line, error);
    if (!status && l->note) status = training_fact(l->model, "note", l->note, error);
    return status;
}

static sos_status model_make(void *data, sos_error *error)
{
    lesson *l = data;
    progress shown;
    const collection *c = &l->learned;
    sos_denoise_settings settings = sos_denoise_defaults();
    settings.threads = (int)l->t.threads;
    settings.progress = progress_report;
    settings.user = &shown;
    progress_begin(&shown, "train");
    sos_status status = sos_denoise_create((sos_denoise_kind)l->kind, c->count, c->noisy, c->truths, &settings, &l->model,
                                           error);
    progress_end(&shown);
    if (!status) status = examples_make(&l->learned, l->model, error);
    for (size_t i = 0; !status && i < l->learned.count; i++)
        status = sos_denoise_weigh((sos_denoise_kind)l->kind, l->learned.examples[i], error);
    if (!status && l->validation) status = examples_make(&l->other, l->model, error);
    return status ? status : facts_set(l, error);
}

static int drawings_read(void *data)
{
    lesson *l = data;
    int code = collection_read(&l->learned, l->data, &l->noise, &l->t.fingerprint);
    if (!code) code = collection_join(&l->learned);
    if (!code && l->validation) code = collection_read(&l->other, l->validation, &l->noise, NULL);
    if (!code && l->validation) code = collection_join(&l->other);
    return code;
}

/* Without --C and --gap, what serves the model best. */
static void defaults_set(lesson *l)
{
    const sos_train_settings best = sos_denoise_training((sos_denoise_kind)l->kind);
    l->t.usual_C = best.C;
    if (isnan(l->t.gap)) l->t.gap = best.gap;
}

static int lesson_run(lesson *l)
{
    char *name = training_name(l->data);
    if (!name || !l->line) {
        free(name);
        return command_fail("no memory for a name");
    }
    l->t.data = name;
    int code = training_prepare(l->data, l, drawings_read, model_make);
    if (!code) code = training_run(&l->t, l->model, l->learned.count, l->learned.examples, l->other.count, l->other.examples);
    collection_free(&l->learned);
    collection_free(&l->other);
    sos_model_free(l->model);
    free(name);
    return code;
}

static const sos_option OPTIONS[] = {
    { "data", 0, SOS_SETS_TEXT(lesson, data), "DIR", "drawings in DIR/labels, and noisy ones in DIR/images", 0, 0 },
    NOISE_OPTIONS(lesson, noise, NOISES_MAX),
    { "model", 0, SOS_SETS_CHOICE(lesson, kind), SOS_DENOISE_KINDS, "the paper's 2x2 patches, or our best (full)", 0, 0 },
    { "validation", 0, SOS_SETS_TEXT(lesson, validation), "DIR", "drawings that choose the best C of several", 0, 0 },
    { "note", 0, SOS_SETS_TEXT(lesson, note), "TEXT", "a remark to keep in the model", 0, 0 },
    SOS_OPTIONS_END,
};

static int denoise_train(const command *self, int argc, char *argv[])
{
    lesson l = { .kind = SOS_DENOISE_FULL, .noise = noise_none(), .t = training_defaults() };
    l.t.gap = NAN;
    const option_set sets[] = { { OPTIONS, &l }, { training_options, &l.t }, { NULL, NULL } };
    int count;
    l.line = training_line(self->name, argc, argv);
    int code = options_parse(self, sets, argc, argv, &count);
    if (code == OPTIONS_RUN && count) code = options_wrong(self, "what is '%s' for?", argv[0]);
    if (code == OPTIONS_RUN && !l.data) code = options_wrong(self, "no --data DIR given");
    if (code == OPTIONS_RUN) code = noise_check(self, &l.noise);
    defaults_set(&l);
    if (code == OPTIONS_RUN) code = training_check(self, &l.t, l.validation != NULL);
    if (code == OPTIONS_RUN) code = lesson_run(&l);
    free(l.line);
    return code;
}

const command train_denoise_command = {
    .name = "train denoise",
    .arguments = "--data DIR -o MODEL",
    .summary = "learn to restore noisy drawings",
    .details = "Learns to tell ink from paper.  DIR/labels has clean drawings, black on white; DIR/images the noisy\n"
               "ones, of the same names.  With any of --noise, --sigma and --seed the noise is added here instead, as\n"
               "s3svm add-noise does it; of several sigmas each drawing appears once with each, the seeds following\n"
               "one another, for a model that serves all of them.\n"
               "\n"
               "  paper  |x - y| per pixel and one table of costs for all 2x2 patches: the paper's 16 parameters\n"
               "  full   small networks look at the neighbourhood of a pixel; a function of what they say and\n"
               "         a table for the 3x3 patches that are in doubt are learned together\n"
               "\n"
               "Without --C and --gap the values that serve the model best.  Ctrl-C keeps the best model so far.\n"
               "What a model has learned from is written in it.",
    .examples = "  s3svm train denoise --data drawings --noise plain --sigma 0.5 -o model.json\n"
                "  s3svm train denoise --data drawings --sigma 0.5,0.7,1 -o model.json\n"
                "  s3svm train denoise --data noisy-scans --model paper -o model.json\n",
    .run = denoise_train,
};
