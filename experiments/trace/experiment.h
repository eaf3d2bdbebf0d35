/* experiment.h - thin structures in photographs: what networks say alone, with pairs of neighbours, with pairs along lines at
 * their strongest, and with learned tables along the same lines, by cross-validation; and the report about it. */
#ifndef S3SVM_EXPERIMENTS_TRACE_EXPERIMENT_H
#define S3SVM_EXPERIMENTS_TRACE_EXPERIMENT_H

#include <s3svm/option.h>
#include <s3svm/trace.h>

#include "experiments/common/contest.h"
#include "trace/measure.h"

enum { S3SVM_TRACE_METHODS = S3SVM_TRACE_KIND_COUNT };

const char *s3svm_trace_method_name(size_t method); /* for people: "Networks alone" */

typedef struct s3svm_trace_plan {
    const char *data; /* a folder with images/ and labels/ */
    size_t folds;
    uint64_t seed;         /* of the folds, and of the networks */
    s3svm_reals Cs;        /* to choose from, for each method and fold, by a quarter of what it learns from; one: that */
    double missed, broken; /* what errors cost in training */
    int threads;
    sos_progress *progress; /* or NULL */
    void *user;
} s3svm_trace_plan;

/* Of one method on one fold. */
typedef struct s3svm_trace_outcome {
    double C, gap;
    double bias; /* added to what label 1 costs at every pixel, for the best F1 and clDice */
    size_t rounds, weights;
    double seconds_training; /* with all threads, without the networks, which all methods share */
    double seconds_an_image; /* all threads, without the networks */
} s3svm_trace_outcome;

typedef struct s3svm_trace_results {
    s3svm_trace_plan plan; /* its data are the caller's */
    size_t images, folds;  /* folds that are complete */
    double seconds;
    double *seconds_networks, *seconds_respond; /* of each fold: learning, and for an image, all threads */
    s3svm_trace_outcome *outcomes;              /* [fold][method] */
    bool *tested;                               /* [image] */
    s3svm_trace_counts *counts;                 /* [image][method] */
    s3svm_contest wrong, breaks;                /* picture by picture: wrong pixels; breaks of the centre line */
} s3svm_trace_results;

static inline s3svm_trace_outcome *s3svm_trace_outcome_at(const s3svm_trace_results *r, size_t fold, size_t method)
{
    return &r->outcomes[fold * S3SVM_TRACE_METHODS + method];
}

/* Mean over the test pictures, and the standard error of the mean. */
typedef double s3svm_trace_score(const s3svm_trace_counts *c);
s3svm_spread s3svm_trace_mean(const s3svm_trace_results *r, size_t method, s3svm_trace_score *score);
double s3svm_trace_wrong(const s3svm_trace_counts *c);  /* share of wrong pixels */
double s3svm_trace_breaks(const s3svm_trace_counts *c); /* how many */

/* Tables against pairs of the same support, against neighbours, against networks alone; and pairs against these. */
enum { S3SVM_TRACE_RIVALS = 4 };
extern const s3svm_rivals s3svm_trace_rivals[S3SVM_TRACE_RIVALS];

SOS_MUST_USE sos_status s3svm_trace_experiment(const s3svm_trace_plan *plan, s3svm_trace_results *out, sos_error *error);
void s3svm_trace_results_free(s3svm_trace_results *r);

/* Writes index.html, results.json and results.csv into a folder, which is made if it is not there.  command: how it was run. */
SOS_MUST_USE sos_status s3svm_trace_report(const s3svm_trace_results *r, const char *folder, const char *command,
                                           sos_error *error);

#endif
