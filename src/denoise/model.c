/* model.c - models of denoising: made, and prepared for use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "denoise/features.h"

/* ---------------------------------------------------------------- made */

/* Where all responses of a patch are beyond this, as in 5 of 6 patches, nothing is left for the table to say; leaving them out
 * makes training five times faster and changes the error by less than its noise. */
static const double UNDECIDED = 3;

/* Log odds at which u has a weight: beyond them a pixel is as good as sure. */
static const float KNOTS[] = { -7,   -6,   -5,   -4.25F, -3.5F, -3,   -2.5F, -2,   -1.6F, -1.2F, -0.8F, -0.4F, 0,
                               0.4F, 0.8F, 1.2F, 1.6F,   2,     2.5F, 3,     3.5F, 4.25F, 5,     6,     7 };
enum { KNOTS_COUNT = sizeof KNOTS / sizeof *KNOTS };

s3svm_denoise_settings s3svm_denoise_defaults(void) { return (s3svm_denoise_settings){ .samples = 400000, .seed = 1 }; }

static sos_status pictures_check(const char *name, size_t count, const s3svm_plane noisy[], const uint8_t *const truths[],
                                 sos_error *error)
{
    if (!count || !truths)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the %s model of denoising needs training drawings; none given", name);
    for (size_t i = 0; i < count; i++) {
        sos_error why;
        const sos_status status = s3svm_denoise_values_check(&noisy[i], &why);
        if (status) return sos_fail(error, status, "picture %zu: %s", i, why.message);
    }
    return SOS_OK;
}

static sos_status networks_learn(size_t count, const s3svm_plane noisy[], const uint8_t *const truths[],
                                 const s3svm_denoise_settings *settings, s3svm_denoise_features *f, sos_error *error)
{
    const s3svm_response_settings s = { .samples = settings->samples, .seed = settings->seed, .work = settings->work };
    f->undecided = UNDECIDED;
    f->knots = KNOTS_COUNT;
    memcpy(f->knot, KNOTS, sizeof KNOTS);
    return s3svm_response_train(count, noisy, truths, &s, &f->response, error);
}

sos_status s3svm_denoise_features_learn(const s3svm_denoise_preset *preset, size_t count, const s3svm_plane noisy[],
                                        const uint8_t *const truths[], const s3svm_denoise_settings *settings,
                                        s3svm_denoise_features *f, sos_error *error)
{
    *f = (s3svm_denoise_features){ .design = preset->design, .alone = settings->alone };
    snprintf(f->name, sizeof f->name, "%s", preset->name);
    if (f->alone) f->design.unaries = 1U << S3SVM_UNARY_CONSTANT;
    const bool networks = s3svm_design_has_networks(&f->design), directions = s3svm_design_has_directions(&f->design);
    sos_status status = networks || directions ? pictures_check(preset->name, count, noisy, truths, error) : SOS_OK;
    if (!status && networks) status = networks_learn(count, noisy, truths, settings, f, error);
    if (!status && directions) status = s3svm_denoise_key_learn(f, preset->far, count, noisy, settings->work.threads, error);
    if (status) s3svm_denoise_features_free(f);
    return status;
}

sos_status s3svm_denoise_preset_create(const s3svm_denoise_preset *preset, size_t count, const s3svm_plane noisy[],
                                       const uint8_t *const truths[], const s3svm_denoise_settings *settings, sos_model **out,
                                       sos_error *error)
{
    const s3svm_denoise_settings defaults = s3svm_denoise_defaults();
    s3svm_denoise_features f;
    sos_status status = settings ? sos_reserved_check("s3svm_denoise_settings", settings, error) : SOS_OK;
    if (!status)
        status = s3svm_denoise_features_learn(preset, count, noisy, truths, settings ? settings : &defaults, &f, error);
    if (status) return status;
    status = s3svm_denoise_features_model(&f, out, error);
    s3svm_denoise_features_free(&f);
    return status;
}

sos_status s3svm_denoise_create(s3svm_denoise_kind kind, size_t count, const s3svm_plane noisy[], const uint8_t *const truths[],
                                const s3svm_denoise_settings *settings, sos_model **out, sos_error *error)
{
    if ((unsigned)kind >= S3SVM_DENOISE_KIND_COUNT)
        return sos_fail(error, SOS_ERR_ARGUMENT, "unknown kind of denoising model: %d", (int)kind);
    return s3svm_denoise_preset_create(s3svm_denoise_preset_of(kind), count, noisy, truths, settings, out, error);
}

sos_train_settings s3svm_denoise_preset_training(const s3svm_denoise_preset *preset)
{
    sos_train_settings s = sos_train_defaults();
    s.C = preset->C;
    s.gap = preset->gap;
    return s;
}

sos_train_settings s3svm_denoise_training(s3svm_denoise_kind kind)
{
    return s3svm_denoise_preset_training(s3svm_denoise_preset_of(kind));
}

/* ---------------------------------------------------------------- prepared */

struct s3svm_denoise_model {
    s3svm_denoise_features features;
    sos_model *model;
};

sos_status s3svm_denoise_model_create(const sos_model *m, s3svm_denoise_model **out, sos_error *error)
{
    s3svm_denoise_model *p = calloc(1, sizeof *p);
    if (!p) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a model of denoising");
    sos_status status = s3svm_denoise_features_read(m, &p->features, error);
    if (!status) status = sos_model_copy(m, &p->model, error);
    if (status)
        s3svm_denoise_model_free(p);
    else
        *out = p;
    return status;
}

void s3svm_denoise_model_free(s3svm_denoise_model *p)
{
    if (!p) return;
    s3svm_denoise_features_free(&p->features);
    sos_model_free(p->model);
    free(p);
}

const char *s3svm_denoise_model_name(const s3svm_denoise_model *p) { return p->features.name; }

sos_status s3svm_denoise_weigh(double ink, sos_example *x, sos_error *error)
{
    const double weights[] = { 1, ink }; /* paper, ink */
    return ink != 1 ? sos_example_set_class_loss(x, weights, error) : SOS_OK;
}

sos_status s3svm_denoise_model_example_input(const s3svm_denoise_model *p, const s3svm_denoise_input *in, bool to_learn,
                                             sos_example **out, sos_error *error)
{
    sos_example *x;
    sos_status status = sos_reserved_check("s3svm_denoise_input", in, error);
    if (!status) status = s3svm_denoise_values_check(in->noisy, error);
    if (!status) status = sos_example_create(p->model, s3svm_plane_size(in->noisy), &x, error);
    if (status) return status;
    s3svm_denoise_view view;
    status = s3svm_denoise_view_create(&p->features, in->noisy, 0, &view, error);
    if (!status) {
        status = s3svm_denoise_features_apply(&p->features, in, &view, x, error);
        s3svm_denoise_view_free(&view);
    }
    const s3svm_denoise_preset *preset = s3svm_denoise_preset_find(p->features.name);
    if (!status && to_learn && preset) status = s3svm_denoise_weigh(preset->ink, x, error);
    if (status)
        sos_example_free(x);
    else
        *out = x;
    return status;
}

sos_status s3svm_denoise_examples_make(const s3svm_denoise_model *p, size_t count, const s3svm_plane noisy[],
                                       const uint8_t *const truths[], const s3svm_maps maps[], bool to_learn, const bool mine[],
                                       const sos_work *work, sos_example *examples[], sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t i = 0; i < count; i++) examples[i] = NULL;
    for (size_t i = 0; i < count && !status; i++) {
        if (mine && !mine[i]) continue;
        if (work && work->progress && !work->progress(work->user, "examples", (double)i / (double)count))
            status = sos_fail(error, SOS_CANCELLED, "stopped");
        const s3svm_denoise_input in = { .noisy = &noisy[i], .maps = maps ? &maps[i] : NULL, .truth = truths[i] };
        if (!status) status = s3svm_denoise_model_example_input(p, &in, to_learn, &examples[i], error);
    }
    for (size_t i = 0; i < count && status; i++) {
        sos_example_free(examples[i]);
        examples[i] = NULL;
    }
    return status;
}

sos_status s3svm_denoise_model_examples(const s3svm_denoise_model *p, size_t count, const s3svm_plane noisy[],
                                        const uint8_t *const truths[], bool to_learn, const sos_work *work,
                                        sos_example *examples[], sos_error *error)
{
    return s3svm_denoise_examples_make(p, count, noisy, truths, NULL, to_learn, NULL, work, examples, error);
}

sos_status s3svm_denoise_model_predict_input(const s3svm_denoise_model *p, const s3svm_denoise_input *in, uint8_t labels[],
                                             sos_error *error)
{
    sos_example *x;
    sos_status status = s3svm_denoise_model_example_input(p, in, false, &x, error);
    if (status) return status;
    status = sos_model_predict(p->model, x, NULL, labels, NULL, error);
    sos_example_free(x);
    return status;
}

sos_status s3svm_denoise_model_predict(const s3svm_denoise_model *p, const s3svm_plane *noisy, uint8_t labels[],
                                       sos_error *error)
{
    const s3svm_denoise_input in = { .noisy = noisy };
    return s3svm_denoise_model_predict_input(p, &in, labels, error);
}
