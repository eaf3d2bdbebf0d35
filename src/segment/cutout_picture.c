/* cutout_picture.c - labels as pictures: the object with a soft edge, and the photograph with the outline on it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/cutout.h>

#include "base/elementary.h"
#include "base/error.h"
#include "base/threads.h"
#include "vision/distance.h"
#include "vision/marks.h"

static uint8_t byte_of(double x) { return x > 0 ? (uint8_t)(x < 255 ? x + 0.5 : 255) : 0; }

/* ---------------------------------------------------------------- how far from the outline */

enum { DEPTH_UNIT = 8 }; /* depths are counted in eighths of a pixel, up to 255 */

/* From the middle of each pixel to the outline, which runs between pixels of different labels. */
static sos_status depths_find(const s3svm_image *image, const uint8_t labels[], int threads, uint8_t depths[], sos_error *error)
{
    const size_t n = s3svm_image_size(image);
    float *distances = malloc(n * sizeof *distances);
    uint8_t *mask = malloc(n);
    sos_status status = SOS_OK;
    if (!distances || !mask)
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for the edge of %zu by %zu pixels", image->width, image->height);
    for (uint8_t side = 0; side < 2 && !status; side++) {
        for (size_t i = 0; i < n; i++) mask[i] = labels[i] != side;
        status = s3svm_distance_euclidean(image->width, image->height, mask, threads, distances, error);
        for (size_t i = 0; i < n && !status; i++)
            if (labels[i] == side) depths[i] = (uint8_t)fminf(255, (distances[i] - 0.5F) * DEPTH_UNIT);
    }
    free(distances);
    free(mask);
    return status;
}

/* ---------------------------------------------------------------- soft edges
 *
 * A pixel near the outline is I = alpha F + (1 - alpha) B.  F and B are means of the colours of object and background around
 * it, in which pixels count the more the deeper they lie on their side.  Along the line from B to F,
 *
 *     t = (I - B).(F - B) / |F - B|^2
 *
 * is alpha but for an error of variance v = (alpha var F + (1 - alpha) var B + noise + r) / |F - B|^2, the variances being
 * those of colours along the line and r the squared distance of I from it: a colour that is no mixture of F and B, such as a
 * glint, says little.  The outline alone says alpha = a, the part of a small neighbourhood that is labelled object, with an
 * error whose variance p goes to 0 at the end of the band.  Together: alpha = (t / v + a / p) / (1 / v + 1 / p).  So where
 * object and background look alike the outline decides, and where they do not the colours.  Work and memory are linear. */

enum { GRID = 6, GRID_SIDE = 2 * GRID + 1 }; /* samples around a pixel to each side */

static const double NOISE = 16;    /* variance of a colour of which nothing is known: 4 grey values */
static const double OUTLINE = 0.1; /* variance of the alpha that the outline gives, at the outline: it may be 0.3 off */
static const double FAINT = 0.02;  /* as little opacity, or transparency, is none: nobody sees 5 of 255 */
static const double SAME = 1;      /* squared distance of object and background below which colours tell nothing */

/* The band is a 250th of the side of a square photograph, as lenses blur: 3 pixels, of small ones, to 12. */
static const double EDGE_SHARE = 250, EDGE_LEAST = 3, EDGE_MOST = 12;

/* Edges that can be asked for, and pixels that the neighbourhood reaches then. */
static const double EDGE_MIN = 0.5, EDGE_MAX = 16;
enum { BLUR_MOST = 16 };

typedef struct matte {
    const s3svm_image *image;   /* what is seen */
    const s3svm_picture *whole; /* with what it has besides */
    const uint8_t *labels, *depths;
    double edge;
    ptrdiff_t stride;                  /* of the grid */
    double near[GRID_SIDE][GRID_SIDE]; /* how much the samples count by their distance */
    ptrdiff_t blur;                    /* reach of the neighbourhood that gives a */
    double kernel[2 * BLUR_MOST + 1];
} matte;

/* The colours of one side around a pixel. */
typedef struct side {
    double weight, mean[3], variance;
} side;

typedef struct sample {
    double weight;
    const uint8_t *colour;
    uint8_t label;
} sample;

double s3svm_cutout_edge(size_t pixels) { return fmax(EDGE_LEAST, fmin(EDGE_MOST, sqrt((double)pixels) / EDGE_SHARE)); }

static matte matte_begin(const s3svm_picture *whole, const s3svm_image *image, const uint8_t labels[], const uint8_t depths[],
                         double edge)
{
    matte m = { .image = image, .whole = whole, .labels = labels, .depths = depths, .edge = edge };
    const double reach = 2 * edge + 2, sigma = edge / 3;
    m.stride = (ptrdiff_t)ceil(reach / GRID);
    for (int y = -GRID; y <= GRID; y++)
        for (int x = -GRID; x <= GRID; x++) {
            const double squared = (double)(x * x + y * y) * (double)(m.stride * m.stride);
            m.near[y + GRID][x + GRID] = sos_exp(-2 * squared / (reach * reach));
        }
    m.blur = (ptrdiff_t)fmin(BLUR_MOST, ceil(2.5 * sigma));
    for (ptrdiff_t k = -m.blur; k <= m.blur; k++) m.kernel[k + m.blur] = sos_exp(-(double)(k * k) / (2 * sigma * sigma));
    return m;
}

/* The number of the pixel at (x + dx, y + dy), or of the nearest one in the picture. */
static size_t pixel_at(const matte *m, ptrdiff_t x, ptrdiff_t y)
{
    const ptrdiff_t right = (ptrdiff_t)m->image->width - 1, bottom = (ptrdiff_t)m->image->height - 1;
    x = x < 0 ? 0 : x > right ? right : x;
    y = y < 0 ? 0 : y > bottom ? bottom : y;
    return (size_t)y * m->image->width + (size_t)x;
}

static void samples_take(const matte *m, ptrdiff_t x, ptrdiff_t y, sample samples[GRID_SIDE * GRID_SIDE])
{
    const double most = (m->edge + 1) * DEPTH_UNIT;
    for (ptrdiff_t dy = -GRID; dy <= GRID; dy++)
        for (ptrdiff_t dx = -GRID; dx <= GRID; dx++) {
            const size_t j = pixel_at(m, x + dx * m->stride, y + dy * m->stride);
            const double depth = fmin(m->depths[j], most) / most;
            *samples++ = (sample){ m->near[dy + GRID][dx + GRID] * depth * depth * depth, m->image->pixels + 3 * j,
                                   m->labels[j] };
        }
}

static void means_find(const sample samples[], side sides[2])
{
    for (int k = 0; k < GRID_SIDE * GRID_SIDE; k++) {
        side *s = &sides[samples[k].label];
        s->weight += samples[k].weight;
        for (int c = 0; c < 3; c++) s->mean[c] += samples[k].weight * samples[k].colour[c];
    }
    for (int l = 0; l < 2; l++)
        for (int c = 0; c < 3 && sides[l].weight > 0; c++) sides[l].mean[c] /= sides[l].weight;
}

/* Variances along a line of so much squared length. */
static void variances_find(const sample samples[], const double line[3], double squared, side sides[2])
{
    for (int k = 0; k < GRID_SIDE * GRID_SIDE; k++) {
        side *s = &sides[samples[k].label];
        double along = 0;
        for (int c = 0; c < 3; c++) along += (samples[k].colour[c] - s->mean[c]) * line[c];
        s->variance += samples[k].weight * along * along / squared;
    }
    for (int l = 0; l < 2; l++)
        if (sides[l].weight > 0) sides[l].variance /= sides[l].weight;
}

/* How much of the neighbourhood is labelled object. */
static double share_find(const matte *m, ptrdiff_t x, ptrdiff_t y)
{
    double sum = 0, object = 0;
    for (ptrdiff_t dy = -m->blur; dy <= m->blur; dy++)
        for (ptrdiff_t dx = -m->blur; dx <= m->blur; dx++) {
            const double weight = m->kernel[dy + m->blur] * m->kernel[dx + m->blur];
            sum += weight;
            if (m->labels[pixel_at(m, x + dx, y + dy)]) object += weight;
        }
    return object / sum;
}

static double alpha_find(const matte *m, const sample samples[], size_t i, double share, side sides[2])
{
    const double ratio = fmin(1, m->depths[i] / (m->edge * DEPTH_UNIT)), prior = OUTLINE * (1 - ratio * ratio) + 1e-9;
    double line[3], squared = 0, along = 0, distance = 0;
    for (int c = 0; c < 3; c++) {
        const double off = m->image->pixels[3 * i + (size_t)c] - sides[0].mean[c];
        line[c] = sides[1].mean[c] - sides[0].mean[c];
        squared += line[c] * line[c];
        along += off * line[c];
        distance += off * off;
    }
    if (squared < SAME || !(sides[0].weight > 0 && sides[1].weight > 0)) return share;
    variances_find(samples, line, squared, sides);
    const double t = along / squared, r = fmax(0, distance - t * along);
    const double v = (share * sides[1].variance + (1 - share) * sides[0].variance + NOISE + r) / squared;
    const double alpha = (t / v + share / prior) / (1 / v + 1 / prior);
    return alpha < FAINT ? 0 : alpha > 1 - FAINT ? 1 : alpha;
}

/* F = (I - (1 - alpha) B) / alpha; where alpha is small that is mostly noise, and the mean of the object is better. */
static void colour_find(double colour[3], double alpha, const side sides[2])
{
    const double trust = alpha * alpha * (3 - 2 * alpha);
    for (int c = 0; c < 3; c++) {
        const double pure = alpha > 0 ? (colour[c] - (1 - alpha) * sides[0].mean[c]) / alpha : sides[1].mean[c];
        const double inside = fmax(0, fmin(255, pure));
        colour[c] = trust * inside + (1 - trust) * sides[1].mean[c];
    }
}

enum { DEEP_UNIT = 257 }; /* of 16 bits, what a step of 8 is */

/* A pixel as its file has it: colours of 0 ... 255, and whether it is opaque. */
static bool own_get(const matte *m, size_t i, double colour[3])
{
    const s3svm_picture *w = m->whole;
    const size_t at = i * w->image.channels;
    for (size_t c = 0; c < 3; c++) colour[c] = w->deep ? (double)w->deep[at + c] / DEEP_UNIT : w->image.pixels[at + c];
    return w->image.channels == 3 || (w->deep ? w->deep[at + 3] == UINT16_MAX : w->image.pixels[at + 3] == UINT8_MAX);
}

static uint16_t word_of(double x) { return x > 0 ? (uint16_t)(x < UINT16_MAX ? x + 0.5 : UINT16_MAX) : 0; }

/* Opacity is never more than that of the photograph. */
static void result_put(const matte *m, size_t i, const double colour[3], double alpha, s3svm_picture *out)
{
    const s3svm_picture *w = m->whole;
    uint8_t *to = out->image.pixels + 4 * i, opacity = byte_of(255 * alpha);
    const bool limited = w->image.channels == 4;
    for (int c = 0; c < 3; c++) to[c] = byte_of(colour[c]);
    to[3] = limited && w->image.pixels[4 * i + 3] < opacity ? w->image.pixels[4 * i + 3] : opacity;
    if (!out->deep) return;
    uint16_t *deep = out->deep + 4 * i, fine = word_of(UINT16_MAX * alpha);
    for (int c = 0; c < 3; c++) deep[c] = word_of(DEEP_UNIT * colour[c]);
    deep[3] = limited && w->deep[4 * i + 3] < fine ? w->deep[4 * i + 3] : fine;
}

/* Colours of pixels that are not opaque are their file's own: what is seen of them is mixed with white. */
static void matte_pixel(const matte *m, size_t i, s3svm_picture *out)
{
    double colour[3];
    const bool opaque = own_get(m, i, colour);
    if (m->depths[i] >= m->edge * DEPTH_UNIT) {
        if (m->labels[i]) result_put(m, i, colour, 1, out);
        return;
    }
    const ptrdiff_t x = (ptrdiff_t)(i % m->image->width), y = (ptrdiff_t)(i / m->image->width);
    sample samples[GRID_SIDE * GRID_SIDE];
    side sides[2] = { 0 };
    samples_take(m, x, y, samples);
    means_find(samples, sides);
    const double alpha = alpha_find(m, samples, i, share_find(m, x, y), sides);
    if (opaque && byte_of(255 * alpha) < 255 && sides[1].weight > 0 && sides[0].weight > 0) colour_find(colour, alpha, sides);
    result_put(m, i, colour, alpha, out);
}

/* Empty, of the depth and with the profile of another picture. */
static sos_status cutout_create(const s3svm_picture *like, s3svm_picture *out, sos_error *error)
{
    s3svm_picture p = { 0 };
    const sos_status status = s3svm_image_create(like->image.width, like->image.height, 4, &p.image, error);
    if (status) return status;
    if (like->deep) p.deep = calloc(4 * s3svm_image_size(&p.image), sizeof *p.deep);
    if (like->profile) p.profile = malloc(like->profile_length);
    if ((like->deep && !p.deep) || (like->profile && !p.profile)) {
        s3svm_picture_free(&p);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a cut-out of %zu by %zu pixels", like->image.width,
                        like->image.height);
    }
    if (p.profile) memcpy(p.profile, like->profile, p.profile_length = like->profile_length);
    *out = p;
    return SOS_OK;
}

static sos_status matte_make(const s3svm_picture *whole, const s3svm_image *seen, const uint8_t labels[], double edge,
                             int threads, s3svm_picture *out, sos_error *error)
{
    uint8_t *depths = malloc(s3svm_image_size(seen));
    s3svm_picture picture = { 0 };
    sos_status status = depths ? depths_find(seen, labels, threads, depths, error)
                               : sos_fail(error, SOS_ERR_MEMORY, "no memory for the edge");
    if (!status) status = cutout_create(whole, &picture, error);
    if (!status) {
        const int workers = sos_thread_count(threads);
        (void)workers; /* where OpenMP is missing */
        const matte m = matte_begin(whole, seen, labels, depths, edge);
#pragma omp parallel for schedule(dynamic, 16) num_threads(workers) if (workers > 1)
        for (size_t y = 0; y < seen->height; y++)
            for (size_t i = y * seen->width; i < (y + 1) * seen->width; i++) matte_pixel(&m, i, &picture);
        *out = picture;
    }
    free(depths);
    return status;
}

sos_status s3svm_cutout_picture(const s3svm_picture *photograph, const uint8_t labels[], double edge, int threads,
                                s3svm_picture *out, sos_error *error)
{
    if (!photograph || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no photograph or no place for the cut-out was given");
    if (!(edge >= EDGE_MIN && edge <= EDGE_MAX))
        return sos_fail(error, SOS_ERR_ARGUMENT, "an edge of %g pixels; %g to %g are possible", edge, EDGE_MIN, EDGE_MAX);
    s3svm_image own = { 0 };
    const bool opaque = photograph->image.channels != 4;
    sos_status status = opaque ? SOS_OK : s3svm_picture_seen(photograph, &own, error);
    const s3svm_image *seen = opaque ? &photograph->image : &own;
    if (!status) status = s3svm_labels_check(seen, labels, error);
    if (!status) status = matte_make(photograph, seen, labels, edge, threads, out, error);
    s3svm_image_free(&own);
    return status;
}

sos_status s3svm_cutout_matte(const s3svm_image *photograph, const uint8_t labels[], double edge, int threads, s3svm_image *out,
                              sos_error *error)
{
    s3svm_picture picture = { 0 };
    sos_status status = s3svm_labels_check(photograph, labels, error);
    if (!status)
        status = s3svm_cutout_picture(&(s3svm_picture){ .image = *photograph }, labels, edge, threads, &picture, error);
    if (!status) *out = picture.image;
    return status;
}

/* ---------------------------------------------------------------- overlay */

static const uint8_t OBJECT_COLOUR[3] = { 235, 50, 60 }, BACKGROUND_COLOUR[3] = { 40, 110, 235 };
static const uint8_t LINE_LIGHT[3] = { 255, 255, 255 }, LINE_DARK[3] = { 20, 20, 20 };

/* How much of a pixel the lines and the marks cover. */
static const double LIGHT_COVER = 0.95, DARK_COVER = 0.45, MARK_COVER = 0.9;

/* Lines are a pixel thick for every thousand of the longer side, rims of marks a 120th of it, 4 to 24 pixels. */
static const double LINE_SHARE = 1000, RIM_SHARE = 120, RIM_LEAST = 4, RIM_MOST = 24;

static void blend(uint8_t pixel[3], const uint8_t colour[3], double share)
{
    for (int c = 0; c < 3; c++) pixel[c] = byte_of((1 - share) * pixel[c] + share * colour[c]);
}

/* Towards grey, and darker. */
static void dim(uint8_t pixel[3])
{
    const double grey = 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
    for (int c = 0; c < 3; c++) pixel[c] = byte_of(0.42 * (0.35 * pixel[c] + 0.65 * grey) + 14);
}

/* A light line just outside of the object, with a dark one around it: seen on everything. */
static void outline_draw(s3svm_image *image, const uint8_t labels[], const uint8_t depths[], double thickness)
{
    for (size_t i = 0; i < s3svm_image_size(image); i++) {
        const double depth = (double)depths[i] / DEPTH_UNIT;
        uint8_t *pixel = image->pixels + 3 * i;
        if (labels[i]) continue;
        if (depth < thickness)
            blend(pixel, LINE_LIGHT, LIGHT_COVER);
        else if (depth < 2 * thickness)
            blend(pixel, LINE_DARK, DARK_COVER);
    }
}

/* Strokes are drawn whole; of areas, such as trimaps have, only the rim is, so that the picture stays visible. */
static sos_status marks_draw(s3svm_image *image, const s3svm_image *marks, uint8_t kind, const uint8_t colour[3], double rim,
                             int threads, uint8_t mask[], uint8_t depths[], sos_error *error)
{
    const size_t n = s3svm_image_size(image);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += mask[i] = marks->pixels[i] == kind;
    if (!count) return SOS_OK;
    const sos_status status = depths_find(image, mask, threads, depths, error);
    for (size_t i = 0; i < n && !status; i++)
        if (mask[i] && (count < n / 8 || depths[i] < rim * DEPTH_UNIT)) blend(image->pixels + 3 * i, colour, MARK_COVER);
    return status;
}

static sos_status overlay_draw(s3svm_image *image, const uint8_t labels[], const s3svm_image *marks, int threads,
                               uint8_t depths[], uint8_t mask[], sos_error *error)
{
    const size_t longest = image->width > image->height ? image->width : image->height;
    const double thickness = fmax(1, rint((double)longest / LINE_SHARE));
    const double rim = fmin(RIM_MOST, fmax(RIM_LEAST, (double)longest / RIM_SHARE));
    sos_status status = depths_find(image, labels, threads, depths, error);
    if (status) return status;
    for (size_t i = 0; i < s3svm_image_size(image); i++)
        if (!labels[i]) dim(image->pixels + 3 * i);
    outline_draw(image, labels, depths, thickness);
    if (!marks) return SOS_OK;
    status = marks_draw(image, marks, S3SVM_MARK_OBJECT, OBJECT_COLOUR, rim, threads, mask, depths, error);
    if (!status) status = marks_draw(image, marks, S3SVM_MARK_BACKGROUND, BACKGROUND_COLOUR, rim, threads, mask, depths, error);
    return status;
}

sos_status s3svm_cutout_overlay(const s3svm_image *photograph, const uint8_t labels[], const s3svm_image *marks, int threads,
                                s3svm_image *out, sos_error *error)
{
    sos_status status = s3svm_labels_check(photograph, labels, error);
    if (status) return status;
    if (marks && (marks->channels != 1 || marks->width != photograph->width || marks->height != photograph->height))
        return sos_fail(error, SOS_ERR_ARGUMENT, "the marks have another size than the photograph");
    const size_t n = s3svm_image_size(photograph);
    uint8_t *depths = malloc(n), *mask = malloc(n);
    s3svm_image image = { 0 };
    if (!depths || !mask) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for the overlay");
    if (!status) status = s3svm_image_create(photograph->width, photograph->height, 3, &image, error);
    if (!status) {
        memcpy(image.pixels, photograph->pixels, 3 * n);
        status = overlay_draw(&image, labels, marks, threads, depths, mask, error);
    }
    free(depths);
    free(mask);
    if (status)
        s3svm_image_free(&image);
    else
        *out = image;
    return status;
}
