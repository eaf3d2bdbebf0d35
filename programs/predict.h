/* predict.h - the two sides of s3svm predict. */
#ifndef S3SVM_PREDICT_H
#define S3SVM_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "command.h"

/* What the command line says. */
typedef struct request {
    const char *model, *problem, *output, *scribbles, *maps;
    int64_t threads;
    bool force, json;
} request;

/* Labels for the examples of a file, and for pictures.  Both return the exit code. */
int predict_problem(const command *self, const request *r);
int predict_pictures(const command *self, const request *r, int count, char *argv[]);

#endif
