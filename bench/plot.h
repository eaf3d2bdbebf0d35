/* plot.h - curves over logarithmic axes, as SVG. */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include <stdbool.h>
#include <stddef.h>

enum { CURVE_MAX = 11 };

typedef struct curve {
    const char *name;
    size_t count;
    double x[CURVE_MAX], y[CURVE_MAX]; /* positive, x rising */
} curve;

typedef struct plot {
    const char *title, *x_label, *y_label;
    size_t count;
    const curve *curves; /* at most 5: as many colours there are */
    bool falling;        /* y is to halve where x doubles: the dotted lines, one for each curve, show that */
} plot;

/* Writes the plot; a dotted line with slope 1 shows what linear growth looks like.  Complains on stderr where it cannot. */
void plot_write(const plot *p, const char *path);

#endif
