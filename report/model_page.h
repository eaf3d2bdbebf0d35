/* model_page.h - a page about a model and what it has learned. */
#ifndef S3SVM_REPORT_MODEL_PAGE_H
#define S3SVM_REPORT_MODEL_PAGE_H

#include <sos/model.h>

/* How the weights of a group lie. */
typedef struct s3svm_group_summary {
    size_t weights;     /* of the group */
    size_t zeros;       /* of these */
    double least, most; /* NaN where there are none */
    double square;      /* their sum of squares: what the group costs in the regulariser, twice */
} s3svm_group_summary;

s3svm_group_summary s3svm_model_group_summary(const sos_model *m, uint32_t group);

/* A page (HTML that needs nothing else) with what the model is for, what it was learned from, and its groups: weights as
 * charts, tables over patches as pictures.  name: what people know the model by.  Written by way of a temporary file and a
 * rename. */
SOS_MUST_USE sos_status s3svm_model_page(const sos_model *m, const char *name, const char *path, sos_error *error);

#endif
