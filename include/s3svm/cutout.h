/* cutout.h - pictures that people want of the object in a photograph: the object with a soft edge and nothing around it, and
 * the photograph with the outline drawn on it.
 *
 *     static sos_status cutout_write(const s3svm_image *photograph, const uint8_t labels[], const char *path, sos_error *error)
 *     {
 *         s3svm_image cutout = { 0 };
 *         const double edge = s3svm_cutout_edge(s3svm_image_size(photograph));
 *         sos_status status = s3svm_cutout_matte(photograph, labels, edge, 0, &cutout, error);
 *         if (!status) status = s3svm_image_write(&cutout, path, error);
 *         s3svm_image_free(&cutout);
 *         return status;
 *     }
 *
 * labels are 1 for the object, 0 for the background, of any method (<s3svm/segmenter.h>).  threads: 0 for all cores; the
 * pictures are the same. */
#ifndef S3SVM_CUTOUT_H
#define S3SVM_CUTOUT_H

#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#include <s3svm/marks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Half the width of the band along the outline where pixels may be partly object, for pictures of so many pixels. */
SOS_API double s3svm_cutout_edge(size_t pixels);

/* The object alone: red, green, blue and opacity.  More than edge pixels from the outline opacity is 0 or 255, and the colours
 * of the object are the photograph's.  Nearer, a pixel is taken for a mixture alpha F + (1 - alpha) B of the colours of object
 * and background around it: alpha is its opacity, and F its colour, so that nothing of the background is left in it. */
SOS_MUST_USE SOS_API sos_status s3svm_cutout_matte(const s3svm_image *photograph, const uint8_t labels[], double edge,
                                                   int threads, s3svm_image *out, sos_error *error);

/* The same of a photograph with all that its file says: with its depth and its colour profile, and opacity that is at most its
 * own. */
SOS_MUST_USE SOS_API sos_status s3svm_cutout_picture(const s3svm_picture *photograph, const uint8_t labels[], double edge,
                                                     int threads, s3svm_picture *out, sos_error *error);

/* Cuts a cut-out to the rectangle of what is not quite transparent; box receives x, y, width and height of it, and may be NULL.
 * Where nothing is to be seen it stays as it is. */
SOS_MUST_USE SOS_API sos_status s3svm_cutout_trim(s3svm_picture *cutout, size_t box[4], sos_error *error);

/* Lays a cut-out over a picture of 3 channels, which is brought to its size so that it covers all of it; what lies beyond is
 * cut off alike on both sides.  A single pixel is a colour.  The cut-out then has 3 channels. */
SOS_MUST_USE SOS_API sos_status s3svm_cutout_lay(s3svm_picture *cutout, const s3svm_image *backdrop, sos_error *error);

/* The photograph with its background dimmed, the outline, and the marks, of which areas show only their rims.  marks may be
 * NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_cutout_overlay(const s3svm_image *photograph, const uint8_t labels[],
                                                     const s3svm_image *marks, int threads, s3svm_image *out, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
