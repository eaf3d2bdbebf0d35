#include "views.h"

#include <stdlib.h>
#include <string.h>

#include <s3svm/cutout.h>

#include "base/error.h"
#include "why.h"

sos_status mask_encode(size_t width, size_t height, const uint8_t labels[], uint8_t **bytes, size_t *length, sos_error *error)
{
    s3svm_image mask;
    sos_status status = s3svm_image_create(width, height, 1, &mask, error);
    if (status) return status;
    for (size_t i = 0; i < width * height; i++) mask.pixels[i] = labels[i] ? 255 : 0;
    status = s3svm_image_encode(&mask, bytes, length, error);
    s3svm_image_free(&mask);
    return status;
}

/* ---------------------------------------------------------------- marks */

/* As a file of scribbles that s3svm segment reads: numbers of the convention "palette"; where something is "perhaps", as around
 * a box, those of OpenCV, in grey. */
static sos_status marks_encode(const s3svm_image *marks, uint8_t **bytes, size_t *length, sos_error *error)
{
    static const uint32_t PALETTE[] = { 0x000000, 0xff0000, 0x0000ff };
    static const uint8_t NUMBERS[S3SVM_MARKS] = { 2, 1, 0, 3, 2 }; /* OpenCV's, of S3SVM_MARK_ numbers */
    size_t counts[S3SVM_MARKS];
    s3svm_image out;
    s3svm_marks_count(marks, counts);
    const bool perhaps = counts[S3SVM_MARK_PERHAPS_OBJECT] || counts[S3SVM_MARK_PERHAPS_BACKGROUND];
    if (!perhaps) return s3svm_image_encode_palette(marks, 3, PALETTE, bytes, length, error);
    sos_status status = s3svm_image_create(marks->width, marks->height, 1, &out, error);
    if (status) return status;
    for (size_t i = 0; i < s3svm_image_size(marks); i++) out.pixels[i] = NUMBERS[marks->pixels[i]];
    status = s3svm_image_encode(&out, bytes, length, error);
    s3svm_image_free(&out);
    return status;
}

/* ---------------------------------------------------------------- why */

static sos_status why_encode(view v, s3svm_segmenter *s, const s3svm_image *photograph, uint8_t **bytes, size_t *length,
                             sos_error *error)
{
    s3svm_image out = { 0 };
    sos_status status = v == VIEW_PRIOR ? why_prior(s, photograph, &out, error) : why_unaries(s, photograph, &out, error);
    if (!status) status = s3svm_image_encode(&out, bytes, length, error);
    s3svm_image_free(&out);
    return status;
}

static sos_status confidence_encode(s3svm_segmenter *s, const s3svm_image *photograph, uint8_t **bytes, size_t *length,
                                    sos_error *error)
{
    const size_t n = s3svm_image_size(photograph);
    float *confidence = malloc(n * sizeof *confidence);
    s3svm_image out = { 0 };
    sos_status status = confidence ? s3svm_segmenter_confidence(s, confidence, NULL, error)
                                   : sos_fail(error, SOS_ERR_MEMORY, "no memory for confidence of %zu pixels", n);
    if (!status) status = s3svm_confidence_image(photograph->width, photograph->height, confidence, &out, error);
    if (!status) status = s3svm_image_encode(&out, bytes, length, error);
    s3svm_image_free(&out);
    free(confidence);
    return status;
}

/* ---------------------------------------------------------------- what was found */

sos_status cutout_encode(const picture *photograph, const uint8_t labels[], int threads, uint8_t **bytes, size_t *length,
                         sos_error *error)
{
    s3svm_picture whole = photograph->given, out = { 0 };
    if (!whole.image.pixels) whole.image = photograph->image;
    const double edge = s3svm_cutout_edge(s3svm_image_size(&whole.image));
    sos_status status = s3svm_cutout_picture(&whole, labels, edge, threads, &out, error);
    if (!status) status = s3svm_picture_encode(&out, bytes, length, error);
    s3svm_picture_free(&out);
    return status;
}

static sos_status overlay_encode(const s3svm_segmenter *s, const s3svm_image *photograph, int threads, uint8_t **bytes,
                                 size_t *length, sos_error *error)
{
    s3svm_image out = { 0 };
    sos_status status = s3svm_cutout_overlay(photograph, s3svm_segmenter_labels(s), s3svm_segmenter_marks(s), threads, &out,
                                             error);
    if (!status) status = s3svm_image_encode(&out, bytes, length, error);
    s3svm_image_free(&out);
    return status;
}

view view_find(const char *name)
{
    static const char *const NAMES[VIEWS] = { "cutout", "overlay", "mask", "marks", "unaries", "prior", "confidence" };
    view v = VIEW_CUTOUT;
    while (v < VIEWS && strcmp(NAMES[v], name) != 0) v++;
    return v;
}

sos_status view_encode(view v, s3svm_segmenter *s, const picture *photograph, int threads, uint8_t **bytes, size_t *length,
                       sos_error *error)
{
    const s3svm_image *image = &photograph->image;
    const uint8_t *labels = s3svm_segmenter_labels(s);
    if (v == VIEW_MARKS) return marks_encode(s3svm_segmenter_marks(s), bytes, length, error);
    if (v == VIEW_UNARIES || v == VIEW_PRIOR) return why_encode(v, s, image, bytes, length, error);
    if (v == VIEW_CONFIDENCE) return confidence_encode(s, image, bytes, length, error);
    if (v == VIEW_MASK) return mask_encode(image->width, image->height, labels, bytes, length, error);
    if (v == VIEW_CUTOUT) return cutout_encode(photograph, labels, threads, bytes, length, error);
    return overlay_encode(s, image, threads, bytes, length, error);
}
