/* report_chart.c - charts and bars with their captions, and their numbers as tables. */
#include "report/report_parts.h"

#include <math.h>

static void number_put(const s3svm_report *r, double x)
{
    char text[S3SVM_NUMBER_TEXT];
    s3svm_report_put_escaped(r, "<td>", s3svm_number_text(x, 6, text), "</td>");
}

/* The numbers of a chart, folded away: for those who do not see it, and for those who want to copy them. */
static void details_open(const s3svm_report *r, const char *title)
{
    s3svm_report_put(r, "<details><summary>Numbers</summary>\n");
    s3svm_report_scroll_open(r, title ? title : "numbers of the chart");
    s3svm_report_put(r, "<table class=\"grid\">\n<thead><tr>");
}

static void details_head(const s3svm_report *r, const char *name, const char *otherwise, bool text)
{
    s3svm_report_put_escaped(r, text ? "<th scope=\"col\" class=\"t\">" : "<th scope=\"col\">",
                             name && *name ? name : otherwise, "</th>");
}

static void chart_numbers(const s3svm_report *r, const s3svm_chart *c)
{
    enum { MOST = 2000 };
    bool spread = false, named = false;
    size_t points = 0;
    for (size_t i = 0; i < c->count; i++) {
        points += c->series[i].count;
        spread |= c->series[i].spread != NULL;
        named |= c->series[i].names != NULL;
    }
    if (points == 0 || points > MOST) return;
    details_open(r, c->title);
    details_head(r, NULL, "series", true);
    if (named) details_head(r, NULL, "point", true);
    details_head(r, c->x.name, "x", false);
    details_head(r, c->y.name, "y", false);
    if (spread) details_head(r, NULL, "±", false);
    s3svm_report_put(r, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < c->count; i++)
        for (size_t j = 0; j < c->series[i].count; j++) {
            const s3svm_series *s = &c->series[i];
            s3svm_report_put_escaped(r, "<tr><th scope=\"row\">", s->name, "</th>");
            if (named) s3svm_report_put_escaped(r, "<td class=\"t\">", s->names ? s->names[j] : NULL, "</td>");
            number_put(r, s->x[j]);
            number_put(r, s->y[j]);
            if (spread) number_put(r, s->spread ? s->spread[j] : NAN);
            s3svm_report_put(r, "</tr>\n");
        }
    s3svm_report_put(r, "</tbody></table>\n</div></details>\n");
}

static void figure_open(const s3svm_report *r, const char *title, const char *note, bool wide)
{
    s3svm_report_put(r, wide ? "<figure class=\"wide\">\n" : "<figure>\n");
    s3svm_report_caption(r, title, note);
    s3svm_report_put(r, "<div class=\"scroll\">\n");
}

void s3svm_report_chart(s3svm_report *r, const s3svm_chart *chart)
{
    if (!s3svm_report_enter(r, S3SVM_BLOCK_CHARTS)) return;
    figure_open(r, chart->title, chart->note, chart->wide);
    s3svm_chart_draw(r->output.file, chart);
    s3svm_report_put(r, "</div>\n");
    chart_numbers(r, chart);
    s3svm_report_put(r, "</figure>\n");
}

static void bars_numbers(const s3svm_report *r, const s3svm_bars *b)
{
    details_open(r, b->title);
    details_head(r, NULL, "name", true);
    details_head(r, b->axis, "value", false);
    if (b->spreads) details_head(r, NULL, "±", false);
    s3svm_report_put(r, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < b->count; i++) {
        s3svm_report_put_escaped(r, "<tr><th scope=\"row\">", b->names ? b->names[i] : NULL, "</th>");
        number_put(r, b->values[i]);
        if (b->spreads) number_put(r, b->spreads[i]);
        s3svm_report_put(r, "</tr>\n");
    }
    s3svm_report_put(r, "</tbody></table>\n</div></details>\n");
}

void s3svm_report_bars(s3svm_report *r, const s3svm_bars *bars)
{
    if (!s3svm_report_enter(r, S3SVM_BLOCK_CHARTS)) return;
    figure_open(r, bars->title, bars->note, bars->wide);
    s3svm_bars_draw(r->output.file, bars);
    s3svm_report_put(r, "</div>\n");
    bars_numbers(r, bars);
    s3svm_report_put(r, "</figure>\n");
}
