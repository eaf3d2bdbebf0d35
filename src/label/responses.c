/* responses.c - the output of networks for all pixels of a picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "label/features.h"
#include "label/inputs.h"

/* Pixels from one place that networks are asked about to the next: what they say varies slowly, and a quarter of the places
 * takes a quarter of the time. */
static const double STEP = 2;

/* The places that networks are asked about. */
typedef struct grid {
    size_t step, across, down; /* the first lies half a step inside the picture */
    float *logs;               /* log p of every label, side by side */
} grid;

static size_t grid_pixel(const grid *g, size_t number, size_t side)
{
    const size_t pixel = g->step / 2 + number * g->step;
    return pixel < side ? pixel : side - 1;
}

/* A row of the grid at a time.  The mean of all networks, or what that of a fold says. */
static sos_status grid_fill(const s3svm_label_features *f, const s3svm_label_view *v, size_t fold, const grid *g,
                            sos_error *error)
{
    float *inputs = malloc(g->across * S3SVM_LABEL_INPUTS * sizeof *inputs);
    if (!inputs) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the features of a picture");
    const size_t first = fold < f->folds ? fold : 0, end = fold < f->folds ? fold + 1 : f->folds;
    const size_t row_size = g->across * f->labels;
    const float share = 1 / (float)(end - first);
    memset(g->logs, 0, g->down * row_size * sizeof *g->logs);
    for (size_t j = 0; j < g->down; j++) {
        float *row = g->logs + j * row_size;
        for (size_t i = 0; i < g->across; i++)
            s3svm_label_inputs(v, grid_pixel(g, i, v->width), grid_pixel(g, j, v->height), inputs + i * S3SVM_LABEL_INPUTS);
        for (size_t k = first; k < end; k++) s3svm_perceptron_add_logs(&f->networks[k], g->across, inputs, row);
        for (size_t i = 0; i < row_size; i++) row[i] *= share;
    }
    free(inputs);
    return SOS_OK;
}

/* Where a pixel lies between two points of a grid. */
typedef struct between {
    size_t low, high;
    float share; /* of high */
} between;

static between between_of(size_t pixel, size_t step, size_t count)
{
    const float place = fminf(fmaxf(((float)pixel - (float)(step / 2)) / (float)step, 0), (float)(count - 1));
    const size_t low = (size_t)place;
    return (between){ low, low + 1 < count ? low + 1 : low, place - (float)low };
}

/* Between the points of the grid, what the four around a pixel say, by their distances. */
static void grid_spread(const s3svm_label_view *v, size_t labels, const grid *g, float out[])
{
    for (size_t y = 0; y < v->height; y++) {
        const between j = between_of(y, g->step, g->down);
        const float *upper = g->logs + j.low * g->across * labels, *lower = g->logs + j.high * g->across * labels;
        for (size_t x = 0; x < v->width; x++) {
            const between i = between_of(x, g->step, g->across);
            const float *a = upper + i.low * labels, *b = upper + i.high * labels;
            const float *c = lower + i.low * labels, *d = lower + i.high * labels;
            float *to = out + (y * v->width + x) * labels;
            for (size_t l = 0; l < labels; l++) {
                const float above = a[l] + i.share * (b[l] - a[l]), below = c[l] + i.share * (d[l] - c[l]);
                to[l] = above + j.share * (below - above);
            }
        }
    }
}

sos_status s3svm_label_responses(const s3svm_label_features *f, const s3svm_label_view *v, size_t fold, float out[],
                                 sos_error *error)
{
    const size_t step = s3svm_label_view_length(v, STEP);
    grid g = { .step = step, .across = (v->width + step - 1) / step, .down = (v->height + step - 1) / step };
    g.logs = malloc(g.across * g.down * f->labels * sizeof *g.logs);
    if (!g.logs) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the responses of a picture");
    const sos_status status = grid_fill(f, v, fold, &g, error);
    if (!status) grid_spread(v, f->labels, &g, out);
    free(g.logs);
    return status;
}
