/* task.c - denoising as a task: ink is label 1, and black on white for people. */
#include "denoise/task.h"

#include "denoise/data.h"
#include "denoise/lesson.h"
#include "tasks/score.h"
#include <s3svm/denoise.h>

static sos_status prepare(const sos_model *m, void **prepared, sos_error *error)
{
    sos_denoise_model *p;
    const sos_status status = sos_denoise_model_create(m, &p, error);
    if (!status) *prepared = p;
    return status;
}

static void release(void *prepared) { sos_denoise_model_free(prepared); }

static const sos_task_labels *labels_of(const void *prepared)
{
    static const char *const names[] = { "paper", "ink" };
    static const uint32_t colours[] = { 0xffffff, 0 };
    static const sos_task_labels labels = { .count = 2, .names = names, .colours = colours };
    (void)prepared;
    return &labels;
}

static sos_status drawing_read(const sos_item *item, const sos_noise *noise, sos_task_input *in, sos_error *error)
{
    const sos_status status = sos_drawing_noisy(item, noise, &in->grey, error);
    if (status) return status;
    in->width = in->grey.width;
    in->height = in->grey.height;
    return SOS_OK;
}

static sos_status predict(const void *prepared, const sos_task_input *in, uint8_t labels[], sos_error *error)
{
    const sos_denoise_input input = { .noisy = &in->grey, .maps = &in->maps };
    return sos_denoise_model_predict_input(prepared, &input, labels, error);
}

static sos_status judge(const void *prepared, const sos_item *item, const sos_image *labels, sos_confusion *counts,
                        sos_task_score *score, sos_error *error)
{
    sos_image truth;
    (void)prepared;
    sos_status status = sos_image_read(item->labels, SOS_IMAGE_GREY, &truth, error);
    if (status) return status;
    sos_drawing_truth(&truth, truth.pixels);
    status = sos_score_sizes(labels, &truth, item->labels, error);
    if (!status) status = sos_score_judge(sos_image_size(labels), labels->pixels, truth.pixels, NULL, counts, score, error);
    sos_image_free(&truth);
    return status;
}

static const sos_experiment *const EXPERIMENTS[] = { &sos_denoise_experiment_row, &sos_dashes_experiment_row, NULL };

const sos_task sos_denoise_task = {
    .name = "denoise",
    .summary = "learn to restore noisy drawings",
    .details = "Learns to tell ink from paper.  DIR/labels has clean drawings, black on white; DIR/images the noisy\n"
               "ones, of the same names.  With any of --noise, --sigma and --seed the noise is added here instead, as\n"
               "s3svm add-noise does it; of several sigmas each drawing appears once with each, the seeds following\n"
               "one another, for a model that serves all of them.\n"
               "\n"
               "  paper  |x - y| per pixel and one table of costs for all 2x2 patches: the paper's 16 parameters\n"
               "  full   small networks look at the neighbourhood of a pixel; a function of what they say and\n"
               "         a table for the 3x3 patches that are in doubt are learned together\n"
               "\n"
               "Models for comparisons, of what pixels know and which cliques there are:\n"
               "\n"
               "  pairs4, pairs8    grey values; pairs of 4 or 8 neighbours\n"
               "  keyed             grey values, direction and strength of lines in the blurred picture; pairs of 8\n"
               "                    neighbours by their turn against the direction\n"
               "  line-pairs        the same, and all pairs of 7 pixels along lines, a weight for each distance;\n"
               "  line-pair-tables  or a table for each distance\n"
               "  lines             keyed pairs, and tables of costs of the same 7 pixels: higher order\n"
               "  long-line-pairs, long-line-pair-tables, long-lines\n"
               "                    the same three, and of 7 pixels that are 3 apart, where a line is clear\n"
               "  odds-pairs, odds-line-pairs, odds-lines, odds-long-line-pairs, odds-long-lines\n"
               "                    the same on what the networks say, with one weight\n"
               "\n"
               "and for thin structures, such as dashed lines, wires and cracks, with lines of 25 pixels where one is\n"
               "clear: far-unaries, far-keyed (pairs), far-pairs (all pairs of the lines), far-robust (robust P^n), and\n"
               "far-counts, learned functions of how much of a line is ink: higher order.",
    .examples = "  s3svm train denoise --data drawings --noise plain --sigma 0.5 -o model.json\n"
                "  s3svm train denoise --data drawings --sigma 0.5,0.7,1 -o model.json\n"
                "  s3svm train denoise --data noisy-scans --model paper -o model.json\n",
    .data = "drawings in DIR/labels, and noisy ones in DIR/images",
    .shows = "restored drawings, black on white",
    .model = "denoise",

    .images = SOS_IMAGES_OPTIONAL,
    .noise = true,

    .streams = true,
    .form = &sos_denoise_lesson_form,
    .lesson = sos_denoise_lesson_make,
    .prepare = prepare,
    .release = release,
    .labels = labels_of,
    .read = drawing_read,
    .predict = predict,
    .judge = judge,
    .experiments = EXPERIMENTS,
};
