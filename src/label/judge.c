/* judge.c - labels of a picture against the true ones. */
#include "base/error.h"
#include "label/model.h"

sos_status sos_label_judge(const sos_label_model *p, const sos_item *item, const sos_image *labels, sos_confusion *out,
                           sos_error *error)
{
    sos_labelled true_one;
    sos_status status = sos_labelled_read(item, p->names.count, p->names.unknown, &true_one, error);
    if (status) return status;
    const sos_image *picture = &true_one.picture;
    if (picture->width != labels->width || picture->height != labels->height)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu by %zu pixels, its result %zu by %zu", item->labels,
                          picture->width, picture->height, labels->width, labels->height);
    if (!status) status = sos_confusion_create(p->names.count, out, error);
    if (!status) sos_confusion_add(out, sos_image_size(labels), labels->pixels, true_one.truth, true_one.care);
    sos_labelled_free(&true_one);
    return status;
}
