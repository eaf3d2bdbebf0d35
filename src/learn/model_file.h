/* model_file.h - what reading and writing model files share (docs/formats.md, "Model files").
 *
 * A feature stands on a line, so that a person finds it; facts are copied as the texts they are. */
#ifndef SOS_LEARN_MODEL_FILE_H
#define SOS_LEARN_MODEL_FILE_H

#include <sos/model.h>

#include "base/error.h"

enum {
    SOS_MODEL_VERSION = 1,
    SOS_MODEL_GROUPS_MAX = 4096,
    SOS_MODEL_FACT_DEPTH_MAX = 1000 /* brackets within brackets; a file that holds it has two more */
};
#define SOS_MODEL_FORMAT "s3svm model"

static const char *const SOS_MODEL_KINDS[] = { "free", "nonnegative", "table", "count" }; /* in the order of sos_group_kind */

/* How the weights of a group are arranged: a list, or a list of lists. */
typedef struct sos_weights_shape {
    bool nested;
    size_t rows, columns; /* rows 1 where not nested */
} sos_weights_shape;

static inline sos_weights_shape sos_weights_shape_of(const sos_group *group, size_t labels, size_t classes)
{
    if (group->kind == SOS_GROUP_FREE) return (sos_weights_shape){ true, group->size, labels };
    if (group->kind == SOS_GROUP_NONNEGATIVE) return (sos_weights_shape){ false, 1, group->size };
    const size_t functions = (labels > 2 ? labels : 1) * (group->strengths ? group->strengths : 1);
    return (sos_weights_shape){ functions > 1, functions, classes };
}

#endif
