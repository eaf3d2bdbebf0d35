/* figure.h - what shapes are drawn with: lines by a ruler, and closed figures in several styles.
 *
 * Widths and distances are given for cells of 200 pixels where a function says so, else in pixels; angles are in turns. */
#ifndef S3SVM_DRAWING_FIGURE_H
#define S3SVM_DRAWING_FIGURE_H

#include "drawing/canvas.h"

/* ---- spots ---- */

s3svm_spot s3svm_spot_beyond(s3svm_spot p, s3svm_spot direction, double distance);
double s3svm_spot_distance(s3svm_spot a, s3svm_spot b);
s3svm_spot s3svm_spot_direction(s3svm_spot a, s3svm_spot b); /* of length 1; to the right where they are the same */

/* ---- widths ---- */

/* The width of a line in pixels.  width is for cells of 200 pixels; the least one is a pixel, a little more so that slanted
 * lines hold together. */
double s3svm_width(const s3svm_canvas *c, double width);
double s3svm_width_thin(s3svm_canvas *c); /* these are random */
double s3svm_width_medium(s3svm_canvas *c);
double s3svm_width_any(s3svm_canvas *c);

/* ---- lines ---- */

void s3svm_ruler_line(s3svm_canvas *c, s3svm_spot a, s3svm_spot b, double width);
void s3svm_ruler_dashes(s3svm_canvas *c, s3svm_spot a, s3svm_spot b, double width, double dash);
double s3svm_ruler_dash(const s3svm_canvas *c, double width); /* how long dashes of such a line are */
void s3svm_ruler_polyline(s3svm_canvas *c, size_t count, const s3svm_spot points[], double width); /* open, with round joints */
void s3svm_ruler_disc(s3svm_canvas *c, s3svm_spot at, double radius);
void s3svm_ruler_arc(s3svm_canvas *c, s3svm_spot at, double radius, double begin, double turns, double width);

/* ---- closed figures ---- */

enum { S3SVM_FIGURE_MAX = 512 };

/* A closed polygon; what is round has many corners. */
typedef struct s3svm_figure {
    size_t count;
    s3svm_spot points[S3SVM_FIGURE_MAX];
} s3svm_figure;

typedef struct s3svm_box {
    double x0, y0, x1, y1;
} s3svm_box;

s3svm_figure s3svm_figure_ellipse(s3svm_spot at, double rx, double ry, double tilt);
s3svm_figure s3svm_figure_circle(s3svm_spot at, double radius);
s3svm_figure s3svm_figure_rectangle(s3svm_spot at, double half_width, double half_height, double tilt);
s3svm_figure s3svm_figure_box(s3svm_box b);
s3svm_figure s3svm_figure_polygon(s3svm_spot at, size_t corners, double radius, double other_radius,
                                  double tilt);                                    /* radii alternate, which makes stars */
s3svm_figure s3svm_figure_triangle(s3svm_canvas *c, s3svm_spot at, double radius); /* a random one */
s3svm_figure s3svm_figure_any(s3svm_canvas *c, s3svm_spot at, double radius);

typedef enum s3svm_figure_style {
    S3SVM_OUTLINED,
    S3SVM_DOUBLED,
    S3SVM_DASHED,
    S3SVM_HATCHED,
    S3SVM_CROSSED,
    S3SVM_DOTTED,
    S3SVM_FILLED
} s3svm_figure_style;

s3svm_figure_style s3svm_figure_style_any(s3svm_canvas *c);              /* not filled */
s3svm_paint s3svm_paint_pattern(s3svm_canvas *c, s3svm_paint_kind kind); /* stripes or dots at random distances */

/* Adds the figure to the path, moved outwards by so much. */
void s3svm_figure_contour(s3svm_canvas *c, const s3svm_figure *f, double moved);
void s3svm_figure_outline(s3svm_canvas *c, const s3svm_figure *f, double width, double moved);
void s3svm_figure_dashes(s3svm_canvas *c, const s3svm_figure *f, double width, double dash);
void s3svm_figure_draw(s3svm_canvas *c, const s3svm_figure *f, s3svm_figure_style s, double width);

#endif
