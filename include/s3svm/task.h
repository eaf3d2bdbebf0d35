/* task.h - what people do with models of pictures: learning from folders, labels for pictures, judging them, experiments.
 *
 * A model says in its fact "task" what it is for.  Everything that differs from task to task is one row; programs that train,
 * predict and evaluate are the same for all, and know no task by name:
 *
 *     sos_model_read("model.json", &m, &error);
 *     sos_task_of(m, &task, &error);
 *     sos_task_model_create(task, m, &model, &error);
 *     task->read(&item, NULL, &in, &error);
 *     sos_task_model_predict(model, &in, labels, &error); */
#ifndef S3SVM_TASK_H
#define S3SVM_TASK_H

#include <stdio.h>

#include <sos/learn.h>

#include <s3svm/confusion.h>
#include <s3svm/dataset.h>
#include <s3svm/image.h>
#include <s3svm/maps.h>
#include <s3svm/noise.h>
#include <s3svm/option.h>
#include <s3svm/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- learning ---- */

/* What there is to train on. */
typedef struct sos_lesson {
    sos_model *model; /* groups and facts; its weights are 0, or those of the model to learn away from */
    size_t count, validation_count;
    sos_example **examples, **validation;
    uint64_t fingerprint;        /* of the names and bytes of the data */
    sos_train_settings training; /* of these C, gap and epsilon serve the model best */
    sos_reals values;            /* of C, to choose from by the validation examples; none: the usual ones */

    /* What the model learns once it has its weights, or NULL; rest is the lesson's, and rest_free frees it. */
    sos_status (*finish)(const void *rest, sos_model *m, const sos_work *work, sos_error *error);
    void *rest;
    void (*rest_free)(void *rest);
    const sos_example_source *source; /* where work said stream: makes the count examples, in the place of examples; of rest */
    uint64_t reserved[4];             /* 0 (status.h) */
} sos_lesson;

SOS_API void sos_lesson_free(sos_lesson *l); /* leaves it empty; an empty one is fine */

/* ---- predicting ---- */

/* What a task sees of one picture; each task has what it needs. */
typedef struct sos_task_input {
    size_t width, height;
    sos_plane grey;
    sos_image colour;
    sos_image marks;
    sos_maps maps;        /* of models that need some (sos_task_model_maps) */
    uint64_t reserved[4]; /* 0 (status.h) */
} sos_task_input;

SOS_API void sos_task_input_free(sos_task_input *in); /* leaves it empty; an empty one is fine */

/* Labels as people know them. */
typedef struct sos_task_labels {
    size_t count;
    const char *const *names;
    const uint32_t *colours; /* 0xRRGGBB */
    bool numbered;           /* pictures hold the numbers of labels, with a palette of the colours; else grey values */
} sos_task_labels;

typedef struct sos_task_score {
    double error; /* fraction of wrong pixels */
    double iou;   /* intersection over union */
    double extra; /* what the task's extra names, or NaN */
} sos_task_score;

/* ---- experiments ---- */

typedef struct sos_experiment {
    const char *name;
    const char *summary;  /* half a line */
    const char *details;  /* paragraphs for its help */
    const char *examples; /* lines, each a command */
    const sos_form *form;

    /* Runs it and writes a report into the folder, which is there; command says in it how it was run.  What came out, in a few
     * lines for people, goes to summary.  SOS_CANCELLED: stopped; the message says what the report holds, if there is one. */
    sos_status (*run)(const void *settings, const sos_work *work, const char *folder, const char *command, FILE *summary,
                      sos_error *error);
} sos_experiment;

/* ---- tasks ---- */

/* A row; the library's own are all that there are.  Members are added at its end. */
typedef struct sos_task {
    const char *name;     /* of the fact "task", and on command lines */
    const char *summary;  /* half a line */
    const char *details;  /* paragraphs for the help of its training */
    const char *examples; /* lines, each a command */
    const char *data;     /* what a folder to learn from has, half a line */
    const char *shows;    /* what its pictures of labels show, half a line */
    const char *model;    /* the model inside that serves where none is named; NULL: none does */

    sos_dataset_images images; /* whether a data set must have some */
    bool scribbles;            /* a data set must have scribbles */
    bool noise;                /* noise can be added to labels, in place of images */
    bool colour;               /* it is about colour pictures */

    /* Settings of its training, and what they make of folders, one unless it learns from several, and of a further one to
     * choose C by, or NULL.  Settings have been checked.  from, if not NULL, is a model of the task to learn away from: groups
     * and features are its own, and the lesson's model has its weights; settings that say otherwise are refused. */
    const sos_form *form;
    sos_status (*lesson)(const void *settings, const sos_model *from, const sos_texts *data, const char *validation,
                         const sos_work *work, sos_lesson *out, sos_error *error);

    /* A model as predicting needs it.  It borrows nothing and never changes, so that any number of threads may use it. */
    sos_status (*prepare)(const sos_model *m, void **prepared, sos_error *error);
    void (*release)(void *prepared);
    const sos_task_labels *(*labels)(const void *prepared); /* as long as it */

    /* item->labels may be NULL unless there is noise.  *in is to free, after a failure too. */
    sos_status (*read)(const sos_item *item, const sos_noise *noise, sos_task_input *in, sos_error *error);
    sos_status (*predict)(const void *prepared, const sos_task_input *in, uint8_t labels[], sos_error *error);

    /* Compares labels with the true ones of an item: *counts, which is created, says what was called what. */
    const char *extra; /* a further score, such as "error_without_unsure"; NULL: none */
    bool several;      /* labels of which people want to know which was called what */
    sos_status (*judge)(const void *prepared, const sos_item *item, const sos_image *labels, sos_confusion *counts,
                        sos_task_score *score, sos_error *error);

    const sos_experiment *const *experiments; /* NULL ends the list; or NULL */
    bool folders;                             /* it learns from several folders at once */
    bool streams;                             /* its lessons can make examples when they are asked (sos_work, stream) */
} sos_task;

/* The tasks that there are, for i = 0, 1, ...; NULL beyond the last. */
SOS_API const sos_task *sos_task_at(size_t i);
SOS_API const sos_task *sos_task_find(const char *name); /* NULL: there is none */

/* The task of a model: SOS_ERR_FORMAT if it has none, or one that is not known. */
SOS_MUST_USE SOS_API sos_status sos_task_of(const sos_model *m, const sos_task **out, sos_error *error);

/* ---- a model prepared for its task ---- */

/* It borrows nothing, never changes, and any number of threads may use it at once. */
typedef struct sos_task_model sos_task_model;

SOS_MUST_USE SOS_API sos_status sos_task_model_create(const sos_task *task, const sos_model *m, sos_task_model **out,
                                                      sos_error *error);
SOS_API void sos_task_model_free(sos_task_model *m); /* NULL is fine */
SOS_API const sos_task *sos_task_model_task(const sos_task_model *m);
SOS_API const sos_task_labels *sos_task_model_labels(const sos_task_model *m); /* as long as m */

/* How many channels of maps of one's own (<s3svm/maps.h>) the model needs of each picture; 0: none. */
SOS_API size_t sos_task_model_maps(const sos_task_model *m);

/* A label for each of width * height pixels. */
SOS_MUST_USE SOS_API sos_status sos_task_model_predict(const sos_task_model *m, const sos_task_input *in, uint8_t labels[],
                                                       sos_error *error);

/* Labels as the picture that people expect: in memory, in grey or colours; and as a PNG, with a palette if they are numbered.
 */
SOS_MUST_USE SOS_API sos_status sos_task_model_show(const sos_task_model *m, const sos_image *labels, sos_image *out,
                                                    sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_task_model_write(const sos_task_model *m, const sos_image *labels, const char *path,
                                                     sos_error *error);

/* ---- many pictures ---- */

typedef struct sos_task_job {
    const sos_task_model *model;
    size_t count;
    const sos_item *items;
    const sos_noise *noise; /* or NULL; for tasks that have noise */
    char *const *outputs;   /* paths of pictures to write, one per item; NULL: none */
    bool score;             /* compare with the truths */
    sos_confusion *counts;  /* one per item, to free; NULL: not wanted; for jobs that compare */
    sos_work work;          /* threads: so many items at once */
    uint64_t reserved[8];   /* 0 (status.h) */
} sos_task_job;

typedef struct sos_task_result {
    bool done;            /* the item was labelled, and its picture, if any, written */
    sos_error error;      /* why not; its status is SOS_OK where the job was stopped before */
    size_t width, height; /* 0 where it could not be read */
    double seconds;       /* for reading and labelling it */
    sos_task_score score; /* of jobs that ask for it */
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_task_result;

/* Labels all items; results has one entry for each.  An item that fails does not keep others from being done.  Returns the
 * failure of the first that failed, or SOS_CANCELLED. */
SOS_MUST_USE SOS_API sos_status sos_task_run(const sos_task_job *job, sos_task_result results[], sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
