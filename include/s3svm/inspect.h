/* inspect.h - what a model is and what it has learned, for people. */
#ifndef S3SVM_INSPECT_H
#define S3SVM_INSPECT_H

#include <sos/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the weights of a group lie. */
typedef struct sos_group_summary {
    size_t weights;       /* of the group */
    size_t zeros;         /* of these */
    double least, most;   /* NaN where there are none */
    double square;        /* their sum of squares: what the group costs in the regulariser, twice */
    uint64_t reserved[4]; /* 0 */
} sos_group_summary;

SOS_API sos_group_summary sos_model_group_summary(const sos_model *m, uint32_t group);

/* A page (HTML that needs nothing else) with what the model is for, what it was learned from, and its groups: weights as
 * charts, tables over patches as pictures.  name: what people know the model by.  Written by way of a temporary file and a
 * rename. */
SOS_MUST_USE SOS_API sos_status sos_model_page(const sos_model *m, const char *name, const char *path, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
