/* experiment.h - labelling photographs with several labels (paper, section 4.4): unaries alone, with pairs, with learned
 * tables over 2x2 patches, and with superpixels besides, on the same random splits; and the report about it. */
#ifndef S3SVM_EXPERIMENTS_LABEL_EXPERIMENT_H
#define S3SVM_EXPERIMENTS_LABEL_EXPERIMENT_H

#include <s3svm/label.h>

#include "experiments/common/contest.h"
#include "label/data.h"
#include "label/design.h"

const char *s3svm_label_method_name(s3svm_label_kind kind); /* for people: "Unaries alone" */

typedef struct s3svm_label_plan {
    const char *data;               /* a folder with images/ and labels/ */
    const s3svm_label_names *names; /* NULL: as many as there are labels */
    int unknown;                    /* the number of pixels without a label; -1: none */
    size_t splits;
    uint64_t seed;
    size_t train;   /* how many pictures to learn from; 0: three of five */
    size_t epochs;  /* of the networks; 0: their default */
    double seconds; /* of a training, at most; 0: no limit */
    bool contends[S3SVM_LABEL_DESIGNS];
    int threads;
    sos_progress *progress; /* or NULL */
    void *user;
} s3svm_label_plan;

/* Of one kind of model on one split. */
typedef struct s3svm_label_outcome {
    s3svm_confusion counts; /* over all test pictures */
    size_t weights;
    double gap;       /* relative duality gap ... */
    bool approximate; /* ... against an oracle that does not always find the most violated labelling ... */
    size_t answers;   /* ... in so many answers ... */
    size_t beaten;    /* ... of which so many were worse than what it had found before */
    size_t rounds;
    double seconds_training; /* with all threads, without the features */
    double seconds_features; /* for learning them, which all kinds share */
    double seconds_an_image; /* one thread */
    double slowest_image;
} s3svm_label_outcome;

enum { S3SVM_LABEL_SHOWN_MAX = 8 };

/* A test picture of the first split, and what the models made of it. */
typedef struct s3svm_label_shown {
    char *name;
    s3svm_labelled seen;
    uint8_t *labels[S3SVM_LABEL_DESIGNS];
} s3svm_label_shown;

typedef struct s3svm_label_results {
    s3svm_label_plan plan; /* its data and names are the caller's */
    s3svm_label_names names;
    size_t images, train;
    double seconds;
    s3svm_label_outcome *outcomes; /* [split][kind] */
    s3svm_contest contest;         /* picture by picture */
    size_t shown_count;
    s3svm_label_shown shown[S3SVM_LABEL_SHOWN_MAX];
    sos_model *models[S3SVM_LABEL_DESIGNS]; /* of the first split */
} s3svm_label_results;

static inline s3svm_label_outcome *s3svm_label_outcome_at(const s3svm_label_results *r, size_t split, s3svm_label_kind kind)
{
    return &r->outcomes[split * S3SVM_LABEL_DESIGNS + kind];
}

/* Over the splits, of one of the scores of confusion.h. */
s3svm_spread s3svm_label_spread(const s3svm_label_results *r, s3svm_label_kind kind, double (*score)(const s3svm_confusion *));

/* The kinds that take part, in the order in which people want to see them; returns how many. */
size_t s3svm_label_contenders(const s3svm_label_plan *p, s3svm_label_kind kinds[S3SVM_LABEL_DESIGNS]);

/* Who should beat whom. */
enum { S3SVM_LABEL_RIVALS = 12 };
extern const s3svm_rivals s3svm_label_rivals[S3SVM_LABEL_RIVALS];

SOS_MUST_USE sos_status s3svm_label_experiment(const s3svm_label_plan *plan, s3svm_label_results *out, sos_error *error);
void s3svm_label_results_free(s3svm_label_results *r);

/* Writes index.html, results.json and results.csv into a folder, which is made if it is not there.  command: how it was run. */
SOS_MUST_USE sos_status s3svm_label_report(const s3svm_label_results *r, const char *folder, const char *command,
                                           sos_error *error);

#endif
