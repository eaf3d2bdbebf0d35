/* cutout.c - an object, cut out of a photograph by a few strokes.
 *
 *     cutout PHOTO SCRIBBLES CUTOUT.png      red strokes on the object, blue ones around it
 *     cutout                                 draws a photograph and strokes of its own, and says how well it went */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <s3svm/cutout.h>
#include <s3svm/segmenter.h>

/* The model that the library carries inside; NULL, which means GrabCut, in a library that cannot read models. */
static s3svm_segment_model *model_inside(void)
{
    s3svm_segment_model *model = NULL;
    sos_error error;
    if (s3svm_segmenter_model("s3svm", &model, &error)) fprintf(stderr, "%s: GrabCut is used\n", error.message);
    return model;
}

static sos_status label(const s3svm_image *photograph, const s3svm_dialogue *marks, uint8_t labels[], sos_error *error)
{
    s3svm_segment_model *model = model_inside(); /* once for any number of photographs, on any number of threads */
    const sos_status status = s3svm_photograph_segment(model, photograph, marks, NULL, labels, NULL, error);
    s3svm_segment_model_free(model);
    return status;
}

/* ---- from files ---- */

static sos_status cut_out(const s3svm_image *photograph, const s3svm_dialogue *marks, const char *path, sos_error *error)
{
    s3svm_image cutout = { 0 };
    uint8_t *labels = malloc(s3svm_image_size(photograph));
    if (!labels) return snprintf(error->message, sizeof error->message, "no memory"), SOS_ERR_MEMORY;
    sos_status status = label(photograph, marks, labels, error);
    if (!status)
        status = s3svm_cutout_matte(photograph, labels, s3svm_cutout_edge(s3svm_image_size(photograph)), 0, &cutout, error);
    if (!status) status = s3svm_image_write(&cutout, path, error);
    s3svm_image_free(&cutout);
    free(labels);
    return status;
}

static int run(const char *photograph_path, const char *scribbles_path, const char *cutout_path)
{
    s3svm_image photograph = { 0 };
    s3svm_dialogue *marks = NULL;
    s3svm_scribbles_found found;
    sos_error error;
    sos_status status = s3svm_image_read(photograph_path, S3SVM_IMAGE_COLOUR, &photograph, &error);
    if (!status) status = s3svm_dialogue_read_scribbles(scribbles_path, &photograph, NULL, &marks, &found, &error);
    if (!status) status = cut_out(&photograph, marks, cutout_path, &error);
    s3svm_image_free(&photograph);
    s3svm_dialogue_free(marks);
    if (status) return fprintf(stderr, "%s\n", error.message), 1;
    return printf("%s (scribbles: %s)\n", cutout_path, found.words), 0;
}

/* ---- without files ---- */

enum { WIDTH = 240, HEIGHT = 180, PIXELS = WIDTH * HEIGHT };

/* Noise that is the same everywhere: -20 ... 19. */
static int noise(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return (int)(*state >> 24) % 40 - 20;
}

/* An orange on a blue cloth: where it is, and its colours with light from the upper left. */
static void draw(s3svm_image *photograph, uint8_t truth[])
{
    static const double orange[3] = { 225, 130, 40 }, cloth[3] = { 70, 95, 150 };
    uint32_t state = 1;
    for (size_t i = 0; i < PIXELS; i++) {
        const double x = (double)(i % WIDTH) - 125, y = (double)(i / WIDTH) - 95, radius = sqrt(x * x + y * y);
        truth[i] = radius < 55;
        for (size_t c = 0; c < 3; c++) {
            const double light = truth[i] ? 1 - 0.004 * (x + y) : 0.9 + 0.1 * sin((double)(i % WIDTH) / 9);
            const double value = light * (truth[i] ? orange : cloth)[c] + noise(&state);
            photograph->pixels[3 * i + c] = (uint8_t)fmax(0, fmin(255, value));
        }
    }
}

/* A stroke of 5 pixels from left to right. */
static sos_status stroke(s3svm_dialogue *marks, float left, float right, float y, uint8_t label, sos_error *error)
{
    const s3svm_point ends[] = { { left, y }, { right, y } };
    return s3svm_dialogue_add(marks, 1, &(s3svm_mark){ .label = label, .radius = 2, .count = 2, .points = ends }, error);
}

static int demonstrate(void)
{
    s3svm_image photograph = { 0 };
    s3svm_dialogue *marks = NULL;
    uint8_t *truth = malloc(PIXELS), *labels = malloc(PIXELS);
    sos_error error = { SOS_ERR_MEMORY, "no memory" };
    size_t wrong = 0;
    sos_status status = truth && labels ? SOS_OK : SOS_ERR_MEMORY;
    if (!status) status = s3svm_image_create(WIDTH, HEIGHT, 3, &photograph, &error);
    if (!status) draw(&photograph, truth);
    if (!status) status = s3svm_dialogue_create(WIDTH, HEIGHT, &marks, &error);
    if (!status) status = stroke(marks, 100, 150, 97, S3SVM_MARK_OBJECT, &error);
    if (!status) status = stroke(marks, 20, 220, 17, S3SVM_MARK_BACKGROUND, &error);
    if (!status) status = label(&photograph, marks, labels, &error);
    for (size_t i = 0; i < PIXELS && !status; i++) wrong += labels[i] != truth[i];
    if (status)
        fprintf(stderr, "%s\n", error.message);
    else
        printf("%d by %d pixels, two strokes: %zu pixels are wrong\n", WIDTH, HEIGHT, wrong);
    s3svm_image_free(&photograph);
    s3svm_dialogue_free(marks);
    free(truth);
    free(labels);
    return status || wrong > PIXELS / 100;
}

int main(int argc, char *argv[])
{
    if (argc == 1) return demonstrate();
    if (argc == 4) return run(argv[1], argv[2], argv[3]);
    return fprintf(stderr, "cutout PHOTO SCRIBBLES CUTOUT.png\n"), 2;
}
