/* clicks.h - the experiment "clicks": how many clicks a method needs, each placed where the labels so far are most wrong; and
 * the report about it. */
#ifndef S3SVM_EXPERIMENTS_SEGMENT_CLICKS_H
#define S3SVM_EXPERIMENTS_SEGMENT_CLICKS_H

#include <stddef.h>

#include <s3svm/dialogue.h>
#include <s3svm/option.h>
#include <s3svm/segment.h>

#include "tasks/score.h"

enum {
    S3SVM_CLICKS_MAX = 100,        /* in a dialogue */
    S3SVM_CLICKS_METHODS_MAX = 16, /* methods that take part */
    S3SVM_CLICKS_LESSONS_MAX = 4,  /* of them that learn from photographs of the split */
    S3SVM_CLICKS_ZONES = 3,        /* along the true outline */
    S3SVM_CLICKS_GOALS = 2,
    S3SVM_CLICKS_FRAMES = 6 /* of a film */
};

extern const size_t s3svm_clicks_zones[S3SVM_CLICKS_ZONES];   /* pixels from the outline: 2, 4, 8 */
extern const double s3svm_clicks_goals[S3SVM_CLICKS_GOALS];   /* intersection over union: 0.85, 0.90 */
extern const size_t s3svm_clicks_frames[S3SVM_CLICKS_FRAMES]; /* clicks after which films show labels */

/* What a model is told besides marks, by a network: nothing; its maps; these, its proposal being corrected from the first click
 * on; what it says of another photograph; noise. */
typedef enum s3svm_clicks_evidence {
    S3SVM_CLICKS_NONE,
    S3SVM_CLICKS_MAPS,
    S3SVM_CLICKS_PROPOSED,
    S3SVM_CLICKS_OTHER,
    S3SVM_CLICKS_NOISE,
    S3SVM_CLICKS_EVIDENCES
} s3svm_clicks_evidence;

/* Who takes part: a model, or GrabCut. */
typedef struct s3svm_clicks_method {
    char name[140];               /* for people */
    char word[260];               /* for programs: "grabcut", or what the model was called */
    s3svm_segment_model **models; /* one for each split, or all the same; NULL: GrabCut */
    bool borrowed;                /* the models of the method before */
    s3svm_clicks_evidence evidence;
} s3svm_clicks_method;

typedef struct s3svm_clicks_plan {
    const char *data;     /* a folder with images/ and labels/, and perhaps scribbles/ */
    const char *methods;  /* "model,amn,grabcut" */
    const char *models;   /* paths with commas between them, or NULL; {} in a path is the number of the split */
    const char *evidence; /* "none,maps,...": models that see evidence take part with each of these; NULL: none */
    s3svm_reals learn;    /* the model also learns from so many photographs of each split, which are then not clicked on */
    size_t splits;        /* test parts of so many random splits; 0: all photographs */
    size_t photographs;   /* at most so many, of each split; 0: all */
    size_t clicks;
    double radius; /* of a click */
    bool whole;    /* also where it then takes in pixels of the other label */
    uint64_t seed; /* of splits and choice */
    int threads;   /* 0: all cores; the numbers are the same */
    sos_progress *progress;
    void *user;
} s3svm_clicks_plan;

/* How good labels are; pixels that are not sure are left out. */
typedef struct s3svm_clicks_score {
    double iou, error;
    double near[S3SVM_CLICKS_ZONES]; /* error of the pixels at most so far from the outline; NaN: there is none */
} s3svm_clicks_score;

/* Of one method on one photograph. */
typedef struct s3svm_clicks_outcome {
    bool done;
    s3svm_clicks_score scores[S3SVM_CLICKS_MAX]; /* behind every click; when all is right, nothing changes any more */
    double harms[S3SVM_CLICKS_MAX];    /* share of right pixels far from the click that it made wrong; NaN: no click */
    size_t needed[S3SVM_CLICKS_GOALS]; /* clicks to a goal; all of them where it is not reached */
    bool reached[S3SVM_CLICKS_GOALS];
    s3svm_clicks_score last, box, hurried, scribbles; /* behind the last click; by other marks alone: NaN without scribbles */
    size_t made;                                      /* clicks, before all was right */
    double seconds_look, seconds;       /* before the first click, and in the mean from a click to labels: one thread */
    s3svm_dialogue *dialogue;           /* the clicks */
    uint8_t *film[S3SVM_CLICKS_FRAMES]; /* labels, 8 pixels in a byte; NULL: behind the last click of the plan */
} s3svm_clicks_outcome;

/* A photograph of a split. */
typedef struct s3svm_clicks_case {
    size_t picture, split;
} s3svm_clicks_case;

typedef struct s3svm_clicks_results {
    s3svm_clicks_plan plan;
    s3svm_dataset data;
    size_t *photograph; /* of each picture, where there are splits (tasks/photographs.h); else NULL */
    bool has_scribbles;
    size_t method_count, case_count, picture_count; /* pictures: that occur in cases */
    s3svm_clicks_method methods[S3SVM_CLICKS_METHODS_MAX];
    s3svm_clicks_case *cases;
    s3svm_clicks_outcome *outcomes; /* [case][method] */
    size_t planned;                 /* cases, of which case_count are complete */
    double seconds;
} s3svm_clicks_results;

static inline s3svm_clicks_outcome *s3svm_clicks_outcome_at(const s3svm_clicks_results *r, size_t i, size_t method)
{
    return &r->outcomes[i * r->method_count + method];
}

/* A number of an outcome; a further one says which. */
typedef double s3svm_clicks_value(const s3svm_clicks_outcome *o, size_t which);

/* The mean over photographs, each of which counts once with the mean of its cases; its standard error; the deviation of the
 * photographs.  What is NaN is left out. */
typedef struct s3svm_clicks_mean {
    size_t pictures;
    double mean, standard_error, deviation;
} s3svm_clicks_mean;
s3svm_clicks_mean s3svm_clicks_average(const s3svm_clicks_results *r, size_t method, s3svm_clicks_value *value, size_t which);

/* The same of the differences of two methods, photograph by photograph. */
s3svm_clicks_mean s3svm_clicks_difference(const s3svm_clicks_results *r, size_t method, size_t baseline,
                                          s3svm_clicks_value *value, size_t which);

/* Values for both. */
double s3svm_clicks_needed(const s3svm_clicks_outcome *o, size_t goal);
double s3svm_clicks_reached(const s3svm_clicks_outcome *o, size_t goal);
double s3svm_clicks_iou(const s3svm_clicks_outcome *o, size_t click);
double s3svm_clicks_error(const s3svm_clicks_outcome *o, size_t click);
double s3svm_clicks_change(const s3svm_clicks_outcome *o, size_t click); /* of the IoU since the click before; click > 0 */
double s3svm_clicks_harm(const s3svm_clicks_outcome *o, size_t click);
double s3svm_clicks_mean_harm(const s3svm_clicks_outcome *o, size_t unused);
double s3svm_clicks_look(const s3svm_clicks_outcome *o, size_t unused);
double s3svm_clicks_seconds(const s3svm_clicks_outcome *o, size_t unused);

/* The click, from 1 on, at which the mean IoU falls most or rises least, and by how much. */
size_t s3svm_clicks_worst(const s3svm_clicks_results *r, size_t method, s3svm_clicks_mean *change);

/* Runs all dialogues.  Stopped, it keeps the photographs that all methods are done with; without any it returns SOS_CANCELLED.
 */
SOS_MUST_USE sos_status s3svm_clicks_experiment(const s3svm_clicks_plan *plan, s3svm_clicks_results *out, sos_error *error);
void s3svm_clicks_results_free(s3svm_clicks_results *r);

/* Writes index.html, results.json and results.csv into a folder.  command: how it was run. */
SOS_MUST_USE sos_status s3svm_clicks_report(const s3svm_clicks_results *r, const char *folder, const char *command,
                                            sos_error *error);

#endif
