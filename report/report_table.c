/* report_table.c - tables of numbers, with the best ones highlighted. */
#include "report/report_parts.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static void table_groups(const s3svm_report *r, size_t columns, const s3svm_column column[])
{
    bool any = false;
    for (size_t i = 0; i < columns; i++) any |= column[i].group != NULL;
    if (!any) return;
    s3svm_report_put(r, "<tr>");
    for (size_t i = 0, next; i < columns; i = next) {
        for (next = i + 1; next < columns && same_text(column[i].group, column[next].group);) next++;
        if (!column[i].group)
            fprintf(r->output.file, "<td colspan=\"%zu\"></td>", next - i);
        else {
            fprintf(r->output.file, "<th colspan=\"%zu\" scope=\"colgroup\" class=\"group\">", next - i);
            s3svm_report_put_escaped(r, "", column[i].group, "</th>");
        }
    }
    s3svm_report_put(r, "</tr>\n");
}

void s3svm_report_table(s3svm_report *r, const char *caption, size_t columns, const s3svm_column column[])
{
    if (!s3svm_report_enter(r, S3SVM_BLOCK_NONE)) return;
    if (columns < 1 || columns > S3SVM_REPORT_COLUMNS_MAX) {
        s3svm_report_fail(r, sos_fail(r->error, SOS_ERR_ARGUMENT, "a table of a report has 1 to %d columns, not %zu",
                                      S3SVM_REPORT_COLUMNS_MAX, columns));
        return;
    }
    r->block = S3SVM_BLOCK_TABLE;
    r->columns = columns;
    r->cells = 0;
    s3svm_string_clear(&r->kept);
    s3svm_report_put(r, "<figure>\n");
    s3svm_report_caption(r, caption, NULL);
    s3svm_report_scroll_open(r, caption);
    s3svm_report_put(r, "<table class=\"grid\">\n<thead>\n");
    table_groups(r, columns, column);
    s3svm_report_put(r, "<tr>");
    for (size_t i = 0; i < columns; i++) {
        r->best[i] = column[i].best;
        r->text[i] = i == 0 || column[i].text;
        s3svm_report_put_escaped(r, r->text[i] ? "<th scope=\"col\" class=\"t\">" : "<th scope=\"col\">", column[i].name,
                                 "</th>");
    }
    s3svm_report_put(r, "</tr>\n</thead>\n<tbody>\n");
}

/* Cells are kept until the table ends: only then is it known which are best. */
static void cell_keep(s3svm_report *r, double x, const char *format, va_list values)
{
    if (r->status) return;
    if (r->block != S3SVM_BLOCK_TABLE) {
        s3svm_report_fail(r, sos_fail(r->error, SOS_ERR_ARGUMENT, "a cell of a report outside a table"));
        return;
    }
    if (format) s3svm_string_vprint(&r->kept, format, values);
    s3svm_string_mark(&r->kept);
    if (r->kept.failed || !sos_grow(&r->values, &r->values_room, r->cells + 1))
        s3svm_report_no_memory(r, "the report");
    else
        r->values[r->cells++] = x;
}

void s3svm_report_cell(s3svm_report *r, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    cell_keep(r, NAN, format, values);
    va_end(values);
}

void s3svm_report_number(s3svm_report *r, double x, const char *format, ...)
{
    if (!isfinite(x)) {
        s3svm_report_cell(r, "–");
        return;
    }
    va_list values;
    va_start(values, format);
    cell_keep(r, x, format, values);
    va_end(values);
}

void s3svm_report_share(s3svm_report *r, double share, double deviation)
{
    char text[2][S3SVM_NUMBER_TEXT];
    s3svm_fixed_text(100 * share, 2, text[0]);
    if (isfinite(deviation))
        s3svm_report_number(r, share, "%s ± %s", text[0], s3svm_fixed_text(100 * deviation, 2, text[1]));
    else
        s3svm_report_number(r, share, "%s", text[0]);
}

/* The text of the best cell of a column; NULL where it has none. */
static const char *table_best(const s3svm_report *r, size_t column)
{
    const char *best = NULL, *at = r->kept.text;
    double value = 0;
    for (size_t i = 0; i < r->cells; i++, at += strlen(at) + 1) {
        if (i % r->columns != column || isnan(r->values[i])) continue;
        if (best && !(r->best[column] == S3SVM_BEST_LEAST ? r->values[i] < value : r->values[i] > value)) continue;
        best = at;
        value = r->values[i];
    }
    return r->best[column] == S3SVM_BEST_NONE ? NULL : best;
}

/* Short texts stay on a line; long ones are broken. */
static const char *text_class(const char *text)
{
    enum { SHORT = 40 };
    return strlen(text) > SHORT ? "t long" : "t";
}

static void cell_put(const s3svm_report *r, size_t column, const char *text, bool best)
{
    if (column == 0)
        fprintf(r->output.file, "<tr><th scope=\"row\" class=\"%s\">", text_class(text));
    else if (r->text[column])
        fprintf(r->output.file, "<td class=\"%s\">", text_class(text));
    else
        s3svm_report_put(r, best ? "<td class=\"best\">" : "<td>");
    s3svm_report_put_escaped(r, "", text, column ? "</td>" : "</th>");
}

void s3svm_report_table_close(s3svm_report *r)
{
    while (!r->status && r->cells % r->columns) s3svm_report_cell(r, NULL); /* the last row may have been cut short */
    if (r->status) return;
    const char *best[S3SVM_REPORT_COLUMNS_MAX] = { NULL }, *at = r->kept.text;
    for (size_t i = 0; i < r->columns; i++) best[i] = table_best(r, i);
    for (size_t i = 0; i < r->cells; i++, at += strlen(at) + 1) {
        const size_t column = i % r->columns;
        cell_put(r, column, at, best[column] && !isnan(r->values[i]) && !strcmp(at, best[column]));
        if (column == r->columns - 1) s3svm_report_put(r, "</tr>\n");
    }
    s3svm_report_put(r, "</tbody>\n</table>\n</div>\n</figure>\n");
}
