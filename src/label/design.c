#include "label/design.h"

#include <math.h>

#include "base/error.h"

/* Neighbours, and pixels far enough apart to look over an edge, a shadow or a mistake: on a third of the training part of one
 * split, tables labelled 83.1 % right with neighbours alone, 84.2 % with both (docs/notes/labeling.md). */
#define NEAR 1
#define FAR  8

/* Beside the unaries, 0.3 and 0.6 made no difference for tables; eight clusters of tables learned the pictures by heart as
 * they counted 0.1, 0.3 and 1 (docs/notes/labeling.md). */
#define STRENGTH_PAIR  1
#define STRENGTH_TABLE 0.3

typedef struct kind_row {
    const char *name;
    bool pairs, tables, robust, counts;
    s3svm_label_design usual;
} kind_row;

#define NOTHING                                                                                                                \
    {                                                                                                                          \
        .reaches = 0                                                                                                           \
    }
#define NEIGHBOURS                                                                                                             \
    {                                                                                                                          \
        .reaches = 1, .reach = { NEAR }, .strength = STRENGTH_PAIR                                                             \
    }
#define PATCHES                                                                                                                \
    {                                                                                                                          \
        .reaches = 2, .reach = { NEAR, FAR }, .strength = STRENGTH_TABLE                                                       \
    }
#define PAIRS_OF_PATCHES                                                                                                       \
    {                                                                                                                          \
        .reaches = 2, .reach = { NEAR, FAR }, .diagonals = true, .strength = STRENGTH_PAIR                                     \
    }

static const kind_row KINDS[S3SVM_LABEL_DESIGNS] = {
    [S3SVM_LABEL_UNARY] = { .name = "unary", .usual = NOTHING },
    [S3SVM_LABEL_PAIRWISE] = { .name = "pairwise", .pairs = true, .usual = NEIGHBOURS },
    [S3SVM_LABEL_TABLES] = { .name = "tables", .tables = true, .usual = PATCHES },
    [S3SVM_LABEL_FULL] = { .name = "full", .tables = true, .robust = true, .usual = PATCHES },
    [S3SVM_LABEL_COUNTS] = { .name = "counts", .pairs = true, .counts = true, .usual = NEIGHBOURS },
    [S3SVM_LABEL_PAIRS] = { .name = "pairs", .pairs = true, .usual = PAIRS_OF_PATCHES },
    [S3SVM_LABEL_ROBUST] = { .name = "robust", .pairs = true, .robust = true, .usual = NEIGHBOURS },
};

static bool is_kind(s3svm_label_kind kind) { return (unsigned)kind < S3SVM_LABEL_DESIGNS; }
const char *s3svm_label_kind_name(s3svm_label_kind kind) { return KINDS[kind].name; }
bool s3svm_label_has_pairs(const s3svm_label_design *d) { return KINDS[d->kind].pairs; }
bool s3svm_label_has_tables(const s3svm_label_design *d) { return KINDS[d->kind].tables; }
bool s3svm_label_has_robust(const s3svm_label_design *d) { return KINDS[d->kind].robust; }
bool s3svm_label_has_counts(const s3svm_label_design *d) { return KINDS[d->kind].counts; }

s3svm_label_design s3svm_label_design_of(s3svm_label_kind kind)
{
    s3svm_label_design usual = { 0 };
    if (is_kind(kind)) usual = KINDS[kind].usual;
    usual.kind = kind;
    return usual;
}

bool s3svm_label_design_is_usual(const s3svm_label_design *d)
{
    const s3svm_label_design usual = s3svm_label_design_of(d->kind);
    bool same = d->reaches == usual.reaches && d->diagonals == usual.diagonals && d->strength == usual.strength;
    for (size_t r = 0; same && r < usual.reaches; r++) same = d->reach[r] == usual.reach[r];
    return same;
}

/* Distances increase, so that a list has one order; a patch of less than neighbours there is not. */
static bool are_reaches(const s3svm_label_design *d)
{
    if (!d->reaches || d->reaches > S3SVM_LABEL_REACHES_MAX) return false;
    for (size_t r = 0; r < d->reaches; r++)
        if (!(d->reach[r] >= 1 && d->reach[r] <= S3SVM_LABEL_REACH_MAX && (!r || d->reach[r] > d->reach[r - 1]))) return false;
    return true;
}

sos_status s3svm_label_design_check(const s3svm_label_design *d, sos_error *error)
{
    if (!is_kind(d->kind))
        return sos_fail(error, SOS_ERR_ARGUMENT, "an unknown kind of model: %d; there are %d", (int)d->kind,
                        S3SVM_LABEL_KINDS_COUNT);
    if (d->kind == S3SVM_LABEL_UNARY) return SOS_OK;
    if (!are_reaches(d))
        return sos_fail(error, SOS_ERR_ARGUMENT, "a model has 1 to %d distances, increasing from 1 to at most %d pixels",
                        S3SVM_LABEL_REACHES_MAX, S3SVM_LABEL_REACH_MAX);
    if (!(d->strength > 0 && isfinite(d->strength)))
        return sos_fail(error, SOS_ERR_ARGUMENT, "the strength is %g; it must be positive", d->strength);
    if (d->diagonals && !s3svm_label_has_pairs(d))
        return sos_fail(error, SOS_ERR_ARGUMENT, "diagonals are only for pairs; tables always include them");
    return SOS_OK;
}
