/* experiment.h - thin structures in photographs: what networks say alone, with pairs of neighbours, with pairs along lines at
 * their strongest, and with learned tables along the same lines, by cross-validation; and the report about it.
 *
 * How much the best possible weights would gain is asked as well: the last two kinds once more, learned from the very pictures
 * that they are judged on, by the same networks, which have not seen these. */
#ifndef S3SVM_EXPERIMENTS_TRACE_EXPERIMENT_H
#define S3SVM_EXPERIMENTS_TRACE_EXPERIMENT_H

#include <s3svm/option.h>
#include <s3svm/trace.h>

#include "experiments/common/contest.h"
#include "trace/measure.h"

enum {
    S3SVM_TRACE_METHODS = S3SVM_TRACE_KIND_COUNT + 2, /* those that know the truth come last */
    /* Besides the threshold that was chosen, others: so many steps to both sides. */
    S3SVM_TRACE_ASIDE = 3,
    S3SVM_TRACE_OFFSETS = 2 * S3SVM_TRACE_ASIDE + 1
};
#define S3SVM_TRACE_OFFSET_STEP 0.15 /* added to what label 1 costs */

const char *s3svm_trace_method_name(size_t method); /* for people: "Networks alone" */

typedef struct s3svm_trace_plan {
    const char *data; /* a folder with images/ and labels/ */
    size_t folds;
    size_t only;           /* this fold alone, from 1 on; 0: all */
    bool known;            /* also models that know the truth */
    size_t samples;        /* that networks learn from; 0: the usual number */
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
    double bias; /* added to what label 1 costs at every pixel, for the best of F1, counted twice, and clDice */
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
    size_t *fold_of;                            /* [image]: the fold that it was tested in */
    s3svm_trace_counts *counts;                 /* [image][method][offset] */
    s3svm_contest wrong, breaks;                /* picture by picture: wrong pixels; breaks of the centre line */
} s3svm_trace_results;

static inline s3svm_trace_outcome *s3svm_trace_outcome_at(const s3svm_trace_results *r, size_t fold, size_t method)
{
    return &r->outcomes[fold * S3SVM_TRACE_METHODS + method];
}

/* Of a picture, by a threshold so many steps from the one that was chosen; 0: by that. */
static inline s3svm_trace_counts *s3svm_trace_counts_at(const s3svm_trace_results *r, size_t image, size_t method, int steps)
{
    return &r->counts[(image * S3SVM_TRACE_METHODS + method) * S3SVM_TRACE_OFFSETS + (size_t)(steps + S3SVM_TRACE_ASIDE)];
}

/* Whether the method was asked for. */
bool s3svm_trace_takes_part(const s3svm_trace_results *r, size_t method);

/* Mean over the test pictures, and the standard error of the mean. */
typedef double s3svm_trace_score(const s3svm_trace_counts *c);
s3svm_spread s3svm_trace_mean(const s3svm_trace_results *r, size_t method, int steps, s3svm_trace_score *score);
double s3svm_trace_wrong(const s3svm_trace_counts *c);  /* share of wrong pixels */
double s3svm_trace_breaks(const s3svm_trace_counts *c); /* how many */

/* Tables against pairs of the same support, against neighbours, against networks alone; pairs against these; and tables against
 * pairs where both know the truth. */
enum { S3SVM_TRACE_RIVALS = 5 };
extern const s3svm_rivals s3svm_trace_rivals[S3SVM_TRACE_RIVALS];

SOS_MUST_USE sos_status s3svm_trace_experiment(const s3svm_trace_plan *plan, s3svm_trace_results *out, sos_error *error);
void s3svm_trace_results_free(s3svm_trace_results *r);

/* Writes index.html, results.json and results.csv into a folder, which is made if it is not there.  command: how it was run. */
SOS_MUST_USE sos_status s3svm_trace_report(const s3svm_trace_results *r, const char *folder, const char *command,
                                           sos_error *error);

#endif
