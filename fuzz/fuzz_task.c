/* fuzz_task.c - any text as a model of a task on pictures, as files, the page and PUT /api/tracers bring them: read or refused.
 * A model that is read labels a picture of 9 x 7 pixels with the labels that it has, or says why not. */
#include <string.h>

#include <s3svm/denoise.h>
#include <s3svm/label.h>
#include <s3svm/segment.h>
#include <s3svm/task.h>
#include <s3svm/trace.h>

#include "fuzz.h"

enum { WIDTH = 9, HEIGHT = 7, PIXELS = WIDTH * HEIGHT };

static float odds[PIXELS], greys[PIXELS];
static uint8_t colours[3 * PIXELS], marks[PIXELS];

static uint8_t truth_of_all[PIXELS];

static void picture_fill(void)
{
    for (size_t i = 0; i < PIXELS; i++) {
        const bool inside = i % WIDTH > 2 && i % WIDTH < 7 && i / WIDTH > 1 && i / WIDTH < 5;
        greys[i] = inside ? 0.25F : 0.75F;
        odds[i] = inside ? 1 : -1;
        for (size_t c = 0; c < 3; c++) colours[3 * i + c] = (uint8_t)((inside ? 180 : 60) + i * (c + 3) % 17);
        marks[i] = i == 3 * WIDTH + 4 ? 1 : i == 0 ? 2 : 0;
        truth_of_all[i] = inside;
    }
}

/* A picture that has all that a task may ask for. */
static s3svm_task_input picture_make(const s3svm_task_model *m)
{
    const bool maps = s3svm_task_model_maps(m) == 1 || s3svm_task_model_evidence(m);
    picture_fill();
    s3svm_task_input in = { .width = WIDTH, .height = HEIGHT };
    in.grey = (s3svm_plane){ WIDTH, HEIGHT, greys };
    in.colour = (s3svm_image){ WIDTH, HEIGHT, 3, colours };
    in.marks = (s3svm_image){ WIDTH, HEIGHT, 1, marks };
    if (maps) in.maps = (s3svm_maps){ WIDTH, HEIGHT, 1, odds };
    return in;
}

static void model_use(const s3svm_task_model *m)
{
    const s3svm_task_input in = picture_make(m);
    uint8_t labels[PIXELS];
    sos_error error;
    memset(labels, 255, sizeof labels);
    if (s3svm_task_model_predict(m, &in, labels, &error)) {
        fuzz_check(*error.message);
        return;
    }
    for (size_t i = 0; i < PIXELS; i++) fuzz_check(labels[i] < s3svm_task_model_labels(m)->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_copy(data, size);
    sos_model *m = NULL;
    const s3svm_task *task = NULL;
    s3svm_task_model *prepared = NULL;
    sos_error error;
    if (!sos_model_parse(text, size, "input", &m, &error) && !s3svm_task_of(m, &task, &error)) {
        if (!s3svm_task_model_create(task, m, &prepared, &error)) {
            fuzz_accepted++;
            model_use(prepared);
        } else
            fuzz_check(*error.message && !prepared);
    }
    s3svm_task_model_free(prepared);
    sos_model_free(m);
    free(text);
    return 0;
}

/* ---------------------------------------------------------------- models without what is learned from pictures before training
 */

static sos_status denoise_make(s3svm_denoise_kind kind, sos_model **out)
{
    const s3svm_plane noisy = { WIDTH, HEIGHT, greys };
    const uint8_t *const truth = truth_of_all;
    return s3svm_denoise_create(kind, 1, &noisy, &truth, NULL, out, NULL);
}

/* To go by maps alone. */
static sos_status trace_make(sos_model **out)
{
    const s3svm_image image = { WIDTH, HEIGHT, 3, colours };
    const uint8_t *const truth = truth_of_all;
    const s3svm_maps maps = { WIDTH, HEIGHT, 1, odds };
    const s3svm_trace_pictures pictures = { .count = 1, .images = &image, .truths = &truth, .maps = &maps };
    s3svm_trace_settings s = s3svm_trace_defaults();
    s.alone = true;
    s.work.threads = 1;
    return s3svm_trace_create(S3SVM_TRACE_PAIRS, &pictures, &s, out, NULL);
}

static sos_status segment_make(sos_model **out)
{
    s3svm_segment_settings s = s3svm_segment_defaults();
    s3svm_marked photograph = { .photograph = { WIDTH, HEIGHT, 3, colours },
                                .marks = { WIDTH, HEIGHT, 1, marks },
                                .truth = truth_of_all,
                                .maps = { WIDTH, HEIGHT, 1, odds } };
    s.features = S3SVM_SEGMENT_NONE;
    s.method = S3SVM_SEGMENT_AMN;
    s.work.threads = 1;
    return s3svm_segment_create(&s, 1, &photograph, out, NULL);
}

static sos_status label_make(sos_model **out)
{
    const s3svm_image picture = { WIDTH, HEIGHT, 3, colours };
    const uint8_t *const truth = truth_of_all;
    const s3svm_maps maps = { WIDTH, HEIGHT, 1, odds };
    const s3svm_label_pictures pictures = { .count = 1, .labels = 2, .pictures = &picture, .truths = &truth, .maps = &maps };
    const s3svm_label_design design = s3svm_label_design_of(S3SVM_LABEL_PAIRWISE);
    s3svm_label_learning s = s3svm_label_learning_defaults();
    s3svm_label_features *features = NULL;
    static s3svm_label_names names;
    s.alone = true;
    s.work.threads = 1;
    sos_status status = s3svm_label_features_learn(&pictures, &s, &features, NULL);
    if (!status) status = s3svm_label_names_default(2, &names, NULL);
    if (!status) status = s3svm_label_create(&design, features, &names, out, NULL);
    s3svm_label_features_free(features);
    return status;
}

static sos_status model_make(size_t i, sos_model **out)
{
    switch (i) {
    case 0: return denoise_make(S3SVM_DENOISE_PAPER, out);
    case 1: return denoise_make(S3SVM_DENOISE_FAR_COUNTS, out);
    case 2: return trace_make(out);
    case 3: return segment_make(out);
    default: return label_make(out);
    }
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
    const s3svm_maps maps = { WIDTH, HEIGHT, 1, odds };
    const s3svm_maps_settings settings = { .kind = S3SVM_MAPS_WEIGHTS };
    sos_model *m = NULL;
    char *text = NULL;
    if (i > 4) return false;
    picture_fill();
    *out = (fuzz_bytes){ fuzz_copy(NULL, 0), 0 };
    if (!sos_has("models")) return true;
    fuzz_check(!model_make(i, &m));
    if (i > 1) fuzz_check(!s3svm_maps_learn(m, &settings, 1, &maps, NULL));
    fuzz_check(!sos_model_write_memory(m, &text, &out->size, NULL));
    free(out->data);
    out->data = (uint8_t *)text;
    sos_model_free(m);
    return true;
}
