/* task.h - what people do with models of pictures: from files to labels, and back to pictures that people look at.
 *
 * A model says in its fact "task" what it is for.  Everything that differs from task to task is one row, which catalogue.h
 * lists; predicting and evaluating are the same for all. */
#ifndef SOS_TASKS_TASK_H
#define SOS_TASKS_TASK_H

#include <sos/model.h>

#include <s3svm/confusion.h>
#include <s3svm/dataset.h>
#include <s3svm/noise.h>

/* What a task sees of one item; each task fills what it needs. */
typedef struct sos_task_input {
    size_t width, height;
    sos_plane grey;
    sos_image colour;
    sos_image marks;
} sos_task_input;

typedef struct sos_task_score {
    double error; /* fraction of wrong pixels */
    double iou;   /* intersection over union */
    double extra; /* what the task's extra names */
} sos_task_score;

typedef struct sos_task {
    const char *name;          /* the fact "task" of its models */
    const char *extra;         /* a further score, such as "error_without_unsure"; NULL: none */
    sos_dataset_images images; /* whether a data set must have some */
    bool scribbles;            /* whether a data set must have scribbles */
    bool noise;                /* noise can be added to labels, in place of images */

    /* item->labels may be NULL unless there is noise.  *in is released by sos_task_input_free, after a failure too. */
    sos_status (*read)(const sos_item *item, const sos_noise *noise, sos_task_input *in, sos_error *error);
    sos_status (*predict)(const sos_model *m, const sos_task_input *in, uint8_t labels[], sos_error *error);

    /* True labels of an item as numbers, in a way that score knows. */
    sos_status (*truth)(const sos_item *item, sos_image *out, sos_error *error);
    sos_task_score (*score)(const sos_image *labels, const sos_image *truth);

    /* Writes labels as the picture that people expect. */
    sos_status (*write)(const sos_image *labels, const char *path, sos_error *error);

    /* In place of truth, score and write, where the model must say what labels mean; NULL: not so.  counts, if not NULL, is
     * created: what was called what. */
    sos_status (*judge)(const sos_model *m, const sos_item *item, const sos_image *labels, sos_task_score *score,
                        sos_confusion *counts, sos_error *error);
    sos_status (*show)(const sos_model *m, const sos_image *labels, const char *path, sos_error *error);
} sos_task;

void sos_task_input_free(sos_task_input *in); /* leaves it empty; an empty one is fine */

typedef struct sos_task_job {
    const sos_task *task;
    const sos_model *model;
    size_t count;
    const sos_item *items;
    const sos_noise *noise; /* or NULL; for tasks that have noise */
    char *const *outputs;   /* paths of pictures to write, one per item; NULL: none */
    bool score;             /* compare with the truths */
    sos_confusion *counts;  /* one per item, of tasks that judge; to free; NULL: not wanted */
    int threads;            /* so many items at once; 0: as many as there are cores; the result is the same */
    sos_progress *progress; /* or NULL; called from any thread */
    void *user;
} sos_task_job;

typedef struct sos_task_result {
    bool done; /* the item was labelled, and its picture, if any, written */
    size_t width, height;
    double seconds;       /* for reading and labelling it */
    sos_task_score score; /* of jobs that ask for it */
} sos_task_result;

/* Labels all items; results has one entry for each.  After a failure, which is that of the first item that fails, and after
 * SOS_CANCELLED, results say which are done. */
SOS_MUST_USE sos_status sos_task_run(const sos_task_job *job, sos_task_result results[], sos_error *error);

#endif
