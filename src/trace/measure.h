/* measure.h - how well labels of thin structures agree with the true ones: not by area alone. */
#ifndef S3SVM_TRACE_MEASURE_H
#define S3SVM_TRACE_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

enum { S3SVM_TRACE_NEAR = 2 }; /* pixels, as the crow flies, within which a structure counts as found */

/* Counts, which can be added up over pictures.  Pixels whose label is not known count nowhere. */
typedef struct s3svm_trace_counts {
    double pixels;
    double found, missed, extra;       /* of structures: called so, not called so; and of others, called so */
    double answered, answered_near;    /* pixels called structure; those of them near a true one */
    double true_all, true_near;        /* true pixels; those of them near one called so */
    double answer_line, answer_inside; /* pixels of the centre line of the answer; those of them on a true structure */
    double true_line, true_inside;     /* of that of the truth; those of them on the answer */
    double breaks;                     /* pieces of a part of the true centre line that are near the answer, beyond the first */
} s3svm_trace_counts;

SOS_MUST_USE sos_status s3svm_trace_count(size_t width, size_t height, const uint8_t labels[], const uint8_t truth[],
                                          const uint8_t care[], s3svm_trace_counts *out, sos_error *error);
void s3svm_trace_counts_add(s3svm_trace_counts *sum, const s3svm_trace_counts *c);

/* Harmonic means of precision and recall; 1 where there is nothing to find and nothing was found. */
double s3svm_trace_f1(const s3svm_trace_counts *c);
double s3svm_trace_f1_near(const s3svm_trace_counts *c);
double s3svm_trace_cldice(const s3svm_trace_counts *c);

#endif
