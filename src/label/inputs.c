#include "label/inputs.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/elementary.h"
#include "vision/perceptron.h"

/* ---------------------------------------------------------------- the table */

typedef enum measure {
    MEAN,      /* of planes in a box */
    DEVIATION, /* of colours in a box */
    PLACE,     /* across, down, to either side of the middle, and away from it */
    WHOLE,     /* means of planes over the picture */
    SPREAD,    /* deviation of a colour over the picture */
    THIRDS,    /* means of a colour over the upper, middle and lower third of the picture */
    RANK       /* of a colour in a box among the colours of the picture */
} measure;

/* What is measured: planes, one for each number. */
static const uint8_t ALL[] = { S3SVM_LABEL_LIGHT, S3SVM_LABEL_RED,  S3SVM_LABEL_BLUE,  S3SVM_LABEL_ACROSS,
                               S3SVM_LABEL_DOWN,  S3SVM_LABEL_FINE, S3SVM_LABEL_COARSE };
static const uint8_t COLOURS[] = { S3SVM_LABEL_LIGHT, S3SVM_LABEL_RED, S3SVM_LABEL_BLUE };
static const uint8_t SIDE[] = { S3SVM_LABEL_LIGHT, S3SVM_LABEL_RED, S3SVM_LABEL_BLUE, S3SVM_LABEL_FINE };
static const uint8_t LIGHT[S3SVM_LABEL_THIRDS] = { S3SVM_LABEL_LIGHT, S3SVM_LABEL_LIGHT, S3SVM_LABEL_LIGHT };
static const uint8_t RED[S3SVM_LABEL_THIRDS] = { S3SVM_LABEL_RED, S3SVM_LABEL_RED, S3SVM_LABEL_RED };
static const uint8_t BLUE[S3SVM_LABEL_THIRDS] = { S3SVM_LABEL_BLUE, S3SVM_LABEL_BLUE, S3SVM_LABEL_BLUE };

/* All inputs, in their order: what is measured, of which planes, how many numbers that makes, and for boxes how far right and
 * below of the place they lie, and their radius.  Boxes reach from the neighbours of a place to the greater part of a
 * picture, each about 2.5 times as large as the one before; those at the sides begin where one around the place ends.
 * A box to the right is followed by its mirror image.  The lengths were not tuned.  docs/labeling.md has the same table for
 * people. */
/* clang-format off */
#define INPUT_ROWS(ROW)                                      \
    ROW(AROUND_1,     MEAN,      ALL,     7,   0,   0,  1)   \
    ROW(AROUND_4,     MEAN,      ALL,     7,   0,   0,  4)   \
    ROW(AROUND_10,    MEAN,      ALL,     7,   0,   0, 10)   \
    ROW(AROUND_24,    MEAN,      ALL,     7,   0,   0, 24)   \
    ROW(VARIED_3,     DEVIATION, COLOURS, 3,   0,   0,  3)   \
    ROW(VARIED_8,     DEVIATION, COLOURS, 3,   0,   0,  8)   \
    ROW(RIGHT_14,     MEAN,      SIDE,    4,  14,   0,  5)   \
    ROW(LEFT_14,      MEAN,      SIDE,    4, -14,   0,  5)   \
    ROW(BELOW_14,     MEAN,      SIDE,    4,   0,  14,  5)   \
    ROW(ABOVE_14,     MEAN,      SIDE,    4,   0, -14,  5)   \
    ROW(RIGHT_36,     MEAN,      SIDE,    4,  36,   0, 11)   \
    ROW(LEFT_36,      MEAN,      SIDE,    4, -36,   0, 11)   \
    ROW(BELOW_36,     MEAN,      SIDE,    4,   0,  36, 11)   \
    ROW(ABOVE_36,     MEAN,      SIDE,    4,   0, -36, 11)   \
    ROW(POSITION,     PLACE,     ALL,     4,   0,   0,  0)   \
    ROW(PICTURE,      WHOLE,     ALL,     7,   0,   0,  0)   \
    ROW(LIGHT_SPREAD, SPREAD,    LIGHT,   1,   0,   0,  0)   \
    ROW(LIGHT_THIRDS, THIRDS,    LIGHT,   3,   0,   0,  0)   \
    ROW(LIGHT_RANK,   RANK,      LIGHT,   1,   0,   0,  2)   \
    ROW(RED_SPREAD,   SPREAD,    RED,     1,   0,   0,  0)   \
    ROW(RED_THIRDS,   THIRDS,    RED,     3,   0,   0,  0)   \
    ROW(RED_RANK,     RANK,      RED,     1,   0,   0,  2)   \
    ROW(BLUE_SPREAD,  SPREAD,    BLUE,    1,   0,   0,  0)   \
    ROW(BLUE_THIRDS,  THIRDS,    BLUE,    3,   0,   0,  0)   \
    ROW(BLUE_RANK,    RANK,      BLUE,    1,   0,   0,  2)
/* clang-format on */

/* Where the numbers of each row begin and end. */
#define ROW_PLACES(name, measures, planes, count, x, y, radius) name, name##_LAST = (name) + (count)-1,
enum { INPUT_ROWS(ROW_PLACES) INPUTS };
_Static_assert((int)INPUTS == (int)S3SVM_LABEL_INPUTS && (int)INPUTS <= (int)S3SVM_PERCEPTRON_INPUTS_MAX,
               "the inputs of the networks");

typedef struct input_row {
    measure measures;
    const uint8_t *planes;
    size_t first, count;
    double x, y, radius;
} input_row;

#define ROW_ENTRY(name, measures, planes, count, x, y, radius) { measures, planes, name, count, x, y, radius },
static const input_row ROWS[] = { INPUT_ROWS(ROW_ENTRY) };
static const size_t ROW_COUNT = sizeof ROWS / sizeof *ROWS;

/* ---------------------------------------------------------------- of a place */

/* Places and ranks are in tenths, so that they vary about as much as other inputs do. */
static const float TENTHS = 10;

static void position_find(const s3svm_label_view *v, double x, double y, float out[4])
{
    const double middle = (double)TENTHS / 2;
    const double across = (double)TENTHS * (x + 0.5) / (double)v->width, down = (double)TENTHS * (y + 0.5) / (double)v->height;
    out[0] = (float)across;
    out[1] = (float)down;
    out[2] = (float)fabs(across - middle);
    out[3] = (float)sqrt((across - middle) * (across - middle) + (down - middle) * (down - middle));
}

static void row_find(const s3svm_label_view *v, const input_row *row, double x, double y, float out[])
{
    const uint8_t *planes = row->planes;
    const s3svm_label_box b = s3svm_label_box_around(v, x + v->scale * row->x, y + v->scale * row->y, row->radius);
    switch (row->measures) {
    case MEAN:
        for (size_t i = 0; i < row->count; i++) out[i] = (float)s3svm_label_box_mean(v, planes[i], &b);
        break;
    case DEVIATION:
        for (size_t i = 0; i < row->count; i++) out[i] = s3svm_label_box_deviation(v, planes[i], &b);
        break;
    case PLACE: position_find(v, x, y, out); break;
    case WHOLE:
        for (size_t i = 0; i < row->count; i++) out[i] = v->whole[planes[i]];
        break;
    case SPREAD: *out = v->spread[*planes]; break;
    case THIRDS: memcpy(out, v->thirds[*planes], row->count * sizeof *out); break;
    case RANK: *out = TENTHS * s3svm_label_view_rank(v, *planes, s3svm_label_box_mean(v, *planes, &b)); break;
    }
}

void s3svm_label_inputs(const s3svm_label_view *v, size_t x, size_t y, float out[S3SVM_LABEL_INPUTS])
{
    for (size_t r = 0; r < ROW_COUNT; r++) row_find(v, &ROWS[r], (double)x, (double)y, out + ROWS[r].first);
}

/* ---------------------------------------------------------------- in another picture */

/* How much another light or camera changes a picture: standard deviations of L, a and b, and of the log of its contrast. */
static const double OTHER_LIGHT[S3SVM_LABEL_COLOURS] = { 8, 4, 4 }, OTHER_CONTRAST = 0.2;

/* A uniform number of a deviation. */
static double uniform_number(sos_random *r, double deviation)
{
    const double root_3 = 1.7320508;
    return deviation * (2 * sos_random_uniform(r) - 1) * root_3;
}

static void inputs_mirror(float x[])
{
    for (size_t r = 0; r < ROW_COUNT; r++) {
        if (ROWS[r].x <= 0) continue;
        for (size_t i = 0; i < ROWS[r].count; i++) {
            float *right = &x[ROWS[r].first + i], *left = &x[ROWS[r + 1].first + i], other = *right;
            *right = *left;
            *left = other;
        }
    }
    x[POSITION] = TENTHS - x[POSITION];
}

/* What becomes lighter with a picture, and what stronger with its contrast: colours, and how much they differ. */
static void row_vary(const input_row *row, const float more[S3SVM_LABEL_COLOURS], float times, float x[])
{
    if (row->measures == PLACE || row->measures == RANK) return;
    const bool differs = row->measures == DEVIATION || row->measures == SPREAD;
    for (size_t i = 0; i < row->count; i++) {
        const size_t plane = row->planes[i];
        if (differs || plane >= S3SVM_LABEL_COLOURS)
            x[row->first + i] *= times;
        else
            x[row->first + i] += more[plane];
    }
}

void s3svm_label_inputs_vary(sos_random *r, float inputs[S3SVM_LABEL_INPUTS])
{
    float more[S3SVM_LABEL_COLOURS];
    if (sos_random_bits(r) >> 63) inputs_mirror(inputs);
    for (size_t c = 0; c < S3SVM_LABEL_COLOURS; c++) more[c] = (float)uniform_number(r, OTHER_LIGHT[c]);
    const float times = (float)sos_exp(uniform_number(r, OTHER_CONTRAST));
    for (size_t row = 0; row < ROW_COUNT; row++) row_vary(&ROWS[row], more, times, inputs);
}
