/* model_index.h - the models that were learned in a folder: files of DIR/models, and a list of them, index.json. */
#ifndef S3SVM_SERVE_MODEL_INDEX_H
#define S3SVM_SERVE_MODEL_INDEX_H

#include <s3svm/adapt.h>

#include "folder.h"

enum { MODEL_INDEX_MAX = 100, MODEL_INDEX_NAME = 32 };

typedef struct listed_model {
    char name[MODEL_INDEX_NAME]; /* learned-N: its file is models/learned-N.json */
    char made[32];               /* a date */
    size_t photographs;
    s3svm_adapt_score before, after;
    bool better;
} listed_model;

typedef struct model_index {
    listed_model list[MODEL_INDEX_MAX];
    size_t count;
    char current[MODEL_INDEX_NAME]; /* the one that is used; "inside": that of the program */
} model_index;

/* What the folder has; an index that is missing is that of no models. */
SOS_MUST_USE sos_status model_index_read(folder *f, model_index *out, sos_error *error);

/* Writes the model, then the index; it is the current one if it is better. */
SOS_MUST_USE sos_status model_index_add(folder *f, model_index *s, const sos_model *m, const s3svm_adapt_result *result,
                                        sos_error *error);

/* A model by its name, prepared; and which one is current. */
SOS_MUST_USE sos_status model_index_load(folder *f, const model_index *s, const char *name, s3svm_segment_model **out,
                                         sos_error *error);
SOS_MUST_USE sos_status model_index_choose(folder *f, model_index *s, const char *name, sos_error *error);

const listed_model *model_index_find(const model_index *s, const char *name); /* NULL: there is none */

#endif
