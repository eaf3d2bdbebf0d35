#include "segment/features/assume.h"

#include <stdlib.h>

#include "base/error.h"
#include "segment/features/mapping.h"
#include "vision/marks.h"

enum { MARGIN = 8 }; /* the middle is the sides less 1 / MARGIN on either end */

bool s3svm_segment_is_middle(const s3svm_image *picture, size_t i)
{
    const size_t width = picture->width, height = picture->height, x = i % width, y = i / width;
    return x >= width / MARGIN && x < width - width / MARGIN && y >= height / MARGIN && y < height - height / MARGIN;
}

static sos_status assume_no_memory(const s3svm_image *marks, sos_error *error)
{
    return sos_fail(error, SOS_ERR_MEMORY, "no memory for what is assumed of %zu by %zu pixels", marks->width, marks->height);
}

sos_status s3svm_segment_assume_inside(const uint8_t found[], int threads, s3svm_image *marks, sos_error *error)
{
    const size_t n = s3svm_image_size(marks);
    uint8_t *background = calloc(n, 1);
    float *depth = malloc(n * sizeof *depth), most = 0;
    sos_status status = background && depth ? SOS_OK : assume_no_memory(marks, error);
    for (size_t i = 0; i < n && !status; i++) background[i] = !found[i];
    if (!status) status = s3svm_distance_euclidean(marks->width, marks->height, background, threads, depth, error);
    for (size_t i = 0; i < n && !status; i++) most = depth[i] > most ? depth[i] : most;
    for (size_t i = 0; i < n && !status; i++)
        if (most > 0 && depth[i] >= most / 2 && marks->pixels[i] != S3SVM_MARK_BACKGROUND) marks->pixels[i] = S3SVM_MARK_OBJECT;
    free(background);
    free(depth);
    return status;
}

/* Where GrabCut begins with the object. */
static void start_find(const s3svm_image *marks, uint8_t start[])
{
    if (s3svm_marks_mask(marks, S3SVM_MARK_PERHAPS_OBJECT, start)) return;
    for (size_t i = 0; i < s3svm_image_size(marks); i++)
        start[i] = s3svm_segment_is_middle(marks, i) && marks->pixels[i] != S3SVM_MARK_BACKGROUND;
}

/* Evidence that calls less than this share of the picture object has found nothing. */
static const double FOUND_LEAST = 0.002;

/* Whether evidence has found an object, which found then is. */
static bool evidence_finds(const float evidence[], const s3svm_image *marks, uint8_t found[])
{
    const size_t n = s3svm_image_size(marks);
    size_t count = 0;
    const bool framed = s3svm_marks_mask(marks, S3SVM_MARK_PERHAPS_OBJECT, found);
    for (size_t i = 0; i < n; i++) {
        const bool possible = framed ? found[i] : marks->pixels[i] != S3SVM_MARK_BACKGROUND;
        count += found[i] = possible && evidence[i] > 0;
    }
    return (double)count >= FOUND_LEAST * (double)n;
}

static sos_status object_assume(const s3svm_photo_features *features, const float evidence[], int threads, s3svm_image *marks,
                                sos_error *error)
{
    uint8_t *found = malloc(features->n);
    sos_status status = SOS_OK;
    if (!found) return assume_no_memory(marks, error);
    if (!evidence || !evidence_finds(evidence, marks, found)) {
        start_find(marks, found);
        status = s3svm_mapping_propose(features, marks, threads, found, error);
    }
    if (!status) status = s3svm_segment_assume_inside(found, threads, marks, error);
    free(found);
    return status;
}

sos_status s3svm_segment_assume(const s3svm_photo_features *features, const float evidence[], int threads, s3svm_image *marks,
                                sos_error *error)
{
    const size_t width = marks->width, height = marks->height;
    size_t counts[S3SVM_MARKS];
    s3svm_marks_count(marks, counts);
    for (size_t i = 0; i < features->n; i++) {
        const size_t x = i % width, y = i / width;
        const bool frame = !x || !y || x + 1 == width || y + 1 == height;
        if (frame && !s3svm_mark_is_sure(marks->pixels[i])) marks->pixels[i] = S3SVM_MARK_BACKGROUND;
    }
    const sos_status status = counts[S3SVM_MARK_OBJECT] ? SOS_OK : object_assume(features, evidence, threads, marks, error);
    for (size_t i = 0; i < features->n && !status; i++)
        if (!s3svm_mark_is_sure(marks->pixels[i])) marks->pixels[i] = S3SVM_MARK_NONE;
    return status;
}
