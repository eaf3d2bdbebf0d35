/* lesson_steps.h - the steps in which a task makes its lessons.
 *
 *     begin                  what settings, and a model to learn away from, come to
 *       look, settle         at the truths of all pictures of a set, one after the other; what they tell together
 *       decode               the truth of a picture, as numbers of labels
 *     model                  groups and features, learned from pictures
 *       examples, example    of all pictures at once; of one, when it is asked for
 *     training               the settings that serve the model best
 *     finish                 what is learned once the weights are there
 *     end
 *
 * Everything else is the driver's, s3svm_lesson_make: folders and pictures in memory, noise, maps of one's own, processes that
 * share the work, examples that are not kept.  Pictures reach the steps in one form, whichever way they came. */
#ifndef S3SVM_TASKS_LESSON_STEPS_H
#define S3SVM_TASKS_LESSON_STEPS_H

#include <s3svm/noise_options.h>
#include <s3svm/task.h>

#include "base/share.h"
#include "tasks/own_maps.h"

/* A picture and its truth. */
typedef struct s3svm_lesson_picture {
    s3svm_task_input in;
    uint8_t *truth; /* a label for each pixel */
    uint8_t *care;  /* 0 where the label is not known; NULL: all are */
} s3svm_lesson_picture;

/* Those of a set.  Where several processes share the work, the first has all, since features are learned from all; others have
 * their own, and the rest is empty. */
typedef struct s3svm_lesson_pictures {
    size_t count;
    s3svm_lesson_picture *pictures;
    bool *mine;             /* [count] whose examples this process makes; NULL: all */
    const sos_share *share; /* for a task that shares out in another way */
} s3svm_lesson_pictures;

/* What settings come to. */
typedef struct s3svm_lesson_plan {
    void *own; /* the task's, given to all later steps */
    s3svm_maps_options maps;
    bool evidence; /* pictures may come with maps, of any number of channels, that are no features of pixels by themselves */
    size_t noises; /* pictures are true labels with each of these noises; 0: they are as they are */
    s3svm_noise noise[S3SVM_NOISES_MAX];
    bool unmarked;   /* pictures may come without marks */
    bool everywhere; /* every process needs all pictures */
    int64_t split;   /* of the first folder, only what this split of an experiment learns from, from 1; 0: all */
    bool finishes;   /* there is something to finish */
    const char
        *needed; /* options that need all pictures at once, for a message; NULL: examples can be made when they are asked */
} s3svm_lesson_plan;

/* Whether pictures keep the maps that they come with. */
static inline bool s3svm_lesson_has_maps(const s3svm_lesson_plan *plan) { return plan->maps.kind || plan->evidence; }

typedef struct s3svm_lesson_steps {
    s3svm_image_kind labels; /* how files of true labels are read */

    sos_status (*begin)(const void *settings, const sos_model *from, s3svm_lesson_plan *plan, sos_error *error);
    void (*end)(void *own);

    /* name: of the picture, or of the set.  learn: the set is to learn from, else to choose by.  decode may also change the
     * picture of the truth into that to which noise is added. */
    sos_status (*look)(void *own, const s3svm_image *labels, const char *name, sos_error *error);
    sos_status (*settle)(void *own, const char *name, bool learn, const sos_work *work, sos_error *error);
    sos_status (*decode)(const void *own, s3svm_image *labels, const char *name, uint8_t **truth, uint8_t **care,
                         sos_error *error);

    sos_status (*model)(const void *own, const s3svm_lesson_pictures *p, const sos_work *work, sos_model **out,
                        sos_error *error);

    /* prepared: by the task, of the model.  learn: as above; number: of the picture among those to learn from.  *out is to
     * free; examples of other processes are NULL. */
    sos_status (*examples)(const void *own, const void *prepared, const s3svm_lesson_pictures *p, bool learn,
                           const sos_work *work, size_t *count, sos_example ***out, sos_error *error);
    sos_status (*example)(const void *own, const void *prepared, const s3svm_lesson_picture *p, size_t number,
                          sos_example **out, sos_error *error);

    void (*training)(const void *own, sos_train_settings *training, s3svm_reals *values);

    /* NULL where no plan says that there is something. */
    sos_status (*finish)(const void *own, const s3svm_lesson_pictures *p, sos_model *m, const sos_work *work, sos_error *error);
} s3svm_lesson_steps;

/* Room for examples, all NULL; at least for one. */
SOS_MUST_USE sos_status s3svm_lesson_room(size_t count, sos_example ***out, sos_error *error);

#endif
