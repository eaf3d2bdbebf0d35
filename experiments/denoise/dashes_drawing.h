/* dashes_drawing.h - long dashed curves among single dashes that look the same: what belongs together shows only from afar. */
#ifndef S3SVM_EXPERIMENTS_DENOISE_DASHES_DRAWING_H
#define S3SVM_EXPERIMENTS_DENOISE_DASHES_DRAWING_H

#include <s3svm/image.h>

/* A drawing of side x side pixels, ink 0 on paper 255, and the curves in it alone, whole, without gaps.  The same arguments
 * give the same bytes on every machine.  Both are to free. */
SOS_MUST_USE sos_status s3svm_dashes_make(size_t side, uint64_t seed, s3svm_image *drawn, s3svm_image *joined,
                                          sos_error *error);

#endif
