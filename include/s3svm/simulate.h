/* simulate.h - people who mark photographs, simulated from the true mask alone: what they mark first, and how they correct
 * labels that are wrong.  For training, and for counting how many marks a method needs.
 *
 *     s3svm_simulation s = s3svm_simulation_defaults();
 *     s3svm_simulate_first(&s, truth, care, d, &error);
 *     do label(d, labels);
 *     while (!s3svm_simulate_correct(&s, truth, care, labels, d, &right, &error) && !right);
 *
 * Each call adds one step to a dialogue (<s3svm/dialogue.h>).  The same seed, mask, labels and number of earlier steps give the
 * same step, on every machine.  Every pixel of a stroke or click has the true label that it says, and lies off the band where
 * nobody can be sure; pens become as small as that takes, unless whole.  Boxes and outlines leave no pixel of the object out.
 */
#ifndef S3SVM_SIMULATE_H
#define S3SVM_SIMULATE_H

#include <s3svm/dialogue.h>
#include <s3svm/truth.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum s3svm_simulated {
    S3SVM_SIMULATED_CLICKS,    /* a disk where the object is deepest; hasty: somewhere inside, rather deep */
    S3SVM_SIMULATED_STROKES,   /* a short line */
    S3SVM_SIMULATED_SCRIBBLES, /* as those of data sets: a long line through the object, three around it in the background */
    S3SVM_SIMULATED_BOX,       /* the true bounding box, larger; hasty: every side by an amount of its own */
    S3SVM_SIMULATED_OUTLINE,   /* a smooth closed line around the object */
    S3SVM_SIMULATED_KINDS
} s3svm_simulated;

/* The names on the command line, in that order. */
#define S3SVM_SIMULATED_NAMES "clicks|strokes|scribbles|box|outline"
SOS_API const char *s3svm_simulated_name(s3svm_simulated kind);

typedef struct s3svm_simulation {
    s3svm_simulated kind; /* of the first step */
    bool both;            /* the first step marks background as well; with a box or an outline it has a click on the object */
    bool hasty;           /* clicks and corrections are not where they help most, and lines are among the corrections */
    bool whole;           /* clicks keep their radius where that takes in pixels of the other label, as papers draw them */
    double radius;        /* of clicks, in pixels: 5 is what papers have for pictures of about 0.2 megapixels */
    double margin;        /* of boxes and outlines: by what share of its sides they are larger than the true one */
    uint64_t seed;
    uint64_t reserved[8]; /* 0 */
} s3svm_simulation;

/* Clicks on the object, not hasty, not whole, radius 5, margin 0.1, seed 0. */
SOS_API s3svm_simulation s3svm_simulation_defaults(void);

/* Adds what is marked first.  truth has labels 0 and 1 of all pixels; care, which may be NULL, is 0 where nobody can be sure.
 * A mask without object is an error; one without background gets no background marks.  NULL settings are the defaults. */
SOS_MUST_USE SOS_API sos_status s3svm_simulate_first(const s3svm_simulation *settings, const uint8_t truth[],
                                                     const uint8_t care[], s3svm_dialogue *d, sos_error *error);

/* Adds a correction of labels 0 and 1, unless none is wrong: then *right is true and the dialogue as it was.  Wrong pixels make
 * regions of one true label that touch along sides and corners; those that are not sure count as right.
 *
 *     as in papers   a disk at the place of the largest region that is farthest from what is not the region; the border of the
 *                    picture counts as such.  Nothing is drawn by chance.
 *     hasty          a region drawn by its size; in it a click or a short line that need not be where it is deepest, and may
 *                    lead out of the region, though not out of the true label
 */
SOS_MUST_USE SOS_API sos_status s3svm_simulate_correct(const s3svm_simulation *settings, const uint8_t truth[],
                                                       const uint8_t care[], const uint8_t labels[], s3svm_dialogue *d,
                                                       bool *right, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
