/* restore.c - a black and white drawing in heavy noise, restored with the Generic Cuts prior (Arora and others, "Generic cuts",
 * ECCV 2012): every patch of 2x2 pixels costs lambda times the square root of how many of its 4 edges differ.
 *
 *     restore [FILE.png]        writes original, noisy and restored side by side */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <png.h>
#include <sos/sos.h>

enum { WIDTH = 400, HEIGHT = 200, PIXELS = WIDTH * HEIGHT, GAP = 4, PANELS = 3, PICTURE_WIDTH = PANELS * WIDTH + 2 * GAP };

static const double SIGMA = 0.5;   /* of the noise; black is 0, white is 1 */
static const double LAMBDA = 0.7;  /* of the prior, in units of the data costs */
static const double SCALE = 10000; /* costs are rounded to integers of this many to the unit, so the proof is exact */

/* The drawing: white, with black strokes wherever a shape passes within half its width. */

static double distance_to_line(double x, double y, const double p[4])
{
    const double dx = p[2] - p[0], dy = p[3] - p[1];
    const double t = fmin(1, fmax(0, ((x - p[0]) * dx + (y - p[1]) * dy) / (dx * dx + dy * dy)));
    return hypot(x - p[0] - t * dx, y - p[1] - t * dy);
}

static double distance_to_circle(double x, double y, const double c[3]) { return fabs(hypot(x - c[0], y - c[1]) - c[2]); }

/* Vertical distance over the slope: near enough to the distance from a gentle curve. */
static double distance_to_curve(double x, double y)
{
    const double height = 160 + 14 * sin(x / 22), slope = 14.0 / 22 * cos(x / 22);
    return fabs(y - height) / sqrt(1 + slope * slope);
}

static bool is_black(double x, double y)
{
    static const double lines[][4] = { { 40, 130, 40, 70 },    { 40, 70, 90, 30 },    { 90, 30, 140, 70 },
                                       { 140, 70, 140, 130 },  { 40, 130, 140, 130 }, { 30, 78, 90, 30 },
                                       { 150, 78, 90, 30 },    { 230, 135, 230, 85 }, { 300, 130, 385, 45 },
                                       { 330, 140, 390, 140 }, { 300, 20, 330, 40 } };
    static const double circles[][3] = { { 230, 62, 26 }, { 345, 85, 22 }, { 270, 110, 12 } };
    static const double discs[][3] = { { 365, 28, 14 }, { 66, 100, 11 }, { 185, 40, 9 } };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (distance_to_line(x, y, lines[i]) < 3) return true;
    for (size_t i = 0; i < sizeof circles / sizeof *circles; i++)
        if (distance_to_circle(x, y, circles[i]) < 3) return true;
    for (size_t i = 0; i < sizeof discs / sizeof *discs; i++)
        if (hypot(x - discs[i][0], y - discs[i][1]) < discs[i][2]) return true;
    const bool door = x > 96 && x < 120 && y > 92 && y < 130;
    return door || distance_to_curve(x, y) < 3.5 || y > 188;
}

/* Marsaglia's xorshift, and normal numbers by the polar method. */
static double uniform(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    double x, y, q;
    do {
        x = 2 * uniform(state) - 1;
        y = 2 * uniform(state) - 1;
        q = x * x + y * y;
    } while (q >= 1 || q == 0);
    return x * sqrt(-2 * log(q) / q);
}

/* Pixel (dx, dy) of a patch is bit 2 dy + dx. */
static void prior(double table[16])
{
    static const int edges[4][2] = { { 0, 1 }, { 2, 3 }, { 0, 2 }, { 1, 3 } };
    for (int S = 0; S < 16; S++) {
        int differing = 0;
        for (int k = 0; k < 4; k++) differing += (S >> edges[k][0] & 1) != (S >> edges[k][1] & 1);
        table[S] = rint(SCALE * LAMBDA * sqrt(differing));
    }
}

/* E(y) = sum_i (x_i - y_i)^2 + lambda sum_C sqrt(differing edges of C). */
static sos_status restore(const double noisy[], uint8_t labels[], sos_minimize_result *result, sos_error *error)
{
    static double cost0[PIXELS], cost1[PIXELS];
    double table[16];
    sos_energy *e = NULL;
    uint32_t number;
    for (int i = 0; i < PIXELS; i++) {
        cost0[i] = rint(SCALE * noisy[i] * noisy[i]);
        cost1[i] = rint(SCALE * (1 - noisy[i]) * (1 - noisy[i]));
    }
    prior(table);
    sos_status status = sos_energy_create(PIXELS, &e, error);
    if (!status) status = sos_energy_set_unaries(e, cost0, cost1, error);
    if (!status) status = sos_energy_add_table(e, 4, table, &number, error);
    if (!status) status = sos_energy_add_patches(e, number, WIDTH, HEIGHT, 2, 2, NULL, error);
    if (!status) status = sos_minimize(e, NULL, labels, result, error);
    sos_energy_free(e);
    return status;
}

static bool picture_write(const char *path, uint8_t picture[])
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = PICTURE_WIDTH;
    image.height = HEIGHT;
    image.format = PNG_FORMAT_GRAY;
    if (png_image_write_to_file(&image, path, 0, picture, 0, NULL)) return true;
    fprintf(stderr, "cannot write '%s': %s\n", path, image.message);
    return false;
}

static void picture_set(uint8_t picture[], int panel, int i, double shade)
{
    const int x = panel * (WIDTH + GAP) + i % WIDTH, y = i / WIDTH;
    picture[y * PICTURE_WIDTH + x] = (uint8_t)lrint(255 * fmin(1, fmax(0, shade)));
}

static double seconds_now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char *argv[])
{
    static uint8_t original[PIXELS], labels[PIXELS], picture[PICTURE_WIDTH * HEIGHT];
    static double noisy[PIXELS];
    uint64_t state = UINT64_C(0x853c49e6748fea9b);
    for (int i = 0; i < PIXELS; i++) {
        original[i] = !is_black(i % WIDTH + 0.5, i / WIDTH + 0.5);
        noisy[i] = original[i] + SIGMA * normal(&state);
    }

    sos_minimize_result result;
    sos_error error;
    const double started = seconds_now();
    if (restore(noisy, labels, &result, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    const double seconds = seconds_now() - started;

    int wrong_before = 0, wrong_after = 0;
    memset(picture, 160, sizeof picture);
    for (int i = 0; i < PIXELS; i++) {
        wrong_before += original[i] != (noisy[i] > 0.5);
        wrong_after += original[i] != labels[i];
        picture_set(picture, 0, i, original[i]);
        picture_set(picture, 1, i, noisy[i]);
        picture_set(picture, 2, i, labels[i]);
    }
    printf("image        %d x %d pixels, Gaussian noise of %g of the range\n", WIDTH, HEIGHT, SIGMA);
    printf("wrong pixels %.2f %% where each pixel decides alone, %.2f %% restored\n", 100.0 * wrong_before / PIXELS,
           100.0 * wrong_after / PIXELS);
    printf("energy       %.0f, lower bound %.0f: %s\n", result.energy, result.lower_bound,
           result.energy == result.lower_bound ? "proven minimum" : "not proven");
    printf("time         %.1f ms (%d cliques of 4 pixels)\n", 1000 * seconds, (WIDTH - 1) * (HEIGHT - 1));
    const char *path = argc > 1 ? argv[1] : "restore.png";
    if (!picture_write(path, picture)) return 1;
    printf("picture      %s: original, noisy, restored\n", path);
    return result.energy == result.lower_bound ? 0 : 1;
}
