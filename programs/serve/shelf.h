/* shelf.h - the models that were learned in a folder: files of DIR/models, and a list of them, index.json. */
#ifndef S3SVM_SERVE_SHELF_H
#define S3SVM_SERVE_SHELF_H

#include <s3svm/adapt.h>

#include "folder.h"

enum { SHELF_MAX = 100, SHELF_NAME = 32 };

typedef struct kept_model {
    char name[SHELF_NAME]; /* learned-N: its file is models/learned-N.json */
    char made[32];         /* a date */
    size_t photographs;
    sos_adapt_score before, after;
    bool better;
} kept_model;

typedef struct shelf {
    kept_model list[SHELF_MAX];
    size_t count;
    char current[SHELF_NAME]; /* the one that is used; "inside": that of the program */
} shelf;

/* What the folder has; an index that is missing is that of no models. */
SOS_MUST_USE sos_status shelf_read(folder *f, shelf *out, sos_error *error);

/* Writes the model, then the index; it is the current one if it is better. */
SOS_MUST_USE sos_status shelf_add(folder *f, shelf *s, const sos_model *m, const sos_adapt_result *result, sos_error *error);

/* A model by its name, prepared; and which one is current. */
SOS_MUST_USE sos_status shelf_load(folder *f, const shelf *s, const char *name, sos_segment_model **out, sos_error *error);
SOS_MUST_USE sos_status shelf_choose(folder *f, shelf *s, const char *name, sos_error *error);

const kept_model *shelf_find(const shelf *s, const char *name); /* NULL: there is none */

#endif
