#include "vision/strokes.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "vision/filter.h"

enum {
    ANGLES = 16, /* of half a turn: neighbouring lines of the longest reach end 2.4 pixels apart */
    LEADING = 2, /* number of the reach whose darkest line gives the direction: longer ones leave bent strokes */
    PLAIN = S3SVM_STROKES_REACHES, /* stands for the plane itself among the reaches */
    FLIPS = 4,                     /* bit 0: sides, bit 1: ends */
    HALO = 11,                     /* pixels from a pixel to its farthest probe, and one more to interpolate */
    RUN = 16                       /* pixels in a row whose probes are kept together */
};
/* From a pixel to several strokes, each about 1.6 times the one before; lines twice as long each. */
static const double SIGMAS[S3SVM_STROKES_GAUSSIANS] = { 0.6, 1, 1.5, 2.5, 4, 7 };
static const double REACHES[S3SVM_STROKES_REACHES] = { 1.5, 3, 6, 12 }; /* pixels */

/* A probe: the average along a line of that reach, in the direction found or across it, whose middle lies so far along the
 * direction and aside of it. */
typedef struct probe {
    int reach;
    bool across;
    double along, aside;
} probe;

/* Probes come in mirrored pairs where they are not on an axis, so that flipping the frame permutes them. */
static const probe PROBES[S3SVM_STROKES_PROBES] = {
    { 0, false, 0, 0 },       { 1, false, 0, 0 },       { 2, false, 0, 0 },      { 3, false, 0, 0 },
    { 0, true, 0, 0 },        { 1, true, 0, 0 },        { 2, true, 0, 0 },       { 3, true, 0, 0 },
    { 2, false, 0, 1 },       { 2, false, 0, -1 },      { 2, false, 0, 2 },      { 2, false, 0, -2 },
    { 2, false, 0, 3 },       { 2, false, 0, -3 },      { 2, false, 0, 4.5 },    { 2, false, 0, -4.5 },
    { 2, false, 0, 6.5 },     { 2, false, 0, -6.5 },    { 1, false, 3.5, -1.7 }, { 1, false, 3.5, 0 },
    { 1, false, 3.5, 1.7 },   { 1, false, -3.5, -1.7 }, { 1, false, -3.5, 0 },   { 1, false, -3.5, 1.7 },
    { 1, false, 8, -1.7 },    { 1, false, 8, 0 },       { 1, false, 8, 1.7 },    { 1, false, -8, -1.7 },
    { 1, false, -8, 0 },      { 1, false, -8, 1.7 },    { 2, false, 9.5, 0 },    { 2, false, -9.5, 0 },
    { PLAIN, false, -1, -1 }, { PLAIN, false, -1, 0 },  { PLAIN, false, -1, 1 }, { PLAIN, false, 0, -1 },
    { PLAIN, false, 0, 1 },   { PLAIN, false, 1, -1 },  { PLAIN, false, 1, 0 },  { PLAIN, false, 1, 1 },
    { 0, false, 0, 1 },       { 0, false, 0, -1 },      { 0, false, 0, 2 },      { 0, false, 0, -2 },
    { 0, false, 0, 3 },       { 0, false, 0, -3 },
};
enum { SIDES = 8, SIDES_END = 18, ENDS = 18, ENDS_END = 30 }; /* the probes that tell sides and ends apart */

/* Four neighbouring pixels around a probe, from the pixel it belongs to, and how much each counts. */
typedef struct lookup {
    ptrdiff_t offset;
    float weight[4]; /* here, right, below, below right */
} lookup;

struct s3svm_strokes {
    size_t width, height;
    size_t margin; /* of padded: the halo, and what the longest line needs */
    s3svm_plane padded;
    s3svm_plane gauss[S3SVM_STROKES_GAUSSIANS];
    size_t stride; /* of the planes of line averages: width + 2 HALO */
    lookup lookups[ANGLES][S3SVM_STROKES_PROBES];
    uint8_t flipped[FLIPS][S3SVM_STROKES_PROBES]; /* which probe takes the place of each */
};

static double angle_of(size_t a) { return (double)a / (2 * ANGLES); } /* in turns */

/* Positions are rounded, as the samples of lines are: probes that lie on pixels lie there exactly. */
static double grained(double x) { return rint(x * 0x1p30) / 0x1p30; }

static lookup lookup_at(const probe *p, size_t angle, size_t stride)
{
    const sos_direction d = sos_turn(angle_of(angle));
    const double x = grained(p->along * d.x + p->aside * d.y), y = grained(p->along * d.y - p->aside * d.x);
    const double left = floor(x), top = floor(y), a = x - left, b = y - top;
    return (lookup){ .offset = (ptrdiff_t)top * (ptrdiff_t)stride + (ptrdiff_t)left,
                     .weight = { (float)((1 - a) * (1 - b)), (float)(a * (1 - b)), (float)((1 - a) * b), (float)(a * b) } };
}

static size_t probe_flipped(const probe *p, unsigned flip)
{
    const double along = flip & 2 ? -p->along : p->along, aside = flip & 1 ? -p->aside : p->aside;
    size_t i = 0;
    while (PROBES[i].reach != p->reach || PROBES[i].across != p->across || PROBES[i].along != along || PROBES[i].aside != aside)
        i++;
    return i;
}

static void lookups_make(s3svm_strokes *s)
{
    for (size_t i = 0; i < S3SVM_STROKES_PROBES; i++) {
        for (size_t a = 0; a < ANGLES; a++) s->lookups[a][i] = lookup_at(&PROBES[i], a, s->stride);
        for (unsigned flip = 0; flip < FLIPS; flip++) s->flipped[flip][i] = (uint8_t)probe_flipped(&PROBES[i], flip);
    }
}

void s3svm_strokes_free(s3svm_strokes *s)
{
    if (!s) return;
    s3svm_plane_free(&s->padded);
    for (size_t i = 0; i < S3SVM_STROKES_GAUSSIANS; i++) s3svm_plane_free(&s->gauss[i]);
    free(s);
}

sos_status s3svm_strokes_create(const s3svm_plane *darkness, s3svm_strokes **out, sos_error *error)
{
    s3svm_strokes *s = calloc(1, sizeof *s);
    if (!s) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the strokes of a picture");
    s->width = darkness->width;
    s->height = darkness->height;
    s->margin = HALO + s3svm_line_margin(&(s3svm_line){ .reach = REACHES[S3SVM_STROKES_REACHES - 1] });
    s->stride = s->width + 2 * HALO;
    lookups_make(s);
    sos_status status = s3svm_filter_pad(darkness, s->margin, &s->padded, error);
    for (size_t i = 0; i < S3SVM_STROKES_GAUSSIANS && !status; i++) {
        status = s3svm_plane_create(s->width, s->height, &s->gauss[i], error);
        if (!status) status = s3svm_filter_gauss(darkness, SIGMAS[i], &s->gauss[i], error);
    }
    if (status) {
        s3svm_strokes_free(s);
        return status;
    }
    *out = s;
    return SOS_OK;
}

/* ---------------------------------------------------------------- rows */

/* The averages of some rows along all lines, with a halo on all sides, and the direction of each pixel. */
typedef struct band {
    size_t width, rows, stride;
    float *lines[S3SVM_STROKES_REACHES + 1]
                [ANGLES]; /* where the first pixel of the band lies in each plane; the last row: PLAIN */
    float *memory;
    float *darkest;     /* of the leading lines */
    int32_t *direction; /* as wide as a float, so that both are chosen side by side */
} band;

static void band_free(band *b)
{
    free(b->memory);
    free(b->darkest);
    free(b->direction);
}

static sos_status band_create(const s3svm_strokes *s, size_t rows, band *b, sos_error *error)
{
    *b = (band){ .width = s->width, .rows = rows, .stride = s->stride };
    const size_t size = s->stride * (rows + 2 * HALO), planes = S3SVM_STROKES_REACHES * ANGLES + 1;
    b->memory = malloc(planes * size * sizeof *b->memory);
    b->darkest = malloc(rows * s->width * sizeof *b->darkest);
    b->direction = malloc(rows * s->width * sizeof *b->direction);
    if (!b->memory || !b->darkest || !b->direction) {
        band_free(b);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the strokes of %zu by %zu pixels", s->width, rows);
    }
    const size_t first = HALO * s->stride + HALO;
    for (size_t r = 0; r <= S3SVM_STROKES_REACHES; r++)
        for (size_t a = 0; a < ANGLES; a++)
            b->lines[r][a] = b->memory + (r < PLAIN ? r * ANGLES + a : planes - 1) * size + first;
    return SOS_OK;
}

static sos_status band_fill(const s3svm_strokes *s, size_t first, band *b, sos_error *error)
{
    const s3svm_plane view = { s->padded.width, b->rows + 2 * s->margin, s->padded.values + first * s->padded.width };
    const size_t height = b->rows + 2 * HALO, corner = HALO * b->stride + HALO;
    sos_status status = SOS_OK;
    for (size_t r = 0; r < S3SVM_STROKES_REACHES; r++)
        for (size_t a = 0; a < ANGLES && !status; a++) {
            s3svm_plane out = { b->stride, height, b->lines[r][a] - corner };
            const s3svm_line line = { .angle = angle_of(a), .reach = REACHES[r] };
            status = s3svm_filter_line(&view, s->margin - HALO, &line, &out, error);
        }
    const size_t skip = s->margin - HALO;
    for (size_t y = 0; y < height; y++)
        memcpy(b->lines[PLAIN][0] - corner + y * b->stride, view.values + (y + skip) * view.width + skip,
               b->stride * sizeof *view.values);
    return status;
}

/* The darkest line of the leading reach through each pixel; of equals the first. */
static void directions_find(band *b)
{
    for (size_t y = 0; y < b->rows; y++) {
        float *darkest = b->darkest + y * b->width;
        int32_t *direction = b->direction + y * b->width;
        for (size_t x = 0; x < b->width; x++) {
            darkest[x] = b->lines[LEADING][0][y * b->stride + x];
            direction[x] = 0;
        }
        for (size_t a = 1; a < ANGLES; a++) {
            const float *line = b->lines[LEADING][a] + y * b->stride;
            for (size_t x = 0; x < b->width; x++) {
                const bool better = line[x] > darkest[x];
                darkest[x] = better ? line[x] : darkest[x];
                direction[x] = better ? (int32_t)a : direction[x];
            }
        }
    }
}

/* The darkest and the lightest line of each reach. */
static void extremes_find(const band *b, float *out)
{
    const size_t n = b->rows * b->width;
    for (size_t r = 0; r < S3SVM_STROKES_REACHES; r++, out += 2 * n)
        for (size_t y = 0; y < b->rows; y++) {
            float *most = out + y * b->width, *least = most + n;
            const float *first = b->lines[r][0] + y * b->stride;
            for (size_t x = 0; x < b->width; x++) most[x] = least[x] = first[x];
            for (size_t a = 1; a < ANGLES; a++) {
                const float *line = b->lines[r][a] + y * b->stride;
                for (size_t x = 0; x < b->width; x++) {
                    most[x] = line[x] > most[x] ? line[x] : most[x];
                    least[x] = line[x] < least[x] ? line[x] : least[x];
                }
            }
        }
}

/* Where each probe of each direction is read, from the place of its pixel. */
typedef struct reading {
    const float *from;
    float weight[4];
} reading;

static void readings_make(const s3svm_strokes *s, const band *b, reading readings[ANGLES][S3SVM_STROKES_PROBES])
{
    for (size_t a = 0; a < ANGLES; a++)
        for (size_t i = 0; i < S3SVM_STROKES_PROBES; i++) {
            const lookup *l = &s->lookups[a][i];
            const size_t angle = PROBES[i].across ? (a + ANGLES / 2) % ANGLES : a;
            readings[a][i].from = b->lines[PROBES[i].reach][angle] + l->offset;
            memcpy(readings[a][i].weight, l->weight, sizeof l->weight);
        }
}

/* All probes of a pixel in the frame of its direction.  Returns which flips bring the darker side and the darker end first. */
static unsigned pixel_probe(const reading readings[S3SVM_STROKES_PROBES], size_t place, size_t stride, float values[])
{
    float side = 0, end = 0;
    for (size_t i = 0; i < S3SVM_STROKES_PROBES; i++) {
        const float *v = readings[i].from + place, *w = readings[i].weight;
        values[i] = (w[0] * v[0] + w[1] * v[1]) + (w[2] * v[stride] + w[3] * v[stride + 1]);
    }
    for (size_t i = SIDES; i < SIDES_END; i++) side += PROBES[i].aside > 0 ? values[i] : -values[i];
    for (size_t i = ENDS; i < ENDS_END; i++) end += PROBES[i].along > 0 ? values[i] : -values[i];
    return (side < 0 ? 1U : 0U) + (end < 0 ? 2U : 0U);
}

/* Planes are far apart, so each is written for some pixels in a row at once. */
static void probes_find(const s3svm_strokes *s, const band *b, float *out)
{
    const size_t n = b->rows * b->width;
    reading readings[ANGLES][S3SVM_STROKES_PROBES];
    readings_make(s, b, readings);
    for (size_t y = 0; y < b->rows; y++)
        for (size_t x = 0; x < b->width; x += RUN) {
            const size_t first = y * b->width + x, count = b->width - x < RUN ? b->width - x : RUN;
            float found[S3SVM_STROKES_PROBES][RUN];
            for (size_t k = 0; k < count; k++) {
                float values[S3SVM_STROKES_PROBES];
                const reading *own = readings[b->direction[first + k]];
                const uint8_t *from = s->flipped[pixel_probe(own, y * b->stride + x + k, b->stride, values)];
                for (size_t p = 0; p < S3SVM_STROKES_PROBES; p++) found[p][k] = values[from[p]];
            }
            for (size_t p = 0; p < S3SVM_STROKES_PROBES; p++) memcpy(out + p * n + first, found[p], count * sizeof **found);
        }
}

sos_status s3svm_strokes_rows(const s3svm_strokes *s, size_t first, size_t rows, float features[], sos_error *error)
{
    if (!rows || first >= s->height || rows > s->height - first)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu rows from row %zu of a picture of %zu rows", rows, first, s->height);
    band b;
    sos_status status = band_create(s, rows, &b, error);
    if (status) return status;
    status = band_fill(s, first, &b, error);
    if (!status) {
        const size_t n = rows * s->width;
        for (size_t y = 0; y < rows; y++)
            memcpy(features + y * s->width, b.lines[PLAIN][0] + y * b.stride, s->width * sizeof *features);
        for (size_t i = 0; i < S3SVM_STROKES_GAUSSIANS; i++)
            memcpy(features + (1 + i) * n, s->gauss[i].values + first * s->width, n * sizeof *features);
        directions_find(&b);
        extremes_find(&b, features + (1 + S3SVM_STROKES_GAUSSIANS) * n);
        probes_find(s, &b, features + (1 + S3SVM_STROKES_GAUSSIANS + 2 * S3SVM_STROKES_REACHES) * n);
    }
    band_free(&b);
    return status;
}
