#include "label/features.h"

#include <stdlib.h>

#include "base/error.h"
#include "label/inputs.h"

/* Units of a network's hidden layer, of which a share is left out at random while it learns (learning.c): 48 of them, none left
 * out, were 0.7 points worse on pictures not learned from (docs/notes/labeling.md). */
enum { HIDDEN = 96 };

void s3svm_label_features_free(s3svm_label_features *f)
{
    if (!f) return;
    free(f->centres);
    free(f->edge);
    for (size_t k = 0; k < S3SVM_LABEL_FOLDS_MAX; k++) s3svm_perceptron_free(&f->networks[k]);
    free(f);
}

static sos_status features_fill(s3svm_label_features *f, sos_error *error)
{
    f->centres = calloc(f->clusters * S3SVM_LABEL_TEXTURE + 1, sizeof *f->centres); /* never 0 bytes */
    f->edge = calloc(f->edges * S3SVM_LABEL_EDGE, sizeof *f->edge);
    sos_status status = f->centres && f->edge ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for clusters");
    for (size_t k = 0; k < f->folds && !status; k++)
        status = s3svm_perceptron_create(S3SVM_LABEL_INPUTS, HIDDEN, f->labels, &f->networks[k], error);
    return status;
}

sos_status s3svm_label_features_create(size_t labels, size_t clusters, size_t edges, size_t folds, s3svm_label_features **out,
                                       sos_error *error)
{
    if (!clusters != !folds || clusters > S3SVM_LABEL_CLUSTERS_MAX || !edges || edges > S3SVM_LABEL_CLUSTERS_MAX ||
        folds > S3SVM_LABEL_FOLDS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu and %zu clusters and %zu networks; 1 to %d and 1 to %d are possible",
                        clusters, edges, folds, S3SVM_LABEL_CLUSTERS_MAX, S3SVM_LABEL_FOLDS_MAX);
    s3svm_label_features *f = calloc(1, sizeof *f);
    if (!f) return sos_fail(error, SOS_ERR_MEMORY, "no memory for features");
    f->labels = labels;
    f->clusters = clusters;
    f->edges = edges;
    f->folds = folds;
    const sos_status status = features_fill(f, error);
    if (status)
        s3svm_label_features_free(f);
    else
        *out = f;
    return status;
}
