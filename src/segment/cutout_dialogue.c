/* cutout_dialogue.c - labels from marks in their order. */
#include <s3svm/cutout.h>

#include "base/error.h"

sos_status sos_cutout_dialogue(const sos_segment_model *model, const sos_image *photograph, const sos_dialogue *d, size_t steps,
                               const sos_cutout_settings *settings, uint8_t labels[], sos_cutout_result *result,
                               sos_error *error)
{
    sos_image marks;
    if (!d) return sos_fail(error, SOS_ERR_ARGUMENT, "no marks were given");
    sos_status status = sos_image_create(sos_dialogue_width(d), sos_dialogue_height(d), 1, &marks, error);
    if (status) return status;
    status = sos_dialogue_draw(d, steps, &marks, error);
    if (!status) status = sos_cutout_segment(model, photograph, &marks, settings, labels, result, error);
    sos_image_free(&marks);
    return status;
}
