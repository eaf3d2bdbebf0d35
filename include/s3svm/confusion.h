/* confusion.h - confusion matrices: how well labels agree with the truth. */
#ifndef S3SVM_CONFUSION_H
#define S3SVM_CONFUSION_H

#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* counts[t * labels + l]: the number of pixels of true label t that were labelled l. */
typedef struct s3svm_confusion {
    size_t labels;
    double *counts;
} s3svm_confusion;

SOS_MUST_USE SOS_API sos_status s3svm_confusion_create(size_t labels, s3svm_confusion *out, sos_error *error);
SOS_API void s3svm_confusion_free(s3svm_confusion *c); /* leaves it empty; freeing an empty one does nothing */

/* Adds n pixels; those whose care is 0 do not count (NULL: all do).  Labels and truths must be less than the number of labels.
 */
SOS_API void s3svm_confusion_add(s3svm_confusion *c, size_t n, const uint8_t labels[], const uint8_t truth[],
                                 const uint8_t care[]);

SOS_API double s3svm_confusion_accuracy(const s3svm_confusion *c);         /* fraction of pixels that are right */
SOS_API double s3svm_confusion_of(const s3svm_confusion *c, size_t label); /* of pixels of a true label; NaN: there are none */
SOS_API double s3svm_confusion_iou(const s3svm_confusion *c,
                                   size_t label);              /* intersection over union; NaN: the label does not occur */
SOS_API double s3svm_confusion_mean(const s3svm_confusion *c); /* mean of s3svm_confusion_of over the labels that occur */
SOS_API double s3svm_confusion_mean_iou(const s3svm_confusion *c);

#ifdef __cplusplus
}
#endif

#endif
