/* chart.c - lines and points over two axes. */
#include "report/chart.h"

#include <math.h>

#include "base/output.h"
#include "report/scale.h"
#include "report/svg.h"
#include "report/text.h"

/* Lengths in pixels. */
enum {
    PLOT_HEIGHT = 250,
    TICK = 8, /* between an axis and its numbers */
    KEY = 28  /* the sample of a line in the legend */
};

/* ---------------------------------------------------------------- marks */

/* Shapes around a point.  The first four are filled, then come two with the page showing through, and two of lines. */
static const char *const marks[S3SVM_PALETTE] = {
    "m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "m-3.5,-3.5h7v7h-7z", "m0,-4.7l4.4,7.6h-8.8z",    "m0,-5l4.6,5l-4.6,5l-4.6,-5z",
    "m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "m-3.5,-3.5h7v7h-7z", "m-3.5,-3.5l7,7m0,-7l-7,7", "m-4.5,0h9m-4.5,-4.5v9",
};

typedef struct look {
    size_t colour, mark;
} look;

/* After a round of colours the marks have moved on by one, so that more series than colours still differ. */
static look series_look(const s3svm_series *s, size_t number)
{
    const size_t i = s->style > 0 ? (size_t)s->style - 1 : number;
    return (look){ i % S3SVM_PALETTE, (i + i / S3SVM_PALETTE) % S3SVM_PALETTE };
}

static void put_mark(FILE *file, look l, double x, double y)
{
    fprintf(file, "<path class=\"mark%s\" d=\"", l.mark < 4 ? "" : l.mark < 6 ? " open" : " cross");
    s3svm_svg_point(file, 'M', x, y);
    fprintf(file, "%s\"", marks[l.mark]);
}

/* ---------------------------------------------------------------- charts */

typedef struct plot {
    FILE *file;
    const s3svm_chart *chart;
    double width, height; /* of the picture */
    double margin;        /* to its left and right: a page has one of its own */
    double top;           /* below the title */
    double apart;         /* by which series stand side by side, so that their error bars can be told apart */
    s3svm_chart_scale x, y;
} plot;

static bool series_has(const plot *p, const s3svm_series *s, size_t i)
{
    return s3svm_scale_has(s->x[i], p->x.log) && s3svm_scale_has(s->y[i], p->y.log);
}

static double place_x(const plot *p, const s3svm_series *s, size_t i)
{
    const double number = (double)(s - p->chart->series) - 0.5 * (double)(p->chart->count - 1);
    return s3svm_scale_place(&p->x, s->x[i]) + number * p->apart;
}

static double place_y(const plot *p, const s3svm_series *s, size_t i) { return s3svm_scale_place(&p->y, s->y[i]); }

/* A third of the room between points, and not much on the whole. */
static double plot_apart(const s3svm_chart *c)
{
    size_t longest = 1;
    for (size_t i = 0; i < c->count; i++) longest = c->series[i].count > longest ? c->series[i].count : longest;
    return c->count < 2 ? 0 : fmin(6, fmin(24, (double)S3SVM_SVG_NARROW / 3 / (double)longest) / (double)c->count);
}

static void plot_scales(plot *p)
{
    const s3svm_chart *c = p->chart;
    p->x.log = c->x.scale == S3SVM_SCALE_LOG;
    p->y.log = c->y.scale == S3SVM_SCALE_LOG;
    for (size_t i = 0; i < c->count; i++)
        for (size_t j = 0; j < c->series[i].count; j++) {
            const s3svm_series *s = &c->series[i];
            if (!series_has(p, s, j)) continue;
            s3svm_scale_cover(&p->x, s->x[j]);
            s3svm_scale_cover(&p->y, s->y[j]);
            if (!s->spread) continue;
            p->apart = plot_apart(c);
            s3svm_scale_cover(&p->y, s->y[j] - s->spread[j]);
            s3svm_scale_cover(&p->y, s->y[j] + s->spread[j]);
        }
    if (c->diagonal && p->x.any) {
        p->x.log = p->x.log && p->y.log;
        p->y.log = p->x.log;
        s3svm_scale_cover(&p->x, p->y.low);
        s3svm_scale_cover(&p->x, p->y.high);
        s3svm_scale_cover(&p->y, p->x.low);
        s3svm_scale_cover(&p->y, p->x.high);
    }
    s3svm_scale_finish(&p->x, c->x.zero || (c->diagonal && c->y.zero), (size_t)(p->width / 75), !c->diagonal);
    s3svm_scale_finish(&p->y, c->y.zero || (c->diagonal && c->x.zero), c->diagonal ? (size_t)(p->width / 75) : PLOT_HEIGHT / 38,
                       false);
}

/* Lays out the legend, which has one entry beside the other, and draws it if wanted; returns the lines it takes. */
static size_t legend_lines(const plot *p, bool draw)
{
    const s3svm_chart *c = p->chart;
    if (c->count < 2) return 0;
    const double room = p->width - 2 * p->margin;
    double x = 0;
    size_t lines = 1;
    for (size_t i = 0; i < c->count; i++) {
        const s3svm_series *s = &c->series[i];
        const double width = fmin(room, KEY + 6 + s3svm_svg_text_width(s->name));
        if (x > 0 && x + width > room) {
            x = 0;
            lines++;
        }
        if (draw) {
            const double at = p->margin + x, y = p->top + (double)(lines - 1) * S3SVM_SVG_LINE + 0.5 * S3SVM_SVG_LINE;
            const look l = series_look(s, i);
            fprintf(p->file, "<g class=\"s%zu\">\n", l.colour);
            if (s->kind != S3SVM_SERIES_POINTS)
                s3svm_svg_line(p->file, s->kind == S3SVM_SERIES_DASHES ? "line dashes" : "line", at, y, at + KEY, y);
            if (s->kind != S3SVM_SERIES_DASHES) {
                put_mark(p->file, l, at + 0.5 * KEY, y);
                fputs("/>\n", p->file);
            }
            s3svm_svg_text(p->file, "name", "start", at + KEY + 6, y + 4.5, room - KEY, s->name ? s->name : "");
            fputs("</g>\n", p->file);
        }
        x += width + 18;
    }
    return lines;
}

/* Lays out the plot below what stands above it. */
static void plot_layout(plot *p)
{
    double widest = 0;
    char text[S3SVM_NUMBER_TEXT];
    for (size_t i = 0; i < p->y.ticks.count; i++)
        widest = fmax(widest, s3svm_svg_text_width(s3svm_ticks_text(&p->y.ticks, i, text)));
    const size_t lines = legend_lines(p, false);
    double y = p->top + (double)lines * S3SVM_SVG_LINE + (lines ? 6 : 0) + (p->chart->y.name ? S3SVM_SVG_LINE : 0) + 8;
    p->x.from = p->margin + widest + TICK;
    p->x.to = p->width - p->margin - 12;
    p->y.to = y;
    const bool square = p->chart->diagonal && !p->chart->wide;
    p->y.from = y + (square ? p->x.to - p->x.from : PLOT_HEIGHT + (p->chart->wide ? 60 : 0));
    p->height = p->y.from + S3SVM_SVG_LINE + 4 + (p->chart->x.name ? S3SVM_SVG_LINE : 0) + 4;
}

static void plot_axes(const plot *p)
{
    FILE *f = p->file;
    char text[S3SVM_NUMBER_TEXT];
    for (size_t i = 0; i < p->y.ticks.count; i++) {
        const double y = s3svm_scale_tick(&p->y, i);
        s3svm_svg_line(f, "grid", p->x.from, y, p->x.to, y);
        s3svm_svg_text(f, "tick", "end", p->x.from - TICK, y + 4.5, INFINITY, s3svm_ticks_text(&p->y.ticks, i, text));
    }
    for (size_t i = 0; i < p->x.ticks.count; i++) {
        const double x = s3svm_scale_tick(&p->x, i);
        s3svm_svg_line(f, "axis", x, p->y.from, x, p->y.from + 5);
        s3svm_svg_text(f, "tick", "middle", x, p->y.from + S3SVM_SVG_LINE, INFINITY, s3svm_ticks_text(&p->x.ticks, i, text));
    }
    s3svm_svg_line(f, "axis", p->x.from, p->y.from, p->x.to, p->y.from);
    if (p->chart->diagonal) s3svm_svg_line(f, "diagonal", p->x.from, p->y.from, p->x.to, p->y.to);
    const double room = p->width - 2 * p->margin;
    if (p->chart->y.name) s3svm_svg_text(f, "name", "start", p->margin, p->y.to - 14, room, p->chart->y.name);
    if (p->chart->x.name)
        s3svm_svg_text(f, "name", "end", p->x.to, p->y.from + S3SVM_SVG_LINE + 4 + S3SVM_SVG_LINE - 4, room, p->chart->x.name);
}

static void series_line(const plot *p, const s3svm_series *s)
{
    bool open = false, drawn = false;
    for (size_t i = 0; i < s->count; i++) {
        if (!series_has(p, s, i)) {
            open = false;
            continue;
        }
        if (!drawn) fprintf(p->file, "<path class=\"%s\" d=\"", s->kind == S3SVM_SERIES_DASHES ? "line dashes" : "line");
        s3svm_svg_point(p->file, open ? 'L' : 'M', place_x(p, s, i), place_y(p, s, i));
        open = drawn = true;
    }
    if (drawn) fputs("\"/>\n", p->file);
}

static void series_bar(const plot *p, const s3svm_series *s, size_t i)
{
    if (!s->spread || !(s->spread[i] > 0) || !isfinite(s->spread[i])) return;
    const double x = place_x(p, s, i);
    const double low = s3svm_scale_place(&p->y, s->y[i] - s->spread[i]),
                 high = s3svm_scale_place(&p->y, s->y[i] + s->spread[i]);
    s3svm_svg_line(p->file, "spread", x, low, x, high);
    s3svm_svg_line(p->file, "spread", x - 4, low, x + 4, low);
    s3svm_svg_line(p->file, "spread", x - 4, high, x + 4, high);
}

/* What is shown where the mouse rests on a point. */
static void series_title(const plot *p, const s3svm_series *s, size_t i)
{
    char text[S3SVM_NUMBER_TEXT];
    const char *name = s->names && s->names[i] ? s->names[i] : s->name;
    fputs("<title>", p->file);
    s3svm_escape(p->file, name);
    fprintf(p->file, "%s%s", name && *name ? ": " : "", s3svm_number_text(s->x[i], 4, text));
    fprintf(p->file, ", %s", s3svm_number_text(s->y[i], 4, text));
    if (s->spread && isfinite(s->spread[i])) fprintf(p->file, " ± %s", s3svm_number_text(s->spread[i], 2, text));
    fputs("</title>", p->file);
}

/* A mark at every point, or on a long line at some twelve, at other places than those of the series beside it. */
static void series_points(const plot *p, const s3svm_series *s, size_t number)
{
    enum { ALL = 32, SOME = 12, TITLES = 1000 };
    const size_t every = s->kind == S3SVM_SERIES_POINTS || s->count <= ALL ? 1 : (s->count + SOME - 1) / SOME;
    const size_t first = every * number / (p->chart->count ? p->chart->count : 1);
    for (size_t i = 0; i < s->count; i++) {
        if (!series_has(p, s, i)) continue;
        series_bar(p, s, i);
        const double x = place_x(p, s, i), y = place_y(p, s, i);
        const bool marked = s->kind != S3SVM_SERIES_DASHES && (every == 1 || i % every == first % every);
        if (!marked && s->count > TITLES) continue;
        if (marked)
            put_mark(p->file, series_look(s, number), x, y);
        else {
            fputs("<circle class=\"rest\" r=\"6\"", p->file);
            s3svm_svg_attribute(p->file, "cx", x);
            s3svm_svg_attribute(p->file, "cy", y);
        }
        fputc('>', p->file);
        series_title(p, s, i);
        fputs(marked ? "</path>\n" : "</circle>\n", p->file);
    }
}

static void plot_series(const plot *p)
{
    for (size_t i = 0; i < p->chart->count; i++) {
        const s3svm_series *s = &p->chart->series[i];
        fprintf(p->file, "<g class=\"s%zu%s\">\n", series_look(s, i).colour, s->kind == S3SVM_SERIES_POINTS ? " cloud" : "");
        if (s->kind != S3SVM_SERIES_POINTS) series_line(p, s);
        series_points(p, s, i);
        fputs("</g>\n", p->file);
    }
    if (!p->x.any) s3svm_svg_text(p->file, "tick", "middle", 0.5 * p->width, 0.5 * (p->y.from + p->y.to), p->width, "no data");
}

static void chart_draw(FILE *file, const s3svm_chart *chart, bool alone)
{
    plot p = { .file = file,
               .chart = chart,
               .width = chart->wide ? S3SVM_SVG_WIDE : S3SVM_SVG_NARROW,
               .margin = alone ? S3SVM_SVG_MARGIN : 1,
               .top = s3svm_svg_title_height(chart->title, alone) };
    plot_scales(&p);
    plot_layout(&p);
    s3svm_svg_open(file, p.width, ceil(p.height), chart->title, chart->note, alone);
    legend_lines(&p, true);
    plot_axes(&p);
    plot_series(&p);
    fputs("</svg>\n", file);
}

void s3svm_chart_draw(FILE *file, const s3svm_chart *chart) { chart_draw(file, chart, false); }

sos_status s3svm_chart_write(const s3svm_chart *chart, const char *path, sos_error *error)
{
    sos_output output;
    const sos_status status = sos_output_open(&output, path, error);
    if (status) return status;
    chart_draw(output.file, chart, true);
    return sos_output_commit(&output);
}
