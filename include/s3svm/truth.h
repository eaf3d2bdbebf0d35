/* truth.h - true labels of object and background: the meaning of the numbers in label pictures.
 *
 *     numbers        object   background   not sure
 *     0 and 1          1          0          128, if present
 *     0 and 255       255         0          128, if present
 *     0, 1 and 255     1          0          255
 *
 * Pixels that are not sure, such as a band along an outline, are neither.  The row is the same for all pictures of a set: if
 * one of them has 1 and 255, then 255 means not sure in a picture of 0 and 255 as well.  The same rule holds for files and
 * arrays:
 *
 *     s3svm_truth_survey_create(S3SVM_UNSURE_TOLD, &survey, &error);
 *     for each picture   s3svm_truth_survey_add(survey, &numbers, name, &error);
 *     s3svm_truth_survey_end(survey, true, NULL, &code, &error);
 *     for each picture   s3svm_truth_decode(&numbers, &code, name, &truth, &error); */
#ifndef S3SVM_TRUTH_H
#define S3SVM_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>
#include <sos/work.h>

#include <s3svm/dataset.h>
#include <s3svm/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- one picture ---- */

/* A true mask. */
typedef struct s3svm_truth {
    size_t width, height;
    uint8_t *labels;      /* 0 background, 1 object; pixels that are not sure are background */
    uint8_t *care;        /* 0 for pixels that are not sure, else 1 */
    uint64_t reserved[8]; /* 0 */
} s3svm_truth;

/* Decodes a picture of numbers, of 1 channel, by a code; if code is NULL or all zeros, by the numbers in this picture alone.
 * SOS_ERR_FORMAT, with the name of the picture and the position, for a number without a meaning.  The caller frees out. */
SOS_MUST_USE SOS_API sos_status s3svm_truth_decode(const s3svm_image *numbers, const s3svm_truth_code *code, const char *name,
                                                   s3svm_truth *out, sos_error *error);

/* The same for a file, whose numbers are grey values or palette indices. */
SOS_MUST_USE SOS_API sos_status s3svm_truth_read(const char *path, const s3svm_truth_code *code, s3svm_truth *out,
                                                 sos_error *error);
SOS_API void s3svm_truth_free(s3svm_truth *t); /* leaves it empty; freeing an empty one does nothing */

/* ---- a set of pictures ---- */

/* Collects the numbers of several pictures, to find out what they mean. */
typedef struct s3svm_truth_survey s3svm_truth_survey;

/* unsure is the number that means not sure, 0 to 255, or S3SVM_UNSURE_TOLD: it follows from the numbers. */
enum { S3SVM_UNSURE_TOLD = -1 };

SOS_MUST_USE SOS_API sos_status s3svm_truth_survey_create(int unsure, s3svm_truth_survey **out, sos_error *error);
SOS_API void s3svm_truth_survey_free(s3svm_truth_survey *s); /* NULL is allowed */
SOS_MUST_USE SOS_API sos_status s3svm_truth_survey_add(s3svm_truth_survey *s, const s3svm_image *numbers, const char *name,
                                                       sos_error *error);

/* Determines what the numbers mean.  SOS_ERR_FORMAT if pictures contradict each other.  If the pictures are for training
 * (learn), it is SOS_ERR_ARGUMENT if no picture has an object, or none has a pixel that is sure, and work->tell receives
 * warnings about pictures without object, without background, or without sure pixels.  work may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_truth_survey_end(const s3svm_truth_survey *s, bool learn, const sos_work *work,
                                                       s3svm_truth_code *out, sos_error *error);

/* The same for the labels of a data set: sets the code of its items, by which their labels are then read.  Labels that cannot
 * be read are an error if they are for training; otherwise the error is left to the call that reads them. */
SOS_MUST_USE SOS_API sos_status s3svm_dataset_tell_truths(s3svm_dataset *d, int unsure, bool learn, const sos_work *work,
                                                          sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
