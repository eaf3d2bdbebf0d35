/* truth.h - true labels of an object and its background: what the numbers in a picture of them mean.
 *
 *     numbers        object   background   not sure
 *     0 and 1          1          0          128, if it is there
 *     0 and 255       255         0          128, if it is there
 *     0, 1 and 255     1          0          255
 *
 * What is not sure, such as a band along an outline, is neither.  All pictures of a set tell together which row it is: where
 * one of them has 1 and 255, 255 is not sure in one of 0 and 255, too.  Files and arrays are read by the same rule:
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
    uint8_t *labels;      /* 0 background, 1 object; what is not sure counts as background */
    uint8_t *care;        /* 0 where nobody can be sure, else 1 */
    uint64_t reserved[8]; /* 0 */
} s3svm_truth;

/* A picture of numbers, of 1 channel, by a code, or, where that is NULL or all zeros, by what its own numbers tell.
 * SOS_ERR_FORMAT, with the name of the picture and the place, where there is a number that stands for nothing. */
SOS_MUST_USE SOS_API sos_status s3svm_truth_decode(const s3svm_image *numbers, const s3svm_truth_code *code, const char *name,
                                                   s3svm_truth *out, sos_error *error);

/* The same of a file, whose numbers are grey values or palette indices. */
SOS_MUST_USE SOS_API sos_status s3svm_truth_read(const char *path, const s3svm_truth_code *code, s3svm_truth *out,
                                                 sos_error *error);
SOS_API void s3svm_truth_free(s3svm_truth *t); /* leaves it empty; freeing an empty one does nothing */

/* ---- a set of pictures ---- */

/* Pictures of numbers that are looked at one after the other. */
typedef struct s3svm_truth_survey s3svm_truth_survey;

/* Which number stands for what is not sure: 0 to 255, or the numbers tell. */
enum { S3SVM_UNSURE_TOLD = -1 };

SOS_MUST_USE SOS_API sos_status s3svm_truth_survey_create(int unsure, s3svm_truth_survey **out, sos_error *error);
SOS_API void s3svm_truth_survey_free(s3svm_truth_survey *s); /* NULL is allowed */
SOS_MUST_USE SOS_API sos_status s3svm_truth_survey_add(s3svm_truth_survey *s, const s3svm_image *numbers, const char *name,
                                                       sos_error *error);

/* What the numbers mean.  SOS_ERR_FORMAT where pictures contradict each other.  learn: they are to learn from.  Then it is
 * SOS_ERR_ARGUMENT if none of them has an object, or none a pixel that is sure, and lines of work name pictures that have no
 * object, no background, or nothing that is sure.  work may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_truth_survey_end(const s3svm_truth_survey *s, bool learn, const sos_work *work,
                                                       s3svm_truth_code *out, sos_error *error);

/* All that for the labels of a data set: its items then have the code, and whoever reads them goes by it.  Labels that cannot
 * be read are an error where they are to learn from; else they are left to whoever reads them. */
SOS_MUST_USE SOS_API sos_status s3svm_dataset_tell_truths(s3svm_dataset *d, int unsure, bool learn, const sos_work *work,
                                                          sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
