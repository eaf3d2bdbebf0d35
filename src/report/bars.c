/* bars.c - horizontal bars, one below the other. */
#include "report/chart.h"

#include <math.h>

#include "base/output.h"
#include "report/scale.h"
#include "report/svg.h"
#include "report/text.h"

/* Lengths in pixels. */
enum { BAR = 14, BAR_ROW = 24 };

typedef struct bar_plot {
    FILE *file;
    const sos_bars *bars;
    double width, height, margin, top;
    double names; /* width of the names */
    int decimals; /* of the values */
    sos_chart_scale x;
} bar_plot;

static void bars_layout(bar_plot *p)
{
    const sos_bars *b = p->bars;
    char text[SOS_NUMBER_TEXT];
    double widest = 0;
    p->decimals = sos_decimals(b->count, b->values, 3);
    for (size_t i = 0; i < b->count; i++) {
        p->names = fmax(p->names, sos_svg_text_width(b->names ? b->names[i] : NULL));
        widest = fmax(widest, sos_svg_text_width(sos_fixed_text(b->values[i], p->decimals, text)));
        sos_scale_cover(&p->x, b->values[i]);
        if (!b->spreads) continue;
        sos_scale_cover(&p->x, b->values[i] - b->spreads[i]);
        sos_scale_cover(&p->x, b->values[i] + b->spreads[i]);
    }
    p->names = fmin(p->names, 0.4 * p->width);
    p->x.from = p->margin + p->names + 12;
    p->x.to = p->width - p->margin - widest - 12;
    sos_scale_finish(&p->x, true, (size_t)((p->x.to - p->x.from) / 60), false);
    p->height = p->top + (double)b->count * BAR_ROW + SOS_SVG_LINE + 6 + (b->axis ? SOS_SVG_LINE : 0) + 4;
}

static void bars_axis(const bar_plot *p)
{
    const double bottom = p->top + (double)p->bars->count * BAR_ROW + 2;
    char text[SOS_NUMBER_TEXT];
    for (size_t i = 0; i < p->x.ticks.count; i++) {
        const double x = sos_scale_tick(&p->x, i);
        sos_svg_line(p->file, p->x.ticks.digits[i] ? "grid" : "axis", x, p->top, x, bottom);
        sos_svg_text(p->file, "tick", "middle", x, bottom + SOS_SVG_LINE - 4, INFINITY, sos_ticks_text(&p->x.ticks, i, text));
    }
    if (p->bars->axis)
        sos_svg_text(p->file, "name", "end", p->x.to, bottom + 2 * SOS_SVG_LINE - 4, p->width - 2 * p->margin, p->bars->axis);
}

static void bars_row(const bar_plot *p, size_t i)
{
    const sos_bars *b = p->bars;
    const double middle = p->top + ((double)i + 0.5) * BAR_ROW, value = b->values[i];
    char text[SOS_NUMBER_TEXT];
    sos_svg_text(p->file, "name", "end", p->margin + p->names, middle + 4.5, p->names + 1,
                 b->names && b->names[i] ? b->names[i] : "");
    sos_svg_text(p->file, "tick", "end", p->width - p->margin, middle + 4.5, INFINITY,
                 sos_fixed_text(value, p->decimals, text));
    if (!sos_scale_has(value, false)) return;
    const double zero = sos_scale_place(&p->x, 0), end = sos_scale_place(&p->x, value);
    fprintf(p->file, "<rect class=\"bar s%d\"", value < 0 ? 1 : 0);
    sos_svg_attribute(p->file, "x", fmin(zero, end));
    sos_svg_attribute(p->file, "y", middle - 0.5 * BAR);
    sos_svg_attribute(p->file, "width", fabs(end - zero));
    sos_svg_attribute(p->file, "height", BAR);
    fputs("/>\n", p->file);
    if (!b->spreads || !(b->spreads[i] > 0) || !isfinite(b->spreads[i])) return;
    sos_svg_line(p->file, "spread", sos_scale_place(&p->x, value - b->spreads[i]), middle,
                 sos_scale_place(&p->x, value + b->spreads[i]), middle);
}

static void bars_draw(FILE *file, const sos_bars *bars, bool alone)
{
    bar_plot p = { .file = file,
                   .bars = bars,
                   .width = bars->wide ? SOS_SVG_WIDE : SOS_SVG_NARROW,
                   .margin = alone ? SOS_SVG_MARGIN : 1,
                   .top = sos_svg_title_height(bars->title, alone) };
    bars_layout(&p);
    sos_svg_open(file, p.width, ceil(p.height), bars->title, bars->note, alone);
    bars_axis(&p);
    for (size_t i = 0; i < bars->count; i++) bars_row(&p, i);
    fputs("</svg>\n", file);
}

void sos_bars_draw(FILE *file, const sos_bars *bars) { bars_draw(file, bars, false); }

sos_status sos_bars_write(const sos_bars *bars, const char *path, sos_error *error)
{
    sos_output output;
    const sos_status status = sos_output_open(&output, path, error);
    if (status) return status;
    bars_draw(output.file, bars, true);
    return sos_output_commit(&output);
}
