#include "segment/features/photo.h"

#include <stdlib.h>

#include "base/error.h"
#include "vision/colour.h"

void s3svm_photo_free(s3svm_photo *s)
{
    s3svm_photo_features_free(&s->features);
    free(s->lab);
    if (s->mark_features) s3svm_mark_features_free(s->mark_features);
    free(s->mark_features);
    *s = (s3svm_photo){ 0 };
}

static sos_status features_find(s3svm_photo *s, const s3svm_image *photograph, int threads, sos_error *error)
{
    s3svm_image small = { 0 };
    sos_status status = s3svm_blocks_mean(&s->blocks, photograph, &small, error);
    if (!status) status = s3svm_photo_features_create(&small, threads, &s->features, error);
    s3svm_image_free(&small);
    return status;
}

sos_status s3svm_photo_create(const s3svm_image *photograph, int threads, s3svm_photo *out, sos_error *error)
{
    const size_t n = s3svm_image_size(photograph);
    s3svm_photo s = { .blocks = s3svm_blocks_within(photograph, S3SVM_SEGMENT_MAPS_PIXELS),
                      .lab = malloc(3 * n * sizeof *s.lab),
                      .mark_features = calloc(1, sizeof *s.mark_features) };
    sos_status status = s.lab && s.mark_features ? SOS_OK
                                                 : sos_fail(error, SOS_ERR_MEMORY, "no memory for colours of %zu pixels", n);
    if (!status) status = s3svm_colour_lab(photograph, threads, s.lab, error);
    if (!status) status = features_find(&s, photograph, threads, error);
    if (status)
        s3svm_photo_free(&s);
    else
        *out = s;
    return status;
}
