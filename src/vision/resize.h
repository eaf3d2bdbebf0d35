/* resize.h - a picture or a plane of another size, by its neighbours' weighted means. */
#ifndef S3SVM_VISION_RESIZE_H
#define S3SVM_VISION_RESIZE_H

#include <s3svm/image.h>
#include <s3svm/plane.h>

/* Brings a picture to a size, so that it covers all of it and keeps its proportions; what lies beyond is cut off alike on both
 * sides.  Pixels are means under a triangle as wide as two pixels of the picture or of the result, whatever is wider. */
SOS_MUST_USE sos_status s3svm_image_cover(const s3svm_image *from, size_t width, size_t height, s3svm_image *out,
                                          sos_error *error);

/* Brings a plane to a size, by the same means; sides may change by different factors.  The result is a new plane. */
SOS_MUST_USE sos_status s3svm_plane_resize(const s3svm_plane *from, size_t width, size_t height, s3svm_plane *out,
                                           sos_error *error);

#endif
