/* model.c - models of segmentation, prepared for use. */
#include "segment/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/cutout.h>

#include "base/error.h"

sos_train_settings sos_segment_training(sos_segment_features features, sos_segment_method method)
{
    const bool paper = features == SOS_SEGMENT_PAPER;
    sos_train_settings s = sos_train_defaults();
    s.C = sos_segment_cs(features, method)[paper ? 3 : 2];
    s.gap = paper ? 2e-2 : 1e-2;
    s.epsilon = 1e-3;
    return s;
}

const double *sos_segment_cs(sos_segment_features features, sos_segment_method method)
{
    static const double paper[SOS_SEGMENT_CS] = { 3e2, 1e3, 3e3, 1e4 }, full[SOS_SEGMENT_CS] = { 3e1, 1e2, 3e2, 1e3 };
    (void)method;
    return features == SOS_SEGMENT_PAPER ? paper : full;
}

/* ---------------------------------------------------------------- prepared */

void sos_segment_model_free(sos_segment_model *p)
{
    if (!p) return;
    sos_segment_parts_free(p->parts);
    sos_model_free(p->model);
    free(p->hard_weights);
    free(p);
}

/* To contradict a mark costs a hundred times what all other weights together come to: more than any features can. */
static const double HARDNESS = 100;

static sos_status hard_weights_find(sos_segment_model *p, sos_error *error)
{
    const size_t count = sos_model_weight_count(p->model), at = sos_model_group_offset(p->model, SOS_SEGMENT_MARKS);
    double *w = p->hard_weights = malloc(count * sizeof *w), most = 1;
    if (!w) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu weights", count);
    memcpy(w, sos_model_weights(p->model), count * sizeof *w);
    for (size_t j = 0; j < count; j++) most += fabs(w[j]);
    for (size_t k = 0; k < 2; k++)
        for (size_t label = 0; label < 2; label++) w[at + 2 * k + label] = k == label ? HARDNESS * most : 0;
    return SOS_OK;
}

static sos_status prepare(const sos_model *m, sos_segment_model *p, sos_error *error)
{
    sos_status status = sos_segment_parts_read(m, &p->parts, error);
    if (!status) status = sos_segment_parts_groups(p->parts, &p->model, error);
    if (!status) status = sos_model_set_weights(p->model, sos_model_weights(m), error);
    return status ? status : hard_weights_find(p, error);
}

sos_status sos_segment_model_create(const sos_model *m, sos_segment_model **out, sos_error *error)
{
    sos_segment_model *p = calloc(1, sizeof *p);
    if (!p) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a model of segmentation");
    const sos_status status = prepare(m, p, error);
    if (status)
        sos_segment_model_free(p);
    else
        *out = p;
    return status;
}

sos_segment_features sos_segment_model_features(const sos_segment_model *p) { return p->parts->kind; }
sos_segment_method sos_segment_model_method(const sos_segment_model *p) { return p->parts->method; }

/* ---------------------------------------------------------------- predicting */

sos_status sos_segment_model_predict(const sos_segment_model *p, const sos_image *photograph, const sos_image *marks,
                                     const sos_work *work, uint8_t labels[], sos_error *error)
{
    sos_cutout_settings settings = sos_cutout_defaults();
    if (!p) return sos_fail(error, SOS_ERR_ARGUMENT, "no model was given");
    settings.hard = false; /* a model weighs marks as it has learned to */
    if (work) settings.work = *work;
    return sos_cutout_segment(p, photograph, marks, &settings, labels, NULL, error);
}
