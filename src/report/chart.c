#include "report/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "report/text.h"
#include "report/ticks.h"

/* Chosen so that under normal vision and simulated protanopia, deuteranopia and tritanopia (Machado and others, 2009) every two
 * differ by 14 or more in CIE Lab, with a contrast of 3 or more to the page. */
const uint32_t sos_palette_light[SOS_PALETTE] = {
    0x0059bc, 0xe0602f, 0x2a6b4a, 0x7a1a78, 0x3596cd, 0x7b6000, 0x7c808a, 0x6e060b
};
const uint32_t sos_palette_dark[SOS_PALETTE] = {
    0x69acff, 0xfc9f6a, 0x5fe8b0, 0xc060b5, 0xb8ddff, 0xe2da40, 0x9fa5a9, 0xee4a6c
};

/* Lengths in pixels. */
enum {
    NARROW = 470,
    WIDE = 940,
    PLOT_HEIGHT = 250,
    LETTER = 13, /* size of the letters */
    LINE = 20,   /* from line to line */
    TICK = 8,    /* between an axis and its numbers */
    MARGIN = 14,
    KEY = 28, /* the sample of a line in the legend */
    BAR = 14,
    BAR_ROW = 24
};

/* text and SVG */

/* Numbers in attributes have a point, whatever the locale. */
static void put_number(FILE *file, double x)
{
    const long tenths = lround(10 * x), size = labs(tenths);
    fprintf(file, size % 10 ? "%s%ld.%ld" : "%s%ld", tenths < 0 ? "-" : "", size / 10, size % 10);
}

static void put_attribute(FILE *file, const char *name, double x)
{
    fprintf(file, " %s=\"", name);
    put_number(file, x);
    fputc('"', file);
}

static void put_point(FILE *file, char command, double x, double y)
{
    fputc(command, file);
    put_number(file, x);
    fputc(',', file);
    put_number(file, y);
}

static void put_line(FILE *file, const char *kind, double x1, double y1, double x2, double y2)
{
    fprintf(file, "<path class=\"%s\" d=\"", kind);
    put_point(file, 'M', x1, y1);
    put_point(file, 'L', x2, y2);
    fputs("\"/>\n", file);
}

/* How wide a text will be, near enough for room to be left: nobody asks the font. */
static double text_width(const char *text)
{
    double width = 0;
    for (uint32_t c; text && (c = sos_xml_next(&text));) {
        const bool narrow = c < 128 && strchr("ijlftrI.,:;'|!()[] ", (int)c);
        const bool wide = c == 'm' || c == 'w' || (c >= 'A' && c <= 'Z');
        width += c >= 0x1100 && (c < 0x2000 || c >= 0x2e80) ? 1 : narrow ? 0.37 : wide ? 0.8 : 0.62;
    }
    return width * LETTER;
}

/* The text, or so much of it that with an ellipsis it fits; the whole where the mouse rests. */
static void put_text(FILE *file, const char *kind, const char *anchor, double x, double y, double room, const char *text)
{
    fprintf(file, "<text class=\"%s\" text-anchor=\"%s\"", kind, anchor);
    put_attribute(file, "x", x);
    put_attribute(file, "y", y);
    fputc('>', file);
    if (text_width(text) <= room)
        sos_escape(file, text);
    else {
        fputs("<title>", file);
        sos_escape(file, text);
        fputs("</title>", file);
        char part[5] = "";
        double used = 0.9 * LETTER;
        for (const char *at = text, *from = at; sos_xml_next(&at); from = at) {
            memcpy(part, from, (size_t)(at - from));
            part[at - from] = '\0';
            used += text_width(part);
            if (used > room) break;
            sos_escape(file, part);
        }
        fputs("…", file);
    }
    fputs("</text>\n", file);
}

/* scales: from numbers to pixels */

typedef struct scale {
    bool log;
    double low, high;
    double from, to; /* where low and high are drawn */
    sos_ticks ticks;
    bool any; /* something to draw */
} scale;

static bool drawable(double x, bool log) { return isfinite(x) && fabs(x) <= 1e300 && (!log || x >= 1e-300); }

static void scale_cover(scale *s, double x)
{
    if (!drawable(x, s->log)) return;
    s->low = s->any ? fmin(s->low, x) : x;
    s->high = s->any ? fmax(s->high, x) : x;
    s->any = true;
}

/* Leaves a little room on both sides, and never so little that numbers at the ends look alike. */
static void scale_widen_linear(scale *s, double share)
{
    const double size = fmax(fabs(s->low), fabs(s->high));
    if (size < 1e-290) {
        s->low = 0;
        s->high = 1;
        return;
    }
    const double width = s->high - s->low;
    const double room = width < 1e-6 * size ? 0.1 * size : share * width;
    const bool positive = s->low >= 0, negative = s->high <= 0;
    s->low = positive ? fmax(0, s->low - room) : s->low - room;
    s->high = negative ? fmin(0, s->high + room) : s->high + room;
}

static void scale_widen_log(scale *s, double share)
{
    const double factor = s->high / s->low > 1 + 1e-6 ? pow(s->high / s->low, share) : 2;
    s->low = fmax(s->low / factor, 1e-300);
    s->high = fmin(s->high * factor, 1e300);
}

/* Fixes range and marks; tight: marks within the range, otherwise the range ends at marks. */
static void scale_finish(scale *s, bool zero, size_t most, bool tight)
{
    if (!s->any) {
        s->low = s->log ? 1 : 0;
        s->high = s->log ? 10 : 1;
    }
    if (most < SOS_TICKS_LEAST) most = SOS_TICKS_LEAST;
    if (most > SOS_TICKS_MOST) most = SOS_TICKS_MOST;
    if (s->log) {
        if (s->any) scale_widen_log(s, 0.04);
        sos_ticks_log(s->low, s->high, most, &s->ticks);
        return;
    }
    if (zero) {
        s->low = fmin(s->low, 0);
        s->high = fmax(s->high, 0);
    }
    if (s->any) scale_widen_linear(s, tight ? 0.04 : 0);
    if (tight)
        sos_ticks_linear(s->low, s->high, most, &s->ticks);
    else
        sos_ticks_around(&s->low, &s->high, most, &s->ticks);
}

static double scale_place(const scale *s, double x)
{
    const double share = s->log ? (x <= s->low ? 0 : log(x / s->low) / log(s->high / s->low))
                                : (x - s->low) / (s->high - s->low);
    return s->from + fmin(1, fmax(0, share)) * (s->to - s->from);
}

static double scale_tick(const scale *s, size_t i) { return scale_place(s, sos_ticks_value(&s->ticks, i)); }

/* marks */

/* Shapes around a point.  The first four are filled, then come two with the page showing through, and two of lines. */
static const char *const marks[SOS_PALETTE] = {
    "m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "m-3.5,-3.5h7v7h-7z", "m0,-4.7l4.4,7.6h-8.8z",    "m0,-5l4.6,5l-4.6,5l-4.6,-5z",
    "m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "m-3.5,-3.5h7v7h-7z", "m-3.5,-3.5l7,7m0,-7l-7,7", "m-4.5,0h9m-4.5,-4.5v9",
};

typedef struct look {
    size_t colour, mark;
} look;

/* After a round of colours the marks have moved on by one, so that more series than colours still differ. */
static look series_look(const sos_series *s, size_t number)
{
    const size_t i = s->style > 0 ? (size_t)s->style - 1 : number;
    return (look){ i % SOS_PALETTE, (i + i / SOS_PALETTE) % SOS_PALETTE };
}

static void put_mark(FILE *file, look l, double x, double y)
{
    fprintf(file, "<path class=\"mark%s\" d=\"", l.mark < 4 ? "" : l.mark < 6 ? " open" : " cross");
    put_point(file, 'M', x, y);
    fprintf(file, "%s\"", marks[l.mark]);
}

/* charts */

typedef struct plot {
    FILE *file;
    const sos_chart *chart;
    double width, height; /* of the picture */
    double margin;        /* to its left and right: a page has one of its own */
    double top;           /* below the title */
    double apart;         /* by which series stand side by side, so that their error bars can be told apart */
    scale x, y;
} plot;

static bool series_has(const plot *p, const sos_series *s, size_t i)
{
    return drawable(s->x[i], p->x.log) && drawable(s->y[i], p->y.log);
}

static double place_x(const plot *p, const sos_series *s, size_t i)
{
    const double number = (double)(s - p->chart->series) - 0.5 * (double)(p->chart->count - 1);
    return scale_place(&p->x, s->x[i]) + number * p->apart;
}

static double place_y(const plot *p, const sos_series *s, size_t i) { return scale_place(&p->y, s->y[i]); }

/* A third of the room between points, and not much on the whole. */
static double plot_apart(const sos_chart *c)
{
    size_t longest = 1;
    for (size_t i = 0; i < c->count; i++) longest = c->series[i].count > longest ? c->series[i].count : longest;
    return c->count < 2 ? 0 : fmin(6, fmin(24, (double)NARROW / 3 / (double)longest) / (double)c->count);
}

static void plot_scales(plot *p)
{
    const sos_chart *c = p->chart;
    p->x.log = c->x.scale == SOS_SCALE_LOG;
    p->y.log = c->y.scale == SOS_SCALE_LOG;
    for (size_t i = 0; i < c->count; i++)
        for (size_t j = 0; j < c->series[i].count; j++) {
            const sos_series *s = &c->series[i];
            if (!series_has(p, s, j)) continue;
            scale_cover(&p->x, s->x[j]);
            scale_cover(&p->y, s->y[j]);
            if (!s->spread) continue;
            p->apart = plot_apart(c);
            scale_cover(&p->y, s->y[j] - s->spread[j]);
            scale_cover(&p->y, s->y[j] + s->spread[j]);
        }
    if (c->diagonal && p->x.any) {
        p->x.log = p->x.log && p->y.log;
        p->y.log = p->x.log;
        scale_cover(&p->x, p->y.low);
        scale_cover(&p->x, p->y.high);
        scale_cover(&p->y, p->x.low);
        scale_cover(&p->y, p->x.high);
    }
    scale_finish(&p->x, c->x.zero || (c->diagonal && c->y.zero), (size_t)(p->width / 75), !c->diagonal);
    scale_finish(&p->y, c->y.zero || (c->diagonal && c->x.zero), c->diagonal ? (size_t)(p->width / 75) : PLOT_HEIGHT / 38,
                 false);
}

/* Lays out the legend, which has one entry beside the other, and draws it if wanted; returns the lines it takes. */
static size_t legend_lines(const plot *p, bool draw)
{
    const sos_chart *c = p->chart;
    if (c->count < 2) return 0;
    const double room = p->width - 2 * p->margin;
    double x = 0;
    size_t lines = 1;
    for (size_t i = 0; i < c->count; i++) {
        const sos_series *s = &c->series[i];
        const double width = fmin(room, KEY + 6 + text_width(s->name));
        if (x > 0 && x + width > room) {
            x = 0;
            lines++;
        }
        if (draw) {
            const double at = p->margin + x, y = p->top + (double)(lines - 1) * LINE + 0.5 * LINE;
            const look l = series_look(s, i);
            fprintf(p->file, "<g class=\"s%zu\">\n", l.colour);
            if (s->kind != SOS_SERIES_POINTS)
                put_line(p->file, s->kind == SOS_SERIES_DASHES ? "line dashes" : "line", at, y, at + KEY, y);
            if (s->kind != SOS_SERIES_DASHES) {
                put_mark(p->file, l, at + 0.5 * KEY, y);
                fputs("/>\n", p->file);
            }
            put_text(p->file, "name", "start", at + KEY + 6, y + 4.5, room - KEY, s->name ? s->name : "");
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
    char text[SOS_NUMBER_TEXT];
    for (size_t i = 0; i < p->y.ticks.count; i++) widest = fmax(widest, text_width(sos_ticks_text(&p->y.ticks, i, text)));
    const size_t lines = legend_lines(p, false);
    double y = p->top + (double)lines * LINE + (lines ? 6 : 0) + (p->chart->y.name ? LINE : 0) + 8;
    p->x.from = p->margin + widest + TICK;
    p->x.to = p->width - p->margin - 12;
    p->y.to = y;
    const bool square = p->chart->diagonal && !p->chart->wide;
    p->y.from = y + (square ? p->x.to - p->x.from : PLOT_HEIGHT + (p->chart->wide ? 60 : 0));
    p->height = p->y.from + LINE + 4 + (p->chart->x.name ? LINE : 0) + 4;
}

static void plot_axes(const plot *p)
{
    FILE *f = p->file;
    char text[SOS_NUMBER_TEXT];
    for (size_t i = 0; i < p->y.ticks.count; i++) {
        const double y = scale_tick(&p->y, i);
        put_line(f, "grid", p->x.from, y, p->x.to, y);
        put_text(f, "tick", "end", p->x.from - TICK, y + 4.5, INFINITY, sos_ticks_text(&p->y.ticks, i, text));
    }
    for (size_t i = 0; i < p->x.ticks.count; i++) {
        const double x = scale_tick(&p->x, i);
        put_line(f, "axis", x, p->y.from, x, p->y.from + 5);
        put_text(f, "tick", "middle", x, p->y.from + LINE, INFINITY, sos_ticks_text(&p->x.ticks, i, text));
    }
    put_line(f, "axis", p->x.from, p->y.from, p->x.to, p->y.from);
    if (p->chart->diagonal) put_line(f, "diagonal", p->x.from, p->y.from, p->x.to, p->y.to);
    const double room = p->width - 2 * p->margin;
    if (p->chart->y.name) put_text(f, "name", "start", p->margin, p->y.to - 14, room, p->chart->y.name);
    if (p->chart->x.name) put_text(f, "name", "end", p->x.to, p->y.from + LINE + 4 + LINE - 4, room, p->chart->x.name);
}

static void series_line(const plot *p, const sos_series *s)
{
    bool open = false, drawn = false;
    for (size_t i = 0; i < s->count; i++) {
        if (!series_has(p, s, i)) {
            open = false;
            continue;
        }
        if (!drawn) fprintf(p->file, "<path class=\"%s\" d=\"", s->kind == SOS_SERIES_DASHES ? "line dashes" : "line");
        put_point(p->file, open ? 'L' : 'M', place_x(p, s, i), place_y(p, s, i));
        open = drawn = true;
    }
    if (drawn) fputs("\"/>\n", p->file);
}

static void series_bar(const plot *p, const sos_series *s, size_t i)
{
    if (!s->spread || !(s->spread[i] > 0) || !isfinite(s->spread[i])) return;
    const double x = place_x(p, s, i);
    const double low = scale_place(&p->y, s->y[i] - s->spread[i]), high = scale_place(&p->y, s->y[i] + s->spread[i]);
    put_line(p->file, "spread", x, low, x, high);
    put_line(p->file, "spread", x - 4, low, x + 4, low);
    put_line(p->file, "spread", x - 4, high, x + 4, high);
}

/* What is shown where the mouse rests on a point. */
static void series_title(const plot *p, const sos_series *s, size_t i)
{
    char text[SOS_NUMBER_TEXT];
    const char *name = s->names && s->names[i] ? s->names[i] : s->name;
    fputs("<title>", p->file);
    sos_escape(p->file, name);
    fprintf(p->file, "%s%s", name && *name ? ": " : "", sos_number_text(s->x[i], 4, text));
    fprintf(p->file, ", %s", sos_number_text(s->y[i], 4, text));
    if (s->spread && isfinite(s->spread[i])) fprintf(p->file, " ± %s", sos_number_text(s->spread[i], 2, text));
    fputs("</title>", p->file);
}

/* A mark at every point, or on a long line at some twelve, at other places than those of the series beside it. */
static void series_points(const plot *p, const sos_series *s, size_t number)
{
    enum { ALL = 24, SOME = 12, TITLES = 1000 };
    const size_t every = s->kind == SOS_SERIES_POINTS || s->count <= ALL ? 1 : (s->count + SOME - 1) / SOME;
    const size_t first = every * number / (p->chart->count ? p->chart->count : 1);
    for (size_t i = 0; i < s->count; i++) {
        if (!series_has(p, s, i)) continue;
        series_bar(p, s, i);
        const double x = place_x(p, s, i), y = place_y(p, s, i);
        const bool marked = s->kind != SOS_SERIES_DASHES && (every == 1 || i % every == first % every);
        if (!marked && s->count > TITLES) continue;
        if (marked)
            put_mark(p->file, series_look(s, number), x, y);
        else {
            fputs("<circle class=\"rest\" r=\"6\"", p->file);
            put_attribute(p->file, "cx", x);
            put_attribute(p->file, "cy", y);
        }
        fputc('>', p->file);
        series_title(p, s, i);
        fputs(marked ? "</path>\n" : "</circle>\n", p->file);
    }
}

static void plot_series(const plot *p)
{
    for (size_t i = 0; i < p->chart->count; i++) {
        const sos_series *s = &p->chart->series[i];
        fprintf(p->file, "<g class=\"s%zu%s\">\n", series_look(s, i).colour, s->kind == SOS_SERIES_POINTS ? " cloud" : "");
        if (s->kind != SOS_SERIES_POINTS) series_line(p, s);
        series_points(p, s, i);
        fputs("</g>\n", p->file);
    }
    if (!p->x.any) put_text(p->file, "tick", "middle", 0.5 * p->width, 0.5 * (p->y.from + p->y.to), p->width, "no data");
}

/* The element around a picture.  One of its own has its size, its style, a page behind it and its title on top. */
static void svg_open(FILE *file, double width, double height, const char *title, const char *note, bool alone)
{
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" viewBox=\"0 0 %.0f %.0f\"", width,
            height);
    if (alone)
        fprintf(file, " width=\"%.0f\" height=\"%.0f\"", width, height);
    else
        fprintf(file, " style=\"--w:%.0f\"", width);
    fputs(" aria-label=\"", file);
    sos_escape(file, title ? title : "chart");
    fputs(note && *note ? ": " : "", file);
    sos_escape(file, note);
    fputs("\">\n", file);
    if (!alone) return;
    fputs("<style>\n", file);
    sos_chart_style(file);
    fputs("</style>\n<rect class=\"sheet\" width=\"100%\" height=\"100%\" rx=\"6\"/>\n", file);
    if (title) put_text(file, "title", "start", MARGIN, MARGIN + LETTER, width / 1.1 - 2 * MARGIN, title);
}

static double title_height(const char *title, bool alone) { return alone && title ? MARGIN + LINE + 4 : alone ? MARGIN : 2; }

static void chart_draw(FILE *file, const sos_chart *chart, bool alone)
{
    plot p = { .file = file,
               .chart = chart,
               .width = chart->wide ? WIDE : NARROW,
               .margin = alone ? MARGIN : 1,
               .top = title_height(chart->title, alone) };
    plot_scales(&p);
    plot_layout(&p);
    svg_open(file, p.width, ceil(p.height), chart->title, chart->note, alone);
    legend_lines(&p, true);
    plot_axes(&p);
    plot_series(&p);
    fputs("</svg>\n", file);
}

void sos_chart_draw(FILE *file, const sos_chart *chart) { chart_draw(file, chart, false); }

/* bars */

typedef struct bar_plot {
    FILE *file;
    const sos_bars *bars;
    double width, height, margin, top;
    double names; /* width of the names */
    int decimals; /* of the values */
    scale x;
} bar_plot;

static void bars_layout(bar_plot *p)
{
    const sos_bars *b = p->bars;
    char text[SOS_NUMBER_TEXT];
    double widest = 0;
    p->decimals = sos_decimals(b->count, b->values, 3);
    for (size_t i = 0; i < b->count; i++) {
        p->names = fmax(p->names, text_width(b->names ? b->names[i] : NULL));
        widest = fmax(widest, text_width(sos_fixed_text(b->values[i], p->decimals, text)));
        scale_cover(&p->x, b->values[i]);
        if (!b->spreads) continue;
        scale_cover(&p->x, b->values[i] - b->spreads[i]);
        scale_cover(&p->x, b->values[i] + b->spreads[i]);
    }
    p->names = fmin(p->names, 0.4 * p->width);
    p->x.from = p->margin + p->names + 12;
    p->x.to = p->width - p->margin - widest - 12;
    scale_finish(&p->x, true, (size_t)((p->x.to - p->x.from) / 60), false);
    p->height = p->top + (double)b->count * BAR_ROW + LINE + 6 + (b->axis ? LINE : 0) + 4;
}

static void bars_axis(const bar_plot *p)
{
    const double bottom = p->top + (double)p->bars->count * BAR_ROW + 2;
    char text[SOS_NUMBER_TEXT];
    for (size_t i = 0; i < p->x.ticks.count; i++) {
        const double x = scale_tick(&p->x, i);
        put_line(p->file, p->x.ticks.digits[i] ? "grid" : "axis", x, p->top, x, bottom);
        put_text(p->file, "tick", "middle", x, bottom + LINE - 4, INFINITY, sos_ticks_text(&p->x.ticks, i, text));
    }
    if (p->bars->axis)
        put_text(p->file, "name", "end", p->x.to, bottom + 2 * LINE - 4, p->width - 2 * p->margin, p->bars->axis);
}

static void bars_row(const bar_plot *p, size_t i)
{
    const sos_bars *b = p->bars;
    const double middle = p->top + ((double)i + 0.5) * BAR_ROW, value = b->values[i];
    char text[SOS_NUMBER_TEXT];
    put_text(p->file, "name", "end", p->margin + p->names, middle + 4.5, p->names + 1,
             b->names && b->names[i] ? b->names[i] : "");
    put_text(p->file, "tick", "end", p->width - p->margin, middle + 4.5, INFINITY, sos_fixed_text(value, p->decimals, text));
    if (!drawable(value, false)) return;
    const double zero = scale_place(&p->x, 0), end = scale_place(&p->x, value);
    fprintf(p->file, "<rect class=\"bar s%d\"", value < 0 ? 1 : 0);
    put_attribute(p->file, "x", fmin(zero, end));
    put_attribute(p->file, "y", middle - 0.5 * BAR);
    put_attribute(p->file, "width", fabs(end - zero));
    put_attribute(p->file, "height", BAR);
    fputs("/>\n", p->file);
    if (!b->spreads || !(b->spreads[i] > 0) || !isfinite(b->spreads[i])) return;
    put_line(p->file, "spread", scale_place(&p->x, value - b->spreads[i]), middle, scale_place(&p->x, value + b->spreads[i]),
             middle);
}

static void bars_draw(FILE *file, const sos_bars *bars, bool alone)
{
    bar_plot p = { .file = file,
                   .bars = bars,
                   .width = bars->wide ? WIDE : NARROW,
                   .margin = alone ? MARGIN : 1,
                   .top = title_height(bars->title, alone) };
    bars_layout(&p);
    svg_open(file, p.width, ceil(p.height), bars->title, bars->note, alone);
    bars_axis(&p);
    for (size_t i = 0; i < bars->count; i++) bars_row(&p, i);
    fputs("</svg>\n", file);
}

void sos_bars_draw(FILE *file, const sos_bars *bars) { bars_draw(file, bars, false); }

/* style and files */

static void palette_style(FILE *file, const uint32_t colours[SOS_PALETTE])
{
    for (size_t i = 0; i < SOS_PALETTE; i++) fprintf(file, ";--c%zu:#%06x", i, (unsigned)colours[i]);
    fputs("}", file);
}

void sos_chart_style(FILE *file)
{
    fputs(":root{--page:#fff;--ink:#1d2127;--soft:#5b6470;--rule:#e3e6ea", file);
    palette_style(file, sos_palette_light);
    fputs("\n@media screen and (prefers-color-scheme:dark){:root{--page:#15181c;--ink:#e4e7eb;--soft:#9aa4b0;--rule:#2c3239",
          file);
    palette_style(file, sos_palette_dark);
    fputs("}\n", file);
    for (size_t i = 0; i < SOS_PALETTE; i++) fprintf(file, ".s%zu{color:var(--c%zu)}", i, i);
    fputs("\n.chart text{font:13px system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,sans-serif;"
          "font-variant-numeric:tabular-nums;fill:var(--ink)}\n"
          ".chart .tick{fill:var(--soft)}\n"
          ".chart .title{font-size:15px;font-weight:600}\n"
          ".chart .sheet{fill:var(--page)}\n"
          ".chart path{fill:none}\n"
          ".chart .grid{stroke:var(--rule)}\n"
          ".chart .axis{stroke:var(--soft)}\n"
          ".chart .diagonal{stroke:var(--soft);stroke-dasharray:5 4}\n"
          ".chart .line{stroke:currentColor;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}\n"
          ".chart .dashes{stroke-dasharray:6 5}\n"
          ".chart .spread{stroke:currentColor;stroke-width:1.3}\n"
          ".chart .mark{fill:currentColor;stroke:currentColor;stroke-width:1.5}\n"
          ".chart .open{fill:var(--page);stroke-width:1.8}\n"
          ".chart .cross{fill:none;stroke-width:2}\n"
          ".chart .cloud .mark{fill-opacity:.55;stroke-width:1}\n"
          ".chart .rest{fill:transparent}\n"
          ".chart .bar{fill:currentColor}\n"
          ".chart .bar+.spread{stroke:var(--ink)}\n",
          file);
}

sos_status sos_chart_write(const sos_chart *chart, const char *path, sos_error *error)
{
    sos_output output;
    const sos_status status = sos_output_open(&output, path, error);
    if (status) return status;
    chart_draw(output.file, chart, true);
    return sos_output_commit(&output);
}

sos_status sos_bars_write(const sos_bars *bars, const char *path, sos_error *error)
{
    sos_output output;
    const sos_status status = sos_output_open(&output, path, error);
    if (status) return status;
    bars_draw(output.file, bars, true);
    return sos_output_commit(&output);
}
