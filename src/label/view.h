/* view.h - a picture as models for labels see it: planes of what is measured at each pixel, their sums over boxes, and the
 * picture as a whole.
 *
 * Lengths are in pixels of a picture of 180 x 120 and grow with the picture, so that pictures of other sizes look alike. */
#ifndef SOS_LABEL_VIEW_H
#define SOS_LABEL_VIEW_H

#include <s3svm/image.h>

enum {
    SOS_LABEL_LIGHT, /* L, a and b of the colour */
    SOS_LABEL_RED,
    SOS_LABEL_BLUE,
    SOS_LABEL_COLOURS,
    SOS_LABEL_ACROSS = SOS_LABEL_COLOURS, /* how steep L is from column to column, and from row to row */
    SOS_LABEL_DOWN,
    SOS_LABEL_FINE, /* fine and coarse texture */
    SOS_LABEL_COARSE,
    SOS_LABEL_PLANES
};

enum {
    SOS_LABEL_SUMS = SOS_LABEL_PLANES + SOS_LABEL_COLOURS, /* of planes, then of the squares of colours */
    SOS_LABEL_BINS = 256,                                  /* of the distribution of a colour: as fine as 8 bits are */
    SOS_LABEL_THIRDS = 3
};

typedef struct sos_label_view {
    size_t width, height;
    double scale; /* of lengths */
    float *lab;   /* L, a and b of all pixels, side by side */
    float *planes[SOS_LABEL_PLANES];
    double *sums[SOS_LABEL_SUMS];                       /* (width + 1) * (height + 1): of all pixels above and to the left */
    float whole[SOS_LABEL_PLANES];                      /* means over the picture */
    float spread[SOS_LABEL_COLOURS];                    /* standard deviations over the picture */
    float thirds[SOS_LABEL_COLOURS][SOS_LABEL_THIRDS];  /* means over the upper, middle and lower third */
    float least[SOS_LABEL_COLOURS];                     /* the lower end of the first bin */
    float bin_width[SOS_LABEL_COLOURS];                 /* of a bin */
    float below[SOS_LABEL_COLOURS][SOS_LABEL_BINS + 1]; /* share of pixels below the lower end of a bin */
} sos_label_view;

/* Of a picture of 3 channels. */
SOS_MUST_USE sos_status sos_label_view_create(const sos_image *picture, sos_label_view **out, sos_error *error);
void sos_label_view_free(sos_label_view *v); /* NULL is fine */

static inline size_t sos_label_view_size(const sos_label_view *v) { return v->width * v->height; }

/* So many pixels of a picture of 180 x 120 in one of this size; at least 1. */
size_t sos_label_view_length(const sos_label_view *v, double pixels);

/* Columns left ... right - 1 and rows top ... bottom - 1. */
typedef struct sos_label_box {
    size_t left, top, right, bottom;
} sos_label_box;

/* The pixels of the picture within a radius of a place, which is moved into the picture. */
sos_label_box sos_label_box_around(const sos_label_view *v, double x, double y, double radius);

/* The mean of a plane over a box; inlined, because networks ask for dozens of them at every place. */
static inline double sos_label_box_mean(const sos_label_view *v, size_t sums, const sos_label_box *b)
{
    const double *above = v->sums[sums] + b->top * (v->width + 1), *below = v->sums[sums] + b->bottom * (v->width + 1);
    const double total = below[b->right] - below[b->left] - above[b->right] + above[b->left];
    return total / (double)((b->right - b->left) * (b->bottom - b->top));
}

/* The standard deviation of a colour. */
float sos_label_box_deviation(const sos_label_view *v, size_t colour, const sos_label_box *b);

/* The share of pixels whose colour is less. */
float sos_label_view_rank(const sos_label_view *v, size_t colour, double value);

#endif
