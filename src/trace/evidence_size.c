/* evidence_size.c - at which size networks look at a new picture.
 *
 * Another camera shows the same structures wider or narrower, and networks know the widths that they have learned.  So a
 * picture of another size is looked at as large as those that were learned from, and larger or smaller step by step towards its
 * own size, as long as networks get surer:
 *
 *     sum_i p_i^2 / sum_i p_i,   p_i = 1 / (1 + exp(-response_i)),
 *
 * is how likely what they call a structure is one.  A larger part of the same scene, in which structures are as wide as those
 * learned from, ends at its own size. */
#include <math.h>

#include "base/elementary.h"
#include "trace/evidence_view.h"
#include "vision/resize.h"

static const double ALIKE = 1.25; /* sizes that differ by less are the same */
static const double STEP = 1.4142135623730951;
static const double LARGER = 4; /* at most: a small picture is rather a part of a larger one */
enum { SIDE_LEAST = 32 };       /* pixels of the shorter side of what is made smaller */

/* From the size of a picture to that of those learned from, as far as sides allow, which keep their proportions. */
static double factor_of(const s3svm_evidence *e, const s3svm_image *picture)
{
    const double width = (double)picture->width, height = (double)picture->height;
    const double least = fmin(1, SIDE_LEAST / fmin(width, height));
    const double most = fmin(LARGER, S3SVM_IMAGE_SIDE_MAX / fmax(width, height));
    return e->side > 0 ? fmax(least, fmin(most, (double)e->side / sqrt(width * height))) : 1;
}

static double sureness_of(const s3svm_plane *response)
{
    double all = 0, squares = 0;
    for (size_t i = 0; i < s3svm_plane_size(response); i++) {
        const double p = sos_logistic((double)response->values[i]);
        all += p;
        squares += p * p;
    }
    return squares / all;
}

/* What networks say of a picture that has been made larger or smaller, brought back to its size. */
static sos_status resized_apply(const s3svm_evidence *e, const s3svm_image *picture, double factor, int threads,
                                s3svm_plane *out, double *sureness, sos_error *error)
{
    const size_t width = (size_t)rint(factor * (double)picture->width);
    const size_t height = (size_t)rint(factor * (double)picture->height);
    s3svm_image resized;
    s3svm_plane said = { 0 };
    sos_status status = s3svm_image_cover(picture, width, height, &resized, error);
    if (status) return status;
    status = s3svm_evidence_look(e, &resized, S3SVM_EVIDENCE_NEW, threads, &said, error);
    if (!status) {
        *sureness = sureness_of(&said);
        status = s3svm_plane_resize(&said, picture->width, picture->height, out, error);
    }
    s3svm_image_free(&resized);
    s3svm_plane_free(&said);
    return status;
}

static sos_status own_apply(const s3svm_evidence *e, const s3svm_image *picture, int threads, s3svm_plane *out,
                            double *sureness, sos_error *error)
{
    const sos_status status = s3svm_evidence_look(e, picture, S3SVM_EVIDENCE_NEW, threads, out, error);
    if (!status) *sureness = sureness_of(out);
    return status;
}

/* At the size of those learned from first, at that of the picture last. */
static sos_status sizes_try(const s3svm_evidence *e, const s3svm_image *picture, double factor, int threads, s3svm_plane *out,
                            sos_error *error)
{
    const double way = sos_log(factor);
    const size_t steps = (size_t)ceil(fabs(way) / sos_log(STEP));
    double best = 0;
    for (size_t k = 0; k <= steps; k++) {
        const double size = sos_exp((double)(steps - k) / (double)steps * way);
        double sureness = 0;
        s3svm_plane said;
        const sos_status status = k < steps ? resized_apply(e, picture, size, threads, &said, &sureness, error)
                                            : own_apply(e, picture, threads, &said, &sureness, error);
        if (status) return status;
        if (k && sureness <= best) {
            s3svm_plane_free(&said);
            break;
        }
        s3svm_plane_free(out);
        *out = said;
        best = sureness;
    }
    return SOS_OK;
}

sos_status s3svm_evidence_apply(const s3svm_evidence *e, const s3svm_image *picture, size_t fold, int threads, s3svm_plane *out,
                                sos_error *error)
{
    const double factor = factor_of(e, picture);
    *out = (s3svm_plane){ 0 };
    if (fold < e->folds || (factor < ALIKE && factor > 1 / ALIKE))
        return s3svm_evidence_look(e, picture, fold, threads, out, error);
    const sos_status status = sizes_try(e, picture, factor, threads, out, error);
    if (status) s3svm_plane_free(out);
    return status;
}
