#include "label/features.h"

#include <stdlib.h>

#include "base/error.h"
#include "label/inputs.h"

/* Units of a network's hidden layer, of which a share is left out at random while it learns (learning.c): 48 of them, none left
 * out, were 0.7 points worse on pictures not learned from (docs/experiments.md). */
enum { HIDDEN = 96 };

void sos_label_features_free(sos_label_features *f)
{
    if (!f) return;
    free(f->centres);
    free(f->edge);
    for (size_t k = 0; k < SOS_LABEL_FOLDS_MAX; k++) sos_perceptron_free(&f->networks[k]);
    free(f);
}

static sos_status features_fill(sos_label_features *f, sos_error *error)
{
    f->centres = calloc(f->clusters * SOS_LABEL_TEXTURE + 1, sizeof *f->centres); /* never 0 bytes */
    f->edge = calloc(f->edges * SOS_LABEL_EDGE, sizeof *f->edge);
    sos_status status = f->centres && f->edge ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for clusters");
    for (size_t k = 0; k < f->folds && !status; k++)
        status = sos_perceptron_create(SOS_LABEL_INPUTS, HIDDEN, f->labels, &f->networks[k], error);
    return status;
}

sos_status sos_label_features_create(size_t labels, size_t clusters, size_t edges, size_t folds, sos_label_features **out,
                                     sos_error *error)
{
    if (!clusters != !folds || clusters > SOS_LABEL_CLUSTERS_MAX || !edges || edges > SOS_LABEL_CLUSTERS_MAX ||
        folds > SOS_LABEL_FOLDS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu and %zu clusters and %zu networks; 1 to %d and 1 to %d are possible",
                        clusters, edges, folds, SOS_LABEL_CLUSTERS_MAX, SOS_LABEL_FOLDS_MAX);
    sos_label_features *f = calloc(1, sizeof *f);
    if (!f) return sos_fail(error, SOS_ERR_MEMORY, "no memory for features");
    f->labels = labels;
    f->clusters = clusters;
    f->edges = edges;
    f->folds = folds;
    const sos_status status = features_fill(f, error);
    if (status)
        sos_label_features_free(f);
    else
        *out = f;
    return status;
}
