/* methods.c - methods of segmentation by name, with their built-in models. */
#include <string.h>

#include <s3svm/embedded.h>
#include <s3svm/segmenter.h>

#include "base/error.h"

static const s3svm_segmenter_method METHODS[] = {
    { "s3svm", "S3SVM", "learned costs of patches, as in the paper", "segment" },
    { "amn", "AMN", "learned costs of pairs of neighbours", "segment-amn" },
    { "grabcut", "GrabCut", "colours of this picture alone, nothing learned", NULL },
};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

const s3svm_segmenter_method *s3svm_segmenter_method_at(size_t i) { return i < METHOD_COUNT ? &METHODS[i] : NULL; }

const s3svm_segmenter_method *s3svm_segmenter_method_find(const char *name)
{
    for (size_t i = 0; i < METHOD_COUNT; i++)
        if (!strcmp(METHODS[i].name, name)) return &METHODS[i];
    return NULL;
}

sos_status s3svm_segmenter_model(const char *method, s3svm_segment_model **out, sos_error *error)
{
    const s3svm_segmenter_method *m = s3svm_segmenter_method_find(method);
    if (!m) return sos_fail(error, SOS_ERR_ARGUMENT, "there is no method '%.100s'; there are " S3SVM_SEGMENTER_METHODS, method);
    if (!m->model) {
        *out = NULL;
        return SOS_OK;
    }
    sos_model *inside;
    sos_status status = s3svm_embedded_model(m->model, &inside, error);
    if (status) return status;
    status = s3svm_segment_model_create(inside, out, error);
    sos_model_free(inside);
    return status;
}

s3svm_segmentation_settings s3svm_segmentation_defaults(void)
{
    return (s3svm_segmentation_settings){ .grabcut = s3svm_grabcut_defaults(), .hard = true };
}
