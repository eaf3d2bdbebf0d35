/* task.c - denoising as a task: ink is label 1, and black on white for people. */
#include "denoise/task.h"

#include "denoise/data.h"
#include "denoise/lesson.h"
#include "tasks/score.h"
#include <s3svm/denoise.h>

static sos_status denoise_task_prepare(const sos_model *m, void **prepared, sos_error *error)
{
    s3svm_denoise_model *p;
    const sos_status status = s3svm_denoise_model_create(m, &p, error);
    if (!status) *prepared = p;
    return status;
}

static void release(void *prepared) { s3svm_denoise_model_free(prepared); }

static const s3svm_task_labels *labels_of(const void *prepared)
{
    static const char *const names[] = { "paper", "ink" };
    static const uint32_t colours[] = { 0xffffff, 0 };
    static const s3svm_task_labels labels = { .count = 2, .names = names, .colours = colours };
    (void)prepared;
    return &labels;
}

static sos_status drawing_read(const s3svm_item *item, const s3svm_noise *noise, s3svm_task_input *in, sos_error *error)
{
    const sos_status status = s3svm_drawing_noisy(item, noise, &in->grey, error);
    if (status) return status;
    in->width = in->grey.width;
    in->height = in->grey.height;
    return SOS_OK;
}

static sos_status predict(const void *prepared, const s3svm_task_input *in, uint8_t labels[], sos_error *error)
{
    const s3svm_denoise_input input = { .noisy = &in->grey, .maps = &in->maps };
    return s3svm_denoise_model_predict_input(prepared, &input, labels, error);
}

static sos_status example(const void *prepared, const s3svm_task_input *in, sos_example **out, sos_error *error)
{
    const s3svm_denoise_input input = { .noisy = &in->grey, .maps = &in->maps };
    return s3svm_denoise_model_example_input(prepared, &input, false, out, error);
}

static sos_status judge(const void *prepared, const s3svm_item *item, const s3svm_image *labels, s3svm_confusion *counts,
                        s3svm_task_score *score, sos_error *error)
{
    s3svm_image truth;
    (void)prepared;
    sos_status status = s3svm_image_read(item->labels, S3SVM_IMAGE_GREY, &truth, error);
    if (status) return status;
    s3svm_drawing_tell(&truth);
    s3svm_drawing_truth(&truth, truth.pixels);
    status = s3svm_score_sizes(labels, &truth, item->labels, error);
    if (!status) status = s3svm_score_judge(s3svm_image_size(labels), labels->pixels, truth.pixels, NULL, counts, score, error);
    s3svm_image_free(&truth);
    return status;
}

const s3svm_task s3svm_denoise_task = {
    .name = "denoise",
    .summary = "learn to restore noisy drawings",
    .details = "Learns to tell ink from paper. DIR/labels has clean drawings, black on white, and DIR/images noisy\n"
               "versions with the same names. With any of --noise, --sigma and --seed, the noise is added to the\n"
               "labels instead, as by s3svm add-noise; with several sigmas each drawing is used once with each of\n"
               "them, with consecutive seeds, for one model that handles them all.\n"
               "\n"
               "  paper            |x - y| per pixel and one table of costs for all 2x2 patches: the paper's 16 parameters\n"
               "  full             small networks see the neighbourhood of a pixel; a function of their output and a table\n"
               "                   for the ambiguous 3x3 patches are learned together\n"
               "  odds-long-lines  the same networks; pairs of neighbours by the direction of lines, and tables of costs\n"
               "                   of 7 pixels along lines, adjacent and 3 apart: slower, for strong noise\n"
               "  far-counts       for thin structures such as dashed lines, wires and cracks: the same pairs, and learned\n"
               "                   functions of the number of ink pixels among 25 along a line\n"
               "\n"
               "s3svm help experiment denoising lists further designs, for comparison. Models of these designs that\n"
               "were trained by s3svm 0.2 can still be used.",
    .examples = "  s3svm train denoise --data drawings --noise plain --sigma 0.5 -o model.json\n"
                "  s3svm train denoise --data drawings --sigma 0.5,0.7,1 -o model.json\n"
                "  s3svm train denoise --data noisy-scans --model paper -o model.json\n",
    .data = "drawings in DIR/labels, and noisy versions in DIR/images",
    .shows = "restored drawings, black on white",
    .model = "denoise",

    .images = S3SVM_IMAGES_OPTIONAL,
    .noise = true,

    .streams = true,
    .form = &s3svm_denoise_lesson_form,
    .steps = &s3svm_denoise_lesson_steps,
    .prepare = denoise_task_prepare,
    .release = release,
    .labels = labels_of,
    .read = drawing_read,
    .predict = predict,
    .example = example,
    .judge = judge,
};
