/* view.h - a picture as models for labels see it: planes of what is measured at each pixel, their sums over boxes, and the
 * picture as a whole.
 *
 * Lengths are in pixels of a picture of 180 x 120 and grow with the picture, so that pictures of other sizes look alike. */
#ifndef S3SVM_LABEL_VIEW_H
#define S3SVM_LABEL_VIEW_H

#include <s3svm/image.h>

enum {
    S3SVM_LABEL_LIGHT, /* L, a and b of the colour */
    S3SVM_LABEL_RED,
    S3SVM_LABEL_BLUE,
    S3SVM_LABEL_COLOURS,
    S3SVM_LABEL_ACROSS = S3SVM_LABEL_COLOURS, /* how steep L is from column to column, and from row to row */
    S3SVM_LABEL_DOWN,
    S3SVM_LABEL_FINE, /* fine and coarse texture */
    S3SVM_LABEL_COARSE,
    S3SVM_LABEL_PLANES
};

enum {
    S3SVM_LABEL_SUMS = S3SVM_LABEL_PLANES + S3SVM_LABEL_COLOURS, /* of planes, then of the squares of colours */
    S3SVM_LABEL_BINS = 256,                                      /* of the distribution of a colour: as fine as 8 bits are */
    S3SVM_LABEL_THIRDS = 3
};

typedef struct s3svm_label_view {
    size_t width, height;
    double scale; /* of lengths */
    float *lab;   /* L, a and b of all pixels, side by side */
    float *planes[S3SVM_LABEL_PLANES];
    double *sums[S3SVM_LABEL_SUMS];                        /* (width + 1) * (height + 1): of all pixels above and to the left */
    float whole[S3SVM_LABEL_PLANES];                       /* means over the picture */
    float spread[S3SVM_LABEL_COLOURS];                     /* standard deviations over the picture */
    float thirds[S3SVM_LABEL_COLOURS][S3SVM_LABEL_THIRDS]; /* means over the upper, middle and lower third */
    float least[S3SVM_LABEL_COLOURS];                      /* the lower end of the first bin */
    float bin_width[S3SVM_LABEL_COLOURS];                  /* of a bin */
    float below[S3SVM_LABEL_COLOURS][S3SVM_LABEL_BINS + 1]; /* share of pixels below the lower end of a bin */
} s3svm_label_view;

/* Of a picture of 3 channels. */
SOS_MUST_USE sos_status s3svm_label_view_create(const s3svm_image *picture, s3svm_label_view **out, sos_error *error);
void s3svm_label_view_free(s3svm_label_view *v); /* NULL is fine */

static inline size_t s3svm_label_view_size(const s3svm_label_view *v) { return v->width * v->height; }

/* So many pixels of a picture of 180 x 120 in one of this size; at least 1. */
size_t s3svm_label_view_length(const s3svm_label_view *v, double pixels);

/* Columns left ... right - 1 and rows top ... bottom - 1. */
typedef struct s3svm_label_box {
    size_t left, top, right, bottom;
} s3svm_label_box;

/* The pixels of the picture within a radius of a place, which is moved into the picture. */
s3svm_label_box s3svm_label_box_around(const s3svm_label_view *v, double x, double y, double radius);

/* The mean of a plane over a box; inlined, because networks ask for dozens of them at every place. */
static inline double s3svm_label_box_mean(const s3svm_label_view *v, size_t sums, const s3svm_label_box *b)
{
    const double *above = v->sums[sums] + b->top * (v->width + 1), *below = v->sums[sums] + b->bottom * (v->width + 1);
    const double total = below[b->right] - below[b->left] - above[b->right] + above[b->left];
    return total / (double)((b->right - b->left) * (b->bottom - b->top));
}

/* The standard deviation of a colour. */
float s3svm_label_box_deviation(const s3svm_label_view *v, size_t colour, const s3svm_label_box *b);

/* The share of pixels whose colour is less. */
float s3svm_label_view_rank(const s3svm_label_view *v, size_t colour, double value);

#endif
