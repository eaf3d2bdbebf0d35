/* experiment.h - the paper's section 5.1 rerun: learned models and tuned baselines on the same random splits of
 * drawings, in several kinds of noise; and the report about it. */
#ifndef S3SVM_EXPERIMENTS_DENOISE_EXPERIMENT_H
#define S3SVM_EXPERIMENTS_DENOISE_EXPERIMENT_H

#include "denoise/data.h"
#include "experiments/common/contest.h"
#include "experiments/common/curve_recorder.h"
#include "experiments/denoise/baseline.h"
#include "experiments/denoise/designs.h"
#include "tasks/split.h"
#include <s3svm/denoise.h>

/* Methods: the baselines in their order, the networks alone, then the learned models in their order. */
enum {
    S3SVM_METHOD_NETWORKS = S3SVM_BASELINES,
    S3SVM_METHOD_MODELS,
    S3SVM_DENOISE_MODELS = S3SVM_DESIGN_FAR_UNARIES, /* those for thin structures have an experiment of their own (dashes.h) */
    S3SVM_DENOISE_METHODS = S3SVM_METHOD_MODELS + S3SVM_DENOISE_MODELS,
    S3SVM_DENOISE_NOISES_MAX = 16
};
const char *s3svm_denoise_method_name(size_t method); /* for people: "Generic Cuts", "S3SVM, paper" */

/* Models of directions without networks, and on networks. */
static inline bool s3svm_denoise_is_directed(s3svm_drawing_design kind)
{
    return kind >= S3SVM_DESIGN_KEYED && kind <= S3SVM_DESIGN_LONG_LINES;
}
static inline bool s3svm_denoise_is_on_odds(s3svm_drawing_design kind) { return kind >= S3SVM_DESIGN_ODDS_PAIRS; }

typedef struct s3svm_denoise_plan {
    const char *data; /* a folder with labels/; NULL: drawings made for the occasion */
    size_t count, width, height;
    uint64_t drawings_seed;

    size_t noises;
    s3svm_noise noise[S3SVM_DENOISE_NOISES_MAX];
    size_t splits; /* random halves: one to learn from, one to judge by */
    uint64_t seed; /* of the splits */
    bool contends[S3SVM_DENOISE_METHODS];
    bool without_curves;
    bool choose_C;  /* of each learned model, by cross-validation inside the half to learn from */
    size_t samples; /* pixels that the networks of the full model learn from; 0: its default */
    int threads;
    sos_progress *progress; /* or NULL */
    void *user;
} s3svm_denoise_plan;

/* Of one method on one split in one kind of noise. */
typedef struct s3svm_denoise_outcome {
    double error, iou;        /* means over the test pictures */
    double training_error;    /* of baselines, on what they were tuned on; NaN otherwise */
    double parameter, radius; /* of baselines */
    double offset;            /* of baselines with one, and of networks alone */
    double gap;               /* of models: relative duality gap */
    double C;                 /* of models */
    size_t rounds;            /* of models */
    double seconds_training;  /* with all threads */
    double seconds_an_image;  /* one thread */
    bool missing;             /* the method was left out */
} s3svm_denoise_outcome;

/* Test error against C. */
enum { S3SVM_DENOISE_VALUES = 7 };
typedef struct s3svm_denoise_path {
    size_t count;
    double C[S3SVM_DENOISE_VALUES], error[S3SVM_DENOISE_VALUES], seconds;
} s3svm_denoise_path;

/* What the first split shows for each kind of noise. */
typedef struct s3svm_denoise_show {
    s3svm_baseline baselines[S3SVM_BASELINES];
    sos_model *models[S3SVM_DENOISE_MODELS]; /* NULL: left out */
    s3svm_curve curves[S3SVM_DENOISE_MODELS];
    s3svm_denoise_path path; /* of the paper's model */
    s3svm_drawings pictures; /* a few of the test pictures */
} s3svm_denoise_show;

typedef struct s3svm_denoise_results {
    s3svm_denoise_plan plan;
    size_t images;
    s3svm_parts parts;
    double white_error; /* of calling everything paper, over all pictures */
    double seconds;
    const char **method_names;                        /* of all methods, which contests borrow */
    s3svm_denoise_outcome *outcomes;                  /* [noise][split][method] */
    s3svm_contest contests[S3SVM_DENOISE_NOISES_MAX]; /* one for each kind of noise: picture by picture */
    s3svm_denoise_show show[S3SVM_DENOISE_NOISES_MAX];
} s3svm_denoise_results;

static inline s3svm_denoise_outcome *s3svm_denoise_outcome_at(const s3svm_denoise_results *r, size_t noise, size_t split,
                                                              size_t method)
{
    return &r->outcomes[(noise * r->plan.splits + split) * S3SVM_DENOISE_METHODS + method];
}

/* Of the error over the splits; NaN for a method that is left out. */
s3svm_spread s3svm_denoise_error(const s3svm_denoise_results *r, size_t noise, size_t method);

/* Who should beat whom in this noise: methods against baselines, some of them chosen by what they were tuned on. */
enum { S3SVM_DENOISE_RIVALS = 23 };
void s3svm_denoise_rivals(const s3svm_denoise_results *r, size_t noise, s3svm_rivals out[S3SVM_DENOISE_RIVALS]);

/* The best of the baselines first ... last, by the pictures that they were tuned on. */
size_t s3svm_denoise_tuned_best(const s3svm_denoise_results *r, size_t noise, size_t first, size_t last);

/* "plain, sigma 0.5", "shifted, sigma 150" */
enum { S3SVM_DENOISE_NOISE_TEXT = 64 };
const char *s3svm_denoise_noise_text(const s3svm_noise *noise, char text[S3SVM_DENOISE_NOISE_TEXT]);

SOS_MUST_USE sos_status s3svm_denoise_experiment(const s3svm_denoise_plan *plan, s3svm_denoise_results *out, sos_error *error);
void s3svm_denoise_results_free(s3svm_denoise_results *r);

/* Writes index.html, results.json and results.csv into a folder, which is made if it is not there.  command: how it was run. */
SOS_MUST_USE sos_status s3svm_denoise_report(const s3svm_denoise_results *r, const char *folder, const char *command,
                                             sos_error *error);

#endif
