#include "label/lesson.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "label/data.h"
#include <s3svm/label.h>

typedef sos_label_lesson_settings wishes;

/* ---------------------------------------------------------------- settings */

static const sos_option OPTIONS[] = {
    { "model", 0, SOS_SETS_CHOICE(wishes, kind), SOS_LABEL_KINDS, "what the energy is made of (full)", 0, 0 },
    { "names", 0, SOS_SETS_TEXT(wishes, names), "LIST", "of the labels: sky,water=0000ff,...", 0, 0 },
    { "void", 0, SOS_SETS_INTEGER(wishes, unknown), "N", "the number for pixels without a label (255); -1: none", -1, 255 },
    { "seed", 0, SOS_SETS_INTEGER(wishes, seed), "N", "of what is drawn at random while features are learned (1)", 0,
      INT64_MAX },
    { "balance", 0, SOS_SETS_FLAG(wishes, balance), NULL, "rare labels count as much as frequent ones", 0, 0 },
    { "weights", 0, SOS_SETS_REALS(wishes, weights), "LIST", "what an error at a pixel of each label counts: 1,1,5", 0,
      SOS_REALS_MAX },
    SOS_OPTIONS_END,
};

static void defaults(void *settings)
{
    *(wishes *)settings = (wishes){ .kind = SOS_LABEL_FULL, .unknown = SOS_LABEL_VOID, .seed = 1 };
}

static sos_status weights_check(const wishes *w, sos_error *error)
{
    if (w->balance && w->weights.count) return sos_fail(error, SOS_ERR_ARGUMENT, "--balance finds the weights by itself");
    for (size_t l = 0; l < w->weights.count; l++)
        if (!(w->weights.values[l] > 0)) return sos_fail(error, SOS_ERR_ARGUMENT, "--weights: they are positive");
    return SOS_OK;
}

/* As many weights as labels. */
static sos_status weights_count(const wishes *w, size_t labels, sos_error *error)
{
    if (!w->weights.count || w->weights.count == labels) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "--weights: %zu weights for %zu labels", w->weights.count, labels);
}

static sos_status check(const void *settings, sos_error *error)
{
    const wishes *w = settings;
    sos_status status = weights_check(w, error);
    if (status || !w->names) return status;
    sos_error why;
    sos_label_names *names = malloc(sizeof *names);
    if (!names) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the names of labels");
    status = sos_label_names_parse(w->names, names, &why);
    if (status)
        (void)sos_fail(error, status, "--names: %.480s", why.message);
    else
        status = weights_count(w, names->count, error);
    free(names);
    return status;
}

const sos_form sos_label_lesson_form = { OPTIONS, sizeof(wishes), defaults, check };

/* ---------------------------------------------------------------- photographs */

/* Photographs of a folder; the second part borrows from the first. */
typedef struct album {
    size_t count;
    sos_labelled *loaded;

    sos_image *pictures;
    const uint8_t **truths, **care;
} album;

static void album_free(album *a)
{
    for (size_t i = 0; a->loaded && i < a->count; i++) sos_labelled_free(&a->loaded[i]);
    free(a->loaded);
    free(a->pictures);
    free(a->truths);
    free(a->care);
}

static sos_status album_fill(album *a, const sos_dataset *d, const sos_label_names *names, sos_error *error)
{
    a->loaded = calloc(d->count, sizeof *a->loaded);
    a->pictures = calloc(d->count, sizeof *a->pictures);
    a->truths = calloc(d->count, sizeof *a->truths);
    a->care = calloc(d->count, sizeof *a->care);
    if (!a->loaded || !a->pictures || !a->truths || !a->care)
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", d->count);
    a->count = d->count;
    for (size_t i = 0; i < d->count; i++) {
        const sos_status status = sos_labelled_read(&d->items[i], names->count, names->unknown, &a->loaded[i], error);
        if (status) return status;
        a->pictures[i] = a->loaded[i].picture;
        a->truths[i] = a->loaded[i].truth;
        a->care[i] = a->loaded[i].care;
    }
    return SOS_OK;
}

/* weights: of labels, or NULL. */
static sos_label_pictures material_of(const album *a, size_t labels, const double weights[])
{
    return (sos_label_pictures){
        .count = a->count, .labels = labels, .pictures = a->pictures, .truths = a->truths, .care = a->care, .weights = weights
    };
}

/* ---------------------------------------------------------------- the lesson */

/* A lesson being made. */
typedef struct making {
    const wishes *w;
    const sos_work *work;
    sos_label_names names;
    const double *weights; /* of labels, or NULL: all 1 */
    double balanced[SOS_LABELS_MAX];
    album learned, other;
    sos_lesson lesson;
} making;

/* Names as given, or made for as many labels as there are. */
static sos_status names_find(making *k, const sos_dataset *d, sos_error *error)
{
    size_t count;
    sos_status status;
    if (k->w->names) {
        status = sos_label_names_parse(k->w->names, &k->names, error);
    } else {
        status = sos_label_count(d, (int)k->w->unknown, &count, error);
        if (!status) status = sos_label_names_default(count, &k->names, error);
    }
    k->names.unknown = (int)k->w->unknown;
    return status;
}

static sos_status learned_read(making *k, const char *folder, sos_error *error)
{
    sos_dataset d;
    sos_status status = sos_dataset_open(folder, SOS_IMAGES_REQUIRED, false, &d, error);
    if (status) return status;
    status = names_find(k, &d, error);
    if (!status) status = sos_dataset_hash(&d, &k->lesson.fingerprint, error);
    if (!status) status = album_fill(&k->learned, &d, &k->names, error);
    sos_dataset_free(&d);
    return status;
}

static sos_status other_read(making *k, const char *folder, sos_error *error)
{
    sos_dataset d;
    sos_status status = sos_dataset_open(folder, SOS_IMAGES_REQUIRED, false, &d, error);
    if (status) return status;
    status = album_fill(&k->other, &d, &k->names, error);
    sos_dataset_free(&d);
    return status;
}

/* A label that does not occur can still be named, and is never found: people should know. */
static void absent_tell(const making *k, const char *data, const size_t counts[])
{
    for (size_t l = 0; k->work->tell && l < k->names.count; l++) {
        char line[400];
        if (counts[l]) continue;
        snprintf(line, sizeof line, "'%.200s' has no pixel of label %zu, '%s': nothing can be learned about it", data, l,
                 k->names.name[l]);
        k->work->tell(k->work->user, line);
    }
}

static sos_status labels_weigh(making *k, const char *data, sos_error *error)
{
    const sos_status status = weights_count(k->w, k->names.count, error);
    if (status) return status;
    const sos_label_pictures material = material_of(&k->learned, k->names.count, NULL);
    size_t counts[SOS_LABELS_MAX];
    sos_label_pictures_count(&material, counts);
    absent_tell(k, data, counts);
    sos_label_balance(k->names.count, counts, k->balanced);
    k->weights = k->w->balance ? k->balanced : k->w->weights.count ? k->w->weights.values : NULL;
    return SOS_OK;
}

static sos_status model_make(making *k, sos_error *error)
{
    sos_label_features *f;
    const sos_label_pictures material = material_of(&k->learned, k->names.count, k->weights);
    const sos_label_design design = sos_label_design_of((sos_label_kind)k->w->kind);
    sos_label_learning s = sos_label_learning_defaults();
    s.seed = (uint64_t)k->w->seed;
    s.threads = k->work->threads;
    s.progress = k->work->progress;
    s.user = k->work->user;
    sos_status status = sos_label_features_learn(&material, &s, &f, error);
    if (status) return status;
    status = sos_label_create(&design, f, &k->names, &k->lesson.model, error);
    sos_label_features_free(f);
    return status;
}

/* seen: the features were learned from these pictures. */
static sos_status examples_make(const making *k, const sos_label_model *p, const album *a, bool seen, size_t *count,
                                sos_example ***out, sos_error *error)
{
    const sos_label_pictures material = material_of(a, k->names.count, k->weights);
    sos_example **examples = calloc(a->count ? a->count : 1, sizeof(sos_example *));
    if (!examples) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu examples", a->count);
    const sos_status status = sos_label_model_examples(p, &material, seen, k->work->threads, examples, error);
    if (status) {
        free(examples);
        return status;
    }
    *count = a->count;
    *out = examples;
    return SOS_OK;
}

static sos_status all_examples_make(making *k, sos_error *error)
{
    sos_lesson *l = &k->lesson;
    sos_label_model *p;
    sos_status status = sos_label_model_create(l->model, &p, error);
    if (status) return status;
    status = examples_make(k, p, &k->learned, true, &l->count, &l->examples, error);
    if (!status) status = examples_make(k, p, &k->other, false, &l->validation_count, &l->validation, error);
    sos_label_model_free(p);
    return status;
}

static sos_status lesson_make(making *k, const char *data, sos_error *error)
{
    sos_error why;
    sos_status status = model_make(k, &why);
    if (!status) status = all_examples_make(k, &why);
    return status ? sos_fail(error, status, "%.200s: %.290s", data, why.message) : SOS_OK;
}

sos_status sos_label_lesson_make(const void *settings, const char *data, const char *validation, const sos_work *work,
                                 sos_lesson *out, sos_error *error)
{
    making *k = calloc(1, sizeof *k); /* names are too large for small stacks */
    if (!k) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a lesson");
    k->w = settings;
    k->work = work;
    k->lesson.training = sos_label_training();
    sos_status status = learned_read(k, data, error);
    if (!status && validation) status = other_read(k, validation, error);
    if (!status) status = labels_weigh(k, data, error);
    if (!status) status = lesson_make(k, data, error);
    album_free(&k->learned);
    album_free(&k->other);
    if (status)
        sos_lesson_free(&k->lesson);
    else
        *out = k->lesson;
    free(k);
    return status;
}
