/* drawing.c - a drawing of either kind that has enough ink and enough paper. */
#include <s3svm/drawing.h>

#include <stdlib.h>

#include "base/error.h"
#include "drawing/kinds.h"

/* Nothing can be learned from a picture with hardly any ink or hardly any paper.  Very small ones come to that: then the next
 * arrangement is tried. */
static const double INK_LEAST = 0.02, INK_MOST = 0.3;
enum { ATTEMPTS = 8 };

double s3svm_drawing_ink(const s3svm_image *image)
{
    const size_t n = s3svm_image_size(image);
    size_t ink = 0;
    for (size_t i = 0; i < n; i++) ink += image->pixels[i * image->channels] < 128;
    return n ? (double)ink / (double)n : 0;
}

uint64_t s3svm_drawing_seed(uint64_t set, uint64_t n)
{
    sos_random r = sos_random_seeded(set);
    return sos_random_bits(&r) + n;
}

sos_status s3svm_drawing_make(size_t width, size_t height, bool sketch, uint64_t seed, s3svm_image *out, sos_error *error)
{
    if (width < S3SVM_DRAWING_SIDE_MIN || height < S3SVM_DRAWING_SIDE_MIN)
        return sos_fail(error, SOS_ERR_RANGE, "a drawing of %zu by %zu pixels: each side must have at least %d", width, height,
                        S3SVM_DRAWING_SIDE_MIN);
    s3svm_canvas *c = malloc(sizeof *c);
    if (!c) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a drawing");
    s3svm_image image;
    const sos_status status = s3svm_image_create(width, height, 1, &image, error);
    for (uint64_t attempt = 0; !status && attempt < ATTEMPTS; attempt++) {
        s3svm_canvas_begin(c, &image, seed + attempt, 2 * attempt + sketch);
        if (sketch)
            s3svm_drawing_sketch(c);
        else
            s3svm_drawing_shapes(c);
        const double ink = s3svm_drawing_ink(&image);
        if (ink >= INK_LEAST && ink <= INK_MOST) break;
    }
    free(c);
    if (!status) *out = image;
    return status;
}
