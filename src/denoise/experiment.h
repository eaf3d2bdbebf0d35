/* experiment.h - the paper's section 5.1 rerun: learned models and tuned baselines on the same random splits of
 * drawings, in several kinds of noise; and the report about it. */
#ifndef SOS_DENOISE_EXPERIMENT_H
#define SOS_DENOISE_EXPERIMENT_H

#include "denoise/baseline.h"
#include "denoise/data.h"
#include "tasks/contest.h"
#include "tasks/follow.h"
#include "tasks/split.h"
#include <s3svm/denoise.h>

/* Methods: the baselines in their order, the networks alone, then the learned models in their order. */
enum {
    SOS_METHOD_NETWORKS = SOS_BASELINES,
    SOS_METHOD_MODELS,
    SOS_DENOISE_MODELS = SOS_DENOISE_FAR_UNARIES, /* those for thin structures have an experiment of their own (dashes.h) */
    SOS_DENOISE_METHODS = SOS_METHOD_MODELS + SOS_DENOISE_MODELS,
    SOS_DENOISE_NOISES_MAX = 16
};
const char *sos_denoise_method_name(size_t method); /* for people: "Generic Cuts", "S3SVM, paper" */

/* Models of directions without networks, and on networks. */
static inline bool sos_denoise_is_directed(sos_denoise_kind kind)
{
    return kind >= SOS_DENOISE_KEYED && kind <= SOS_DENOISE_LONG_LINES;
}
static inline bool sos_denoise_is_on_odds(sos_denoise_kind kind) { return kind >= SOS_DENOISE_ODDS_PAIRS; }

typedef struct sos_denoise_plan {
    const char *data; /* a folder with labels/; NULL: drawings made for the occasion */
    size_t count, width, height;
    uint64_t drawings_seed;

    size_t noises;
    sos_noise noise[SOS_DENOISE_NOISES_MAX];
    size_t splits; /* random halves: one to learn from, one to judge by */
    uint64_t seed; /* of the splits */
    bool contends[SOS_DENOISE_METHODS];
    bool without_curves;
    bool choose_C;  /* of each learned model, by cross-validation inside the half to learn from */
    size_t samples; /* pixels that the networks of the full model learn from; 0: its default */
    int threads;
    sos_progress *progress; /* or NULL */
    void *user;
} sos_denoise_plan;

/* Of one method on one split in one kind of noise. */
typedef struct sos_denoise_outcome {
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
} sos_denoise_outcome;

/* Test error against C. */
enum { SOS_DENOISE_VALUES = 7 };
typedef struct sos_denoise_path {
    size_t count;
    double C[SOS_DENOISE_VALUES], error[SOS_DENOISE_VALUES], seconds;
} sos_denoise_path;

/* What the first split shows for each kind of noise. */
typedef struct sos_denoise_show {
    sos_baseline baselines[SOS_BASELINES];
    sos_model *models[SOS_DENOISE_MODELS]; /* NULL: left out */
    sos_curve curves[SOS_DENOISE_MODELS];
    sos_denoise_path path; /* of the paper's model */
    sos_drawings pictures; /* a few of the test pictures */
} sos_denoise_show;

typedef struct sos_denoise_results {
    sos_denoise_plan plan;
    size_t images;
    sos_parts parts;
    double white_error; /* of calling everything paper, over all pictures */
    double seconds;
    const char **method_names;                    /* of all methods, which contests borrow */
    sos_denoise_outcome *outcomes;                /* [noise][split][method] */
    sos_contest contests[SOS_DENOISE_NOISES_MAX]; /* one for each kind of noise: picture by picture */
    sos_denoise_show show[SOS_DENOISE_NOISES_MAX];
} sos_denoise_results;

static inline sos_denoise_outcome *sos_denoise_outcome_at(const sos_denoise_results *r, size_t noise, size_t split,
                                                          size_t method)
{
    return &r->outcomes[(noise * r->plan.splits + split) * SOS_DENOISE_METHODS + method];
}

/* Of the error over the splits; NaN for a method that is left out. */
sos_spread sos_denoise_error(const sos_denoise_results *r, size_t noise, size_t method);

/* Who should beat whom in this noise: methods against baselines, some of them chosen by what they were tuned on. */
enum { SOS_DENOISE_RIVALS = 21 };
void sos_denoise_rivals(const sos_denoise_results *r, size_t noise, sos_rivals out[SOS_DENOISE_RIVALS]);

/* The best of the baselines first ... last, by the pictures that they were tuned on. */
size_t sos_denoise_tuned_best(const sos_denoise_results *r, size_t noise, size_t first, size_t last);

/* "plain, sigma 0.5", "shifted, sigma 150" */
enum { SOS_DENOISE_NOISE_TEXT = 64 };
const char *sos_denoise_noise_text(const sos_noise *noise, char text[SOS_DENOISE_NOISE_TEXT]);

SOS_MUST_USE sos_status sos_denoise_experiment(const sos_denoise_plan *plan, sos_denoise_results *out, sos_error *error);
void sos_denoise_results_free(sos_denoise_results *r);

/* Writes index.html, results.json and results.csv into a folder, which is made if it is not there.  command: how it was run. */
SOS_MUST_USE sos_status sos_denoise_report(const sos_denoise_results *r, const char *folder, const char *command,
                                           sos_error *error);

#endif
