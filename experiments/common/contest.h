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
#ifndef S3SVM_EXPERIMENTS_COMMON_CONTEST_H
#define S3SVM_EXPERIMENTS_COMMON_CONTEST_H

#include "base/json.h"
#include "experiments/common/spread.h"
#include "report/report.h"

typedef struct s3svm_contest {
    size_t images, methods, tests; /* tests: pictures of a split that are tested on */
    size_t splits;                 /* that are complete */
    const char *const *method_names;
    char **names;     /* of the pictures */
    size_t *pictures; /* [split][test]: their numbers */
    double *errors;   /* [split][method][test]: share of wrong pixels; NaN: the method does not take part */
    double *sums;     /* room for comparing: two sums for each picture */
    size_t *times;    /* and how often it was tested on */
} s3svm_contest;

/* With room for so many splits, of which none is complete.  Names of pictures are copied, those of methods borrowed. */
SOS_MUST_USE sos_status s3svm_contest_create(size_t images, char *const names[], size_t methods,
                                             const char *const method_names[], size_t splits, size_t tests, s3svm_contest *out,
                                             sos_error *error);
void s3svm_contest_free(s3svm_contest *c); /* leaves it empty; an empty one is fine */

/* The split of this number tests on these pictures; and the place for a method's errors on them. */
void s3svm_contest_begin(s3svm_contest *c, size_t split, const size_t pictures[]);
double *s3svm_contest_errors(const s3svm_contest *c, size_t split, size_t method);

/* Whether a method has errors in all complete splits. */
bool s3svm_contest_has(const s3svm_contest *c, size_t method);

/* One method against another. */
typedef struct s3svm_rivals {
    size_t method, baseline;
} s3svm_rivals;

typedef struct s3svm_comparison {
    size_t pictures;      /* n */
    double gain;          /* as above: how much less wrong the method is */
    double uncertainty;   /* its standard error; NaN with one picture */
    double ratio;         /* of the mean errors of the pictures: method by baseline; NaN where the baseline makes none */
    size_t better, worse; /* pictures with d(p) > 0, < 0 */
} s3svm_comparison;

/* One at a time. */
s3svm_comparison s3svm_contest_compare(const s3svm_contest *c, s3svm_rivals rivals);

/* The gain on one split: means over its test pictures. */
double s3svm_contest_split_gain(const s3svm_contest *c, s3svm_rivals rivals, size_t split);

/* ---- written ---- */

/* What the columns of the table mean, for its reader. */
#define S3SVM_CONTEST_EXPLAINED                                                                                                \
    "Each image counts once, with the mean of its differences over the splits that test on it; ± is the standard error of "   \
    "the "                                                                                                                     \
    "mean of all images. A difference of less than two standard errors may well be chance."

/* A table of a report; rows follow, one for each comparison whose methods both take part.  subject: the head of a first column,
 * or NULL where there is none. */
void s3svm_contest_table(s3svm_report *page, const s3svm_contest *c, const char *caption, const char *subject);
void s3svm_contest_row(s3svm_report *page, const s3svm_contest *c, s3svm_rivals rivals, const char *subject);

/* For terminals: a line for each, in points, with standard errors, below a line that says of what (title). */
void s3svm_contest_print(FILE *out, const s3svm_contest *c, const char *title, size_t count, const s3svm_rivals rivals[]);

/* "comparisons": a list of them. */
void s3svm_contest_json(sos_json *j, const s3svm_contest *c, size_t count, const s3svm_rivals rivals[]);

/* "images": the errors of a method on the test pictures of a split. */
void s3svm_contest_images_json(sos_json *j, const s3svm_contest *c, size_t split, size_t method);

#endif
