/* canvas.h - a small rasteriser: ink on paper, without greys.
 *
 * A pixel is set if its centre lies inside.  Nothing but + - * / and square roots is used, nor anything that base/elementary.h
 * has not, so that a picture has the same bytes on every machine.  Everything is laid out in the canvas itself: drawing cannot
 * fail. */
#ifndef SOS_DRAWING_CANVAS_H
#define SOS_DRAWING_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/elementary.h"
#include "base/random.h"
#include <s3svm/image.h>

typedef sos_direction sos_spot; /* a point, or a way to go */

typedef enum sos_paint_kind {
    SOS_PAINT_INK,
    SOS_PAINT_PAPER,
    SOS_PAINT_STRIPES,
    SOS_PAINT_CROSSED,
    SOS_PAINT_DOTS
} sos_paint_kind;

/* The filling of an area. */
typedef struct sos_paint {
    sos_paint_kind kind;
    sos_spot along; /* of length 1: the direction of stripes, or of the rows of dots */
    double pitch;   /* from stripe to stripe, from dot to dot */
    double width;   /* of a stripe, of a dot */
} sos_paint;

extern const sos_paint sos_ink, sos_paper;

enum { SOS_PATH_MAX = 4096, SOS_CONTOURS_MAX = 64 };

typedef struct sos_canvas {
    sos_image *image;
    sos_random random;
    uint64_t seed;
    double width, height;
    size_t columns, rows; /* of cells, nearly square, for one large element each */
    double cell_width, cell_height;
    double unit; /* 1/200 of a cell's side: lengths are given for cells of 200 pixels */

    /* The path that is being made. */
    size_t count, contours;
    sos_spot path[SOS_PATH_MAX];
    double radii[SOS_PATH_MAX];    /* for strokes */
    size_t ends[SOS_CONTOURS_MAX]; /* contour k ends before point ends[k] */
    double crossings[SOS_PATH_MAX];
} sos_canvas;

/* White paper of the image's size. */
void sos_canvas_begin(sos_canvas *c, sos_image *image, uint64_t seed, uint64_t stream);

/* Random numbers.  One of these in an expression, never two: C leaves their order open, and compilers differ. */
double sos_between(sos_canvas *c, double least, double most);
size_t sos_pick(sos_canvas *c, size_t least, size_t most); /* both may come */
bool sos_chance(sos_canvas *c, double probability);

/* A point more of the path; those beyond the room are left out. */
void sos_path_add(sos_canvas *c, double x, double y);
void sos_path_add_spot(sos_canvas *c, sos_spot p);
void sos_path_add_round(sos_canvas *c, double x, double y, double radius); /* for strokes */
void sos_path_close(sos_canvas *c);                                        /* ends a contour of an area */

/* Fills the path's contours by the even-odd rule, and empties it. */
void sos_path_fill(sos_canvas *c, const sos_paint *paint);

/* Draws the path as an open line of the radii given with its points, with round ends, and empties it. */
void sos_path_stroke(sos_canvas *c);

#endif
