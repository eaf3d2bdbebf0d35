/* learn.c - a prior on 2x2 patches, learned from pairs of clean and noisy drawings (docs/learning.md explains it).
 *
 *     learn [MODEL.json]
 *
 * Eight drawings to learn from, eight to choose C by, eight to judge by.  All patches share one table of 16 costs; the
 * symmetries of the square and of exchanging black and white leave three weights of them. */
#include <stdio.h>
#include <stdlib.h>

#include <sos/sos.h>

enum { WIDTH = 24, HEIGHT = 18, PIXELS = WIDTH * HEIGHT, DRAWINGS = 8 };

static int failed(const sos_error *error)
{
    fprintf(stderr, "learn: %s\n", error->message);
    return EXIT_FAILURE;
}

/* Uniform in [0, 1), the same everywhere. */
static double uniform(unsigned long long *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*state >> 11) * 0x1p-53;
}

/* White rectangles on black ground, and a noisy reading of every pixel. */
static void draw(unsigned long long *state, uint8_t truth[], double reading[])
{
    for (int i = 0; i < PIXELS; i++) truth[i] = 0;
    for (int rectangle = 0; rectangle < 3; rectangle++) {
        const int x0 = (int)(uniform(state) * (WIDTH - 8)), y0 = (int)(uniform(state) * (HEIGHT - 6));
        for (int y = y0; y < y0 + 6; y++)
            for (int x = x0; x < x0 + 8; x++) truth[y * WIDTH + x] = 1;
    }
    for (int i = 0; i < PIXELS; i++) reading[i] = truth[i] + 3 * (uniform(state) - 0.5);
}

/* Two features per pixel: 1, and the reading.  Every 2x2 patch is a clique of the table group. */
static sos_status example_fill(sos_example *x, uint32_t pixel, uint32_t patch, const double reading[], sos_error *error)
{
    double value[2 * PIXELS];
    for (size_t i = 0; i < PIXELS; i++) {
        value[2 * i] = 1;
        value[2 * i + 1] = reading[i];
    }
    const sos_status status = sos_example_set_dense_features(x, pixel, value, 2, 1, error);
    return status ? status : sos_example_add_patches(x, patch, WIDTH, HEIGHT, 2, 2, NULL, error);
}

/* Draws examples with their truths; *threshold becomes the error of cutting readings at 1/2. */
static sos_status examples_make(const sos_model *m, unsigned long long seed, sos_example *examples[], double *threshold,
                                sos_error *error)
{
    uint8_t truth[PIXELS];
    double reading[PIXELS];
    size_t wrong = 0;
    sos_status status = SOS_OK;
    for (int i = 0; !status && i < DRAWINGS; i++) {
        draw(&seed, truth, reading);
        for (int p = 0; p < PIXELS; p++) wrong += (reading[p] > 0.5) != truth[p];
        status = sos_example_create(m, PIXELS, &examples[i], error);
        if (!status) status = example_fill(examples[i], 0, 1, reading, error);
        if (!status) status = sos_example_set_scale(examples[i], 1.0 / PIXELS, error); /* C then means the same for all sizes */
        if (!status) status = sos_example_set_truth(examples[i], truth, NULL, error);
    }
    *threshold = (double)wrong / (DRAWINGS * PIXELS);
    return status;
}

static sos_status model_make(sos_model **m, sos_error *error)
{
    uint32_t number;
    sos_status status = sos_model_create(2, m, error);
    if (!status)
        status = sos_model_add_group(*m, &(sos_group){ .name = "pixel", .kind = SOS_GROUP_FREE, .size = 2 }, &number, error);
    if (!status)
        status = sos_model_add_group(*m,
                                     &(sos_group){ .name = "patch",
                                                   .kind = SOS_GROUP_TABLE,
                                                   .size = 4,
                                                   .anchored = true,
                                                   .swap = true,
                                                   .patch_width = 2,
                                                   .patch_height = 2 },
                                     &number, error);
    return status;
}

int main(int argc, char *argv[])
{
    static const double values[] = { 10, 100, 1000 };
    sos_model *m = NULL;
    sos_example *train[DRAWINGS] = { NULL }, *choose[DRAWINGS] = { NULL }, *judge[DRAWINGS] = { NULL };
    sos_train_settings settings = sos_train_defaults();
    sos_path_point path[3];
    sos_error error;
    double threshold, learned, table[16];
    size_t best;
    settings.gap = 0.01;
    if (model_make(&m, &error) || examples_make(m, 1, train, &threshold, &error) ||
        examples_make(m, 2, choose, &threshold, &error) || examples_make(m, 3, judge, &threshold, &error) ||
        sos_train_path(m, DRAWINGS, train, DRAWINGS, choose, 3, values, &settings, path, &best, &error) ||
        sos_evaluate(m, DRAWINGS, judge, NULL, NULL, &learned, &error))
        return failed(&error);
    printf("C = %g, gap %.3f after %zu rounds\n", path[best].C, path[best].result.last.gap, path[best].result.last.round);
    printf("wrong pixels of drawings not seen: %.1f %% by threshold, %.1f %% learned\n", 100 * threshold, 100 * learned);
    sos_model_table(m, 1, 0, table);
    printf("a corner costs %.3f, an edge %.3f, a diagonal %.3f\n", table[1], table[3], table[6]);
    if (argc > 1 && sos_model_write(m, argv[1], &error)) return failed(&error);
    for (int i = 0; i < DRAWINGS; i++) {
        sos_example_free(train[i]);
        sos_example_free(choose[i]);
        sos_example_free(judge[i]);
    }
    sos_model_free(m);
    return learned < threshold / 2 ? EXIT_SUCCESS : EXIT_FAILURE;
}
