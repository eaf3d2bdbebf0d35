/* report_matrix.c - confusion matrices, and legends of colours. */
#include "report/report_parts.h"

#include <math.h>

static double row_sum(const s3svm_matrix *m, size_t row)
{
    double sum = 0;
    for (size_t i = 0; i < m->count; i++) sum += m->values[row * m->count + i];
    return sum;
}

static void matrix_row(const s3svm_report *r, const s3svm_matrix *m, size_t row)
{
    const double sum = row_sum(m, row);
    char text[S3SVM_NUMBER_TEXT];
    s3svm_report_put_escaped(r, "<tr><th scope=\"row\">", m->names[row], "</th>");
    for (size_t i = 0; i < m->count; i++) {
        const double share = sum > 0 ? m->values[row * m->count + i] / sum : NAN;
        s3svm_report_heat_open(r, sum > 0 ? share : 0, i == row ? "is" : "");
        s3svm_report_put_escaped(r, "", s3svm_fixed_text(100 * share, share > 0 ? 1 : 0, text), "</td>");
    }
    s3svm_report_put_escaped(r, "<td class=\"sum\">", s3svm_number_text(sum, 6, text), "</td></tr>\n");
}

void s3svm_report_matrix(s3svm_report *r, const s3svm_matrix *m)
{
    if (!s3svm_report_enter(r, S3SVM_BLOCK_NONE)) return;
    s3svm_report_put(r, "<figure>\n");
    s3svm_report_caption(r, m->caption, "% of each row");
    s3svm_report_scroll_open(r, m->caption);
    s3svm_report_put(r, "<table class=\"heat\">\n<thead>\n<tr><td></td>");
    fprintf(r->output.file, "<th scope=\"colgroup\" colspan=\"%zu\">", m->count ? m->count : 1);
    s3svm_report_put_escaped(r, "", m->columns, "</th></tr>\n");
    s3svm_report_put_escaped(r, "<tr><th scope=\"col\">", m->rows, "</th>");
    for (size_t i = 0; i < m->count; i++) s3svm_report_put_escaped(r, "<th scope=\"col\">", m->names[i], "</th>");
    s3svm_report_put(r, "<th scope=\"col\">all</th></tr>\n</thead>\n<tbody>\n");
    for (size_t i = 0; i < m->count; i++) matrix_row(r, m, i);
    s3svm_report_put(r, "</tbody></table>\n</div>\n</figure>\n");
}

void s3svm_report_legend(s3svm_report *r, size_t count, const char *const names[], const uint32_t colours[])
{
    if (!s3svm_report_enter(r, S3SVM_BLOCK_NONE)) return;
    s3svm_report_put(r, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < count; i++) {
        fprintf(r->output.file, "<li><i style=\"--colour:#%06x\"></i>", (unsigned)(colours[i] & 0xffffff));
        s3svm_report_put_escaped(r, "", names[i], "</li>\n");
    }
    s3svm_report_put(r, "</ul>\n");
}
