/* why.h - pictures of why a segmenter says what it says, of the size of the photograph.  The caller frees out.
 * SOS_ERR_ARGUMENT for GrabCut. */
#ifndef S3SVM_PROGRAMS_WHY_H
#define S3SVM_PROGRAMS_WHY_H

#include <s3svm/segmenter.h>

/* Blue where pixels say background by themselves, red where they say object; pale where they hardly say anything. */
SOS_MUST_USE sos_status why_unaries(s3svm_segmenter *s, const s3svm_image *photograph, s3svm_image *out, sos_error *error);

/* The photograph in pale grey; red what became object though pixels by themselves say background, blue the other way round. */
SOS_MUST_USE sos_status why_prior(s3svm_segmenter *s, const s3svm_image *photograph, s3svm_image *out, sos_error *error);

#endif
