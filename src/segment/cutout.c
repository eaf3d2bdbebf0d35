/* cutout.c - one photograph and all of its marks. */
#include <s3svm/segmenter.h>

#include <string.h>

#include "base/error.h"
#include "segment/model.h"
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

/* Where earlier answers do not count: all marks at once. */
static sos_status segment_drawn(const sos_segment_model *model, const sos_image *photograph, const sos_dialogue *d,
                                size_t steps, const sos_cutout_settings *settings, uint8_t labels[], sos_cutout_result *result,
                                sos_error *error)
{
    sos_image marks;
    sos_status status = sos_image_create(sos_dialogue_width(d), sos_dialogue_height(d), 1, &marks, error);
    if (status) return status;
    status = sos_dialogue_draw(d, steps, &marks, error);
    if (!status) status = sos_cutout_segment(model, photograph, &marks, settings, labels, result, error);
    sos_image_free(&marks);
    return status;
}

sos_status sos_cutout_dialogue(const sos_segment_model *model, const sos_image *photograph, const sos_dialogue *d, size_t steps,
                               const sos_cutout_settings *settings, uint8_t labels[], sos_cutout_result *result,
                               sos_error *error)
{
    if (!d || !labels) return sos_fail(error, SOS_ERR_ARGUMENT, "no marks or no place for labels were given");
    if (!model || !model->parts->response.dialogues)
        return segment_drawn(model, photograph, d, steps, settings, labels, result, error);
    sos_segmenter *s = NULL;
    sos_status status = sos_segmenter_create(model, photograph, settings, &s, error);
    if (!status) status = sos_segmenter_replay(s, d, steps, error);
    if (!status) memcpy(labels, sos_segmenter_labels(s), sos_image_size(photograph));
    if (!status && result) *result = sos_segmenter_result(s);
    sos_segmenter_free(s);
    return status;
}
