#include "label/lesson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "label/data.h"
#include "label/design.h"
#include "label/features.h"
#include "label/model.h"
#include "label/task.h"
#include "tasks/lesson_from.h"
#include <s3svm/label.h>

typedef s3svm_label_lesson_settings options;

/* ---------------------------------------------------------------- settings */

static const s3svm_option OPTIONS[] = {
    { "model", 0, S3SVM_SETS_CHOICE(options, kind), S3SVM_LABEL_KINDS, "the model, see above (default full)", 0, 0 },
    { "names", 0, S3SVM_SETS_TEXT(options, names), "LIST", "names of the labels: sky,water=0000ff,...", 0, 0 },
    { "void", 0, S3SVM_SETS_INTEGER(options, unknown), "N", "number of pixels without a label (default 255); -1: none", -1,
      255 },
    { "seed", 0, S3SVM_SETS_INTEGER(options, seed), "N", "seed for learning features (default 1)", 0, INT64_MAX },
    { "balance", 0, S3SVM_SETS_FLAG(options, balance), NULL, "rare labels count as much as frequent ones", 0, 0 },
    { "weights", 0, S3SVM_SETS_REALS(options, weights), "LIST", "weight of an error at a pixel of each label: 1,1,5", 0,
      S3SVM_REALS_MAX },
    S3SVM_MAPS_OPTIONS(options, maps),
    S3SVM_OPTIONS_END,
};

enum { NOT_SAID = -2 }; /* which number stands for no label */

static void label_options_defaults(void *settings)
{
    *(options *)settings = (options){ .kind = S3SVM_CHOICE_NONE, .unknown = NOT_SAID, .seed = 1 };
}

static sos_status weights_check(const options *o, sos_error *error)
{
    if (o->balance && o->weights.count) return sos_fail(error, SOS_ERR_ARGUMENT, "--balance and --weights exclude each other");
    for (size_t l = 0; l < o->weights.count; l++)
        if (!(o->weights.values[l] > 0)) return sos_fail(error, SOS_ERR_ARGUMENT, "--weights takes positive numbers");
    return SOS_OK;
}

/* As many weights as labels. */
static sos_status weights_count(const s3svm_reals *weights, size_t labels, sos_error *error)
{
    if (!weights->count || weights->count == labels) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "--weights: %zu weights for %zu labels", weights->count, labels);
}

static sos_status label_options_check(const void *settings, sos_error *error)
{
    const options *o = settings;
    sos_status status = weights_check(o, error);
    if (!status) status = s3svm_maps_options_check(&o->maps, error);
    if (status || !o->names) return status;
    sos_error why;
    s3svm_label_names *names = malloc(sizeof *names);
    if (!names) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the names of labels");
    status = s3svm_label_names_parse(o->names, names, &why);
    if (status)
        (void)sos_fail(error, status, "--names: %.480s", why.message);
    else
        status = weights_count(&o->weights, names->count, error);
    free(names);
    return status;
}

const s3svm_form s3svm_label_lesson_form = { OPTIONS, sizeof(options), label_options_defaults, label_options_check };

/* ---------------------------------------------------------------- what settings come to */

/* A lesson of labelled photographs. */
typedef struct lesson {
    bool seen; /* features are learned from the pictures; else they are those of the model to learn away from */
    bool named, alone, balance;
    uint64_t seed;
    s3svm_label_kind kind;
    s3svm_label_names names;
    s3svm_reals given;                  /* weights of labels */
    size_t counts[S3SVM_LABEL_NUMBERS]; /* pixels of the set that is being looked at */
    double balanced[SOS_LABELS_MAX];    /* weights that make up for them */
} lesson;

/* What an error at a pixel of each label counts; NULL: all the same. */
static const double *weights_of(const lesson *l) { return l->balance ? l->balanced : l->given.count ? l->given.values : NULL; }

/* What the model to learn away from says of labels, and whether the settings agree. */
static sos_status from_read(lesson *l, const options *o, const sos_model *from, s3svm_maps_options *maps, sos_error *error)
{
    s3svm_label_model *p;
    sos_status status = s3svm_label_model_create(from, &p, error);
    if (status) return status;
    l->kind = s3svm_label_model_design(p)->kind;
    memcpy(&l->names, s3svm_label_model_names(p), sizeof l->names);
    s3svm_label_model_free(p);
    status = s3svm_lesson_from_agrees("--model",
                                      o->kind == S3SVM_CHOICE_NONE ? NULL : s3svm_label_kind_name((s3svm_label_kind)o->kind),
                                      s3svm_label_kind_name(l->kind), error);
    if (!status && o->names)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "--names cannot be combined with --from: the model has its own names");
    if (!status && o->unknown != NOT_SAID && (int)o->unknown != l->names.unknown)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "--void %d differs from the %d of the model given by --from",
                          (int)o->unknown, l->names.unknown);
    return status ? status : s3svm_lesson_from_maps(from, maps, error);
}

static sos_status options_find(lesson *l, const options *o, const sos_model *from, s3svm_maps_options *maps, sos_error *error)
{
    l->named = o->names || from;
    if (from) return from_read(l, o, from, maps, error);
    l->kind = o->kind == S3SVM_CHOICE_NONE ? S3SVM_LABEL_FULL : (s3svm_label_kind)o->kind;
    const sos_status status = o->names ? s3svm_label_names_parse(o->names, &l->names, error) : SOS_OK;
    l->names.unknown = o->unknown == NOT_SAID ? S3SVM_LABEL_VOID : (int)o->unknown;
    return status;
}

static sos_status begin(const void *settings, const sos_model *from, s3svm_lesson_plan *plan, sos_error *error)
{
    const options *o = settings;
    lesson *l = calloc(1, sizeof *l);
    if (!l) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a lesson");
    s3svm_maps_options maps = o->maps;
    const sos_status status = options_find(l, o, from, &maps, error);
    if (status) {
        free(l);
        return status;
    }
    l->seen = !from;
    l->alone = maps.alone;
    l->balance = o->balance;
    l->given = o->weights;
    l->seed = (uint64_t)o->seed;
    *plan = (s3svm_lesson_plan){ .own = l, .maps = maps };
    return SOS_OK;
}

/* ---------------------------------------------------------------- truths */

static sos_status look(void *own, const s3svm_image *labels, const char *name, sos_error *error)
{
    (void)name;
    (void)error;
    s3svm_label_numbers_count(labels, ((lesson *)own)->counts);
    return SOS_OK;
}

/* A label that does not occur can still be named, and is never found: people should know. */
static void absent_tell(const lesson *l, const char *data, const sos_work *work)
{
    for (size_t k = 0; work->tell && k < l->names.count; k++) {
        char line[400];
        if (l->counts[k]) continue;
        snprintf(line, sizeof line, "'%.200s' has no pixel of label %zu, '%s': nothing can be learned about it", data, k,
                 l->names.name[k]);
        work->tell(work->user, line);
    }
}

/* Names as given, or made for as many labels as there are; and what labels weigh. */
static sos_status names_settle(lesson *l, const char *data, const sos_work *work, sos_error *error)
{
    const int unknown = l->names.unknown;
    sos_status status = SOS_OK;
    if (!l->named) {
        size_t count;
        status = s3svm_label_count_of(l->counts, unknown, data, &count, error);
        if (!status) status = s3svm_label_names_default(count, &l->names, error);
        l->names.unknown = unknown;
    }
    if (!status) status = weights_count(&l->given, l->names.count, error);
    if (status) return status;
    if (unknown >= 0) l->counts[unknown] = 0;
    absent_tell(l, data, work);
    s3svm_label_balance(l->names.count, l->counts, l->balanced);
    return SOS_OK;
}

static sos_status settle(void *own, const char *name, bool learn, const sos_work *work, sos_error *error)
{
    lesson *l = own;
    const sos_status status = learn ? names_settle(l, name ? name : "memory", work, error) : SOS_OK;
    memset(l->counts, 0, sizeof l->counts);
    return status;
}

static sos_status decode(const void *own, s3svm_image *labels, const char *name, uint8_t **truth, uint8_t **care,
                         sos_error *error)
{
    const lesson *l = own;
    return s3svm_label_truth_decode(labels, name, l->names.count, l->names.unknown, truth, care, error);
}

/* ---------------------------------------------------------------- model and examples */

/* Pictures as the calls of <s3svm/label.h> take them; all borrowed but the arrays. */
typedef struct arrays {
    s3svm_label_pictures pictures;
    s3svm_image *images;
    const uint8_t **truths, **care;
    s3svm_maps *maps;
} arrays;

static void arrays_free(arrays *a)
{
    free(a->images);
    free(a->truths);
    free(a->care);
    free(a->maps);
}

static sos_status arrays_make(const lesson *l, const s3svm_lesson_pictures *p, arrays *out, sos_error *error)
{
    const size_t room = p->count + 1;
    arrays a = { .images = calloc(room, sizeof *a.images),
                 .truths = calloc(room, sizeof *a.truths),
                 .care = calloc(room, sizeof *a.care),
                 .maps = calloc(room, sizeof *a.maps) };
    if (!a.images || !a.truths || !a.care || !a.maps) {
        arrays_free(&a);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", p->count);
    }
    for (size_t i = 0; i < p->count; i++) {
        a.images[i] = p->pictures[i].in.colour;
        a.truths[i] = p->pictures[i].truth;
        a.care[i] = p->pictures[i].care;
        a.maps[i] = p->pictures[i].in.maps;
    }
    a.pictures = (s3svm_label_pictures){ .count = p->count,
                                         .labels = l->names.count,
                                         .pictures = a.images,
                                         .truths = a.truths,
                                         .care = a.care,
                                         .weights = weights_of(l),
                                         .maps = a.maps };
    *out = a;
    return SOS_OK;
}

static sos_status features_learn(const lesson *l, const s3svm_label_pictures *p, const sos_work *work,
                                 s3svm_label_features **out, sos_error *error)
{
    s3svm_label_learning s = s3svm_label_learning_defaults();
    s.seed = l->seed;
    s.work = *work;
    s.alone = l->alone;
    return s3svm_label_features_learn(p, &s, out, error);
}

static sos_status label_model_make(const void *own, const s3svm_lesson_pictures *p, const sos_work *work, sos_model **out,
                                   sos_error *error)
{
    const lesson *l = own;
    const s3svm_label_design design = s3svm_label_design_of(l->kind);
    s3svm_label_features *f;
    arrays a;
    sos_status status = arrays_make(l, p, &a, error);
    if (status) return status;
    status = features_learn(l, &a.pictures, work, &f, error);
    arrays_free(&a);
    if (status) return status;
    status = s3svm_label_create(&design, f, &l->names, out, error);
    s3svm_label_features_free(f);
    return status;
}

static sos_status label_examples_make(const void *own, const void *prepared, const s3svm_lesson_pictures *p, bool learn,
                                      const sos_work *work, size_t *count, sos_example ***out, sos_error *error)
{
    const lesson *l = own;
    const s3svm_label_model *model = s3svm_label_task_model(prepared);
    sos_example **examples;
    arrays a;
    sos_status status = s3svm_lesson_room(p->count, &examples, error);
    if (status) return status;
    status = arrays_make(l, p, &a, error);
    if (!status) {
        status = s3svm_label_model_examples(model, &a.pictures, learn && l->seen, p->mine, work, examples, error);
        arrays_free(&a);
    }
    if (status) {
        free(examples);
        return status;
    }
    *count = p->count;
    *out = examples;
    return SOS_OK;
}

static sos_status label_example_make(const void *own, const void *prepared, const s3svm_lesson_picture *p, size_t number,
                                     sos_example **out, sos_error *error)
{
    const lesson *l = own;
    const s3svm_label_model *model = s3svm_label_task_model(prepared);
    const bool seen = l->seen && number < S3SVM_STREAM_LEARN;
    const s3svm_label_look look_at = { .picture = &p->in.colour,
                                       .fold = seen ? s3svm_label_fold(model->features, number) : S3SVM_LABEL_NEW,
                                       .truth = p->truth,
                                       .care = p->care,
                                       .weights = weights_of(l) };
    return s3svm_label_example_make(model, &look_at, out, error);
}

static void training_set(const void *own, sos_train_settings *training, s3svm_reals *values)
{
    (void)own;
    (void)values;
    *training = s3svm_label_training();
}

const s3svm_lesson_steps s3svm_label_lesson_steps = {
    .labels = S3SVM_IMAGE_LABELS,
    .begin = begin,
    .end = free,
    .look = look,
    .settle = settle,
    .decode = decode,
    .model = label_model_make,
    .examples = label_examples_make,
    .example = label_example_make,
    .training = training_set,
};
