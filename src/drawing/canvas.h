/* canvas.h - a small rasteriser: ink on paper, without greys.
 *
 * A pixel is set if its centre lies inside.  Nothing but + - * / and square roots is used, nor anything that base/elementary.h
 * has not, so that a picture has the same bytes on every machine.  Everything is laid out in the canvas itself: drawing cannot
 * fail. */
#ifndef S3SVM_DRAWING_CANVAS_H
#define S3SVM_DRAWING_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/elementary.h"
#include "base/random.h"
#include <s3svm/image.h>

typedef sos_direction s3svm_spot; /* a point, or a way to go */

typedef enum s3svm_paint_kind {
    S3SVM_PAINT_INK,
    S3SVM_PAINT_PAPER,
    S3SVM_PAINT_STRIPES,
    S3SVM_PAINT_CROSSED,
    S3SVM_PAINT_DOTS
} s3svm_paint_kind;

/* The filling of an area. */
typedef struct s3svm_paint {
    s3svm_paint_kind kind;
    s3svm_spot along; /* of length 1: the direction of stripes, or of the rows of dots */
    double pitch;     /* from stripe to stripe, from dot to dot */
    double width;     /* of a stripe, of a dot */
} s3svm_paint;

extern const s3svm_paint s3svm_ink, s3svm_paper;

enum { S3SVM_PATH_MAX = 4096, S3SVM_CONTOURS_MAX = 64 };

typedef struct s3svm_canvas {
    s3svm_image *image;
    sos_random random;
    uint64_t seed;
    double width, height;
    size_t columns, rows; /* of cells, nearly square, for one large element each */
    double cell_width, cell_height;
    double unit; /* 1/200 of a cell's side: lengths are given for cells of 200 pixels */

    /* The path that is being made. */
    size_t count, contours;
    s3svm_spot path[S3SVM_PATH_MAX];
    double radii[S3SVM_PATH_MAX];    /* for strokes */
    size_t ends[S3SVM_CONTOURS_MAX]; /* contour k ends before point ends[k] */
    double crossings[S3SVM_PATH_MAX];
} s3svm_canvas;

/* White paper of the image's size. */
void s3svm_canvas_begin(s3svm_canvas *c, s3svm_image *image, uint64_t seed, uint64_t stream);

/* Random numbers.  One of these in an expression, never two: C leaves their order open, and compilers differ. */
double s3svm_between(s3svm_canvas *c, double least, double most);
size_t s3svm_pick(s3svm_canvas *c, size_t least, size_t most); /* both may come */
bool s3svm_chance(s3svm_canvas *c, double probability);

/* A point more of the path; those beyond the room are left out. */
void s3svm_path_add(s3svm_canvas *c, double x, double y);
void s3svm_path_add_spot(s3svm_canvas *c, s3svm_spot p);
void s3svm_path_add_round(s3svm_canvas *c, double x, double y, double radius); /* for strokes */
void s3svm_path_close(s3svm_canvas *c);                                        /* ends a contour of an area */

/* Fills the path's contours by the even-odd rule, and empties it. */
void s3svm_path_fill(s3svm_canvas *c, const s3svm_paint *paint);

/* Draws the path as an open line of the radii given with its points, with round ends, and empties it. */
void s3svm_path_stroke(s3svm_canvas *c);

#endif
