#define _POSIX_C_SOURCE 200809L
#include "photographs.h"

#include <stdio.h>
#include <stdlib.h>

#include <s3svm/segment.h>

#include "measure.h"

#ifndef BENCH_PICTURES
#define BENCH_PICTURES "docs/segmentation"
#endif

enum { TRUTH_OBJECT = 255, TRUTH_UNSURE = 128 };

static sos_status data_open(s3svm_dataset *d, sos_error *error)
{
    const char *shared = getenv("SOS_SHARED_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/data/interactive", shared ? shared : "");
    if (!s3svm_dataset_open(path, S3SVM_IMAGES_REQUIRED, true, d, error)) return SOS_OK;
    return s3svm_dataset_open(BENCH_PICTURES, S3SVM_IMAGES_REQUIRED, true, d, error);
}

static s3svm_marked photograph_read(const s3svm_item *item)
{
    s3svm_marked p = { 0 };
    s3svm_image truth;
    sos_error error;
    must(s3svm_image_read(item->image, S3SVM_IMAGE_COLOUR, &p.photograph, &error), &error);
    must(s3svm_image_read(item->scribbles, S3SVM_IMAGE_LABELS, &p.marks, &error), &error);
    must(s3svm_image_read(item->labels, S3SVM_IMAGE_LABELS, &truth, &error), &error);
    const size_t n = truth.width * truth.height;
    p.truth = room(n, 1);
    p.care = room(n, 1);
    for (size_t i = 0; i < n; i++) {
        p.truth[i] = truth.pixels[i] == TRUTH_OBJECT;
        p.care[i] = truth.pixels[i] != TRUTH_UNSURE;
    }
    s3svm_image_free(&truth);
    return p;
}

/* Examples with the weights that learning from them has come to after so many rounds. */
static sos_model *model_learn(size_t rounds, size_t count, const s3svm_marked pictures[], sos_example *examples[])
{
    sos_model *model;
    s3svm_segment_model *prepared;
    sos_error error;
    s3svm_segment_settings s = s3svm_segment_defaults();
    s.features = S3SVM_SEGMENT_PAPER;
    s.method = S3SVM_SEGMENT_COUNTS;
    must(s3svm_segment_create(&s, count, pictures, &model, &error), &error);
    must(s3svm_segment_model_create(model, &prepared, &error), &error);
    must(s3svm_segment_model_examples(prepared, count, pictures, NULL, NULL, NULL, examples, &error), &error);
    s3svm_segment_model_free(prepared);
    sos_train_settings t = s3svm_segment_training(s.features, s.method);
    t.C = 1000;
    t.gap = 0;
    t.rounds = rounds;
    must(sos_train(model, count, examples, &t, NULL, &error), &error);
    return model;
}

size_t photographs_learn(size_t rounds, sos_energy *energies[PHOTOGRAPHS])
{
    s3svm_dataset d;
    s3svm_marked pictures[PHOTOGRAPHS];
    sos_example *examples[PHOTOGRAPHS];
    const sos_energy *e;
    sos_error error;
    if (data_open(&d, &error)) {
        printf("\nphotographs: not measured: %s\n", error.message);
        return 0;
    }
    const size_t count = d.count < PHOTOGRAPHS ? d.count : PHOTOGRAPHS;
    for (size_t i = 0; i < count; i++) pictures[i] = photograph_read(&d.items[i]);
    s3svm_dataset_free(&d);
    sos_model *model = model_learn(rounds, count, pictures, examples);
    for (size_t i = 0; i < count; i++) {
        must(sos_example_energy(examples[i], sos_model_weights(model), true, &e, &error), &error);
        must(sos_energy_copy(e, &energies[i], &error), &error);
        sos_example_free(examples[i]);
        s3svm_marked_free(&pictures[i]);
    }
    sos_model_free(model);
    return count;
}
