/* model.c - models of segmentation, prepared for use. */
#include "segment/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

sos_train_settings s3svm_segment_training(s3svm_segment_features features, s3svm_segment_method method)
{
    const bool paper = features == S3SVM_SEGMENT_PAPER;
    sos_train_settings s = sos_train_defaults();
    s.C = s3svm_segment_cs(features, method)[paper ? 3 : 2];
    s.gap = paper ? 2e-2 : 1e-2;
    s.epsilon = 1e-3;
    return s;
}

const double *s3svm_segment_cs(s3svm_segment_features features, s3svm_segment_method method)
{
    static const double paper[S3SVM_SEGMENT_CS] = { 3e2, 1e3, 3e3, 1e4 }, full[S3SVM_SEGMENT_CS] = { 3e1, 1e2, 3e2, 1e3 };
    (void)method;
    return features == S3SVM_SEGMENT_PAPER ? paper : full;
}

/* ---------------------------------------------------------------- prepared */

void s3svm_segment_model_free(s3svm_segment_model *p)
{
    if (!p) return;
    s3svm_segment_parts_free(p->parts);
    sos_model_free(p->model);
    free(p->hard_weights);
    free(p);
}

/* To contradict a mark costs a hundred times what all other weights together come to: more than any features can. */
static const double HARDNESS = 100;

static sos_status hard_weights_find(s3svm_segment_model *p, sos_error *error)
{
    const size_t count = sos_model_weight_count(p->model), at = sos_model_group_offset(p->model, S3SVM_SEGMENT_MARKS);
    double *w = p->hard_weights = malloc(count * sizeof *w), most = 1;
    if (!w) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu weights", count);
    memcpy(w, sos_model_weights(p->model), count * sizeof *w);
    for (size_t j = 0; j < count; j++) most += fabs(w[j]);
    for (size_t k = 0; k < 2; k++)
        for (size_t label = 0; label < 2; label++) w[at + 2 * k + label] = k == label ? HARDNESS * most : 0;
    return SOS_OK;
}

static sos_status segment_model_prepare(const sos_model *m, s3svm_segment_model *p, sos_error *error)
{
    sos_status status = s3svm_segment_parts_read(m, &p->parts, error);
    if (!status) status = s3svm_segment_parts_groups(p->parts, &p->model, error);
    if (!status) status = sos_model_set_weights(p->model, sos_model_weights(m), error);
    return status ? status : hard_weights_find(p, error);
}

sos_status s3svm_segment_model_create(const sos_model *m, s3svm_segment_model **out, sos_error *error)
{
    s3svm_segment_model *p = calloc(1, sizeof *p);
    if (!p) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a model of segmentation");
    const sos_status status = segment_model_prepare(m, p, error);
    if (status)
        s3svm_segment_model_free(p);
    else
        *out = p;
    return status;
}

s3svm_segment_features s3svm_segment_model_features(const s3svm_segment_model *p) { return p->parts->kind; }
s3svm_segment_method s3svm_segment_model_method(const s3svm_segment_model *p) { return p->parts->method; }
bool s3svm_segment_model_evidence(const s3svm_segment_model *p) { return p->parts->response.evidence; }
