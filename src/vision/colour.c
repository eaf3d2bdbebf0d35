#include "vision/colour.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "vision/filter.h"

/* ---------------------------------------------------------------- Lab */

/* The root x^(1/p) of x in (0, 1] by Newton's iteration from above, which falls until rounding stops it. */
static double root(double x, int p)
{
    double y = 1;
    for (int i = 0; i < 64; i++) {
        double power = 1;
        for (int k = 1; k < p; k++) power *= y;
        const double next = y - (power * y - x) / (p * power);
        if (!(next < y)) break;
        y = next;
    }
    return y;
}

/* A value of sRGB as an amount of light; t^2.4 = t^2 (t^2)^(1/5). */
static double linear(int value)
{
    const double v = value / 255.0, t = (v + 0.055) / 1.055;
    return v <= 0.04045 ? v / 12.92 : t * t * root(t * t, 5);
}

/* A guess from the exponent and two steps of Halley's iteration, each of which cubes the error.  Read as integers, bits are
 * about 2^52 (log2 x + 1023), so a third of them and 2/3 * 1023 * 2^52 are the root; a little less halves the error, to 5 %. */
static double cube_root(double x)
{
    uint64_t bits;
    double y;
    memcpy(&bits, &x, sizeof bits);
    bits = bits / 3 + (UINT64_C(715094163) << 32);
    memcpy(&y, &bits, sizeof y);
    for (int i = 0; i < 2; i++) {
        const double cube = y * y * y;
        y *= (cube + 2 * x) / (2 * cube + x);
    }
    return y;
}

static double lightness(double t) { return t > 216.0 / 24389 ? cube_root(t) : (t * 24389 / 27 + 16) / 116; }

/* Rows of the matrix from linear sRGB to XYZ, each divided by its sum: white is (1, 1, 1). */
static const double TO_XYZ[9] = { 0.4124564, 0.3575761, 0.1804375, 0.2126729, 0.7151522,
                                  0.0721750, 0.0193339, 0.1191920, 0.9503041 };

static void lab_pixel(const double matrix[9], double r, double g, double b, float lab[3])
{
    double f[3];
    for (int i = 0; i < 3; i++) f[i] = lightness(matrix[3 * i] * r + matrix[3 * i + 1] * g + matrix[3 * i + 2] * b);
    lab[0] = (float)(116 * f[1] - 16);
    lab[1] = (float)(500 * (f[0] - f[1]));
    lab[2] = (float)(200 * (f[1] - f[2]));
}

static void lab_row(const s3svm_image *image, const double light[256], const double matrix[9], size_t y, float lab[])
{
    const size_t step = image->channels;
    const uint8_t *pixel = image->pixels + y * image->width * step;
    const size_t green = step == 3 ? 1 : 0, blue = step == 3 ? 2 : 0;
    for (size_t x = 0; x < image->width; x++, pixel += step, lab += 3)
        lab_pixel(matrix, light[pixel[0]], light[pixel[green]], light[pixel[blue]], lab);
}

enum { LAB_THREADS_FROM = 1 << 16 }; /* pixels, likewise as fast as waking other threads */

sos_status s3svm_colour_lab(const s3svm_image *image, int threads, float lab[], sos_error *error)
{
    if (!image || !image->pixels || !lab) return sos_fail(error, SOS_ERR_ARGUMENT, "no image or no place for its colours");
    if (image->channels != 1 && image->channels != 3)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the colours of an image of %zu channels", image->channels);
    double light[256], matrix[9];
    for (int v = 0; v < 256; v++) light[v] = linear(v);
    for (int i = 0; i < 3; i++) {
        const double white = TO_XYZ[3 * i] + TO_XYZ[3 * i + 1] + TO_XYZ[3 * i + 2];
        for (int j = 0; j < 3; j++) matrix[3 * i + j] = TO_XYZ[3 * i + j] / white;
    }
    const int workers = s3svm_image_size(image) > LAB_THREADS_FROM ? sos_thread_count(threads) : 1;
    (void)workers;
#pragma omp parallel for num_threads(workers) if (workers > 1)
    for (size_t y = 0; y < image->height; y++) lab_row(image, light, matrix, y, lab + 3 * y * image->width);
    return SOS_OK;
}

/* ---------------------------------------------------------------- blur */

enum {
    RADIUS_MAX = 4096,
    CHANNELS_MAX = 64,
    THREADS_FROM = 1 << 14 /* pixels; fewer are done before other threads have woken up */
};
static const double SIGMA_LEAST = 1e-3; /* less changes nothing: the weight of a neighbour is e^-500000 */

/* The blur along a row, in place; padded has room for a copy of it with radius pixels more on either side. */
static void blur_row(size_t width, size_t channels, size_t radius, const float kernel[], float padded[], float row[])
{
    float *middle = padded + radius * channels;
    memcpy(middle, row, width * channels * sizeof *row);
    for (size_t i = 1; i <= radius; i++) {
        memcpy(middle - i * channels, row, channels * sizeof *row);
        memcpy(middle + (width + i - 1) * channels, row + (width - 1) * channels, channels * sizeof *row);
    }
    for (size_t x = 0; x < width * channels; x++) row[x] = kernel[0] * middle[x];
    for (size_t i = 1; i <= radius; i++) {
        const float *before = middle - i * channels, *after = middle + i * channels;
        for (size_t x = 0; x < width * channels; x++) row[x] += kernel[i] * (before[x] + after[x]);
    }
}

/* The blur along columns, for one row: out is a row of the new image, rows of the old one are added to it. */
static void blur_column(size_t width, size_t height, size_t radius, const float kernel[], size_t y, const float old[],
                        float out[])
{
    for (size_t x = 0; x < width; x++) out[x] = kernel[0] * old[y * width + x];
    for (size_t i = 1; i <= radius; i++) {
        const float *before = old + (y > i ? y - i : 0) * width, *after = old + (y + i < height ? y + i : height - 1) * width;
        for (size_t x = 0; x < width; x++) out[x] += kernel[i] * (before[x] + after[x]);
    }
}

static void blur(size_t width, size_t height, size_t channels, size_t radius, const float kernel[], int workers, float *padded,
                 float old[], float values[])
{
    const size_t row = width * channels, padded_row = (width + 2 * radius) * channels;
    (void)workers;
#pragma omp parallel for num_threads(workers) if (workers > 1)
    for (int w = 0; w < workers; w++)
        for (size_t y = height * (size_t)w / (size_t)workers; y < height * ((size_t)w + 1) / (size_t)workers; y++)
            blur_row(width, channels, radius, kernel, padded + (size_t)w * padded_row, values + y * row);
    memcpy(old, values, height * row * sizeof *old);
#pragma omp parallel for num_threads(workers) if (workers > 1)
    for (size_t y = 0; y < height; y++) blur_column(row, height, radius, kernel, y, old, values + y * row);
}

sos_status s3svm_colour_blur(size_t width, size_t height, size_t channels, double sigma, int threads, float values[],
                             sos_error *error)
{
    if (!width || !height || width > S3SVM_IMAGE_SIDE_MAX || height > S3SVM_IMAGE_PIXELS_MAX / width || !channels ||
        channels > CHANNELS_MAX)
        return sos_fail(error, SOS_ERR_RANGE, "a blur of %zu by %zu pixels of %zu channels", width, height, channels);
    if (!(sigma >= 0 && sigma * S3SVM_GAUSS_SIGMAS <= RADIUS_MAX) || !values)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a blur of sigma %g", sigma);
    if (sigma < SIGMA_LEAST) return SOS_OK;
    const size_t radius = s3svm_gauss_reach(sigma);
    const int workers = width * height > THREADS_FROM ? sos_thread_count(threads) : 1;
    float *kernel = malloc((radius + 1) * sizeof *kernel);
    float *padded = malloc((size_t)workers * (width + 2 * radius) * channels * sizeof *padded);
    float *old = malloc(width * height * channels * sizeof *old);
    sos_status status = SOS_OK;
    if (kernel && padded && old) {
        s3svm_gauss_kernel(sigma, radius, kernel);
        blur(width, height, channels, radius, kernel, workers, padded, old, values);
    } else {
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a blur of %zu by %zu pixels", width, height);
    }
    free(old);
    free(padded);
    free(kernel);
    return status;
}
