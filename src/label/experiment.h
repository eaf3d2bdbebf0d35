/* experiment.h - labelling photographs with several labels (paper, section 4.4): unaries alone, with pairs, with learned
 * tables over 2x2 patches, and with superpixels besides, on the same random splits; and the report about it. */
#ifndef SOS_LABEL_EXPERIMENT_H
#define SOS_LABEL_EXPERIMENT_H

#include <s3svm/label.h>

#include "label/data.h"
#include "tasks/contest.h"

const char *sos_label_method_name(sos_label_kind kind); /* for people: "Unaries alone" */

typedef struct sos_label_plan {
    const char *data;             /* a folder with images/ and labels/ */
    const sos_label_names *names; /* NULL: as many as there are labels */
    int unknown;                  /* the number of pixels without a label; -1: none */
    size_t splits;
    uint64_t seed;
    size_t train;   /* how many pictures to learn from; 0: three of five */
    size_t epochs;  /* of the networks; 0: their default */
    double seconds; /* of a training, at most; 0: no limit */
    bool contends[SOS_LABEL_KINDS_COUNT];
    int threads;
    sos_progress *progress; /* or NULL */
    void *user;
} sos_label_plan;

/* Of one kind of model on one split. */
typedef struct sos_label_outcome {
    sos_confusion counts; /* over all test pictures */
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
} sos_label_outcome;

enum { SOS_LABEL_SHOWN_MAX = 8 };

/* A test picture of the first split, and what the models made of it. */
typedef struct sos_label_shown {
    char *name;
    sos_labelled seen;
    uint8_t *labels[SOS_LABEL_KINDS_COUNT];
} sos_label_shown;

typedef struct sos_label_results {
    sos_label_plan plan; /* its data and names are the caller's */
    sos_label_names names;
    size_t images, train;
    double seconds;
    sos_label_outcome *outcomes; /* [split][kind] */
    sos_contest contest;         /* picture by picture */
    size_t shown_count;
    sos_label_shown shown[SOS_LABEL_SHOWN_MAX];
    sos_model *models[SOS_LABEL_KINDS_COUNT]; /* of the first split */
} sos_label_results;

static inline sos_label_outcome *sos_label_outcome_at(const sos_label_results *r, size_t split, sos_label_kind kind)
{
    return &r->outcomes[split * SOS_LABEL_KINDS_COUNT + kind];
}

/* Over the splits, of one of the scores of confusion.h. */
sos_spread sos_label_spread(const sos_label_results *r, sos_label_kind kind, double (*score)(const sos_confusion *));

/* The kinds that take part, in the order in which people want to see them; returns how many. */
size_t sos_label_contenders(const sos_label_plan *p, sos_label_kind kinds[SOS_LABEL_KINDS_COUNT]);

/* Who should beat whom. */
enum { SOS_LABEL_RIVALS = 12 };
extern const sos_rivals sos_label_rivals[SOS_LABEL_RIVALS];

SOS_MUST_USE sos_status sos_label_experiment(const sos_label_plan *plan, sos_label_results *out, sos_error *error);
void sos_label_results_free(sos_label_results *r);

/* Writes index.html, results.json and results.csv into a folder, which is made if it is not there.  command: how it was run. */
SOS_MUST_USE sos_status sos_label_report(const sos_label_results *r, const char *folder, const char *command, sos_error *error);

#endif
