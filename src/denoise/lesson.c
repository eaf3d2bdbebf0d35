#include "denoise/lesson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "denoise/data.h"
#include "denoise/features.h"
#include "tasks/lesson_from.h"

typedef s3svm_denoise_lesson_settings options;

/* ---------------------------------------------------------------- settings */

static const s3svm_option OPTIONS[] = {
    S3SVM_NOISE_OPTIONS(options, noise, S3SVM_NOISES_MAX),
    { "model", 0, S3SVM_SETS_CHOICE(options, kind), S3SVM_DENOISE_KINDS, "the model, see above (default full)", 0, 0 },
    { "samples", 0, S3SVM_SETS_INTEGER(options, samples), "N",
      "approximate number of pixels for training networks (default 0: 400000)", 0, INT64_MAX },
    { "feature-seed", 0, S3SVM_SETS_INTEGER(options, seed), "N", "seed for learning features (default 1)", 0, INT64_MAX },
    S3SVM_MAPS_OPTIONS(options, maps),
    S3SVM_OPTIONS_END,
};

static void denoise_options_defaults(void *settings)
{
    *(options *)settings = (options){ .kind = S3SVM_CHOICE_NONE, .noise = s3svm_noise_options_none(), .seed = 1 };
}

static sos_status denoise_options_check(const void *settings, sos_error *error)
{
    const options *o = settings;
    const sos_status status = s3svm_noise_options_check(&o->noise, error);
    if (!status && o->maps.kind && o->noise.sigma.count > 1)
        return sos_fail(error, SOS_ERR_ARGUMENT,
                        "--maps cannot be combined with several sigmas: a drawing has maps of one noisy picture");
    return status ? status : s3svm_maps_options_check(&o->maps, error);
}

const s3svm_form s3svm_denoise_lesson_form = { OPTIONS, sizeof(options), denoise_options_defaults, denoise_options_check };

/* ---------------------------------------------------------------- what settings come to */

/* What pictures of true labels are. */
typedef enum truth_code {
    TRUTH_DRAWN,  /* drawings, in which ink is dark */
    TRUTH_LABELS, /* 0 and 1, ink being 1 */
    TRUTH_CODES
} truth_code;

/* What a set of them holds, by a code. */
typedef struct truth_count {
    size_t inked, papered; /* pictures with ink, and with paper */
    size_t alike;          /* pictures of one label */
    char first[200];       /* of these */
} truth_count;

/* A lesson of drawings. */
typedef struct lesson {
    const s3svm_denoise_preset *preset; /* of the model */
    bool alone;
    size_t samples;
    uint64_t seed;
    uint8_t lightest; /* pixel of the set that is being looked at */
    truth_count counts[TRUTH_CODES];
    truth_code code; /* of the set that was looked at last */
} lesson;

/* As the settings say, or as the model to learn away from does. */
static sos_status preset_find(const options *o, const sos_model *from, const s3svm_denoise_preset **out, sos_error *error)
{
    const bool said = o->kind != S3SVM_CHOICE_NONE;
    *out = s3svm_denoise_preset_of(said ? (s3svm_denoise_kind)o->kind : S3SVM_DENOISE_FULL);
    if (!from) return SOS_OK;
    s3svm_denoise_model *p;
    sos_status status = s3svm_denoise_model_create(from, &p, error);
    if (status) return status;
    const char *name = s3svm_denoise_model_name(p), *other = said ? (*out)->name : NULL;
    *out = s3svm_denoise_preset_find(name);
    status = *out ? s3svm_lesson_from_agrees("--model", other, name, error)
                  : sos_fail(error, SOS_ERR_ARGUMENT,
                             "the model given by --from is \"%s\": it can be used, but only s3svm 0.2 can train such models",
                             name);
    s3svm_denoise_model_free(p);
    return status;
}

static sos_status begin(const void *settings, const sos_model *from, s3svm_lesson_plan *plan, sos_error *error)
{
    const options *o = settings;
    lesson *l = calloc(1, sizeof *l);
    if (!l) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a lesson");
    *plan = (s3svm_lesson_plan){ .own = l, .maps = o->maps };
    plan->noises = s3svm_noise_options_make(&o->noise, plan->noise);
    sos_status status = preset_find(o, from, &l->preset, error);
    if (!status && from) status = s3svm_lesson_from_maps(from, &plan->maps, error);
    l->alone = plan->maps.alone;
    l->samples = (size_t)o->samples;
    l->seed = (uint64_t)o->seed;
    if (!status) return SOS_OK;
    free(l);
    plan->own = NULL;
    return status;
}

/* ---------------------------------------------------------------- truths */

static void truth_count_add(truth_count *c, bool ink, bool paper, const char *name)
{
    c->inked += ink;
    c->papered += paper;
    if (ink && paper) return;
    if (!c->alike++) snprintf(c->first, sizeof c->first, "%s", name);
}

static sos_status look(void *own, const s3svm_image *labels, const char *name, sos_error *error)
{
    lesson *l = own;
    uint8_t darkest = UINT8_MAX, lightest = 0;
    (void)error;
    for (size_t i = 0; i < s3svm_image_size(labels); i++) {
        const uint8_t grey = labels->pixels[i];
        if (grey < darkest) darkest = grey;
        if (grey > lightest) lightest = grey;
    }
    if (lightest > l->lightest) l->lightest = lightest;
    truth_count_add(&l->counts[TRUTH_DRAWN], s3svm_drawing_is_ink(darkest), !s3svm_drawing_is_ink(lightest), name);
    truth_count_add(&l->counts[TRUTH_LABELS], lightest == 1, darkest == 0, name);
    return SOS_OK;
}

static void alike_tell(const truth_count *c, const sos_work *work)
{
    char line[400], more[60] = "";
    if (!c->alike || !work->tell) return;
    if (c->alike > 1) snprintf(more, sizeof more, ", and %zu more", c->alike - 1);
    snprintf(line, sizeof line, "'%s'%s: the true labels are all ink, or all paper", c->first, more);
    work->tell(work->user, line);
}

static sos_status settle(void *own, const char *name, bool learn, const sos_work *work, sos_error *error)
{
    lesson *l = own;
    l->code = l->lightest == 1 ? TRUTH_LABELS : TRUTH_DRAWN;
    const truth_count c = l->counts[l->code];
    l->lightest = 0;
    memset(l->counts, 0, sizeof l->counts);
    if (!learn) return SOS_OK;
    if (!c.inked || !c.papered)
        return sos_fail(error, SOS_ERR_ARGUMENT,
                        "%.200s%sno drawing has %s; true labels are black on white, or 0 paper and 1 ink", name ? name : "",
                        name ? ": " : "", c.inked ? "paper" : "ink");
    alike_tell(&c, work);
    return SOS_OK;
}

/* Labels become the drawing, to which noise can be added. */
static sos_status decode(const void *own, s3svm_image *labels, const char *name, uint8_t **truth, uint8_t **care,
                         sos_error *error)
{
    const lesson *l = own;
    const size_t n = s3svm_image_size(labels);
    uint8_t *out = malloc(n);
    if (!out) return sos_fail(error, SOS_ERR_MEMORY, "no memory for '%.300s'", name);
    if (l->code == TRUTH_LABELS) s3svm_drawing_of_labels(labels);
    s3svm_drawing_truth(labels, out);
    *truth = out;
    *care = NULL;
    return SOS_OK;
}

/* ---------------------------------------------------------------- model and examples */

/* Pictures as the calls of <s3svm/denoise.h> take them; all borrowed but the arrays. */
typedef struct arrays {
    s3svm_plane *noisy;
    const uint8_t **truths;
    s3svm_maps *maps;
} arrays;

static void arrays_free(arrays *a)
{
    free(a->noisy);
    free(a->truths);
    free(a->maps);
}

static sos_status arrays_make(const s3svm_lesson_pictures *p, arrays *out, sos_error *error)
{
    const size_t room = p->count + 1;
    arrays a = { calloc(room, sizeof *a.noisy), calloc(room, sizeof *a.truths), calloc(room, sizeof *a.maps) };
    if (!a.noisy || !a.truths || !a.maps) {
        arrays_free(&a);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu drawings", p->count);
    }
    for (size_t i = 0; i < p->count; i++) {
        a.noisy[i] = p->pictures[i].in.grey;
        a.truths[i] = p->pictures[i].truth;
        a.maps[i] = p->pictures[i].in.maps;
    }
    *out = a;
    return SOS_OK;
}

static sos_status denoise_model_make(const void *own, const s3svm_lesson_pictures *p, const sos_work *work, sos_model **out,
                                     sos_error *error)
{
    const lesson *l = own;
    arrays a;
    sos_status status = arrays_make(p, &a, error);
    if (status) return status;
    s3svm_denoise_settings s = s3svm_denoise_defaults();
    s.work = *work;
    s.alone = l->alone;
    s.seed = l->seed;
    if (l->samples) s.samples = l->samples;
    status = s3svm_denoise_preset_create(l->preset, p->count, a.noisy, a.truths, &s, out, error);
    arrays_free(&a);
    return status;
}

static sos_status denoise_examples_make(const void *own, const void *prepared, const s3svm_lesson_pictures *p, bool learn,
                                        const sos_work *work, size_t *count, sos_example ***out, sos_error *error)
{
    (void)own;
    arrays a;
    sos_example **examples;
    sos_status status = s3svm_lesson_room(p->count, &examples, error);
    if (status) return status;
    status = arrays_make(p, &a, error);
    if (!status) {
        status = s3svm_denoise_examples_make(prepared, p->count, a.noisy, a.truths, a.maps, learn, p->mine, work, examples,
                                             error);
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

static sos_status denoise_example_make(const void *own, const void *prepared, const s3svm_lesson_picture *p, size_t number,
                                       sos_example **out, sos_error *error)
{
    (void)own;
    (void)number;
    const s3svm_denoise_input in = { .noisy = &p->in.grey, .truth = p->truth };
    return s3svm_denoise_model_example_input(prepared, &in, true, out, error);
}

static void training_set(const void *own, sos_train_settings *training, s3svm_reals *values)
{
    const lesson *l = own;
    (void)values;
    *training = s3svm_denoise_preset_training(l->preset);
}

const s3svm_lesson_steps s3svm_denoise_lesson_steps = {
    .labels = S3SVM_IMAGE_GREY,
    .begin = begin,
    .end = free,
    .look = look,
    .settle = settle,
    .decode = decode,
    .model = denoise_model_make,
    .examples = denoise_examples_make,
    .example = denoise_example_make,
    .training = training_set,
};
