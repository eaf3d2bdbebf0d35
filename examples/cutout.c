/* cutout.c - an object, cut out of a photograph by a few strokes.
 *
 *     cutout PHOTO SCRIBBLES CUTOUT.png      red strokes on the object, blue ones around it
 *     cutout                                 draws a photograph and strokes of its own, and says how well it went */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/cutout.h>
#include <s3svm/embedded.h>

/* The model that the library carries inside; NULL, which means GrabCut, in a library that cannot read models. */
static sos_segment_model *model_inside(void)
{
    sos_model *file = NULL;
    sos_segment_model *model = NULL;
    sos_error error;
    sos_status status = sos_embedded_model("segment", &file, &error);
    if (!status) status = sos_segment_model_create(file, &model, &error);
    if (status) fprintf(stderr, "%s: GrabCut is used\n", error.message);
    sos_model_free(file);
    return model;
}

static sos_status label(const sos_image *photograph, const sos_image *marks, uint8_t labels[], sos_error *error)
{
    sos_segment_model *model = model_inside(); /* once for any number of photographs, on any number of threads */
    const sos_status status = sos_cutout_segment(model, photograph, marks, NULL, labels, NULL, error);
    sos_segment_model_free(model);
    return status;
}

/* ---- from files ---- */

static sos_status cut_out(const sos_image *photograph, const sos_image *marks, const char *path, sos_error *error)
{
    sos_image cutout = { 0 };
    uint8_t *labels = malloc(sos_image_size(photograph));
    if (!labels) return snprintf(error->message, sizeof error->message, "no memory"), SOS_ERR_MEMORY;
    sos_status status = label(photograph, marks, labels, error);
    if (!status) status = sos_cutout_matte(photograph, labels, sos_cutout_edge(sos_image_size(photograph)), 0, &cutout, error);
    if (!status) status = sos_image_write(&cutout, path, error);
    sos_image_free(&cutout);
    free(labels);
    return status;
}

static int run(const char *photograph_path, const char *scribbles_path, const char *cutout_path)
{
    sos_image photograph = { 0 }, marks = { 0 };
    sos_scribbles_found found;
    sos_error error;
    sos_status status = sos_image_read(photograph_path, SOS_IMAGE_COLOUR, &photograph, &error);
    if (!status) status = sos_scribbles_read(scribbles_path, &photograph, NULL, &marks, &found, &error);
    if (!status) status = cut_out(&photograph, &marks, cutout_path, &error);
    sos_image_free(&photograph);
    sos_image_free(&marks);
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
static void draw(sos_image *photograph, uint8_t truth[])
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
static void stroke(sos_image *marks, size_t left, size_t right, size_t top, uint8_t mark)
{
    for (size_t y = top; y < top + 5; y++) memset(marks->pixels + y * WIDTH + left, mark, right - left);
}

static int demonstrate(void)
{
    sos_image photograph = { 0 }, marks = { 0 };
    uint8_t *truth = malloc(PIXELS), *labels = malloc(PIXELS);
    sos_error error = { SOS_ERR_MEMORY, "no memory" };
    size_t wrong = 0;
    sos_status status = truth && labels ? SOS_OK : SOS_ERR_MEMORY;
    if (!status) status = sos_image_create(WIDTH, HEIGHT, 3, &photograph, &error);
    if (!status) status = sos_image_create(WIDTH, HEIGHT, 1, &marks, &error);
    if (!status) {
        draw(&photograph, truth);
        stroke(&marks, 100, 150, 95, SOS_MARK_OBJECT);
        stroke(&marks, 20, 220, 15, SOS_MARK_BACKGROUND);
        status = label(&photograph, &marks, labels, &error);
    }
    for (size_t i = 0; i < PIXELS && !status; i++) wrong += labels[i] != truth[i];
    if (status)
        fprintf(stderr, "%s\n", error.message);
    else
        printf("%d by %d pixels, two strokes: %zu pixels are wrong\n", WIDTH, HEIGHT, wrong);
    sos_image_free(&photograph);
    sos_image_free(&marks);
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
