/* contest.h - several methods on the test pictures of random splits: whether one is better than another, and what of that may
 * be chance.
 *
 * Errors of two methods on one picture have much in common, so methods are compared picture by picture.  Pictures are what the
 * data are a sample of, so a picture that is tested on in several splits counts once.  With e(p, s) the error on picture p in
 * split s, and S(p) the splits that test on p,
 *
 *     d(p) = mean over s in S(p) of [e of the baseline - e of the method],   gain = mean over p of d(p),
 *     standard error of the gain = sqrt(sum over p of (d(p) - gain)^2 / (n (n - 1))),   n pictures.
 *
 * Models of different splits share training pictures, which the standard error does not know: it is a little too small. */
#ifndef SOS_TASKS_CONTEST_H
#define SOS_TASKS_CONTEST_H

#include "base/json.h"
#include "report/report.h"
#include "tasks/score.h"

typedef struct sos_contest {
    size_t images, methods, tests; /* tests: pictures of a split that are tested on */
    size_t splits;                 /* that are complete */
    const char *const *method_names;
    char **names;     /* of the pictures */
    size_t *pictures; /* [split][test]: their numbers */
    double *errors;   /* [split][method][test]: share of wrong pixels; NaN: the method does not take part */
    double *sums;     /* room for comparing: two sums for each picture */
    size_t *times;    /* and how often it was tested on */
} sos_contest;

/* With room for so many splits, of which none is complete.  Names of pictures are copied, those of methods borrowed. */
SOS_MUST_USE sos_status sos_contest_create(size_t images, char *const names[], size_t methods, const char *const method_names[],
                                           size_t splits, size_t tests, sos_contest *out, sos_error *error);
void sos_contest_free(sos_contest *c); /* leaves it empty; an empty one is fine */

/* The split of this number tests on these pictures; and the place for a method's errors on them. */
void sos_contest_begin(sos_contest *c, size_t split, const size_t pictures[]);
double *sos_contest_errors(const sos_contest *c, size_t split, size_t method);

/* Whether a method has errors in all complete splits. */
bool sos_contest_has(const sos_contest *c, size_t method);

/* One method against another. */
typedef struct sos_rivals {
    size_t method, baseline;
} sos_rivals;

typedef struct sos_comparison {
    size_t pictures;      /* n */
    double gain;          /* as above: how much less wrong the method is */
    double uncertainty;   /* its standard error; NaN with one picture */
    double ratio;         /* of the mean errors of the pictures: method by baseline; NaN where the baseline makes none */
    size_t better, worse; /* pictures with d(p) > 0, < 0 */
} sos_comparison;

/* One at a time. */
sos_comparison sos_contest_compare(const sos_contest *c, sos_rivals rivals);

/* The gain on one split: means over its test pictures. */
double sos_contest_split_gain(const sos_contest *c, sos_rivals rivals, size_t split);

/* ---- written ---- */

/* What the columns of the table mean, for its reader. */
#define SOS_CONTEST_EXPLAINED                                                                                                  \
    "Each image counts once, with the mean of its differences over the splits that test on it; ± is the standard error of "   \
    "the "                                                                                                                     \
    "mean of all images. A difference of less than two standard errors may well be chance."

/* A table of a report; rows follow, one for each comparison whose methods both take part.  subject: the head of a first column,
 * or NULL where there is none. */
void sos_contest_table(sos_report *page, const sos_contest *c, const char *caption, const char *subject);
void sos_contest_row(sos_report *page, const sos_contest *c, sos_rivals rivals, const char *subject);

/* For terminals: a line for each, in points, with standard errors, below a line that says of what (title). */
void sos_contest_print(FILE *out, const sos_contest *c, const char *title, size_t count, const sos_rivals rivals[]);

/* "comparisons": a list of them. */
void sos_contest_json(sos_json *j, const sos_contest *c, size_t count, const sos_rivals rivals[]);

/* "images": the errors of a method on the test pictures of a split. */
void sos_contest_images_json(sos_json *j, const sos_contest *c, size_t split, size_t method);

#endif
