/* report_matrix.c - what was called what, and what colours stand for. */
#include "report/report_parts.h"

#include <math.h>

static double row_sum(const sos_matrix *m, size_t row)
{
    double sum = 0;
    for (size_t i = 0; i < m->count; i++) sum += m->values[row * m->count + i];
    return sum;
}

static void matrix_row(const sos_report *r, const sos_matrix *m, size_t row)
{
    const double sum = row_sum(m, row);
    char text[SOS_NUMBER_TEXT];
    sos_report_put_escaped(r, "<tr><th scope=\"row\">", m->names[row], "</th>");
    for (size_t i = 0; i < m->count; i++) {
        const double share = sum > 0 ? m->values[row * m->count + i] / sum : NAN;
        sos_report_heat_open(r, sum > 0 ? share : 0, i == row ? "is" : "");
        sos_report_put_escaped(r, "", sos_fixed_text(100 * share, share > 0 ? 1 : 0, text), "</td>");
    }
    sos_report_put_escaped(r, "<td class=\"sum\">", sos_number_text(sum, 6, text), "</td></tr>\n");
}

void sos_report_matrix(sos_report *r, const sos_matrix *m)
{
    if (!sos_report_enter(r, SOS_BLOCK_NONE)) return;
    sos_report_put(r, "<figure>\n");
    sos_report_caption(r, m->caption, "% of each row");
    sos_report_scroll_open(r, m->caption);
    sos_report_put(r, "<table class=\"heat\">\n<thead>\n<tr><td></td>");
    fprintf(r->output.file, "<th scope=\"colgroup\" colspan=\"%zu\">", m->count ? m->count : 1);
    sos_report_put_escaped(r, "", m->columns, "</th></tr>\n");
    sos_report_put_escaped(r, "<tr><th scope=\"col\">", m->rows, "</th>");
    for (size_t i = 0; i < m->count; i++) sos_report_put_escaped(r, "<th scope=\"col\">", m->names[i], "</th>");
    sos_report_put(r, "<th scope=\"col\">all</th></tr>\n</thead>\n<tbody>\n");
    for (size_t i = 0; i < m->count; i++) matrix_row(r, m, i);
    sos_report_put(r, "</tbody></table>\n</div>\n</figure>\n");
}

void sos_report_legend(sos_report *r, size_t count, const char *const names[], const uint32_t colours[])
{
    if (!sos_report_enter(r, SOS_BLOCK_NONE)) return;
    sos_report_put(r, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < count; i++) {
        fprintf(r->output.file, "<li><i style=\"--colour:#%06x\"></i>", (unsigned)(colours[i] & 0xffffff));
        sos_report_put_escaped(r, "", names[i], "</li>\n");
    }
    sos_report_put(r, "</ul>\n");
}
