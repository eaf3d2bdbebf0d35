/* experiment.c - the list of experiments. */
#include "experiments/experiment.h"

const s3svm_experiment *const s3svm_experiments_1[] = {
    &s3svm_denoise_experiment_row,
    &s3svm_dashes_experiment_row,
    &s3svm_segment_experiment_row,
    &s3svm_clicks_experiment_row,
    &s3svm_label_experiment_row,
    &s3svm_trace_experiment_row,
    NULL,
};
