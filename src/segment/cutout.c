/* cutout.c - one photograph and one step of marks. */
#include <s3svm/segmenter.h>

#include <string.h>

#include "base/error.h"
#include "vision/marks.h"

sos_cutout_settings sos_cutout_defaults(void)
{
    return (sos_cutout_settings){ .grabcut = sos_grabcut_defaults(), .hard = true };
}

sos_status sos_cutout_segment(const sos_segment_model *model, const sos_image *photograph, const sos_image *marks,
                              const sos_cutout_settings *settings, uint8_t labels[], sos_cutout_result *result,
                              sos_error *error)
{
    sos_segmenter *s = NULL;
    sos_status status = sos_marks_check(photograph, marks, SOS_MARKS, error);
    if (!status && !labels) status = sos_fail(error, SOS_ERR_ARGUMENT, "no place for labels was given");
    if (!status) status = sos_segmenter_create(model, photograph, settings, &s, error);
    if (!status) status = sos_segmenter_mark(s, 1, &(sos_mark){ .shape = SOS_SHAPE_PIXELS, .pixels = marks }, error);
    if (!status) memcpy(labels, sos_segmenter_labels(s), sos_image_size(photograph));
    if (!status && result) *result = sos_segmenter_result(s);
    sos_segmenter_free(s);
    return status;
}
