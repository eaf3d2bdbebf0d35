/* chart.h - charts as SVG: lines and points over two axes, and horizontal bars.
 *
 * A chart is plain data, filled in by its user and borrowed while it is drawn.  Colours follow the page's light or dark scheme
 * through CSS; series differ by the shape of their marks too.  What cannot be drawn (NaN, infinities, numbers beyond 1e300, on
 * a logarithmic axis what is not positive) is left out.  Texts may be NULL where there are none. */
#ifndef S3SVM_REPORT_CHART_H
#define S3SVM_REPORT_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <sos/status.h>

/* Colours 0xRRGGBB that people with any kind of colour vision tell apart, on a light and on a dark page. */
enum { S3SVM_PALETTE = 8 };
extern const uint32_t s3svm_palette_light[S3SVM_PALETTE], s3svm_palette_dark[S3SVM_PALETTE];

typedef enum s3svm_scale { S3SVM_SCALE_LINEAR, S3SVM_SCALE_LOG } s3svm_scale;

typedef struct s3svm_axis {
    const char *name; /* with its unit: "error, %" */
    s3svm_scale scale;
    bool zero; /* shows 0, however far away the data are; for linear axes */
} s3svm_axis;

typedef enum s3svm_series_kind {
    S3SVM_SERIES_LINE,   /* through all points in their order, with marks */
    S3SVM_SERIES_DASHES, /* a dashed line without marks, for what others reached */
    S3SVM_SERIES_POINTS  /* marks only */
} s3svm_series_kind;

typedef struct s3svm_series {
    const char *name;
    s3svm_series_kind kind;
    size_t count;
    const double *x, *y;      /* count each */
    const double *spread;     /* error bars reach from y - spread to y + spread; NULL: none */
    const char *const *names; /* of the points, shown where the mouse rests; NULL: none */
    int style; /* 1 ... S3SVM_PALETTE: colour and mark, so that a method looks the same in all charts; 0: by order */
} s3svm_series;

typedef struct s3svm_chart {
    const char *title;
    const char *note; /* a sentence or two about what is seen */
    s3svm_axis x, y;
    size_t count;
    const s3svm_series *series;
    bool diagonal; /* both axes alike, and the line x = y */
    bool wide;     /* as wide as the page; otherwise two stand side by side where there is room */
} s3svm_chart;

/* Horizontal bars from 0 to the left (negative) and right, one below the other. */
typedef struct s3svm_bars {
    const char *title, *note;
    const char *axis; /* what the bars measure */
    size_t count;
    const char *const *names;
    const double *values;
    const double *spreads; /* NULL: none */
    bool wide;
} s3svm_bars;

/* An <svg> element for a page whose style holds s3svm_chart_style; title and note are left to the page. */
void s3svm_chart_draw(FILE *file, const s3svm_chart *chart);
void s3svm_bars_draw(FILE *file, const s3svm_bars *bars);

/* CSS for charts, and the variables --page, --ink, --soft (lesser text), --rule (thin lines) and --c0 ... --c7,
 * each for light and dark. */
void s3svm_chart_style(FILE *file);

/* A picture of its own, with its title and its style inside. */
SOS_MUST_USE sos_status s3svm_chart_write(const s3svm_chart *chart, const char *path, sos_error *error);
SOS_MUST_USE sos_status s3svm_bars_write(const s3svm_bars *bars, const char *path, sos_error *error);

#endif
