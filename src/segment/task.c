/* task.c - interactive segmentation as a task: the object is label 1, and white in masks. */
#include "segment/task.h"

#include <s3svm/segmenter.h>

#include "base/error.h"
#include "segment/adapt.h"
#include "segment/lesson.h"
#include "segment/marks/marks.h"
#include "tasks/truth.h"

/* ---------------------------------------------------------------- predicting */

static sos_status segment_task_prepare(const sos_model *m, void **prepared, sos_error *error)
{
    s3svm_segment_model *p;
    const sos_status status = s3svm_segment_model_create(m, &p, error);
    if (!status) *prepared = p;
    return status;
}

static void release(void *prepared) { s3svm_segment_model_free(prepared); }

static bool sees_evidence(const void *prepared) { return s3svm_segment_model_evidence(prepared); }

static const s3svm_task_labels *labels_of(const void *prepared)
{
    static const char *const names[] = { "background", "object" };
    static const uint32_t colours[] = { 0, 0xffffff };
    static const s3svm_task_labels labels = { .count = 2, .names = names, .colours = colours };
    (void)prepared;
    return &labels;
}

static sos_status photograph_read(const s3svm_item *item, const s3svm_noise *noise, s3svm_task_input *in, sos_error *error)
{
    (void)noise;
    s3svm_marked s = { 0 };
    const sos_status status = s3svm_marked_read_list(item, &s, &in->dialogue, error);
    if (status) return status;
    in->width = s.photograph.width;
    in->height = s.photograph.height;
    in->colour = s.photograph;
    in->marks = s.marks;
    return SOS_OK;
}

/* A picture of marks as a dialogue: of one step, or, where nothing is marked and evidence speaks for itself, of none. */
static sos_status marks_replayed(const s3svm_image *marks, bool evidence, s3svm_dialogue **out, sos_error *error)
{
    const size_t n = s3svm_image_size(marks);
    size_t marked = 0;
    while (marked < n && marks->pixels[marked] == S3SVM_MARK_NONE) marked++;
    if (evidence && marked == n) return s3svm_dialogue_create(marks->width, marks->height, out, error);
    return s3svm_dialogue_of_marks(marks, out, error);
}

/* On one thread: pictures are done side by side. */
static sos_status predict(const void *prepared, const s3svm_task_input *in, uint8_t labels[], sos_error *error)
{
    s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
    s3svm_dialogue *once = NULL;
    settings.work.threads = 1;
    settings.maps = in->maps.values ? &in->maps : NULL;
    const bool evidence = settings.maps && s3svm_segment_model_evidence(prepared);
    if (in->dialogue && !s3svm_dialogue_steps(in->dialogue) && !evidence)
        return sos_fail(error, SOS_ERR_ARGUMENT, "nothing is marked: the list of marks is empty");
    sos_status status = in->dialogue ? SOS_OK : marks_replayed(&in->marks, evidence, &once, error);
    if (status) return status;
    status = s3svm_photograph_segment(prepared, &in->colour, once ? once : in->dialogue, &settings, labels, NULL, error);
    s3svm_dialogue_free(once);
    return status;
}

static sos_status example(const void *prepared, const s3svm_task_input *in, sos_example **out, sos_error *error)
{
    const s3svm_segment_input input = { .photograph = &in->colour,
                                        .marks = &in->marks,
                                        .maps = in->maps.values ? &in->maps : NULL };
    return s3svm_segment_model_example(prepared, &input, NULL, NULL, out, error);
}

static sos_status judge(const void *prepared, const s3svm_item *item, const s3svm_image *labels, s3svm_confusion *counts,
                        s3svm_task_score *score, sos_error *error)
{
    (void)prepared;
    return s3svm_truth_judge(item, labels, counts, score, error);
}

const s3svm_task s3svm_segment_task = {
    .name = "segment",
    .summary = "learn to cut objects out of photographs",
    .details = "Learns to tell object from background by a few scribbles, for s3svm segment. Files of the same name\n"
               "belong together: DIR/images has photographs; DIR/scribbles has PNG whose grey values or palette\n"
               "indices are 0 nothing, 1 object, 2 background; DIR/labels has PNG of 0 background, 255 object, 128\n"
               "unsure. Labels of 0 and 1, or of 0, 1 and 255 (unsure), are read as well.\n"
               "\n"
               "Methods:\n"
               "  s3svm   a table of costs for all 2x2 patches, one for each of 50 kinds of edges\n"
               "  amn     pairs of neighbours: a constant, and a term that decreases with contrast\n"
               "  counts  these pairs, and learned functions of the share of a superpixel, or of a colour, that is object\n"
               "\n"
               "Features:\n"
               "  paper   the paper's features: colour mixtures, distances from the scribbles, clusters of patches\n"
               "  full    small networks on 39 maps, and GrabCut's colour mixtures\n"
               "\n"
               "With --dialogues --evidence the networks also see what another network says of a photograph: log odds of\n"
               "the object in DIR/maps/NAME.npy, one channel for each such network. Photographs may come without.\n"
               "\n"
               "--from segment adapts the built-in model to your own photographs, at least 4, as Learn of the page does:\n"
               "weights and outlines are trained on simulated dialogues with it, and cross-validation counts clicks and\n"
               "wrong pixels before and after. If the new model needs no fewer clicks, MODEL gets the old weights, and\n"
               "the output says so. --C, --gap, --validation and other settings of training turn this off.",
    .examples = "  s3svm train segment --data photographs -o model.json\n"
                "  s3svm train segment --data photographs --validation others -o model.json\n"
                "  s3svm train segment --data mine --from segment -o mine.json\n"
                "  s3svm train segment --data photographs --method amn --features paper -o model.json\n"
                "  s3svm train segment --data photographs --dialogues --evidence --outlines -o model.json\n",
    .data = "photographs in DIR/images, with DIR/scribbles and DIR/labels",
    .shows = "masks, the object white, by scribbles of the same name",
    .model = "segment",

    .images = S3SVM_IMAGES_REQUIRED,
    .scribbles = true,
    .colour = true,

    .streams = true,
    .form = &s3svm_segment_lesson_form,
    .steps = &s3svm_segment_lesson_steps,
    .prepare = segment_task_prepare,
    .release = release,
    .labels = labels_of,
    .read = photograph_read,
    .predict = predict,
    .example = example,
    .extra = "error_without_unsure",
    .judge = judge,
    .folders = true,
    .objects = true,
    .evidence = sees_evidence,
    .adapts = s3svm_segment_adapts,
    .adapt = s3svm_segment_adapt_data,
};
