/* label.c - learns to label pictures that it draws itself: sky, grass and a house.
 *
 *     label [MODEL.json]
 *
 * Six pictures to learn from, one to judge by.  A real task has more pictures, larger ones, and takes minutes. */
#include <stdio.h>
#include <stdlib.h>

#include <sos/sos.h>

#include <s3svm/label.h>

enum { WIDTH = 60, HEIGHT = 40, PIXELS = WIDTH * HEIGHT, LEARNED = 6 };
enum { SKY, GRASS, HOUSE };

static int failed(const sos_error *error)
{
    fprintf(stderr, "label: %s\n", error->message);
    return EXIT_FAILURE;
}

/* Below most, the same everywhere. */
static unsigned draw_number(unsigned long long *state, unsigned most)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(*state >> 33) % most;
}

/* Pixels of a place have its colour and much noise. */
static void draw(unsigned long long *state, uint8_t picture[3 * PIXELS], uint8_t truth[PIXELS])
{
    static const uint8_t colours[][3] = { { 110, 140, 190 }, { 90, 130, 80 }, { 150, 110, 100 } };
    const int horizon = 10 + (int)draw_number(state, 15), left = 5 + (int)draw_number(state, 30), top = horizon - 6;
    for (int i = 0; i < PIXELS; i++) {
        const int x = i % WIDTH, y = i / WIDTH;
        const int house = x >= left && x < left + 18 && y >= top && y < top + 14;
        truth[i] = house ? HOUSE : y < horizon ? SKY : GRASS;
        for (int c = 0; c < 3; c++) picture[3 * i + c] = (uint8_t)(colours[truth[i]][c] - 40 + (int)draw_number(state, 81));
    }
}

/* Learns what networks can tell of a place; then, by sos_train, what an energy makes of that. */
static sos_status learn(const s3svm_label_pictures *pictures, sos_model **out, sos_error *error)
{
    static s3svm_label_names names;
    const s3svm_label_design design = s3svm_label_design_of(S3SVM_LABEL_TABLES);
    const sos_train_settings settings = s3svm_label_training();
    s3svm_label_features *features = NULL;
    s3svm_label_model *prepared = NULL;
    sos_example *examples[LEARNED] = { NULL };
    sos_model *model = NULL;
    sos_status status = s3svm_label_names_parse("sky=6e8cbe,grass=5a8250,house=966e64", &names, error);
    if (!status) status = s3svm_label_features_learn(pictures, NULL, &features, error);
    if (!status) status = s3svm_label_create(&design, features, &names, &model, error);
    if (!status) status = s3svm_label_model_create(model, &prepared, error);
    if (!status) status = s3svm_label_model_examples(prepared, pictures, true, NULL, NULL, examples, error);
    if (!status) status = sos_train(model, LEARNED, examples, &settings, NULL, error);
    for (int i = 0; i < LEARNED; i++) sos_example_free(examples[i]);
    s3svm_label_model_free(prepared);
    s3svm_label_features_free(features);
    if (status)
        sos_model_free(model);
    else
        *out = model;
    return status;
}

int main(int argc, char *argv[])
{
    static uint8_t pixels[LEARNED + 1][3 * PIXELS], truths[LEARNED + 1][PIXELS], labels[PIXELS];
    s3svm_image pictures[LEARNED + 1];
    const uint8_t *known[LEARNED + 1];
    unsigned long long state = 1;
    for (int i = 0; i <= LEARNED; i++) {
        draw(&state, pixels[i], truths[i]);
        pictures[i] = (s3svm_image){ .width = WIDTH, .height = HEIGHT, .channels = 3, .pixels = pixels[i] };
        known[i] = truths[i];
    }
    const s3svm_label_pictures lesson = { .count = LEARNED, .labels = 3, .pictures = pictures, .truths = known };
    sos_model *model = NULL;
    s3svm_label_model *prepared = NULL;
    sos_error error;
    sos_status status = learn(&lesson, &model, &error);
    if (!status && argc > 1) status = sos_model_write(model, argv[1], &error);
    if (!status) status = s3svm_label_model_create(model, &prepared, &error);
    if (!status) status = s3svm_label_model_predict(prepared, &pictures[LEARNED], labels, &error);
    s3svm_label_model_free(prepared);
    sos_model_free(model);
    if (status) return failed(&error);
    int right = 0;
    for (int i = 0; i < PIXELS; i++) right += labels[i] == truths[LEARNED][i];
    printf("%.1f %% of the pixels of a new picture are right\n", 100.0 * right / PIXELS);
    return right > PIXELS * 9 / 10 ? EXIT_SUCCESS : EXIT_FAILURE;
}
