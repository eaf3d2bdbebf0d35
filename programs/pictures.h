/* pictures.h - what the commands share that apply a model to pictures: the model, the files to write, the run. */
#ifndef S3SVM_PICTURES_H
#define S3SVM_PICTURES_H

#include <s3svm/task.h>

#include "base/json.h"
#include "command.h"

typedef struct picture_model {
    s3svm_task_model *model;
    const s3svm_task *task;
    const char *path; /* NULL: it is inside the program */
    char name[256];   /* for people: its path, or which of those inside it is */
} picture_model;

/* The model of a file or, where there is no file of that name, the one of that name inside the program.  Returns the exit code,
 * as the functions below. */
int picture_model_read(const char *name, picture_model *m);
void picture_model_free(picture_model *m);

/* Where none is named: what the pictures are like. */
typedef struct picture_look {
    bool scribbles;       /* they have some */
    bool noise;           /* it is to be added to them */
    const char *coloured; /* the path of one that has colours; NULL: none has */
} picture_look;

/* The model inside that is for such pictures, and says which; fails where there is none. */
int picture_model_choose(const picture_look *look, picture_model *m);

/* The path of one of some pictures that has colours, or NULL; looks at a few of them. */
const char *picture_coloured(size_t count, char *const paths[]);

/* Whether a picture may be written to a path: it is none of the files that its item reads, nor the model (unless NULL), and,
 * without force, not there. */
int picture_output_check(const s3svm_item *item, const char *model, const char *output, bool force);

/* The paths folder/NAME.png of all items, to give to picture_outputs_free.  Refused before anything is written: two of one
 * name, what is read (the model too, unless NULL) and, without force, what is there. */
int picture_outputs_make(size_t count, const s3svm_item items[], const picture_model *m, const char *folder, bool force,
                         char ***out);
void picture_outputs_free(size_t count, char **outputs);

/* Runs the job with progress; what names it.  *seconds receives the time of all.  Items that fail are listed, and the others
 * done: the exit code is then COMMAND_FAILED, and *done says how many are. */
int pictures_label(const s3svm_task_job *job, const char *what, s3svm_task_result results[], size_t *done, double *seconds);

/* The same for anything that is done to one picture after the other, on several threads; phase names it in the progress. */
typedef sos_status picture_work(void *user, size_t i, sos_error *error);
typedef struct picture_job {
    const char *what, *phase; /* for people */
    size_t count;
    int threads; /* so many pictures at once */
    picture_work *work;
    void *user;
} picture_job;
int pictures_run(const picture_job *job, s3svm_task_result results[], size_t *done, double *seconds);

/* The member "failed" of a summary: names and reasons, if there are any. */
void pictures_failed_json(sos_json *out, size_t count, const s3svm_item items[], const s3svm_task_result results[]);

#endif
