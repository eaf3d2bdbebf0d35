/* report_chart.c - charts and bars with their captions, and their numbers as tables. */
#include "report/report_parts.h"

#include <math.h>

static void number_put(const sos_report *r, double x)
{
    char text[SOS_NUMBER_TEXT];
    sos_report_put_escaped(r, "<td>", sos_number_text(x, 6, text), "</td>");
}

/* The numbers of a chart, folded away: for those who do not see it, and for those who want to copy them. */
static void details_open(const sos_report *r, const char *title)
{
    sos_report_put(r, "<details><summary>Numbers</summary>\n");
    sos_report_scroll_open(r, title ? title : "numbers of the chart");
    sos_report_put(r, "<table class=\"grid\">\n<thead><tr>");
}

static void details_head(const sos_report *r, const char *name, const char *otherwise, bool text)
{
    sos_report_put_escaped(r, text ? "<th scope=\"col\" class=\"t\">" : "<th scope=\"col\">", name && *name ? name : otherwise,
                           "</th>");
}

static void chart_numbers(const sos_report *r, const sos_chart *c)
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
    sos_report_put(r, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < c->count; i++)
        for (size_t j = 0; j < c->series[i].count; j++) {
            const sos_series *s = &c->series[i];
            sos_report_put_escaped(r, "<tr><th scope=\"row\">", s->name, "</th>");
            if (named) sos_report_put_escaped(r, "<td class=\"t\">", s->names ? s->names[j] : NULL, "</td>");
            number_put(r, s->x[j]);
            number_put(r, s->y[j]);
            if (spread) number_put(r, s->spread ? s->spread[j] : NAN);
            sos_report_put(r, "</tr>\n");
        }
    sos_report_put(r, "</tbody></table>\n</div></details>\n");
}

static void figure_open(const sos_report *r, const char *title, const char *note, bool wide)
{
    sos_report_put(r, wide ? "<figure class=\"wide\">\n" : "<figure>\n");
    sos_report_caption(r, title, note);
    sos_report_put(r, "<div class=\"scroll\">\n");
}

void sos_report_chart(sos_report *r, const sos_chart *chart)
{
    if (!sos_report_enter(r, SOS_BLOCK_CHARTS)) return;
    figure_open(r, chart->title, chart->note, chart->wide);
    sos_chart_draw(r->output.file, chart);
    sos_report_put(r, "</div>\n");
    chart_numbers(r, chart);
    sos_report_put(r, "</figure>\n");
}

static void bars_numbers(const sos_report *r, const sos_bars *b)
{
    details_open(r, b->title);
    details_head(r, NULL, "name", true);
    details_head(r, b->axis, "value", false);
    if (b->spreads) details_head(r, NULL, "±", false);
    sos_report_put(r, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < b->count; i++) {
        sos_report_put_escaped(r, "<tr><th scope=\"row\">", b->names ? b->names[i] : NULL, "</th>");
        number_put(r, b->values[i]);
        if (b->spreads) number_put(r, b->spreads[i]);
        sos_report_put(r, "</tr>\n");
    }
    sos_report_put(r, "</tbody></table>\n</div></details>\n");
}

void sos_report_bars(sos_report *r, const sos_bars *bars)
{
    if (!sos_report_enter(r, SOS_BLOCK_CHARTS)) return;
    figure_open(r, bars->title, bars->note, bars->wide);
    sos_bars_draw(r->output.file, bars);
    sos_report_put(r, "</div>\n");
    bars_numbers(r, bars);
    sos_report_put(r, "</figure>\n");
}
