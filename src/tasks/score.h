/* score.h - how well labels agree with the truth. */
#ifndef SOS_TASKS_SCORE_H
#define SOS_TASKS_SCORE_H

#include <stddef.h>
#include <stdint.h>

#include <s3svm/task.h>

/* Of two labels, 1 being the object: over one picture or, added up, over many. */
typedef struct sos_score {
    size_t pixels;
    size_t missed, extra; /* object called background, and the other way round */
    size_t found;         /* object called object */
} sos_score;

/* care NULL: of all pixels, else of those where it is not 0. */
sos_score sos_score_of(size_t n, const uint8_t labels[], const uint8_t truth[], const uint8_t care[]);

double sos_score_error(const sos_score *s); /* fraction of wrong pixels */
double sos_score_iou(const sos_score *s);   /* intersection of result and truth over their union; 1 where both are empty */

/* Whether labels have the size of the truth, which path names: SOS_ERR_ARGUMENT if not. */
SOS_MUST_USE sos_status sos_score_sizes(const sos_image *labels, const sos_image *truth, const char *path, sos_error *error);

/* Judges two labels: error and iou over all pixels; the extra score is the error over those whose care is not 0, which are also
 * those that counts has (care NULL: all, and no extra score). */
SOS_MUST_USE sos_status sos_score_judge(size_t n, const uint8_t labels[], const uint8_t truth[], const uint8_t care[],
                                        sos_confusion *counts, sos_task_score *score, sos_error *error);

/* Mean and standard deviation (with n - 1) of numbers; NaN where there are too few. */
double sos_mean(size_t count, const double x[]);
double sos_deviation(size_t count, const double x[]);

/* Both. */
typedef struct sos_spread {
    double mean, deviation;
} sos_spread;

/* Of count numbers that value gives; of doubles that stand so many bytes apart. */
typedef double sos_value_of(const void *data, size_t i);
sos_spread sos_spread_of(size_t count, sos_value_of *value, const void *data);
sos_spread sos_spread_of_members(size_t count, const void *first, size_t stride);

/* A share in per cent, for terminals: "1.23 +- 0.04", without a deviation where there is none. */
enum { SOS_SPREAD_TEXT = 40 };
const char *sos_spread_text(sos_spread s, char text[SOS_SPREAD_TEXT]);

#endif
