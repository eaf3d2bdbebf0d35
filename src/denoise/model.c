/* model.c - models of denoising: made, and prepared for use. */
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

sos_denoise_settings sos_denoise_defaults(void) { return (sos_denoise_settings){ .samples = 400000, .seed = 1 }; }

static sos_status pictures_check(sos_denoise_kind kind, size_t count, const sos_plane noisy[], const uint8_t *const truths[],
                                 sos_error *error)
{
    if (!count || !truths)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the %s model of denoising learns from drawings; none given",
                        sos_denoise_name(kind));
    for (size_t i = 0; i < count; i++) {
        sos_error why;
        const sos_status status = sos_denoise_values_check(&noisy[i], &why);
        if (status) return sos_fail(error, status, "picture %zu: %s", i, why.message);
    }
    return SOS_OK;
}

static sos_status networks_learn(size_t count, const sos_plane noisy[], const uint8_t *const truths[],
                                 const sos_denoise_settings *settings, sos_denoise_features *f, sos_error *error)
{
    const sos_response_settings s = { .samples = settings->samples,
                                      .seed = settings->seed,
                                      .threads = settings->threads,
                                      .progress = settings->progress,
                                      .user = settings->user };
    f->undecided = UNDECIDED;
    f->knots = KNOTS_COUNT;
    memcpy(f->knot, KNOTS, sizeof KNOTS);
    return sos_response_train(count, noisy, truths, &s, &f->response, error);
}

sos_status sos_denoise_features_learn(sos_denoise_kind kind, size_t count, const sos_plane noisy[],
                                      const uint8_t *const truths[], const sos_denoise_settings *settings,
                                      sos_denoise_features *f, sos_error *error)
{
    *f = (sos_denoise_features){ .kind = kind, .design = sos_denoise_preset_of(kind)->design, .alone = settings->alone };
    if (f->alone) f->design.unaries = 1U << SOS_UNARY_CONSTANT;
    const bool networks = sos_design_has_networks(&f->design), directions = sos_design_has_directions(&f->design);
    sos_status status = networks || directions ? pictures_check(kind, count, noisy, truths, error) : SOS_OK;
    if (!status && networks) status = networks_learn(count, noisy, truths, settings, f, error);
    if (!status && directions) status = sos_denoise_key_learn(f, count, noisy, settings->threads, error);
    if (status) sos_denoise_features_free(f);
    return status;
}

sos_status sos_denoise_create(sos_denoise_kind kind, size_t count, const sos_plane noisy[], const uint8_t *const truths[],
                              const sos_denoise_settings *settings, sos_model **out, sos_error *error)
{
    if ((unsigned)kind >= SOS_DENOISE_KIND_COUNT)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a model of denoising of kind %d", (int)kind);
    const sos_denoise_settings defaults = sos_denoise_defaults();
    sos_denoise_features f;
    sos_status status = settings ? sos_reserved_check("sos_denoise_settings", settings, error) : SOS_OK;
    if (!status) status = sos_denoise_features_learn(kind, count, noisy, truths, settings ? settings : &defaults, &f, error);
    if (status) return status;
    status = sos_denoise_features_model(&f, out, error);
    sos_denoise_features_free(&f);
    return status;
}

sos_train_settings sos_denoise_training(sos_denoise_kind kind)
{
    sos_train_settings s = sos_train_defaults();
    s.C = sos_denoise_preset_of(kind)->C;
    s.gap = sos_denoise_preset_of(kind)->gap;
    return s;
}

/* ---------------------------------------------------------------- prepared */

struct sos_denoise_model {
    sos_denoise_features features;
    sos_model *model;
};

sos_status sos_denoise_model_create(const sos_model *m, sos_denoise_model **out, sos_error *error)
{
    sos_denoise_model *p = calloc(1, sizeof *p);
    if (!p) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a model of denoising");
    sos_status status = sos_denoise_features_read(m, &p->features, error);
    if (!status) status = sos_model_copy(m, &p->model, error);
    if (status)
        sos_denoise_model_free(p);
    else
        *out = p;
    return status;
}

void sos_denoise_model_free(sos_denoise_model *p)
{
    if (!p) return;
    sos_denoise_features_free(&p->features);
    sos_model_free(p->model);
    free(p);
}

sos_denoise_kind sos_denoise_model_kind(const sos_denoise_model *p) { return p->features.kind; }

sos_status sos_denoise_weigh(sos_denoise_kind kind, sos_example *x, sos_error *error)
{
    const double weights[] = { 1, sos_denoise_preset_of(kind)->ink }; /* paper, ink */
    return weights[1] != 1 ? sos_example_set_class_loss(x, weights, error) : SOS_OK;
}

sos_status sos_denoise_model_example_input(const sos_denoise_model *p, const sos_denoise_input *in, bool to_learn,
                                           sos_example **out, sos_error *error)
{
    sos_example *x;
    sos_status status = sos_reserved_check("sos_denoise_input", in, error);
    if (!status) status = sos_denoise_values_check(in->noisy, error);
    if (!status) status = sos_example_create(p->model, sos_plane_size(in->noisy), &x, error);
    if (status) return status;
    sos_denoise_view view;
    status = sos_denoise_view_create(&p->features, in->noisy, 0, &view, error);
    if (!status) {
        status = sos_denoise_features_apply(&p->features, in, &view, x, error);
        sos_denoise_view_free(&view);
    }
    if (!status && to_learn) status = sos_denoise_weigh(p->features.kind, x, error);
    if (status)
        sos_example_free(x);
    else
        *out = x;
    return status;
}

sos_status sos_denoise_model_example(const sos_denoise_model *p, const sos_plane *noisy, const uint8_t truth[],
                                     sos_example **out, sos_error *error)
{
    const sos_denoise_input in = { .noisy = noisy, .truth = truth };
    return sos_denoise_model_example_input(p, &in, false, out, error);
}

sos_status sos_denoise_examples_make(const sos_denoise_model *p, size_t count, const sos_plane noisy[],
                                     const uint8_t *const truths[], const sos_maps maps[], bool to_learn, const sos_work *work,
                                     sos_example *examples[], sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t i = 0; i < count; i++) examples[i] = NULL;
    for (size_t i = 0; i < count && !status; i++) {
        if (work && work->mine && !work->mine[i]) continue;
        if (work && work->progress && !work->progress(work->user, "examples", (double)i / (double)count))
            status = sos_fail(error, SOS_CANCELLED, "stopped");
        const sos_denoise_input in = { .noisy = &noisy[i], .maps = maps ? &maps[i] : NULL, .truth = truths[i] };
        if (!status) status = sos_denoise_model_example_input(p, &in, to_learn, &examples[i], error);
    }
    for (size_t i = 0; i < count && status; i++) {
        sos_example_free(examples[i]);
        examples[i] = NULL;
    }
    return status;
}

sos_status sos_denoise_model_examples(const sos_denoise_model *p, size_t count, const sos_plane noisy[],
                                      const uint8_t *const truths[], bool to_learn, const sos_work *work,
                                      sos_example *examples[], sos_error *error)
{
    return sos_denoise_examples_make(p, count, noisy, truths, NULL, to_learn, work, examples, error);
}

sos_status sos_denoise_model_predict_input(const sos_denoise_model *p, const sos_denoise_input *in, uint8_t labels[],
                                           sos_error *error)
{
    sos_example *x;
    sos_status status = sos_denoise_model_example_input(p, in, false, &x, error);
    if (status) return status;
    status = sos_model_predict(p->model, x, NULL, labels, NULL, error);
    sos_example_free(x);
    return status;
}

sos_status sos_denoise_model_predict(const sos_denoise_model *p, const sos_plane *noisy, uint8_t labels[], sos_error *error)
{
    const sos_denoise_input in = { .noisy = noisy };
    return sos_denoise_model_predict_input(p, &in, labels, error);
}
