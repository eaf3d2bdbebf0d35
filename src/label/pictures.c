/* pictures.c - checks pictures with true labels, and counts labels. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "label/features.h"

sos_status s3svm_label_pictures_check(const s3svm_label_pictures *p, sos_error *error)
{
    if (!p->count) return sos_fail(error, SOS_ERR_ARGUMENT, "there are no training pictures");
    if (p->labels < 2 || p->labels > SOS_LABELS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "pictures of %zu labels; there must be 2 to %d", p->labels, SOS_LABELS_MAX);
    for (size_t i = 0; i < p->count; i++) {
        if (p->pictures[i].channels != 3)
            return sos_fail(error, SOS_ERR_ARGUMENT, "picture %zu has %zu channels, not 3", i, p->pictures[i].channels);
        if (!p->truths || !p->truths[i]) return sos_fail(error, SOS_ERR_ARGUMENT, "picture %zu has no true labels", i);
    }
    for (size_t l = 0; p->weights && l < p->labels; l++)
        if (!(p->weights[l] > 0 && isfinite(p->weights[l])))
            return sos_fail(error, SOS_ERR_ARGUMENT, "label %zu has weight %g; weights are positive", l, p->weights[l]);
    return SOS_OK;
}

void s3svm_label_balance(size_t labels, const size_t counts[], double weights[])
{
    double pixels = 0, present = 0;
    for (size_t l = 0; l < labels; l++) {
        pixels += (double)counts[l];
        present += counts[l] > 0;
    }
    for (size_t l = 0; l < labels; l++) weights[l] = counts[l] ? pixels / (present * (double)counts[l]) : 1;
}
