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
    const s3svm_bars *bars;
    double width, height, margin, top;
    double names; /* width of the names */
    int decimals; /* of the values */
    s3svm_chart_scale x;
} bar_plot;

static void bars_layout(bar_plot *p)
{
    const s3svm_bars *b = p->bars;
    char text[S3SVM_NUMBER_TEXT];
    double widest = 0;
    p->decimals = s3svm_decimals(b->count, b->values, 3);
    for (size_t i = 0; i < b->count; i++) {
        p->names = fmax(p->names, s3svm_svg_text_width(b->names ? b->names[i] : NULL));
        widest = fmax(widest, s3svm_svg_text_width(s3svm_fixed_text(b->values[i], p->decimals, text)));
        s3svm_scale_cover(&p->x, b->values[i]);
        if (!b->spreads) continue;
        s3svm_scale_cover(&p->x, b->values[i] - b->spreads[i]);
        s3svm_scale_cover(&p->x, b->values[i] + b->spreads[i]);
    }
    p->names = fmin(p->names, 0.4 * p->width);
    p->x.from = p->margin + p->names + 12;
    p->x.to = p->width - p->margin - widest - 12;
    s3svm_scale_finish(&p->x, true, (size_t)((p->x.to - p->x.from) / 60), false);
    p->height = p->top + (double)b->count * BAR_ROW + S3SVM_SVG_LINE + 6 + (b->axis ? S3SVM_SVG_LINE : 0) + 4;
}

static void bars_axis(const bar_plot *p)
{
    const double bottom = p->top + (double)p->bars->count * BAR_ROW + 2;
    char text[S3SVM_NUMBER_TEXT];
    for (size_t i = 0; i < p->x.ticks.count; i++) {
        const double x = s3svm_scale_tick(&p->x, i);
        s3svm_svg_line(p->file, p->x.ticks.digits[i] ? "grid" : "axis", x, p->top, x, bottom);
        s3svm_svg_text(p->file, "tick", "middle", x, bottom + S3SVM_SVG_LINE - 4, INFINITY,
                       s3svm_ticks_text(&p->x.ticks, i, text));
    }
    if (p->bars->axis)
        s3svm_svg_text(p->file, "name", "end", p->x.to, bottom + 2 * S3SVM_SVG_LINE - 4, p->width - 2 * p->margin,
                       p->bars->axis);
}

static void bars_row(const bar_plot *p, size_t i)
{
    const s3svm_bars *b = p->bars;
    const double middle = p->top + ((double)i + 0.5) * BAR_ROW, value = b->values[i];
    char text[S3SVM_NUMBER_TEXT];
    s3svm_svg_text(p->file, "name", "end", p->margin + p->names, middle + 4.5, p->names + 1,
                   b->names && b->names[i] ? b->names[i] : "");
    s3svm_svg_text(p->file, "tick", "end", p->width - p->margin, middle + 4.5, INFINITY,
                   s3svm_fixed_text(value, p->decimals, text));
    if (!s3svm_scale_has(value, false)) return;
    const double zero = s3svm_scale_place(&p->x, 0), end = s3svm_scale_place(&p->x, value);
    fprintf(p->file, "<rect class=\"bar s%d\"", value < 0 ? 1 : 0);
    s3svm_svg_attribute(p->file, "x", fmin(zero, end));
    s3svm_svg_attribute(p->file, "y", middle - 0.5 * BAR);
    s3svm_svg_attribute(p->file, "width", fabs(end - zero));
    s3svm_svg_attribute(p->file, "height", BAR);
    fputs("/>\n", p->file);
    if (!b->spreads || !(b->spreads[i] > 0) || !isfinite(b->spreads[i])) return;
    s3svm_svg_line(p->file, "spread", s3svm_scale_place(&p->x, value - b->spreads[i]), middle,
                   s3svm_scale_place(&p->x, value + b->spreads[i]), middle);
}

static void bars_draw(FILE *file, const s3svm_bars *bars, bool alone)
{
    bar_plot p = { .file = file,
                   .bars = bars,
                   .width = bars->wide ? S3SVM_SVG_WIDE : S3SVM_SVG_NARROW,
                   .margin = alone ? S3SVM_SVG_MARGIN : 1,
                   .top = s3svm_svg_title_height(bars->title, alone) };
    bars_layout(&p);
    s3svm_svg_open(file, p.width, ceil(p.height), bars->title, bars->note, alone);
    bars_axis(&p);
    for (size_t i = 0; i < bars->count; i++) bars_row(&p, i);
    fputs("</svg>\n", file);
}

void s3svm_bars_draw(FILE *file, const s3svm_bars *bars) { bars_draw(file, bars, false); }

sos_status s3svm_bars_write(const s3svm_bars *bars, const char *path, sos_error *error)
{
    sos_output output;
    const sos_status status = sos_output_open(&output, path, error);
    if (status) return status;
    bars_draw(output.file, bars, true);
    return sos_output_commit(&output);
}
