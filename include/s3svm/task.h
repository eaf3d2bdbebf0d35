/* task.h - what people do with models of pictures: learning from pictures, labels for pictures, judging them.
 *
 * A model says in its fact "task" what it is for.  Everything that differs from task to task is one row; programs that train,
 * predict and evaluate are the same for all, and know no task by name:
 *
 *     sos_model_read("model.json", &m, &error);
 *     s3svm_task_of(m, &task, &error);
 *     s3svm_task_model_create(task, m, &model, &error);
 *     task->read(&item, NULL, &in, &error);
 *     s3svm_task_model_predict(model, &in, labels, &error); */
#ifndef S3SVM_TASK_H
#define S3SVM_TASK_H

#include <stdio.h>

#include <sos/learn.h>

#include <s3svm/confusion.h>
#include <s3svm/dataset.h>
#include <s3svm/dialogue.h>
#include <s3svm/image.h>
#include <s3svm/maps.h>
#include <s3svm/noise.h>
#include <s3svm/option.h>
#include <sos/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pictures ---- */

/* What a task sees of one picture; each task has what it needs. */
typedef struct s3svm_task_input {
    size_t width, height;
    s3svm_plane grey;
    s3svm_image colour;
    s3svm_image marks;        /* those that are certain */
    s3svm_dialogue *dialogue; /* all of them in their order; NULL: marks are all there is, and one step */
    s3svm_maps maps;          /* of models that need some (s3svm_task_model_maps) */
    uint64_t reserved[8];     /* 0 (status.h) */
} s3svm_task_input;

SOS_API void s3svm_task_input_free(s3svm_task_input *in); /* leaves it empty; freeing an empty one does nothing */

/* A picture to learn from, in memory. */
typedef struct s3svm_task_picture {
    const char *name;     /* in messages; and the name whose noise is added, where that is asked for */
    s3svm_task_input in;  /* what a model will see of it */
    s3svm_image labels;   /* the truth, 1 channel, as a file of true labels has it */
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_task_picture;

/* ---- learning ---- */

enum { S3SVM_STREAM_LEARN = 200 }; /* pictures that features are learned from, where they do not all fit into memory */

/* What there is to train on. */
typedef struct s3svm_lesson {
    sos_model *model; /* groups and facts; its weights are 0, or those of the model to learn away from */
    size_t count, validation_count;
    sos_example **examples, **validation;
    uint64_t fingerprint;        /* of the names and bytes of the data */
    sos_train_settings training; /* of these C, gap and epsilon serve the model best */
    s3svm_reals values;          /* of C, to choose from by the validation examples; none: the usual ones */

    /* What the model learns once it has its weights, or NULL; rest is the lesson's, and rest_free frees it. */
    sos_status (*finish)(const void *rest, sos_model *m, const sos_work *work, sos_error *error);
    void *rest;
    void (*rest_free)(void *rest);
    const sos_example_source *source; /* where data.stream: makes the count examples, in the place of examples; of rest */
    uint64_t reserved[8];             /* 0 (status.h) */
} s3svm_lesson;

/* What to learn from: folders, or pictures in memory. */
typedef struct s3svm_lesson_data {
    s3svm_texts folders; /* one, unless the task learns from several; none: pictures */
    size_t count;
    const s3svm_task_picture *pictures; /* borrowed, as long as the lesson */
    bool stream; /* of one folder: examples are made when they are asked, and features learned from the first S3SVM_STREAM_LEARN
                    pictures */
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_lesson_data;

struct s3svm_task;

/* What a task makes of data, and of further data to choose C by, or NULL.  The same pictures give the same lesson, whether they
 * lie in a folder or in memory.  settings are a struct of the task's form, and have been checked.  from, if not NULL, is a
 * model of the task to learn away from: groups and features are its own, and the lesson's model has its weights; settings that
 * say otherwise are refused.  work may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_lesson_make(const struct s3svm_task *task, const void *settings, const sos_model *from,
                                                  const s3svm_lesson_data *data, const s3svm_lesson_data *validation,
                                                  const sos_work *work, s3svm_lesson *out, sos_error *error);
SOS_API void s3svm_lesson_free(s3svm_lesson *l); /* leaves it empty; freeing an empty one does nothing */

/* ---- predicting ---- */

/* Labels as people know them. */
typedef struct s3svm_task_labels {
    size_t count;
    const char *const *names;
    const uint32_t *colours; /* 0xRRGGBB */
    bool numbered;           /* pictures hold the numbers of labels, with a palette of the colours; else grey values */
} s3svm_task_labels;

typedef struct s3svm_task_score {
    double error; /* fraction of wrong pixels */
    double iou;   /* intersection over union */
    double extra; /* what the task's extra names, or NaN */
} s3svm_task_score;

/* ---- tasks ---- */

/* A row; the library's own are all that there are.  Members are added at its end, in the room that is reserved. */
typedef struct s3svm_task {
    const char *name;     /* of the fact "task", and on command lines */
    const char *summary;  /* half a line */
    const char *details;  /* paragraphs for the help of its training */
    const char *examples; /* lines, each a command */
    const char *data;     /* what a folder to learn from has, half a line */
    const char *shows;    /* what its pictures of labels show, half a line */
    const char *model;    /* the model inside that serves where none is named; NULL: none does */

    s3svm_dataset_images images; /* whether a data set must have some */
    bool scribbles;              /* a data set must have scribbles */
    bool noise;                  /* noise can be added to labels, in place of images */
    bool colour;                 /* it is about colour pictures */

    const s3svm_form *form;                 /* settings of its training */
    const struct s3svm_lesson_steps *steps; /* of making its lessons (s3svm_lesson_make); the library's own */

    /* A model as predicting needs it.  It borrows nothing and never changes, so that any number of threads may use it. */
    sos_status (*prepare)(const sos_model *m, void **prepared, sos_error *error);
    void (*release)(void *prepared);
    const s3svm_task_labels *(*labels)(const void *prepared); /* as long as it */

    /* item->labels may be NULL unless there is noise.  *in is to free, after a failure too. */
    sos_status (*read)(const s3svm_item *item, const s3svm_noise *noise, s3svm_task_input *in, sos_error *error);
    sos_status (*predict)(const void *prepared, const s3svm_task_input *in, uint8_t labels[], sos_error *error);

    /* What the model sees of a picture, as an example without a truth. */
    sos_status (*example)(const void *prepared, const s3svm_task_input *in, sos_example **out, sos_error *error);

    /* Compares labels with the true ones of an item: *counts, which is created, says what was called what. */
    const char *extra; /* a further score, such as "error_without_unsure"; NULL: none */
    bool several;      /* labels of which people want to know which was called what */
    sos_status (*judge)(const void *prepared, const s3svm_item *item, const s3svm_image *labels, s3svm_confusion *counts,
                        s3svm_task_score *score, sos_error *error);

    bool folders;         /* it learns from several folders at once */
    bool streams;         /* its lessons can make examples when they are asked (s3svm_lesson_data, stream) */
    bool objects;         /* its true labels are those of an object (<s3svm/truth.h>) */
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_task;

/* The tasks that there are, for i = 0, 1, ...; NULL beyond the last. */
SOS_API const s3svm_task *s3svm_task_at(size_t i);
SOS_API const s3svm_task *s3svm_task_find(const char *name); /* NULL: there is none */

/* The task of a model: SOS_ERR_FORMAT if it has none, or one that is not known. */
SOS_MUST_USE SOS_API sos_status s3svm_task_of(const sos_model *m, const s3svm_task **out, sos_error *error);

/* ---- a model prepared for its task ---- */

/* It borrows nothing, never changes, and any number of threads may use it at once. */
typedef struct s3svm_task_model s3svm_task_model;

SOS_MUST_USE SOS_API sos_status s3svm_task_model_create(const s3svm_task *task, const sos_model *m, s3svm_task_model **out,
                                                        sos_error *error);
SOS_API void s3svm_task_model_free(s3svm_task_model *m); /* NULL is allowed */
SOS_API const s3svm_task *s3svm_task_model_task(const s3svm_task_model *m);
SOS_API const s3svm_task_labels *s3svm_task_model_labels(const s3svm_task_model *m); /* as long as m */

/* How many channels of maps of one's own (<s3svm/maps.h>) the model needs of each picture; 0: none. */
SOS_API size_t s3svm_task_model_maps(const s3svm_task_model *m);

/* A label for each of width * height pixels. */
SOS_MUST_USE SOS_API sos_status s3svm_task_model_predict(const s3svm_task_model *m, const s3svm_task_input *in,
                                                         uint8_t labels[], sos_error *error);

/* What the model sees of a picture, as an example, without a truth, of the model that m was made of: its features, its
 * cliques. */
SOS_MUST_USE SOS_API sos_status s3svm_task_model_example(const s3svm_task_model *m, const s3svm_task_input *in,
                                                         sos_example **out, sos_error *error);

/* Labels as the picture that people expect, as a PNG, with a palette if they are numbered. */
SOS_MUST_USE SOS_API sos_status s3svm_task_model_write(const s3svm_task_model *m, const s3svm_image *labels, const char *path,
                                                       sos_error *error);

/* ---- many pictures ---- */

typedef struct s3svm_task_job {
    const s3svm_task_model *model;
    size_t count;
    const s3svm_item *items;
    const s3svm_noise *noise; /* or NULL; for tasks that have noise */
    char *const *outputs;     /* paths of pictures to write, one per item; NULL: none */
    bool score;               /* compare with the truths */
    s3svm_confusion *counts;  /* one per item, to free; NULL: not wanted; for jobs that compare */
    sos_work work;            /* threads: so many items at once */
    uint64_t reserved[8];     /* 0 (status.h) */
} s3svm_task_job;

typedef struct s3svm_task_result {
    bool done;              /* the item was labelled, and its picture, if any, written */
    sos_error error;        /* why not; its status is SOS_OK where the job was stopped before */
    size_t width, height;   /* 0 where it could not be read */
    double seconds;         /* for reading and labelling it */
    s3svm_task_score score; /* of jobs that ask for it */
    uint64_t reserved[8];   /* 0 (status.h) */
} s3svm_task_result;

/* Labels all items; results has one entry for each.  An item that fails does not keep others from being done.  Returns the
 * failure of the first that failed, or SOS_CANCELLED. */
SOS_MUST_USE SOS_API sos_status s3svm_task_run(const s3svm_task_job *job, s3svm_task_result results[], sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
