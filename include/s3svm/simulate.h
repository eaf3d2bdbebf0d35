/* simulate.h - simulates a person who marks a photograph, from the true mask: the first marks, and corrections of wrong labels.
 * For training, and for counting how many marks a method needs.
 *
 *     s3svm_simulation s = s3svm_simulation_defaults();
 *     s3svm_simulate_first(&s, truth, care, d, &error);
 *     do label(d, labels);
 *     while (!s3svm_simulate_correct(&s, truth, care, labels, d, &right, &error) && !right);
 *
 * Each call adds one step to a dialogue (<s3svm/dialogue.h>).  The same seed, mask, labels and number of earlier steps give the
 * same step on every machine.  Every pixel of a stroke or click has the true label of the mark and is not an unsure one; the
 * radius is reduced as far as necessary, unless whole is set.  Boxes and outlines contain all pixels of the object. */
#ifndef S3SVM_SIMULATE_H
#define S3SVM_SIMULATE_H

#include <s3svm/dialogue.h>
#include <s3svm/truth.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum s3svm_simulated {
    S3SVM_SIMULATED_CLICKS,    /* a disk at the pixel farthest from the outline; hasty: at a random pixel well inside */
    S3SVM_SIMULATED_STROKES,   /* a short line */
    S3SVM_SIMULATED_SCRIBBLES, /* as in data sets: a long line through the object, three around it in the background */
    S3SVM_SIMULATED_BOX,       /* the true bounding box, enlarged; hasty: each side by a different amount */
    S3SVM_SIMULATED_OUTLINE,   /* a smooth closed line around the object */
    S3SVM_SIMULATED_HURRIED,   /* one straight stroke from the pixel farthest from the outline to another well inside that it
                                  sees; hasty: to any such, else to the farthest */
    S3SVM_SIMULATED_KINDS
} s3svm_simulated;

/* The names on the command line, in that order. */
#define S3SVM_SIMULATED_NAMES "clicks|strokes|scribbles|box|outline|hurried"
SOS_API const char *s3svm_simulated_name(s3svm_simulated kind);

typedef struct s3svm_simulation {
    s3svm_simulated kind; /* of the first step */
    bool both;            /* the first step also marks background; with a box or an outline it has a click on the object */
    bool hasty;           /* marks are not where they help most, and corrections include lines */
    bool whole;           /* clicks keep their radius even if they then cover pixels of the other label, as in papers */
    double radius;        /* of clicks, in pixels; papers use 5 for pictures of about 0.2 megapixels */
    double margin;        /* of boxes and outlines: the fraction by which they are larger than the true bounding box */
    uint64_t seed;
    uint64_t reserved[8]; /* 0 */
} s3svm_simulation;

/* Clicks on the object, not hasty, not whole, radius 5, margin 0.1, seed 0. */
SOS_API s3svm_simulation s3svm_simulation_defaults(void);

/* Adds the first step.  truth has labels 0 and 1 of all pixels; care, which may be NULL, is 0 for pixels that are not sure.  A
 * mask without object is an error; one without background gets no background marks.  settings may be NULL: the defaults. */
SOS_MUST_USE SOS_API sos_status s3svm_simulate_first(const s3svm_simulation *settings, const uint8_t truth[],
                                                     const uint8_t care[], s3svm_dialogue *d, sos_error *error);

/* Adds a correction of labels 0 and 1.  If no label is wrong, *right is true and the dialogue is unchanged.  Wrong pixels of
 * the same true label that touch along sides or corners form a region; unsure pixels count as right.
 *
 *     as in papers   a disk at the pixel of the largest region that is farthest from the outside of the region, which includes
 *                    the outside of the picture.  Nothing is random.
 *     hasty          a random region, with a probability that grows with its size; in it a click or a short line at a random
 *                    place, which may leave the region, but not the true label */
SOS_MUST_USE SOS_API sos_status s3svm_simulate_correct(const s3svm_simulation *settings, const uint8_t truth[],
                                                       const uint8_t care[], const uint8_t labels[], s3svm_dialogue *d,
                                                       bool *right, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
