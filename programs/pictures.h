/* pictures.h - what the commands share that apply a model to pictures: the model, the files to write, the run. */
#ifndef S3SVM_PICTURES_H
#define S3SVM_PICTURES_H

#include "catalogue/catalogue.h"
#include "command.h"

typedef struct picture_model {
    sos_model *model;
    const sos_task *task;
    const char *name; /* for people: its path, or which of the embedded ones it is */
} picture_model;

/* The model of a file, or for NULL the embedded one.  Returns the exit code, as the functions below. */
int picture_model_read(const char *path, picture_model *m);
void picture_model_free(picture_model *m);

/* The paths folder/NAME.png of all items, to give to picture_outputs_free.  Refused before anything is written: two of one
 * name, a picture over itself and, without force, over what is there. */
int picture_outputs_make(size_t count, const sos_item items[], const char *folder, bool force, char ***out);
void picture_outputs_free(size_t count, char **outputs);

/* Runs the job with progress; what names it.  *seconds receives the time of all. */
int pictures_label(const sos_task_job *job, const char *what, sos_task_result results[], double *seconds);

/* Mean seconds of a picture. */
double pictures_seconds(size_t count, const sos_task_result results[]);

#endif
