/* task.h - tasks on pictures: training models, predicting labels, evaluating them.
 *
 * The fact "task" of a model names its task.  Everything that differs between tasks is in one row, a s3svm_task; programs that
 * train, predict and evaluate are the same for all tasks:
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

/* The input of a task for one picture.  Each task uses some of the members; the others are empty. */
typedef struct s3svm_task_input {
    size_t width, height;
    s3svm_plane grey;
    s3svm_image colour;
    s3svm_image marks;        /* marks of object and background */
    s3svm_dialogue *dialogue; /* all marks in order; NULL: the marks above, as one step */
    s3svm_maps maps;      /* for models that need them (s3svm_task_model_maps), or see evidence (s3svm_task_model_evidence) */
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_task_input;

SOS_API void s3svm_task_input_free(s3svm_task_input *in); /* leaves it empty; freeing an empty one does nothing */

/* A picture for training, in memory. */
typedef struct s3svm_task_picture {
    const char *name; /* for messages, and for the stream of noise, if noise is added */
    s3svm_task_input in;
    s3svm_image labels;   /* the truth, 1 channel, with the numbers of a file of true labels */
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_task_picture;

/* ---- learning ---- */

enum { S3SVM_STREAM_LEARN = 200 }; /* with stream: the number of pictures from which features are learned */

/* Everything that is needed for training. */
typedef struct s3svm_lesson {
    sos_model *model; /* groups and facts; its weights are 0, or those of the model given as from */
    size_t count, validation_count;
    sos_example **examples, **validation;
    uint64_t fingerprint;        /* a hash of the names and bytes of the data */
    sos_train_settings training; /* with the best C, gap and epsilon for the model */
    s3svm_reals values;          /* of C, to choose from with the validation examples; empty: the default values */

    /* Called after training the weights, or NULL: learns the rest of the model.  The lesson owns rest; rest_free frees it. */
    sos_status (*finish)(const void *rest, sos_model *m, const sos_work *work, sos_error *error);
    void *rest;
    void (*rest_free)(void *rest);
    const sos_example_source *source; /* with data.stream: makes the count examples, in place of examples; else NULL */
    uint64_t reserved[8];             /* 0 (status.h) */
} s3svm_lesson;

/* Training data: folders, or pictures in memory. */
typedef struct s3svm_lesson_data {
    s3svm_texts folders; /* one, or several if the task supports it; empty: pictures are used */
    size_t count;
    const s3svm_task_picture *pictures; /* borrowed while the lesson exists */
    bool stream; /* for one folder: examples are made when needed, and features are learned from the first S3SVM_STREAM_LEARN
                    pictures */
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_lesson_data;

struct s3svm_task;
struct s3svm_adapt_settings;
struct s3svm_adapt_result;

/* Makes a lesson from data, and from validation data for choosing C, which may be NULL.  The same pictures give the same
 * lesson, whether they are in a folder or in memory.  settings is a struct of the task's form that passed its check.  from, if
 * not NULL, is a model of the task to start from: the lesson's model has its groups, features and weights, and settings that
 * contradict them are refused.  work may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_lesson_make(const struct s3svm_task *task, const void *settings, const sos_model *from,
                                                  const s3svm_lesson_data *data, const s3svm_lesson_data *validation,
                                                  const sos_work *work, s3svm_lesson *out, sos_error *error);
SOS_API void s3svm_lesson_free(s3svm_lesson *l); /* leaves it empty; freeing an empty one does nothing */

/* ---- predicting ---- */

/* Names and colours of labels. */
typedef struct s3svm_task_labels {
    size_t count;
    const char *const *names;
    const uint32_t *colours; /* 0xRRGGBB */
    bool numbered;           /* label pictures hold the numbers of labels, with a palette of the colours; else grey values */
} s3svm_task_labels;

typedef struct s3svm_task_score {
    double error; /* fraction of wrong pixels */
    double iou;   /* intersection over union */
    double extra; /* the score that the member extra of the task names, or NaN */
} s3svm_task_score;

/* ---- tasks ---- */

enum { S3SVM_MEASURES_MAX = 4 };

/* A task.  The tasks of the library are the only ones.  New members take their space from reserved. */
typedef struct s3svm_task {
    const char *name;     /* in the fact "task", and on command lines */
    const char *summary;  /* half a line */
    const char *details;  /* paragraphs for the help text of its training */
    const char *examples; /* commands, one per line */
    const char *data;     /* the contents of a folder of training data, half a line */
    const char *shows;    /* what its label pictures show, half a line */
    const char *model;    /* the name of its default model (<s3svm/embedded.h>); NULL: none */

    s3svm_dataset_images images; /* whether a data set must have images */
    bool scribbles;              /* whether a data set must have scribbles */
    bool noise;                  /* noise can be added to labels, in place of images */
    bool colour;                 /* its pictures are in colour */

    const s3svm_form *form;                 /* settings of its training */
    const struct s3svm_lesson_steps *steps; /* internal: used by s3svm_lesson_make */

    /* Prepares a model for prediction.  The result borrows nothing and never changes, so any number of threads may use it. */
    sos_status (*prepare)(const sos_model *m, void **prepared, sos_error *error);
    void (*release)(void *prepared);
    const s3svm_task_labels *(*labels)(const void *prepared); /* valid until prepared is released */

    /* Reads the input of an item.  item->labels may be NULL unless noise is given.  The caller frees *in, also on failure. */
    sos_status (*read)(const s3svm_item *item, const s3svm_noise *noise, s3svm_task_input *in, sos_error *error);
    sos_status (*predict)(const void *prepared, const s3svm_task_input *in, uint8_t labels[], sos_error *error);

    /* The example that the model makes of a picture, without a truth. */
    sos_status (*example)(const void *prepared, const s3svm_task_input *in, sos_example **out, sos_error *error);

    /* Compares labels with the true ones of an item; creates *counts, the confusion matrix, which the caller frees. */
    const char *extra; /* the name of a further score, such as "error_without_unsure"; NULL: none */
    bool several;      /* there are several labels, so that a confusion matrix is of interest */
    sos_status (*judge)(const void *prepared, const s3svm_item *item, const s3svm_image *labels, s3svm_confusion *counts,
                        s3svm_task_score *score, sos_error *error);

    bool folders; /* it can learn from several folders at once */
    bool streams; /* it supports stream of s3svm_lesson_data */
    bool objects; /* its true labels are object and background (<s3svm/truth.h>) */

    /* Further scores of labels, by the true ones of an item: their names, at most S3SVM_MEASURES_MAX, with NULL after the last;
     * measure fills as many numbers.  Both NULL: there are none. */
    const char *const *measures;
    sos_status (*measure)(const s3svm_item *item, const s3svm_image *labels, double measures[], sos_error *error);

    /* Writes files beside the label picture that was written to path; NULL: there are none. */
    sos_status (*accompany)(const s3svm_task_input *in, const s3svm_image *labels, const char *path, sos_error *error);

    /* Whether maps of one channel, log odds of label 1 by anybody's network, can be evidence for a model that needs none; NULL:
     * for none of the task. */
    bool (*evidence)(const void *prepared);

    /* Adapts a model to somebody's own pictures, with the settings of a lesson, and measures the gain (<s3svm/adapt.h>).  *out,
     * which the caller frees, is the new model if result->better, else a copy of from; its fact "own photographs" says which.
     * adapts: whether that is possible with these settings and this model.  Both NULL: the task has lessons only. */
    bool (*adapts)(const void *settings, const sos_model *from);
    sos_status (*adapt)(const void *settings, const sos_model *from, const s3svm_lesson_data *data,
                        const struct s3svm_adapt_settings *adapt, sos_model **out, struct s3svm_adapt_result *result,
                        sos_error *error);
    uint64_t reserved[5]; /* 0 (status.h) */
} s3svm_task;

/* All tasks, for i = 0, 1, ...; NULL after the last. */
SOS_API const s3svm_task *s3svm_task_at(size_t i);
SOS_API const s3svm_task *s3svm_task_find(const char *name); /* NULL: unknown name */

/* The task of a model; SOS_ERR_FORMAT if it has none, or an unknown one. */
SOS_MUST_USE SOS_API sos_status s3svm_task_of(const sos_model *m, const s3svm_task **out, sos_error *error);

/* ---- a model prepared for its task ---- */

/* A model that is read once and used many times.  It borrows nothing and never changes; any number of threads may use it. */
typedef struct s3svm_task_model s3svm_task_model;

SOS_MUST_USE SOS_API sos_status s3svm_task_model_create(const s3svm_task *task, const sos_model *m, s3svm_task_model **out,
                                                        sos_error *error);
SOS_API void s3svm_task_model_free(s3svm_task_model *m); /* NULL is allowed */
SOS_API const s3svm_task *s3svm_task_model_task(const s3svm_task_model *m);
SOS_API const s3svm_task_labels *s3svm_task_model_labels(const s3svm_task_model *m); /* valid until m is freed */

/* The number of channels of maps (<s3svm/maps.h>) that the model needs for each picture; 0: none. */
SOS_API size_t s3svm_task_model_maps(const s3svm_task_model *m);

/* Whether pictures may come with maps of one channel as evidence, or without. */
SOS_API bool s3svm_task_model_evidence(const s3svm_task_model *m);

/* Predicts a label for each of width * height pixels. */
SOS_MUST_USE SOS_API sos_status s3svm_task_model_predict(const s3svm_task_model *m, const s3svm_task_input *in,
                                                         uint8_t labels[], sos_error *error);

/* The example that the model makes of a picture, with its features and cliques, without a truth.  It fits the sos_model that m
 * was made from.  The caller frees *out. */
SOS_MUST_USE SOS_API sos_status s3svm_task_model_example(const s3svm_task_model *m, const s3svm_task_input *in,
                                                         sos_example **out, sos_error *error);

/* Writes labels as a PNG: with a palette if they are numbered, else as grey values. */
SOS_MUST_USE SOS_API sos_status s3svm_task_model_write(const s3svm_task_model *m, const s3svm_image *labels, const char *path,
                                                       sos_error *error);

/* ---- many pictures ---- */

typedef struct s3svm_task_job {
    const s3svm_task_model *model;
    size_t count;
    const s3svm_item *items;
    const s3svm_noise *noise; /* or NULL; for tasks that support noise */
    char *const *outputs;     /* paths of label pictures to write, one per item; NULL: none */
    bool score;               /* compare with the truths */
    s3svm_confusion *counts;  /* with score: one per item, which the caller frees; NULL: not needed */
    sos_work work;            /* threads: the number of items processed in parallel */
    uint64_t reserved[8];     /* 0 (status.h) */
} s3svm_task_job;

typedef struct s3svm_task_result {
    bool done;                           /* the item was labelled, and its label picture, if any, was written */
    sos_error error;                     /* why not; its status is SOS_OK if the job was cancelled before this item */
    size_t width, height;                /* 0 if it could not be read */
    double seconds;                      /* for reading and labelling */
    s3svm_task_score score;              /* if the job has score */
    double measures[S3SVM_MEASURES_MAX]; /* likewise, named by the measures of the task */
    uint64_t reserved[8];                /* 0 (status.h) */
} s3svm_task_result;

/* Labels all items; results receives one entry for each.  If an item fails, the others are still processed.  Returns the error
 * of the first item that failed, or SOS_CANCELLED. */
SOS_MUST_USE SOS_API sos_status s3svm_task_run(const s3svm_task_job *job, s3svm_task_result results[], sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
