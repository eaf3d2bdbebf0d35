/* contenders.c - who takes part in the experiment, and who should beat whom. */
#include "segment/experiment.h"

#define PAPERS ", paper's features"
#define FULLS  ", full features"

const char *const sos_contender_names[SOS_CONTENDERS] = {
    [SOS_CONTENDER_GRABCUT] = "GrabCut",
    [SOS_CONTENDER_UNARIES] = "unaries alone" PAPERS,
    [SOS_CONTENDER_AMN] = "AMN" PAPERS,
    [SOS_CONTENDER_PAIRS] = "pairs of patches" PAPERS,
    [SOS_CONTENDER_S3SVM] = "S3SVM" PAPERS,
    [SOS_CONTENDER_ROBUST] = "robust P^n" PAPERS,
    [SOS_CONTENDER_COUNTS] = "pairs and counts" PAPERS,
    [SOS_CONTENDER_UNARIES_FULL] = "unaries alone" FULLS,
    [SOS_CONTENDER_AMN_FULL] = "AMN" FULLS,
    [SOS_CONTENDER_PAIRS_FULL] = "pairs of patches" FULLS,
    [SOS_CONTENDER_FULL] = "S3SVM" FULLS,
    [SOS_CONTENDER_ROBUST_FULL] = "robust P^n" FULLS,
    [SOS_CONTENDER_COUNTS_FULL] = "pairs and counts" FULLS,
};

static const sos_contender ROWS[SOS_CONTENDERS] = {
    [SOS_CONTENDER_GRABCUT] = { .short_name = "GrabCut",
                                .word = "grabcut",
                                .worth = 1,
                                .paper_error = 10.6,
                                .paper_deviation = 1.4,
                                .paper_inference = 1.44 },
    [SOS_CONTENDER_UNARIES] = { "unaries, paper", "unaries", SOS_SEGMENT_PAPER, SOS_SEGMENT_UNARIES, 6, 0, 0, 0, 0 },
    [SOS_CONTENDER_AMN] = { "AMN, paper", "amn", SOS_SEGMENT_PAPER, SOS_SEGMENT_AMN, 20, 7.5, 0.5, 29000, 0.99 },
    [SOS_CONTENDER_PAIRS] = { "pairs, paper", "pairs", SOS_SEGMENT_PAPER, SOS_SEGMENT_KEYED_PAIRS, 60, 0, 0, 0, 0 },
    [SOS_CONTENDER_S3SVM] = { "S3SVM, paper", "s3svm", SOS_SEGMENT_PAPER, SOS_SEGMENT_S3SVM, 80, 7.3, 0.5, 92000, 1.67 },
    [SOS_CONTENDER_ROBUST] = { "robust, paper", "robust", SOS_SEGMENT_PAPER, SOS_SEGMENT_ROBUST, 50, 0, 0, 0, 0 },
    [SOS_CONTENDER_COUNTS] = { "counts, paper", "counts", SOS_SEGMENT_PAPER, SOS_SEGMENT_COUNTS, 120, 0, 0, 0, 0 },
    [SOS_CONTENDER_UNARIES_FULL] = { "unaries, full", "unaries-full", SOS_SEGMENT_FULL, SOS_SEGMENT_UNARIES, 6, 0, 0, 0, 0 },
    [SOS_CONTENDER_AMN_FULL] = { "AMN, full", "amn-full", SOS_SEGMENT_FULL, SOS_SEGMENT_AMN, 16, 0, 0, 0, 0 },
    [SOS_CONTENDER_PAIRS_FULL] = { "pairs, full", "pairs-full", SOS_SEGMENT_FULL, SOS_SEGMENT_KEYED_PAIRS, 24, 0, 0, 0, 0 },
    [SOS_CONTENDER_FULL] = { "S3SVM, full", "full", SOS_SEGMENT_FULL, SOS_SEGMENT_S3SVM, 28, 0, 0, 0, 0 },
    [SOS_CONTENDER_ROBUST_FULL] = { "robust, full", "robust-full", SOS_SEGMENT_FULL, SOS_SEGMENT_ROBUST, 24, 0, 0, 0, 0 },
    [SOS_CONTENDER_COUNTS_FULL] = { "counts, full", "counts-full", SOS_SEGMENT_FULL, SOS_SEGMENT_COUNTS, 40, 0, 0, 0, 0 },
};

const sos_contender *sos_contender_row(size_t contender) { return &ROWS[contender]; }

const sos_rivals sos_segment_rivals[SOS_SEGMENT_RIVALS] = {
    { SOS_CONTENDER_AMN, SOS_CONTENDER_GRABCUT },
    { SOS_CONTENDER_S3SVM, SOS_CONTENDER_GRABCUT },
    { SOS_CONTENDER_AMN, SOS_CONTENDER_UNARIES },
    { SOS_CONTENDER_S3SVM, SOS_CONTENDER_AMN },
    { SOS_CONTENDER_S3SVM, SOS_CONTENDER_PAIRS },
    { SOS_CONTENDER_COUNTS, SOS_CONTENDER_AMN },
    { SOS_CONTENDER_COUNTS, SOS_CONTENDER_PAIRS },
    { SOS_CONTENDER_COUNTS, SOS_CONTENDER_ROBUST },
    { SOS_CONTENDER_FULL, SOS_CONTENDER_GRABCUT },
    { SOS_CONTENDER_FULL, SOS_CONTENDER_S3SVM },
    { SOS_CONTENDER_FULL, SOS_CONTENDER_UNARIES_FULL },
    { SOS_CONTENDER_FULL, SOS_CONTENDER_AMN_FULL },
    { SOS_CONTENDER_FULL, SOS_CONTENDER_PAIRS_FULL },
    { SOS_CONTENDER_COUNTS_FULL, SOS_CONTENDER_AMN_FULL },
    { SOS_CONTENDER_COUNTS_FULL, SOS_CONTENDER_PAIRS_FULL },
    { SOS_CONTENDER_COUNTS_FULL, SOS_CONTENDER_ROBUST_FULL },
};
