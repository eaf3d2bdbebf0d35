/* lesson_making.h - inside s3svm_lesson_make: a lesson being made, its pictures, and examples that are not kept. */
#ifndef S3SVM_TASKS_LESSON_MAKING_H
#define S3SVM_TASKS_LESSON_MAKING_H

#include "tasks/lesson_steps.h"

typedef struct s3svm_lesson_making {
    const s3svm_task *task;
    const sos_model *from; /* or NULL */
    sos_work work;
    sos_share share;
    s3svm_lesson_plan plan;
    s3svm_lesson lesson;
} s3svm_lesson_making;

static inline bool s3svm_lesson_is_first(const s3svm_lesson_making *k) { return sos_share_is_first(&k->share); }

/* ---- pictures ---- */

/* Pictures that are read, or borrowed, with their maps. */
typedef struct s3svm_lesson_set {
    s3svm_lesson_pictures list;
    s3svm_maps_list maps; /* of all pictures, or empty */
    uint8_t *unmarked;    /* marks of pictures in memory that have none; or NULL */
    bool inputs_borrowed; /* truths never are */
    bool maps_borrowed;
} s3svm_lesson_set;

/* Fills an empty set with folders or pictures in memory.  learn: they are to learn from, and the lesson's fingerprint is
 * theirs. */
SOS_MUST_USE sos_status s3svm_lesson_set_fill(s3svm_lesson_making *k, const s3svm_lesson_data *data, bool learn,
                                              s3svm_lesson_set *set, sos_error *error);
SOS_MUST_USE sos_status s3svm_lesson_set_borrow(s3svm_lesson_making *k, const s3svm_lesson_data *data, bool learn,
                                                s3svm_lesson_set *set, sos_error *error);
void s3svm_lesson_set_free(s3svm_lesson_set *set); /* leaves it empty; an empty one is fine */

/* Opens a folder, and finds out what its truths tell; first: it is the first one to learn from. */
SOS_MUST_USE sos_status s3svm_lesson_folder_open(const s3svm_lesson_making *k, const char *folder, bool learn, bool first,
                                                 s3svm_dataset *out, sos_error *error);

/* A folder makes so many pictures: all of it once with each noise. */
static inline size_t s3svm_lesson_folder_count(const s3svm_lesson_plan *plan, const s3svm_dataset *d)
{
    return d->count * (plan->noises ? plan->noises : 1);
}

/* Adds them to a set: all, or those that are wanted; others stay empty. */
SOS_MUST_USE sos_status s3svm_lesson_set_add(const s3svm_lesson_making *k, const s3svm_dataset *d, const bool wanted[],
                                             s3svm_lesson_set *set, sos_error *error);

/* One of them. */
SOS_MUST_USE sos_status s3svm_lesson_picture_read(const s3svm_task *task, const s3svm_lesson_plan *plan, const s3svm_dataset *d,
                                                  size_t i, s3svm_lesson_picture *out, sos_error *error);
void s3svm_lesson_picture_free(s3svm_lesson_picture *p); /* but for its maps; leaves it empty, and an empty one is fine */

/* Which of count pictures of these sizes are this process's, behind those of a set. */
SOS_MUST_USE sos_status s3svm_lesson_set_deal(const s3svm_lesson_making *k, size_t count, const double pixels[],
                                              s3svm_lesson_set *set, sos_error *error);

SOS_MUST_USE sos_status s3svm_lesson_folder_deal(const s3svm_lesson_making *k, const s3svm_dataset *d, s3svm_lesson_set *set,
                                                 sos_error *error);

/* ---- examples that are made when they are asked ---- */

typedef struct s3svm_lesson_stream s3svm_lesson_stream;

/* Opens the folder and reads into first the pictures that features are learned from, on the first process. */
SOS_MUST_USE sos_status s3svm_lesson_stream_open(s3svm_lesson_making *k, const char *folder, s3svm_lesson_set *first,
                                                 s3svm_lesson_stream **out, sos_error *error);

/* Gives the lesson, whose model is there, a source of examples, which takes stream and plan over. */
SOS_MUST_USE sos_status s3svm_lesson_stream_leave(s3svm_lesson_making *k, s3svm_lesson_stream **stream, sos_error *error);
void s3svm_lesson_stream_free(s3svm_lesson_stream *s); /* NULL is fine */

#endif
