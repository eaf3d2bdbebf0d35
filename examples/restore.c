/* restore.c - learns to restore noisy drawings, and restores one: drawings and noise of our own, the paper's model, training,
 * and a prepared model that gives labels. */
#include <stdio.h>
#include <stdlib.h>

#include <s3svm/denoise.h>
#include <s3svm/drawing.h>
#include <s3svm/noise.h>

enum { LEARNED = 6, ALL = LEARNED + 1, WIDTH = 160, HEIGHT = 100, PIXELS = WIDTH * HEIGHT };

static void check(sos_status status, const sos_error *error)
{
    if (!status) return;
    fprintf(stderr, "%s\n", error->message);
    exit(EXIT_FAILURE);
}

/* A drawing as it is to be found again, a label per pixel, and as it is seen. */
static void drawing_make(uint64_t number, uint8_t truth[PIXELS], s3svm_plane *noisy)
{
    sos_error error;
    s3svm_image clean;
    const s3svm_noise noise = s3svm_noise_defaults(S3SVM_NOISE_PLAIN);
    check(s3svm_drawing_make(WIDTH, HEIGHT, number % 2, s3svm_drawing_seed(1, number), &clean, &error), &error);
    check(s3svm_noise_add(&noise, number, &clean, noisy, &error), &error);
    for (size_t i = 0; i < PIXELS; i++) truth[i] = clean.pixels[i] == 0;
    s3svm_image_free(&clean);
}

static double wrong_percent(const uint8_t labels[PIXELS], const uint8_t truth[PIXELS])
{
    size_t wrong = 0;
    for (size_t i = 0; i < PIXELS; i++) wrong += labels[i] != truth[i];
    return 100.0 * (double)wrong / PIXELS;
}

/* Learns from all drawings but the last. */
static s3svm_denoise_model *learn(const s3svm_plane noisy[], const uint8_t *const truths[])
{
    sos_error error;
    sos_model *model;
    s3svm_denoise_model *untrained, *trained;
    sos_example *examples[LEARNED];
    sos_train_settings settings = s3svm_denoise_training(S3SVM_DENOISE_PAPER);
    sos_train_result result;
    settings.gap = 0.02;
    check(s3svm_denoise_create(S3SVM_DENOISE_PAPER, LEARNED, noisy, truths, NULL, &model, &error), &error);
    check(s3svm_denoise_model_create(model, &untrained, &error), &error);
    check(s3svm_denoise_model_examples(untrained, LEARNED, noisy, truths, true, NULL, examples, &error), &error);
    check(sos_train(model, LEARNED, examples, &settings, &result, &error), &error);
    check(s3svm_denoise_model_create(model, &trained, &error), &error);
    printf("learned from %d drawings in %zu rounds\n", LEARNED, result.last.round);
    for (size_t i = 0; i < LEARNED; i++) sos_example_free(examples[i]);
    s3svm_denoise_model_free(untrained);
    sos_model_free(model);
    return trained;
}

int main(void)
{
    static uint8_t truth[ALL][PIXELS], labels[PIXELS], thresholded[PIXELS];
    const uint8_t *truths[ALL];
    s3svm_plane noisy[ALL];
    sos_error error;
    for (size_t i = 0; i < ALL; i++) {
        drawing_make(i, truth[i], &noisy[i]);
        truths[i] = truth[i];
    }
    s3svm_denoise_model *model = learn(noisy, truths);
    check(s3svm_denoise_model_predict(model, &noisy[LEARNED], labels, &error), &error);
    for (size_t i = 0; i < PIXELS; i++) thresholded[i] = noisy[LEARNED].values[i] < 0.5F;
    const double learned = wrong_percent(labels, truth[LEARNED]), threshold = wrong_percent(thresholded, truth[LEARNED]);
    printf("another drawing: %.2f %% of the pixels are wrong, %.2f %% after thresholding\n", learned, threshold);
    s3svm_denoise_model_free(model);
    for (size_t i = 0; i < ALL; i++) s3svm_plane_free(&noisy[i]);
    return learned < threshold ? EXIT_SUCCESS : EXIT_FAILURE;
}
