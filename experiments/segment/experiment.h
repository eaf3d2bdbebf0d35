/* experiment.h - the paper's section 5.2 rerun: GrabCut and learned models cut objects out of the same photographs, on
 * the same random splits; and the report about it. */
#ifndef S3SVM_EXPERIMENTS_SEGMENT_EXPERIMENT_H
#define S3SVM_EXPERIMENTS_SEGMENT_EXPERIMENT_H

#include <stddef.h>

#include <s3svm/segment.h>

#include "experiments/common/contest.h"
#include "experiments/common/curve_recorder.h"

/* In the order of the tables: first what has the paper's features, then what has the full ones. */
typedef enum s3svm_segment_contender {
    S3SVM_CONTENDER_GRABCUT,
    S3SVM_CONTENDER_UNARIES,
    S3SVM_CONTENDER_AMN,
    S3SVM_CONTENDER_PAIRS,
    S3SVM_CONTENDER_S3SVM,
    S3SVM_CONTENDER_ROBUST,
    S3SVM_CONTENDER_SCATTERED,
    S3SVM_CONTENDER_COUNTS,
    S3SVM_CONTENDER_UNARIES_FULL,
    S3SVM_CONTENDER_AMN_FULL,
    S3SVM_CONTENDER_PAIRS_FULL,
    S3SVM_CONTENDER_FULL,
    S3SVM_CONTENDER_ROBUST_FULL,
    S3SVM_CONTENDER_SCATTERED_FULL,
    S3SVM_CONTENDER_COUNTS_FULL,
    S3SVM_CONTENDERS
} s3svm_segment_contender;

/* What is known of a contender before it begins. */
typedef struct s3svm_contender {
    const char *short_name; /* where there is little room */
    const char *word;       /* on the command line: "s3svm" */
    s3svm_segment_features features;
    s3svm_segment_method method;
    double worth;                                                         /* about what it takes, against GrabCut */
    double paper_error, paper_deviation, paper_training, paper_inference; /* the paper's own figures: per cent, seconds; 0: it
                                                                             has none */
} s3svm_contender;

const s3svm_contender *s3svm_contender_row(size_t contender);
extern const char *const s3svm_contender_names[S3SVM_CONTENDERS]; /* for people: "S3SVM, paper's features" */

enum { S3SVM_SEGMENT_TRIED = 8 }; /* values of C at most, of one run */

struct s3svm_segment_results;

/* Told what one contender came to on a split; with S3SVM_CONTENDERS that the split is complete. */
typedef void s3svm_segment_told(void *user, const struct s3svm_segment_results *r, size_t split, size_t contender);

typedef struct s3svm_segment_plan {
    const char *data; /* a folder with images/, labels/ and scribbles/ */
    size_t splits;
    uint64_t seed;            /* of the splits */
    size_t train, validation; /* how many pictures; 0: a half, and a quarter; the rest is to test on */
    bool contends[S3SVM_CONTENDERS];
    size_t side;       /* longer sides are reduced to at most this; 0: pictures are taken as they are */
    size_t samples;    /* pixels of a picture that networks learn from; 0: their default */
    const char *cache; /* a folder for features of pictures to learn from (cache.h), or NULL; test pictures never use it */
    const char *kept;  /* an existing folder for what methods come to on splits, where a run that was stopped goes on, or
                          NULL */
    bool outlines;     /* models with full features look at outlines again */
    bool choose_once;  /* C, and relations, are chosen on the first split and used on all */
    size_t values;     /* of C to choose from, for all methods; 0: the usual ones of each */
    double C[S3SVM_SEGMENT_TRIED]; /* these, increasing */
    double relations;              /* how much more weights between pixels count than others; 0: chosen as C is */
    int threads;                   /* 0: all cores; the errors are the same */
    sos_progress *progress;        /* or NULL */
    void *user;
    s3svm_segment_told *told; /* or NULL */
    void *listener;
} s3svm_segment_plan;

/* Of one contender on one test picture. */
typedef struct s3svm_segment_judged {
    size_t picture; /* its number in the results */
    double error;   /* fraction of all pixels, the unsure band being background */
    double error_without_unsure;
    double iou;     /* of the object, over all pixels */
    double seconds; /* of processor time of the one thread, features included */
} s3svm_segment_judged;

/* Of training with one C, planes being shared along the path. */
typedef struct s3svm_segment_trained {
    double C;
    double validation; /* error on validation pictures */
    size_t rounds;
    double gap;
    double seconds, processor; /* for this C alone; processor: all threads together */
} s3svm_segment_trained;

/* Of one contender on one split.  What only models have is 0 for GrabCut. */
typedef struct s3svm_segment_outcome {
    s3svm_segment_judged *judged;                /* one for each test picture */
    double error, error_without_unsure, iou;     /* means over the test pictures */
    double seconds_per_image, seconds_per_fifth; /* processor time, of one thread; and for 0.2 megapixels */
    double seconds_features, processor_features; /* what models learn before training, and features to train on */
    double seconds_training, processor_training; /* along the path up to the chosen C */
    double training_error;                       /* of the chosen weights */
    size_t weights, values, best;                /* values of C that were tried, and which of them was chosen */
    double relations;                            /* chosen too: how much more weights between pixels count than others */
    s3svm_segment_trained trained[S3SVM_SEGMENT_TRIED];
    s3svm_curve curve; /* over all C */
} s3svm_segment_outcome;

typedef struct s3svm_segment_results {
    s3svm_segment_plan plan; /* its texts are the caller's */
    size_t images;
    char **names;           /* of the pictures */
    s3svm_marked *pictures; /* as they were judged */
    size_t train, validation, test;
    double background_error; /* of calling everything background, over all pictures */
    double seconds;
    uint64_t run;                        /* a hash of what all of this follows from (kept.h) */
    size_t splits;                       /* that are complete */
    bool stopped;                        /* before all of them were */
    size_t *orders;                      /* [split][image]: first those to learn from, then to validate, then to test on */
    s3svm_segment_outcome *outcomes;     /* [split][contender] */
    s3svm_contest contest;               /* picture by picture */
    uint8_t **labels[S3SVM_CONTENDERS];  /* of the test pictures of the first split; NULL: did not contend */
    sos_model *models[S3SVM_CONTENDERS]; /* of the first split, or NULL */
} s3svm_segment_results;

static inline s3svm_segment_outcome *s3svm_segment_outcome_at(const s3svm_segment_results *r, size_t split, size_t contender)
{
    return &r->outcomes[split * S3SVM_CONTENDERS + contender];
}

static inline const size_t *s3svm_segment_order(const s3svm_segment_results *r, size_t split)
{
    return r->orders + split * r->images;
}

/* Over the complete splits, of a number of outcomes, named by its offset in the struct; NaN for who does not contend. */
s3svm_spread s3svm_segment_spread(const s3svm_segment_results *r, size_t contender, size_t offset);

/* Of a member of s3svm_segment_outcome. */
#define S3SVM_SEGMENT_SPREAD(r, contender, member)                                                                             \
    s3svm_segment_spread((r), (contender), offsetof(s3svm_segment_outcome, member))

/* Who should beat whom. */
enum { S3SVM_SEGMENT_RIVALS = 20, S3SVM_SEGMENT_RELATIONS = 2 };
extern const s3svm_rivals s3svm_segment_rivals[S3SVM_SEGMENT_RIVALS];

/* Stopped by the callback after some splits, it returns SOS_OK with those; before the first is complete, SOS_CANCELLED. */
SOS_MUST_USE sos_status s3svm_segment_experiment(const s3svm_segment_plan *plan, s3svm_segment_results *out, sos_error *error);
void s3svm_segment_results_free(s3svm_segment_results *r);

/* Writes index.html, results.json and results.csv into a folder, which is made if it is not there.  command: how it was run. */
SOS_MUST_USE sos_status s3svm_segment_report(const s3svm_segment_results *r, const char *folder, const char *command,
                                             sos_error *error);

#endif
