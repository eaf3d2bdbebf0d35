/* experiment_report.h - parts of the page about the experiment; for experiment_*.c only. */
#ifndef S3SVM_EXPERIMENTS_SEGMENT_EXPERIMENT_REPORT_H
#define S3SVM_EXPERIMENTS_SEGMENT_EXPERIMENT_REPORT_H

#include "experiments/segment/experiment.h"
#include "report/report.h"

/* The contender that pictures are chosen by: the best that took part; and the one it is compared with. */
size_t s3svm_segment_subject(const s3svm_segment_results *r);
size_t s3svm_segment_reference(const s3svm_segment_results *r);

void s3svm_segment_error_charts(s3svm_report *page, const s3svm_segment_results *r);    /* image by image */
void s3svm_segment_training_charts(s3svm_report *page, const s3svm_segment_results *r); /* choice of C, bounds against time */
void s3svm_segment_pictures(s3svm_report *page, const s3svm_segment_results *r);        /* of the first split */
void s3svm_segment_learned(s3svm_report *page, const s3svm_segment_results *r); /* weights and tables of the first split */

#endif
