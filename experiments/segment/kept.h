/* kept.h - what methods came to on splits, in the files of a folder, so that an experiment that was interrupted goes on behind
 * what is there. */
#ifndef S3SVM_EXPERIMENTS_SEGMENT_KEPT_H
#define S3SVM_EXPERIMENTS_SEGMENT_KEPT_H

#include "experiments/segment/experiment.h"

/* A hash of all that the results follow from: the plan but for its splits, methods, threads and cache, and the pictures. */
uint64_t s3svm_segment_run(const s3svm_segment_results *r);

/* Reads what the contender came to on the split, if plan.kept has its file: *found.  A file that is damaged, or of another run,
 * is an error. */
SOS_MUST_USE sos_status s3svm_segment_kept_read(s3svm_segment_results *r, size_t split, size_t contender, bool *found,
                                                sos_error *error);

/* Writes it, where plan.kept names a folder. */
SOS_MUST_USE sos_status s3svm_segment_kept_write(const s3svm_segment_results *r, size_t split, size_t contender,
                                                 sos_error *error);

#endif
