#include "trace/lesson.h"

#include <stdlib.h>

#include "base/error.h"
#include "tasks/lesson_from.h"
#include "tasks/truth.h"
#include "trace/model.h"

typedef s3svm_trace_lesson_settings options;

/* ---------------------------------------------------------------- settings */

static const s3svm_option OPTIONS[] = {
    { "model", 0, S3SVM_SETS_CHOICE(options, kind), S3SVM_TRACE_KINDS, "which cliques there are, see below (lines)", 0, 0 },
    { "missed", 0, S3SVM_SETS_REAL(options, missed), "X", "what a missed pixel costs, where an added one costs 1 (1.5)", 0, 0 },
    { "broken", 0, S3SVM_SETS_REAL(options, broken), "X", "what a break of the centre line costs on top (1)", 0, 0 },
    { "samples", 0, S3SVM_SETS_INTEGER(options, samples), "N", "pixels that networks learn from, about (0: 400000)", 0,
      INT64_MAX },
    { "feature-seed", 0, S3SVM_SETS_INTEGER(options, seed), "N", "of what is drawn at random while networks learn (1)", 0,
      INT64_MAX },
    S3SVM_MAPS_OPTIONS(options, maps),
    S3SVM_OPTIONS_END,
};

static void defaults(void *settings)
{
    *(options *)settings = (options){
        .kind = S3SVM_CHOICE_NONE, .seed = 1, .missed = s3svm_trace_usual_loss.missed, .broken = s3svm_trace_usual_loss.broken
    };
}

static sos_status check(const void *settings, sos_error *error)
{
    const options *o = settings;
    if (!(o->missed > 0)) return sos_fail(error, SOS_ERR_ARGUMENT, "--missed: what a missed pixel costs is over 0");
    if (!(o->broken >= 0)) return sos_fail(error, SOS_ERR_ARGUMENT, "--broken: what a break costs is not below 0");
    return s3svm_maps_options_check(&o->maps, error);
}

const s3svm_form s3svm_trace_lesson_form = { OPTIONS, sizeof(options), defaults, check };

/* ---------------------------------------------------------------- what settings come to */

/* A lesson of pictures with thin structures. */
typedef struct lesson {
    s3svm_trace_kind kind;
    bool seen; /* networks learn from the pictures; else they are those of the model to learn away from */
    bool alone;
    size_t samples;
    uint64_t seed;
    s3svm_trace_loss loss;
    s3svm_truth_steps truth;
} lesson;

static void end(void *own)
{
    lesson *l = own;
    s3svm_truth_steps_free(&l->truth);
    free(l);
}

/* Whether the settings agree with the model to learn away from, whose maps are taken. */
static sos_status from_read(const options *o, const sos_model *from, s3svm_maps_options *maps, sos_error *error)
{
    s3svm_trace_features f;
    sos_status status = s3svm_trace_features_read(from, &f, error);
    if (status) return status;
    const char *said = o->kind == S3SVM_CHOICE_NONE ? NULL : s3svm_trace_design_of((s3svm_trace_kind)o->kind)->name;
    status = s3svm_lesson_from_agrees("--model", said, f.design->name, error);
    s3svm_trace_features_free(&f);
    return status ? status : s3svm_lesson_from_maps(from, maps, error);
}

static sos_status begin(const void *settings, const sos_model *from, s3svm_lesson_plan *plan, sos_error *error)
{
    const options *o = settings;
    s3svm_maps_options maps = o->maps;
    const sos_status status = from ? from_read(o, from, &maps, error) : SOS_OK;
    if (status) return status;
    lesson *l = calloc(1, sizeof *l);
    if (!l) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a lesson");
    *l = (lesson){ .kind = o->kind == S3SVM_CHOICE_NONE ? S3SVM_TRACE_LINES : (s3svm_trace_kind)o->kind,
                   .seen = !from,
                   .alone = maps.alone,
                   .samples = (size_t)o->samples,
                   .seed = (uint64_t)o->seed,
                   .loss = { o->missed, o->broken },
                   .truth = { .unsure = S3SVM_UNSURE_TOLD } };
    *plan = (s3svm_lesson_plan){
        .own = l, .maps = maps, .finishes = true, .needed = "what --model has: a threshold is chosen by all pictures"
    };
    return SOS_OK;
}

/* ---------------------------------------------------------------- truths */

static sos_status look(void *own, const s3svm_image *labels, const char *name, sos_error *error)
{
    return s3svm_truth_steps_look(&((lesson *)own)->truth, labels, name, error);
}

static sos_status settle(void *own, const char *name, bool learn, const sos_work *work, sos_error *error)
{
    return s3svm_truth_steps_settle(&((lesson *)own)->truth, name, learn, work, error);
}

static sos_status decode(const void *own, s3svm_image *labels, const char *name, uint8_t **truth, uint8_t **care,
                         sos_error *error)
{
    return s3svm_truth_steps_decode(&((const lesson *)own)->truth, labels, name, truth, care, error);
}

/* ---------------------------------------------------------------- model and examples */

/* Pictures as the calls of <s3svm/trace.h> take them; all borrowed but the arrays. */
typedef struct arrays {
    s3svm_image *images;
    const uint8_t **truths, **cares;
    s3svm_maps *maps;
} arrays;

static void arrays_free(arrays *a)
{
    free(a->images);
    free(a->truths);
    free(a->cares);
    free(a->maps);
    *a = (arrays){ 0 };
}

static sos_status arrays_make(const s3svm_lesson_pictures *p, arrays *a, s3svm_trace_pictures *out, sos_error *error)
{
    const size_t room = p->count + 1;
    *a = (arrays){ calloc(room, sizeof *a->images), calloc(room, sizeof *a->truths), calloc(room, sizeof *a->cares),
                   calloc(room, sizeof *a->maps) };
    if (!a->images || !a->truths || !a->cares || !a->maps) {
        arrays_free(a);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", p->count);
    }
    for (size_t i = 0; i < p->count; i++) {
        a->images[i] = p->pictures[i].in.colour;
        a->truths[i] = p->pictures[i].truth;
        a->cares[i] = p->pictures[i].care;
        a->maps[i] = p->pictures[i].in.maps;
    }
    *out = (s3svm_trace_pictures){
        .count = p->count, .images = a->images, .truths = a->truths, .cares = a->cares, .maps = a->maps
    };
    return SOS_OK;
}

static sos_status model_make(const void *own, const s3svm_lesson_pictures *p, const sos_work *work, sos_model **out,
                             sos_error *error)
{
    const lesson *l = own;
    s3svm_trace_settings s = s3svm_trace_defaults();
    s3svm_trace_pictures pictures;
    arrays a;
    s.work = *work;
    s.alone = l->alone;
    s.seed = l->seed;
    if (l->samples) s.samples = l->samples;
    sos_status status = arrays_make(p, &a, &pictures, error);
    if (status) return status;
    status = s3svm_trace_create(l->kind, &pictures, &s, out, error);
    arrays_free(&a);
    return status;
}

static sos_status trace_examples_make(const void *own, const void *prepared, const s3svm_lesson_pictures *p, bool learn,
                                      const sos_work *work, size_t *count, sos_example ***out, sos_error *error)
{
    const lesson *l = own;
    s3svm_trace_pictures pictures;
    arrays a;
    sos_example **examples;
    sos_status status = s3svm_lesson_room(p->count, &examples, error);
    if (status) return status;
    status = arrays_make(p, &a, &pictures, error);
    if (!status) {
        status = s3svm_trace_examples_make(prepared, &pictures, learn ? &l->loss : NULL, learn && l->seen, p->mine, work,
                                           examples, error);
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

/* Networks of a model to learn away from have seen who knows what: its examples are made as new ones. */
static sos_status finish(const void *own, const s3svm_lesson_pictures *p, sos_model *m, const sos_work *work, sos_error *error)
{
    const lesson *l = own;
    s3svm_trace_model *model;
    s3svm_trace_pictures pictures;
    arrays a;
    sos_example **examples;
    sos_status status = s3svm_lesson_room(p->count, &examples, error);
    if (status) return status;
    status = arrays_make(p, &a, &pictures, error);
    if (!status) {
        status = s3svm_trace_model_create(m, &model, error);
        if (!status) {
            status = s3svm_trace_examples_make(model, &pictures, NULL, l->seen, NULL, work, examples, error);
            s3svm_trace_model_free(model);
        }
        if (!status) status = s3svm_trace_bias_learn(m, p->count, examples, &pictures, work, NULL, error);
        arrays_free(&a);
    }
    for (size_t i = 0; i < p->count; i++) sos_example_free(examples[i]);
    free(examples);
    return status;
}

static void training_set(const void *own, sos_train_settings *training, s3svm_reals *values)
{
    (void)own;
    (void)values;
    *training = s3svm_trace_training();
}

const s3svm_lesson_steps s3svm_trace_lesson_steps = {
    .labels = S3SVM_IMAGE_LABELS,
    .begin = begin,
    .end = end,
    .look = look,
    .settle = settle,
    .decode = decode,
    .model = model_make,
    .examples = trace_examples_make,
    .training = training_set,
    .finish = finish,
};
