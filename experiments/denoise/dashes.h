/* dashes.h - the experiment "dashes": dashed curves are to be joined, and single dashes that look like theirs left out.  What
 * is near a pixel does not tell which is which; how much of the line through it is ink does. */
#ifndef S3SVM_EXPERIMENTS_DENOISE_DASHES_H
#define S3SVM_EXPERIMENTS_DENOISE_DASHES_H

#include <s3svm/denoise.h>

#include "denoise/data.h"
#include "experiments/common/contest.h"
#include "experiments/denoise/designs.h"

/* Methods in the order of the tables. */
enum { S3SVM_DASHES_METHODS = 6, S3SVM_DASHES_VALUES = 2, S3SVM_DASHES_SHOWN = 4 };

/* Through pixels closer to the frame than half a line, no line is whole: they are not learned from and not judged. */
enum { S3SVM_DASHES_FRAME = 12 };

extern const char *const s3svm_dashes_names[S3SVM_DASHES_METHODS];
const s3svm_denoise_preset *s3svm_dashes_preset(size_t method);
extern const double s3svm_dashes_cs[S3SVM_DASHES_VALUES]; /* to choose C from */

typedef struct s3svm_dashes_plan {
    size_t count, side; /* of drawings, and pixels */
    double sigma;       /* of plain noise */
    uint64_t seed;      /* of drawings, noise and splits */
    size_t splits;      /* random halves */
    int threads;
    sos_progress *progress; /* or NULL */
    void *user;
} s3svm_dashes_plan;

/* Of one method on one split. */
typedef struct s3svm_dashes_outcome {
    double error, iou; /* of the test drawings, without their frames: mean error; intersection over union of all pixels */
    double C, gap;
    size_t rounds, weights;
    double seconds_training; /* with the chosen C, all threads */
    double seconds_an_image; /* one thread, features included */
} s3svm_dashes_outcome;

typedef struct s3svm_dashes_results {
    s3svm_dashes_plan plan;
    s3svm_drawings drawings;
    size_t splits; /* that are complete */
    size_t train, test;
    double ink; /* share of the curves in all drawings, without frames */
    double seconds;
    size_t *orders;                 /* [split][drawing] */
    s3svm_dashes_outcome *outcomes; /* [split][method] */
    s3svm_contest contest;
    uint8_t *labels[S3SVM_DASHES_METHODS][S3SVM_DASHES_SHOWN]; /* of the first test drawings of the first split */
    sos_model *models[S3SVM_DASHES_METHODS];                   /* of the first split */
} s3svm_dashes_results;

static inline s3svm_dashes_outcome *s3svm_dashes_outcome_at(const s3svm_dashes_results *r, size_t split, size_t method)
{
    return &r->outcomes[split * S3SVM_DASHES_METHODS + method];
}

/* Over the complete splits, of a member of the outcomes. */
s3svm_spread s3svm_dashes_spread(const s3svm_dashes_results *r, size_t method, size_t offset);

/* The last method against each of the others. */
enum { S3SVM_DASHES_RIVALS = S3SVM_DASHES_METHODS - 1 };
extern const s3svm_rivals s3svm_dashes_rivals[S3SVM_DASHES_RIVALS];

SOS_MUST_USE sos_status s3svm_dashes_experiment(const s3svm_dashes_plan *plan, s3svm_dashes_results *out, sos_error *error);
void s3svm_dashes_results_free(s3svm_dashes_results *r);

/* Writes index.html, results.json and results.csv into a folder, which is made if it is not there.  command: how it was run. */
SOS_MUST_USE sos_status s3svm_dashes_report(const s3svm_dashes_results *r, const char *folder, const char *command,
                                            sos_error *error);

#endif
