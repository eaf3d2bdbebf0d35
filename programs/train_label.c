/* train_label.c - s3svm train label: models that give every pixel of a photograph one of several labels. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include "command.h"
#include "label/label.h"
#include "options.h"
#include "progress.h"
#include "training.h"

/* ---------------------------------------------------------------- photographs */

typedef struct collection {
    size_t count;
    sos_labelled *loaded;
    sos_image *pictures; /* these three borrow from loaded */
    const uint8_t **truths, **care;
    sos_example **examples;
} collection;

static void collection_free(collection *c)
{
    sos_problem_free(c->examples ? c->count : 0, c->examples);
    for (size_t i = 0; c->loaded && i < c->count; i++) sos_labelled_free(&c->loaded[i]);
    free(c->loaded);
    free(c->pictures);
    free(c->truths);
    free(c->care);
}

static int collection_fill(collection *c, const sos_dataset *d, const sos_label_names *names)
{
    sos_error error;
    c->loaded = calloc(d->count, sizeof *c->loaded);
    c->pictures = calloc(d->count, sizeof *c->pictures);
    c->truths = calloc(d->count, sizeof *c->truths);
    c->care = calloc(d->count, sizeof *c->care);
    c->examples = calloc(d->count, sizeof *c->examples);
    if (!c->loaded || !c->pictures || !c->truths || !c->care || !c->examples)
        return command_fail("no memory for %zu photographs", d->count);
    c->count = d->count;
    for (size_t i = 0; i < d->count; i++) {
        if (sos_labelled_read(&d->items[i], names->count, names->unknown, &c->loaded[i], &error))
            return command_fail("%s", error.message);
        c->pictures[i] = c->loaded[i].picture;
        c->truths[i] = c->loaded[i].truth;
        c->care[i] = c->loaded[i].care;
    }
    return COMMAND_DONE;
}

static sos_label_lesson material_of(const collection *c, size_t labels)
{
    return (
        sos_label_lesson){ .count = c->count, .labels = labels, .pictures = c->pictures, .truths = c->truths, .care = c->care };
}

/* ---------------------------------------------------------------- the run */

typedef struct lesson {
    const char *data, *validation, *names_text;
    int kind;
    int64_t unknown, seed;
    training t;
    sos_label_names names;
    sos_model *model;
    collection learned, other;
} lesson;

/* Names as given, or made for as many labels as there are. */
static int names_find(lesson *l, const sos_dataset *d)
{
    sos_error error;
    size_t count;
    sos_status status = SOS_OK;
    if (!l->names_text) {
        status = sos_label_count(d, (int)l->unknown, &count, &error);
        if (!status) status = sos_label_names_default(count, &l->names, &error);
        if (status) return command_fail("%s", error.message);
    }
    l->names.unknown = (int)l->unknown;
    return COMMAND_DONE;
}

static int data_read(lesson *l, const char *folder, collection *c, bool first)
{
    sos_dataset d;
    sos_error error;
    if (sos_dataset_open(folder, SOS_IMAGES_REQUIRED, false, &d, &error)) return command_fail("%s", error.message);
    int code = first ? names_find(l, &d) : COMMAND_DONE;
    if (!code && first && sos_dataset_hash(&d, &l->t.fingerprint, &error)) code = command_fail("%s", error.message);
    if (!code) code = collection_fill(c, &d, &l->names);
    sos_dataset_free(&d);
    return code;
}

static sos_status features_learn(const lesson *l, sos_label_features *f, sos_error *error)
{
    progress shown;
    const sos_label_lesson material = material_of(&l->learned, l->names.count);
    sos_label_learning settings = sos_label_learning_defaults();
    settings.seed = (uint64_t)l->seed;
    settings.threads = (int)l->t.threads;
    settings.progress = progress_report;
    settings.user = &shown;
    progress_begin(&shown, "train");
    const sos_status status = sos_label_features_learn(&material, &settings, f, error);
    progress_end(&shown);
    return status;
}

static sos_status examples_make(lesson *l, sos_error *error)
{
    const sos_label_lesson learned = material_of(&l->learned, l->names.count), other = material_of(&l->other, l->names.count);
    const int threads = (int)l->t.threads;
    sos_label_model *p;
    sos_status status = sos_label_model_create(l->model, &p, error);
    if (status) return status;
    status = sos_label_model_examples(p, &learned, true, threads, l->learned.examples, error);
    if (!status && l->validation) status = sos_label_model_examples(p, &other, false, threads, l->other.examples, error);
    sos_label_model_free(p);
    return status;
}

static sos_status model_make(void *data, sos_error *error)
{
    lesson *l = data;
    sos_label_features f;
    sos_status status = features_learn(l, &f, error);
    if (status) return status;
    const sos_label_design design = sos_label_design_of((sos_label_kind)l->kind);
    status = sos_label_create(&design, &f, &l->names, &l->model, error);
    sos_label_features_free(&f);
    return status ? status : examples_make(l, error);
}

static int photographs_read(void *data)
{
    lesson *l = data;
    const int code = data_read(l, l->data, &l->learned, true);
    return !code && l->validation ? data_read(l, l->validation, &l->other, false) : code;
}

static int lesson_run(lesson *l)
{
    char *name = training_name(l->data);
    if (!name) return command_fail("no memory for a name");
    l->t.data = name;
    int code = training_prepare(l->data, l, photographs_read, model_make);
    if (!code) code = training_run(&l->t, l->model, l->learned.count, l->learned.examples, l->other.count, l->other.examples);
    collection_free(&l->learned);
    collection_free(&l->other);
    sos_model_free(l->model);
    free(name);
    return code;
}

/* Without --C and --gap, what serves best. */
static void defaults_set(lesson *l)
{
    const sos_train_settings best = sos_label_training();
    l->t.usual_C = best.C;
    if (isnan(l->t.gap)) l->t.gap = best.gap;
}

static const sos_option OPTIONS[] = {
    { "data", 0, SOS_SETS_TEXT(lesson, data), "DIR", "photographs in DIR/images, their labels in DIR/labels", 0, 0 },
    { "model", 0, SOS_SETS_CHOICE(lesson, kind), SOS_LABEL_KINDS, "what the energy is made of (full)", 0, 0 },
    { "names", 0, SOS_SETS_TEXT(lesson, names_text), "LIST", "of the labels: sky,water=0000ff,...", 0, 0 },
    { "void", 0, SOS_SETS_INTEGER(lesson, unknown), "N", "the number for pixels without a label (255); -1: none", -1, 255 },
    { "validation", 0, SOS_SETS_TEXT(lesson, validation), "DIR", "photographs that choose the best C of several", 0, 0 },
    { "seed", 0, SOS_SETS_INTEGER(lesson, seed), "N", "of what is drawn at random while features are learned (1)", 0,
      INT64_MAX },
    SOS_OPTIONS_END,
};

static int label_train(const command *self, int argc, char *argv[])
{
    static lesson none;
    lesson *l = malloc(sizeof *l);
    if (!l) return command_fail("no memory for training");
    *l = none;
    l->kind = SOS_LABEL_FULL;
    l->unknown = SOS_LABEL_VOID;
    l->seed = 1;
    l->t = training_defaults();
    l->t.gap = NAN;
    sos_error error;
    const option_set sets[] = { { OPTIONS, l }, { training_options, &l->t }, { NULL, NULL } };
    int count;
    int code = options_parse(self, sets, argc, argv, &count);
    if (code == OPTIONS_RUN && count) code = options_wrong(self, "what is '%s' for?", argv[0]);
    if (code == OPTIONS_RUN && !l->data) code = options_wrong(self, "no --data DIR given");
    if (code == OPTIONS_RUN && l->names_text && sos_label_names_parse(l->names_text, &l->names, &error))
        code = options_wrong(self, "--names: %s", error.message);
    defaults_set(l);
    if (code == OPTIONS_RUN) code = training_check(self, &l->t, l->validation != NULL);
    if (code == OPTIONS_RUN) code = lesson_run(l);
    free(l);
    return code;
}

const command train_label_command = {
    .name = "train label",
    .arguments = "--data DIR -o MODEL",
    .summary = "learn to label the pixels of photographs",
    .details = "Learns to give every pixel one of several labels.  DIR/images has photographs; DIR/labels, under the\n"
               "same names, PNG whose grey values or palette indices are the labels, from 0 on.  There are as many\n"
               "labels as --names has, or 1 more than the greatest number in the pictures.\n"
               "\n"
               "  unary     what networks say of each pixel, by its surroundings, and where and what it is\n"
               "  pairwise  and neighbours should agree, less so where colours differ\n"
               "  tables    instead, learned costs of all 2x2 patches, for each label and kind of edge\n"
               "  full      and superpixels should agree, but for a few of their pixels\n"
               "\n"
               "Without --C and --gap the values that serve best.  Ctrl-C keeps the best model so far.",
    .examples = "  s3svm train label --data corel -o model.json\n"
                "  s3svm train label --data street --names road,car=ff0000,sky -o model.json\n"
                "  s3svm train label --data street --model pairwise --void 11 -o model.json\n",
    .run = label_train,
};
