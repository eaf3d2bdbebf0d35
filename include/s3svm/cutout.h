/* cutout.h - pictures of the object in a photograph: the object alone, with a soft edge on a transparent background, and the
 * photograph with the outline drawn on it.
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
 * labels are 1 for the object and 0 for the background, for example from <s3svm/segmenter.h>.  threads is the number of
 * threads, 0 for all cores; it does not affect the pictures. */
#ifndef S3SVM_CUTOUT_H
#define S3SVM_CUTOUT_H

#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#include <s3svm/marks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A good width of the soft edge for pictures of that many pixels: half the width of the band along the outline in which pixels
 * may be partly object. */
SOS_API double s3svm_cutout_edge(size_t pixels);

/* Makes a picture of the object alone: red, green, blue and opacity.  At more than edge pixels from the outline, opacity is 0
 * or 255, and the colours of the object are those of the photograph.  Nearer to it, a pixel is taken as a mixture alpha F + (1
 * - alpha) B of the colours of object and background around it: alpha becomes its opacity and F its colour, so that no colour
 * of the background remains.  The caller frees out. */
SOS_MUST_USE SOS_API sos_status s3svm_cutout_matte(const s3svm_image *photograph, const uint8_t labels[], double edge,
                                                   int threads, s3svm_image *out, sos_error *error);

/* The same for a s3svm_picture, whose depth and colour profile are kept; the opacity is at most that of the photograph. */
SOS_MUST_USE SOS_API sos_status s3svm_cutout_picture(const s3svm_picture *photograph, const uint8_t labels[], double edge,
                                                     int threads, s3svm_picture *out, sos_error *error);

/* Crops a cut-out to the bounding box of the pixels that are not fully transparent; box receives its x, y, width and height,
 * and may be NULL.  A cut-out that is fully transparent is not changed. */
SOS_MUST_USE SOS_API sos_status s3svm_cutout_trim(s3svm_picture *cutout, size_t box[4], sos_error *error);

/* Blends a cut-out with a backdrop of 3 channels, which is scaled to cover it and cropped equally on both sides.  A backdrop of
 * a single pixel is a plain colour.  The cut-out then has 3 channels. */
SOS_MUST_USE SOS_API sos_status s3svm_cutout_lay(s3svm_picture *cutout, const s3svm_image *backdrop, sos_error *error);

/* Makes a picture of the photograph with dimmed background, outline and marks; of marked areas only the borders are drawn.
 * marks may be NULL.  The caller frees out. */
SOS_MUST_USE SOS_API sos_status s3svm_cutout_overlay(const s3svm_image *photograph, const uint8_t labels[],
                                                     const s3svm_image *marks, int threads, s3svm_image *out, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
