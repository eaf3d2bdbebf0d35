/* figure.h - what shapes are drawn with: lines by a ruler, and closed figures in several styles.
 *
 * Widths and distances are given for cells of 200 pixels where a function says so, else in pixels; angles are in turns. */
#ifndef SOS_DRAWING_FIGURE_H
#define SOS_DRAWING_FIGURE_H

#include "drawing/canvas.h"

/* ---- spots ---- */

sos_spot sos_spot_beyond(sos_spot p, sos_spot direction, double distance);
double sos_spot_distance(sos_spot a, sos_spot b);
sos_spot sos_spot_direction(sos_spot a, sos_spot b); /* of length 1; to the right where they are the same */

/* ---- widths ---- */

/* The width of a line in pixels.  width is for cells of 200 pixels; the least one is a pixel, a little more so that slanted
 * lines hold together. */
double sos_width(const sos_canvas *c, double width);
double sos_width_thin(sos_canvas *c); /* these are random */
double sos_width_medium(sos_canvas *c);
double sos_width_any(sos_canvas *c);

/* ---- lines ---- */

void sos_ruler_line(sos_canvas *c, sos_spot a, sos_spot b, double width);
void sos_ruler_dashes(sos_canvas *c, sos_spot a, sos_spot b, double width, double dash);
double sos_ruler_dash(const sos_canvas *c, double width); /* how long dashes of such a line are */
void sos_ruler_polyline(sos_canvas *c, size_t count, const sos_spot points[], double width); /* open, with round joints */
void sos_ruler_disc(sos_canvas *c, sos_spot at, double radius);
void sos_ruler_arc(sos_canvas *c, sos_spot at, double radius, double begin, double turns, double width);

/* ---- closed figures ---- */

enum { SOS_FIGURE_MAX = 512 };

/* A closed polygon; what is round has many corners. */
typedef struct sos_figure {
    size_t count;
    sos_spot points[SOS_FIGURE_MAX];
} sos_figure;

typedef struct sos_box {
    double x0, y0, x1, y1;
} sos_box;

sos_figure sos_figure_ellipse(sos_spot at, double rx, double ry, double tilt);
sos_figure sos_figure_circle(sos_spot at, double radius);
sos_figure sos_figure_rectangle(sos_spot at, double half_width, double half_height, double tilt);
sos_figure sos_figure_box(sos_box b);
sos_figure sos_figure_polygon(sos_spot at, size_t corners, double radius, double other_radius,
                              double tilt);                                /* radii alternate, which makes stars */
sos_figure sos_figure_triangle(sos_canvas *c, sos_spot at, double radius); /* a random one */
sos_figure sos_figure_any(sos_canvas *c, sos_spot at, double radius);

typedef enum sos_figure_style {
    SOS_OUTLINED,
    SOS_DOUBLED,
    SOS_DASHED,
    SOS_HATCHED,
    SOS_CROSSED,
    SOS_DOTTED,
    SOS_FILLED
} sos_figure_style;

sos_figure_style sos_figure_style_any(sos_canvas *c);            /* not filled */
sos_paint sos_paint_pattern(sos_canvas *c, sos_paint_kind kind); /* stripes or dots at random distances */

/* Adds the figure to the path, moved outwards by so much. */
void sos_figure_contour(sos_canvas *c, const sos_figure *f, double moved);
void sos_figure_outline(sos_canvas *c, const sos_figure *f, double width, double moved);
void sos_figure_dashes(sos_canvas *c, const sos_figure *f, double width, double dash);
void sos_figure_draw(sos_canvas *c, const sos_figure *f, sos_figure_style s, double width);

#endif
