/* train_segment.c - s3svm train segment: models that cut objects out of photographs by scribbles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include "command.h"
#include "options.h"
#include "progress.h"
#include "segment/segment.h"
#include "tasks/cache.h"
#include "training.h"

/* ---------------------------------------------------------------- photographs */

typedef struct collection {
    size_t count;
    sos_marked *pictures;
    sos_example **examples;
} collection;

static void collection_free(collection *c)
{
    sos_problem_free(c->examples ? c->count : 0, c->examples);
    for (size_t i = 0; c->pictures && i < c->count; i++) sos_marked_free(&c->pictures[i]);
    free(c->pictures);
}

static int collection_fill(collection *c, const sos_dataset *d)
{
    sos_error error;
    c->pictures = calloc(d->count, sizeof *c->pictures);
    c->examples = calloc(d->count, sizeof *c->examples);
    if (!c->pictures || !c->examples) return command_fail("no memory for %zu photographs", d->count);
    c->count = d->count;
    for (size_t i = 0; i < d->count; i++)
        if (sos_marked_read(&d->items[i], true, &c->pictures[i], &error)) return command_fail("%s", error.message);
    return COMMAND_DONE;
}

static int collection_read(collection *c, const char *folder, uint64_t *hash)
{
    sos_dataset d;
    sos_error error;
    if (sos_dataset_open(folder, SOS_IMAGES_REQUIRED, true, &d, &error)) return command_fail("%s", error.message);
    int code = COMMAND_DONE;
    if (hash && sos_dataset_hash(&d, hash, &error)) code = command_fail("%s", error.message);
    if (!code) code = collection_fill(c, &d);
    sos_dataset_free(&d);
    return code;
}

/* ---------------------------------------------------------------- the run */

typedef struct lesson {
    const char *data, *validation, *note, *cache;
    char *line; /* the command line */
    int features, method;
    int64_t seed;
    training t;
    sos_model *model;
    collection learned, other;
} lesson;

static sos_status facts_set(lesson *l, sos_error *error)
{
    const sos_status status = training_fact(l->model, "command", l->line, error);
    return !status && l->note ? training_fact(l->model, "note", l->note, error) : status;
}

static sos_status model_make(void *data, sos_error *error)
{
    lesson *l = data;
    progress shown;
    sos_segment_settings s = sos_segment_defaults();
    s.features = (sos_segment_features)l->features;
    s.method = (sos_segment_method)l->method;
    s.seed = (uint64_t)l->seed;
    s.threads = (int)l->t.threads;
    s.cache = l->cache;
    s.progress = progress_report;
    s.user = &shown;
    progress_begin(&shown, "train");
    sos_status status = sos_segment_create(&s, l->learned.count, l->learned.pictures, &l->model, error);
    if (!status) status = sos_segment_examples(l->model, l->learned.count, l->learned.pictures, &s, l->learned.examples, error);
    if (!status) status = sos_segment_examples(l->model, l->other.count, l->other.pictures, &s, l->other.examples, error);
    progress_end(&shown);
    return status ? status : facts_set(l, error);
}

static int photographs_read(void *data)
{
    lesson *l = data;
    sos_error error;
    if (l->cache && sos_cache_open(l->cache, &error)) return command_fail("%s", error.message);
    const int code = collection_read(&l->learned, l->data, &l->t.fingerprint);
    return !code && l->validation ? collection_read(&l->other, l->validation, NULL) : code;
}

static int lesson_run(lesson *l)
{
    char *name = training_name(l->data);
    int code = name && l->line ? COMMAND_DONE : command_fail("no memory for a name");
    l->t.data = name;
    if (!code) code = training_prepare(l->data, l, photographs_read, model_make);
    if (!code) code = training_run(&l->t, l->model, l->learned.count, l->learned.examples, l->other.count, l->other.examples);
    collection_free(&l->learned);
    collection_free(&l->other);
    sos_model_free(l->model);
    free(name);
    return code;
}

/* Without --C, --gap and --epsilon, what serves the model best. */
static void defaults_set(lesson *l)
{
    const sos_segment_features features = (sos_segment_features)l->features;
    const sos_segment_method method = (sos_segment_method)l->method;
    const sos_train_settings best = sos_segment_training(features, method);
    l->t.usual_C = best.C;
    l->t.usual_values = sos_segment_cs(features, method);
    l->t.usual_count = SOS_SEGMENT_CS;
    if (isnan(l->t.gap)) l->t.gap = best.gap;
    if (isnan(l->t.epsilon)) l->t.epsilon = best.epsilon;
}

static const sos_option OPTIONS[] = {
    { "data", 0, SOS_SETS_TEXT(lesson, data), "DIR", "photographs in DIR/images, with DIR/scribbles and DIR/labels", 0, 0 },
    { "method", 0, SOS_SETS_CHOICE(lesson, method), SOS_SEGMENT_METHOD_NAMES, "pairs of pixels, or 2x2 patches (s3svm)", 0, 0 },
    { "features", 0, SOS_SETS_CHOICE(lesson, features), SOS_SEGMENT_FEATURES_NAMES, "the paper's, or our best (full)", 0, 0 },
    { "validation", 0, SOS_SETS_TEXT(lesson, validation), "DIR", "photographs that choose the best C of several", 0, 0 },
    { "seed", 0, SOS_SETS_INTEGER(lesson, seed), "N", "of what is drawn at random while features are learned (1)", 0,
      INT64_MAX },
    { "cache", 0, SOS_SETS_TEXT(lesson, cache), "FOLDER", "keep features here, and find them again (off)", 0, 0 },
    { "note", 0, SOS_SETS_TEXT(lesson, note), "TEXT", "a remark to keep in the model", 0, 0 },
    SOS_OPTIONS_END,
};

static int segment_train(const command *self, int argc, char *argv[])
{
    lesson l = { .features = SOS_SEGMENT_FULL, .method = SOS_SEGMENT_S3SVM, .seed = 1, .t = training_defaults() };
    l.t.gap = l.t.epsilon = NAN;
    const option_set sets[] = { { OPTIONS, &l }, { training_options, &l.t }, { NULL, NULL } };
    int count;
    l.line = training_line(self->name, argc, argv);
    int code = options_parse(self, sets, argc, argv, &count);
    if (code == OPTIONS_RUN && count) code = options_wrong(self, "what is '%s' for?", argv[0]);
    if (code == OPTIONS_RUN && !l.data) code = options_wrong(self, "no --data DIR given");
    defaults_set(&l);
    if (code == OPTIONS_RUN) code = training_check(self, &l.t, l.validation != NULL);
    if (code == OPTIONS_RUN) code = lesson_run(&l);
    free(l.line);
    return code;
}

const command train_segment_command = {
    .name = "train segment",
    .arguments = "--data DIR -o MODEL",
    .summary = "learn to cut objects out of photographs",
    .details = "Learns to tell object from background by a few scribbles, for s3svm segment.  Files of the same name\n"
               "belong together: DIR/images has photographs, DIR/scribbles PNG whose grey values or palette indices\n"
               "are 0 nothing, 1 object, 2 background, and DIR/labels PNG of 0 background, 255 object, 128 unsure.\n"
               "\n"
               "  s3svm  a table of costs for all 2x2 patches, one for each of 50 kinds of edges\n"
               "  amn    pairs of neighbours: a constant, and a part that falls with contrast\n"
               "\n"
               "  paper  the paper's features: colour mixtures, distances from the scribbles, clusters of patches\n"
               "  full   what small networks make of 39 maps, and GrabCut's colour mixtures\n"
               "\n"
               "Without --C, --gap and --epsilon the values that serve the model best; with --validation the best of\n"
               "three values of C.  Ctrl-C keeps the best model so far.  What a model has learned from is written in it.",
    .examples = "  s3svm train segment --data photographs -o model.json\n"
                "  s3svm train segment --data photographs --validation others -o model.json\n"
                "  s3svm train segment --data photographs --method amn --features paper -o model.json\n",
    .run = segment_train,
};
