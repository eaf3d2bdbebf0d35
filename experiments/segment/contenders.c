/* contenders.c - the methods of the experiment, and which of them are compared. */
#include "experiments/segment/experiment.h"
#include "segment/model/model.h"

#define PAPERS ", paper's features"
#define FULLS  ", full features"

const char *const s3svm_contender_names[S3SVM_CONTENDERS] = {
    [S3SVM_CONTENDER_GRABCUT] = "GrabCut",
    [S3SVM_CONTENDER_UNARIES] = "unaries alone" PAPERS,
    [S3SVM_CONTENDER_AMN] = "AMN" PAPERS,
    [S3SVM_CONTENDER_PAIRS] = "pairs of patches" PAPERS,
    [S3SVM_CONTENDER_S3SVM] = "S3SVM" PAPERS,
    [S3SVM_CONTENDER_ROBUST] = "robust P^n" PAPERS,
    [S3SVM_CONTENDER_SCATTERED] = "pairs in regions" PAPERS,
    [S3SVM_CONTENDER_COUNTS] = "pairs and counts" PAPERS,
    [S3SVM_CONTENDER_UNARIES_FULL] = "unaries alone" FULLS,
    [S3SVM_CONTENDER_AMN_FULL] = "AMN" FULLS,
    [S3SVM_CONTENDER_PAIRS_FULL] = "pairs of patches" FULLS,
    [S3SVM_CONTENDER_FULL] = "S3SVM" FULLS,
    [S3SVM_CONTENDER_ROBUST_FULL] = "robust P^n" FULLS,
    [S3SVM_CONTENDER_SCATTERED_FULL] = "pairs in regions" FULLS,
    [S3SVM_CONTENDER_COUNTS_FULL] = "pairs and counts" FULLS,
};

static const s3svm_contender ROWS[S3SVM_CONTENDERS] = {
    [S3SVM_CONTENDER_GRABCUT] = { .short_name = "GrabCut",
                                  .word = "grabcut",
                                  .worth = 1,
                                  .paper_error = 10.6,
                                  .paper_deviation = 1.4,
                                  .paper_inference = 1.44 },
    [S3SVM_CONTENDER_UNARIES] = { "unaries, paper", "unaries", S3SVM_SEGMENT_PAPER, S3SVM_SEGMENT_UNARIES, 6, 0, 0, 0, 0 },
    [S3SVM_CONTENDER_AMN] = { "AMN, paper", "amn", S3SVM_SEGMENT_PAPER, S3SVM_SEGMENT_AMN, 20, 7.5, 0.5, 29000, 0.99 },
    [S3SVM_CONTENDER_PAIRS] = { "pairs, paper", "pairs", S3SVM_SEGMENT_PAPER, S3SVM_SEGMENT_KEYED_PAIRS, 60, 0, 0, 0, 0 },
    [S3SVM_CONTENDER_S3SVM] = { "S3SVM, paper", "s3svm", S3SVM_SEGMENT_PAPER, S3SVM_SEGMENT_S3SVM, 80, 7.3, 0.5, 92000, 1.67 },
    [S3SVM_CONTENDER_ROBUST] = { "robust, paper", "robust", S3SVM_SEGMENT_PAPER, S3SVM_SEGMENT_ROBUST, 50, 0, 0, 0, 0 },
    [S3SVM_CONTENDER_SCATTERED] = { "in regions, paper", "region-pairs", S3SVM_SEGMENT_PAPER, S3SVM_SEGMENT_SCATTERED, 120, 0,
                                    0, 0, 0 },
    [S3SVM_CONTENDER_COUNTS] = { "counts, paper", "counts", S3SVM_SEGMENT_PAPER, S3SVM_SEGMENT_COUNTS, 120, 0, 0, 0, 0 },
    [S3SVM_CONTENDER_UNARIES_FULL] = { "unaries, full", "unaries-full", S3SVM_SEGMENT_FULL, S3SVM_SEGMENT_UNARIES, 6, 0, 0, 0,
                                       0 },
    [S3SVM_CONTENDER_AMN_FULL] = { "AMN, full", "amn-full", S3SVM_SEGMENT_FULL, S3SVM_SEGMENT_AMN, 16, 0, 0, 0, 0 },
    [S3SVM_CONTENDER_PAIRS_FULL] = { "pairs, full", "pairs-full", S3SVM_SEGMENT_FULL, S3SVM_SEGMENT_KEYED_PAIRS, 24, 0, 0, 0,
                                     0 },
    [S3SVM_CONTENDER_FULL] = { "S3SVM, full", "full", S3SVM_SEGMENT_FULL, S3SVM_SEGMENT_S3SVM, 28, 0, 0, 0, 0 },
    [S3SVM_CONTENDER_ROBUST_FULL] = { "robust, full", "robust-full", S3SVM_SEGMENT_FULL, S3SVM_SEGMENT_ROBUST, 24, 0, 0, 0, 0 },
    [S3SVM_CONTENDER_SCATTERED_FULL] = { "in regions, full", "region-pairs-full", S3SVM_SEGMENT_FULL, S3SVM_SEGMENT_SCATTERED,
                                         40, 0, 0, 0, 0 },
    [S3SVM_CONTENDER_COUNTS_FULL] = { "counts, full", "counts-full", S3SVM_SEGMENT_FULL, S3SVM_SEGMENT_COUNTS, 40, 0, 0, 0, 0 },
};

const s3svm_contender *s3svm_contender_row(size_t contender) { return &ROWS[contender]; }

const s3svm_rivals s3svm_segment_rivals[S3SVM_SEGMENT_RIVALS] = {
    { S3SVM_CONTENDER_AMN, S3SVM_CONTENDER_GRABCUT },
    { S3SVM_CONTENDER_S3SVM, S3SVM_CONTENDER_GRABCUT },
    { S3SVM_CONTENDER_AMN, S3SVM_CONTENDER_UNARIES },
    { S3SVM_CONTENDER_S3SVM, S3SVM_CONTENDER_AMN },
    { S3SVM_CONTENDER_S3SVM, S3SVM_CONTENDER_PAIRS },
    { S3SVM_CONTENDER_COUNTS, S3SVM_CONTENDER_AMN },
    { S3SVM_CONTENDER_COUNTS, S3SVM_CONTENDER_PAIRS },
    { S3SVM_CONTENDER_COUNTS, S3SVM_CONTENDER_ROBUST },
    { S3SVM_CONTENDER_COUNTS, S3SVM_CONTENDER_SCATTERED },
    { S3SVM_CONTENDER_SCATTERED, S3SVM_CONTENDER_AMN },
    { S3SVM_CONTENDER_ROBUST, S3SVM_CONTENDER_AMN },
    { S3SVM_CONTENDER_FULL, S3SVM_CONTENDER_GRABCUT },
    { S3SVM_CONTENDER_FULL, S3SVM_CONTENDER_S3SVM },
    { S3SVM_CONTENDER_FULL, S3SVM_CONTENDER_UNARIES_FULL },
    { S3SVM_CONTENDER_FULL, S3SVM_CONTENDER_AMN_FULL },
    { S3SVM_CONTENDER_FULL, S3SVM_CONTENDER_PAIRS_FULL },
    { S3SVM_CONTENDER_COUNTS_FULL, S3SVM_CONTENDER_AMN_FULL },
    { S3SVM_CONTENDER_COUNTS_FULL, S3SVM_CONTENDER_PAIRS_FULL },
    { S3SVM_CONTENDER_COUNTS_FULL, S3SVM_CONTENDER_ROBUST_FULL },
    { S3SVM_CONTENDER_COUNTS_FULL, S3SVM_CONTENDER_SCATTERED_FULL },
};
