/* chart.h - charts as SVG: lines and points over two axes, and horizontal bars.
 *
 * A chart is plain data, filled in by its user and borrowed while it is drawn.  Colours follow the page's light or dark scheme
 * through CSS; series differ by the shape of their marks too.  What cannot be drawn (NaN, infinities, numbers beyond 1e300, on
 * a logarithmic axis what is not positive) is left out.  Texts may be NULL where there are none. */
#ifndef SOS_REPORT_CHART_H
#define SOS_REPORT_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <sos/status.h>

/* Colours 0xRRGGBB that people with any kind of colour vision tell apart, on a light and on a dark page. */
enum { SOS_PALETTE = 8 };
extern const uint32_t sos_palette_light[SOS_PALETTE], sos_palette_dark[SOS_PALETTE];

typedef enum sos_scale { SOS_SCALE_LINEAR, SOS_SCALE_LOG } sos_scale;

typedef struct sos_axis {
    const char *name; /* with its unit: "error, %" */
    sos_scale scale;
    bool zero; /* shows 0, however far away the data are; for linear axes */
} sos_axis;

typedef enum sos_series_kind {
    SOS_SERIES_LINE,   /* through all points in their order, with marks */
    SOS_SERIES_DASHES, /* a dashed line without marks, for what others reached */
    SOS_SERIES_POINTS  /* marks only */
} sos_series_kind;

typedef struct sos_series {
    const char *name;
    sos_series_kind kind;
    size_t count;
    const double *x, *y;      /* count each */
    const double *spread;     /* error bars reach from y - spread to y + spread; NULL: none */
    const char *const *names; /* of the points, shown where the mouse rests; NULL: none */
    int style; /* 1 ... SOS_PALETTE: colour and mark, so that a method looks the same in all charts; 0: by order */
} sos_series;

typedef struct sos_chart {
    const char *title;
    const char *note; /* a sentence or two about what is seen */
    sos_axis x, y;
    size_t count;
    const sos_series *series;
    bool diagonal; /* both axes alike, and the line x = y */
    bool wide;     /* as wide as the page; otherwise two stand side by side where there is room */
} sos_chart;

/* Horizontal bars from 0 to the left (negative) and right, one below the other. */
typedef struct sos_bars {
    const char *title, *note;
    const char *axis; /* what the bars measure */
    size_t count;
    const char *const *names;
    const double *values;
    const double *spreads; /* NULL: none */
    bool wide;
} sos_bars;

/* An <svg> element for a page whose style holds sos_chart_style; title and note are left to the page. */
void sos_chart_draw(FILE *file, const sos_chart *chart);
void sos_bars_draw(FILE *file, const sos_bars *bars);

/* CSS for charts, and the variables --page, --ink, --soft (lesser text), --rule (thin lines) and --c0 ... --c7,
 * each for light and dark. */
void sos_chart_style(FILE *file);

/* A picture of its own, with its title and its style inside. */
SOS_MUST_USE sos_status sos_chart_write(const sos_chart *chart, const char *path, sos_error *error);
SOS_MUST_USE sos_status sos_bars_write(const sos_bars *bars, const char *path, sos_error *error);

#endif
