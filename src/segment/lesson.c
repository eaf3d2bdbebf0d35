#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "segment/lesson.h"

#include <stdlib.h>
#include <string.h>

#include <s3svm/segment.h>

#include "base/error.h"
#include "segment/model/model.h"
#include "tasks/cache.h"
#include "tasks/lesson_from.h"
#include "tasks/truth.h"

typedef s3svm_segment_lesson_settings options;

/* ---------------------------------------------------------------- settings */

static const s3svm_option OPTIONS[] = {
    { "method", 0, S3SVM_SETS_CHOICE(options, method), S3SVM_SEGMENT_METHOD_NAMES,
      "terms between pixels: pairs, 2x2 patches, regions (default s3svm)", 0, 0 },
    { "features", 0, S3SVM_SETS_CHOICE(options, features), S3SVM_SEGMENT_FEATURES_NAMES,
      "the features, see above (default full)", 0, 0 },
    { "seed", 0, S3SVM_SETS_INTEGER(options, seed), "N", "seed for learning features (default 1)", 0, INT64_MAX },
    { "samples", 0, S3SVM_SETS_INTEGER(options, samples), "N",
      "pixels of each photograph for training networks (default 0: 2500)", 0, INT64_MAX },
    { "unsure", 0, S3SVM_SETS_INTEGER(options, unsure), "N",
      "number of unsure pixels in labels (default -1: 128, or 255 if objects are 1)", S3SVM_UNSURE_TOLD, 255 },
    { "cache", 0, S3SVM_SETS_TEXT(options, cache), "FOLDER", "folder in which computed features are kept (default: none)", 0,
      0 },
    { "dialogues", 0, S3SVM_SETS_FLAG(options, dialogues), NULL, "learn from simulated dialogues: marks, answers, corrections",
      0, 0 },
    { "evidence", 0, S3SVM_SETS_FLAG(options, evidence), NULL,
      "dialogues: also learn what to make of a network's log odds, DIR/maps/NAME.npy where there are such", 0, 0 },
    { "outlines", 0, S3SVM_SETS_FLAG(options, outlines), NULL, "also learn to refine outlines at full resolution", 0, 0 },
    { "split", 0, S3SVM_SETS_INTEGER(options, split), "N",
      "use only the training part of split N of experiments interactive and clicks, for the first DIR (default 0: all)", 0,
      1000 },
    S3SVM_MAPS_OPTIONS(options, maps),
    S3SVM_OPTIONS_END,
};

static void segment_options_defaults(void *settings)
{
    *(options *)settings = (options){
        .features = S3SVM_CHOICE_NONE, .method = S3SVM_CHOICE_NONE, .seed = 1, .unsure = S3SVM_UNSURE_TOLD
    };
}

static sos_status segment_options_check(const void *settings, sos_error *error)
{
    const options *o = settings;
    const bool full = o->features == S3SVM_CHOICE_NONE || o->features == S3SVM_SEGMENT_FULL;
    if (o->dialogues && (!full || o->maps.kind))
        return sos_fail(error, SOS_ERR_ARGUMENT,
                        "--dialogues needs --features full, and cannot be combined with --maps: --evidence uses maps there");
    if (o->evidence && !o->dialogues) return sos_fail(error, SOS_ERR_ARGUMENT, "--evidence needs --dialogues");
    if (o->split && o->maps.kind) return sos_fail(error, SOS_ERR_ARGUMENT, "--split cannot be combined with --maps");
    return s3svm_maps_options_check(&o->maps, error);
}

const s3svm_form s3svm_segment_lesson_form = { OPTIONS, sizeof(options), segment_options_defaults, segment_options_check };

/* Users' maps can stand for all features. */
static s3svm_segment_features features_of(const options *o)
{
    if (o->maps.alone) return S3SVM_SEGMENT_NONE;
    return o->features == S3SVM_CHOICE_NONE ? S3SVM_SEGMENT_FULL : (s3svm_segment_features)o->features;
}

static s3svm_segment_method method_of(const options *o)
{
    return o->method == S3SVM_CHOICE_NONE ? S3SVM_SEGMENT_S3SVM : (s3svm_segment_method)o->method;
}

/* What the settings come to with a model to learn away from: what it says, and nothing else. */
static sos_status options_find(const options *given, const sos_model *from, options *o, sos_error *error)
{
    *o = *given;
    if (!from) return SOS_OK;
    s3svm_segment_model *p;
    sos_status status = s3svm_segment_model_create(from, &p, error);
    if (status) return status;
    o->features = (int)s3svm_segment_model_features(p);
    o->method = (int)s3svm_segment_model_method(p);
    o->evidence = o->dialogues && s3svm_segment_model_evidence(p);
    s3svm_segment_model_free(p);
    const bool features = given->features != S3SVM_CHOICE_NONE, method = given->method != S3SVM_CHOICE_NONE;
    status = s3svm_lesson_from_agrees("--features",
                                      features ? s3svm_segment_features_name((s3svm_segment_features)given->features) : NULL,
                                      s3svm_segment_features_name((s3svm_segment_features)o->features), error);
    if (!status)
        status = s3svm_lesson_from_agrees("--method",
                                          method ? s3svm_segment_method_name((s3svm_segment_method)given->method) : NULL,
                                          s3svm_segment_method_name((s3svm_segment_method)o->method), error);
    return status ? status : s3svm_lesson_from_maps(from, &o->maps, error);
}

/* A lesson of photographs. */
typedef struct lesson {
    options o; /* as the model to learn away from says, where there is one */
    char *cache;
    bool goes_on; /* from the second look of that model, if it has one */
    s3svm_truth_steps truth;
} lesson;

static void end(void *own)
{
    lesson *l = own;
    s3svm_truth_steps_free(&l->truth);
    free(l->cache);
    free(l);
}

static sos_status lesson_begin(lesson *l, const options *given, const sos_model *from, sos_error *error)
{
    const sos_status status = options_find(given, from, &l->o, error);
    if (status) return status;
    l->goes_on = from != NULL;
    l->truth.unsure = (int)given->unsure;
    if (!given->cache) return SOS_OK;
    l->o.cache = l->cache = strdup(given->cache);
    return l->cache ? s3svm_cache_open(l->cache, error) : sos_fail(error, SOS_ERR_MEMORY, "no memory for a lesson");
}

static sos_status begin(const void *settings, const sos_model *from, s3svm_lesson_plan *plan, sos_error *error)
{
    lesson *l = calloc(1, sizeof *l);
    if (!l) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a lesson");
    const options *o = &l->o;
    const sos_status status = lesson_begin(l, settings, from, error);
    if (status) {
        end(l);
        return status;
    }
    *plan = (s3svm_lesson_plan){ .own = l,
                                 .maps = o->maps,
                                 .evidence = o->evidence,
                                 .unmarked = o->dialogues,
                                 .everywhere = o->dialogues, /* which choose among all */
                                 .split = o->split,
                                 .finishes = o->outlines && features_of(o) == S3SVM_SEGMENT_FULL };
    if (o->dialogues || o->outlines || o->split) plan->needed = "--dialogues, --outlines and --split";
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

static s3svm_segment_settings settings_of(const options *o, const sos_work *work)
{
    s3svm_segment_settings s = s3svm_segment_defaults();
    s.features = features_of(o);
    s.method = method_of(o);
    s.seed = (uint64_t)o->seed;
    s.cache = o->cache;
    s.dialogues = o->dialogues;
    s.evidence = o->evidence;
    s.work = *work;
    if (o->samples) s.samples = (size_t)o->samples;
    return s;
}

static s3svm_marked marked_of(const s3svm_lesson_picture *p)
{
    return (s3svm_marked){
        .photograph = p->in.colour, .marks = p->in.marks, .truth = p->truth, .care = p->care, .maps = p->in.maps
    };
}

/* Pictures as the calls of <s3svm/segment.h> take them, borrowed; fine: only those with an unsure band along their outlines, if
 * there are such.  *out is to free. */
static sos_status marked_make(const s3svm_lesson_pictures *p, bool fine, size_t *count, s3svm_marked **out, sos_error *error)
{
    s3svm_marked *marked = malloc((p->count + 1) * sizeof *marked);
    size_t found = 0;
    if (!marked) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", p->count);
    for (size_t i = 0; i < p->count && fine; i++)
        if (memchr(p->pictures[i].care, 0, s3svm_image_size(&p->pictures[i].in.colour)))
            marked[found++] = marked_of(&p->pictures[i]);
    for (size_t i = 0; !found && i < p->count; i++) marked[i] = marked_of(&p->pictures[i]);
    *count = found ? found : p->count;
    *out = marked;
    return SOS_OK;
}

static sos_status segment_model_make(const void *own, const s3svm_lesson_pictures *p, const sos_work *work, sos_model **out,
                                     sos_error *error)
{
    const lesson *l = own;
    const s3svm_segment_settings s = settings_of(&l->o, work);
    s3svm_marked *marked;
    size_t count;
    sos_status status = marked_make(p, false, &count, &marked, error);
    if (status) return status;
    status = s3svm_segment_create(&s, count, marked, out, error);
    free(marked);
    return status;
}

/* Of photographs that were chosen, those whose moments this process makes examples of. */
static sos_status moments_deal(const sos_share *share, size_t count, const s3svm_marked pictures[], bool **mine,
                               sos_error *error)
{
    double *cost = malloc((count + 1) * sizeof *cost);
    if (!cost) return sos_fail(error, SOS_ERR_MEMORY, "no memory to deal out %zu photographs", count);
    for (size_t i = 0; i < count; i++) cost[i] = (double)s3svm_image_size(&pictures[i].photograph);
    const sos_status status = sos_share_deal(share, count, cost, mine, error);
    free(cost);
    return status;
}

static sos_status moments_make(const lesson *l, const s3svm_segment_model *m, const sos_share *share, size_t count,
                               const s3svm_marked marked[], const sos_work *work, sos_example *examples[], sos_error *error)
{
    bool *mine;
    sos_status status = moments_deal(share, count, marked, &mine, error);
    if (status) return status;
    status = s3svm_segment_model_dialogues(m, count, marked, (uint64_t)l->o.seed, mine, work, examples, error);
    free(mine);
    return status;
}

/* Energies learn where outlines are from masks that have a band where nobody can be sure: others, if there are such, are taken
 * for coarse, and only networks learn from them. */
static sos_status segment_examples_make(const void *own, const void *prepared, const s3svm_lesson_pictures *p, bool learn,
                                        const sos_work *work, size_t *count, sos_example ***out, sos_error *error)
{
    const lesson *l = own;
    const bool dialogues = l->o.dialogues;
    sos_example **examples = NULL;
    s3svm_marked *marked;
    size_t used;
    (void)learn;
    sos_status status = marked_make(p, dialogues, &used, &marked, error);
    if (status) return status;
    const size_t made = used * (dialogues ? S3SVM_SEGMENT_MOMENTS : 1);
    status = s3svm_lesson_room(made, &examples, error);
    if (!status)
        status = dialogues ? moments_make(l, prepared, p->share, used, marked, work, examples, error)
                           : s3svm_segment_model_examples(prepared, used, marked, l->o.cache, p->mine, work, examples, error);
    free(marked);
    if (status) {
        free(examples);
        return status;
    }
    *count = made;
    *out = examples;
    return SOS_OK;
}

static sos_status segment_example_make(const void *own, const void *prepared, const s3svm_lesson_picture *p, size_t number,
                                       sos_example **out, sos_error *error)
{
    const lesson *l = own;
    const s3svm_marked marked = marked_of(p);
    const sos_work alone = { .threads = 1 };
    (void)number;
    return s3svm_segment_model_examples(prepared, 1, &marked, l->o.cache, NULL, &alone, out, error);
}

static const size_t FLOWS = (size_t)4 << 30; /* bytes: flows of some hundred examples */

static void training_set(const void *own, sos_train_settings *training, s3svm_reals *values)
{
    const options *o = &((const lesson *)own)->o;
    *training = s3svm_segment_training(features_of(o), method_of(o));
    if (o->dialogues) training->memory = FLOWS; /* there are two examples of each photograph */
    values->count = S3SVM_SEGMENT_CS;
    memcpy(values->values, s3svm_segment_cs(features_of(o), method_of(o)), S3SVM_SEGMENT_CS * sizeof(double));
}

/* ---------------------------------------------------------------- outlines */

static sos_status outlines_learn(const void *own, const s3svm_lesson_pictures *p, sos_model *m, const sos_work *work,
                                 sos_error *error)
{
    const lesson *l = own;
    s3svm_marked *marked;
    size_t count;
    sos_status status = marked_make(p, true, &count, &marked, error);
    if (status) return status;
    status = l->goes_on ? s3svm_outline_adapt(m, count, marked, work, error)
                        : s3svm_segment_outline_learn(m, count, marked, l->o.cache, work, error);
    free(marked);
    return status;
}

const s3svm_lesson_steps s3svm_segment_lesson_steps = {
    .labels = S3SVM_IMAGE_LABELS,
    .begin = begin,
    .end = end,
    .look = look,
    .settle = settle,
    .decode = decode,
    .model = segment_model_make,
    .examples = segment_examples_make,
    .example = segment_example_make,
    .training = training_set,
    .finish = outlines_learn,
};
