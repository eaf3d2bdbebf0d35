/* own_maps.h - custom maps (<s3svm/maps.h>) inside tasks: options of training, the maps of a data set, what a model says
 * of its maps, and the features of an example. */
#ifndef S3SVM_TASKS_OWN_MAPS_H
#define S3SVM_TASKS_OWN_MAPS_H

#include <s3svm/dataset.h>
#include <s3svm/maps.h>
#include <s3svm/option.h>
#include <sos/work.h>

/* ---- training ---- */

typedef struct s3svm_maps_options {
    int kind;   /* a s3svm_maps_kind */
    bool alone; /* in place of the task's own features of pixels */
} s3svm_maps_options;

/* Rows of the table of a struct with s3svm_maps_options as a member. */
/* clang-format off */
/* NOLINTBEGIN(bugprone-macro-parentheses): members have none */
#define S3SVM_MAPS_OPTIONS(settings, member)                                                                                     \
    { "maps", 0, S3SVM_SETS_CHOICE(settings, member.kind), S3SVM_MAPS_KINDS,                                                       \
      "how to use your own features, DIR/maps/NAME.npy (default no)", 0, 0 },                                                  \
    { "maps-alone", 0, S3SVM_SETS_FLAG(settings, member.alone), NULL,                                                            \
      "use maps instead of the built-in features of pixels", 0, 0 }
/* NOLINTEND(bugprone-macro-parentheses) */
/* clang-format on */

SOS_MUST_USE sos_status s3svm_maps_options_check(const s3svm_maps_options *o, sos_error *error);

/* The maps of all items of a data set; none where none are asked for. */
typedef struct s3svm_maps_list {
    size_t count;
    s3svm_maps *maps;
} s3svm_maps_list;

/* Finds and reads them.  Where there are some that nobody asked for, a line of work says so. */
SOS_MUST_USE sos_status s3svm_maps_list_read(const s3svm_maps_options *o, s3svm_dataset *d, const sos_work *work,
                                             s3svm_maps_list *out, sos_error *error);

/* Adds those that are there; empty ones for other items.  On failure the list is as it was. */
SOS_MUST_USE sos_status s3svm_maps_list_add(s3svm_dataset *d, s3svm_maps_list *list, sos_error *error);
void s3svm_maps_list_free(s3svm_maps_list *list); /* leaves it empty; an empty one is fine */

/* The maps of item i, or NULL. */
static inline const s3svm_maps *s3svm_maps_list_at(const s3svm_maps_list *list, size_t i)
{
    return list->maps ? &list->maps[i] : NULL;
}

/* s3svm_maps_learn as the options say; nothing where there are none. */
SOS_MUST_USE sos_status s3svm_maps_list_learn(const s3svm_maps_options *o, const s3svm_maps_list *list, sos_model *m,
                                              sos_error *error);

/* ---- a model that needs maps ---- */

/* What the fact "maps" says. */
typedef struct s3svm_own_maps {
    s3svm_maps_kind kind; /* S3SVM_MAPS_NONE: the model needs none */
    size_t channels, labels;
    uint32_t group;
    float *mean, *deviation; /* weights: of each channel */
    size_t *first;           /* bins: where the knots of each channel begin, and where the last ones end */
    float *knots;
} s3svm_own_maps;

/* Of a model; checks the last group of those that need maps. */
SOS_MUST_USE sos_status s3svm_own_maps_read(const sos_model *m, s3svm_own_maps *out, sos_error *error);
void s3svm_own_maps_free(s3svm_own_maps *o); /* leaves it empty; an empty one is fine */

/* Adds the group to a model that has all others; nothing where there is none. */
SOS_MUST_USE sos_status s3svm_own_maps_group_add(const s3svm_own_maps *o, sos_model *m, sos_error *error);

/* Whether maps, which may be NULL or empty, are those that a model needs for a picture of that size. */
SOS_MUST_USE sos_status s3svm_own_maps_check(const s3svm_own_maps *o, const s3svm_maps *maps, size_t width, size_t height,
                                             sos_error *error);

/* The features of an example of width x height variables; unit: what a feature counts. */
SOS_MUST_USE sos_status s3svm_own_maps_fill(const s3svm_own_maps *o, const s3svm_maps *maps, size_t width, size_t height,
                                            double unit, sos_example *x, sos_error *error);

/* The maps of an item: size and channels are checked, and messages name the file. */
SOS_MUST_USE sos_status s3svm_own_maps_load(const s3svm_item *item, size_t width, size_t height, size_t channels,
                                            s3svm_maps *out, sos_error *error);

#endif
