/* report_table.c - tables of numbers, of which the best are set off. */
#include "report/report_parts.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static void table_groups(const sos_report *r, size_t columns, const sos_column column[])
{
    bool any = false;
    for (size_t i = 0; i < columns; i++) any |= column[i].group != NULL;
    if (!any) return;
    sos_report_put(r, "<tr>");
    for (size_t i = 0, next; i < columns; i = next) {
        for (next = i + 1; next < columns && same_text(column[i].group, column[next].group);) next++;
        if (!column[i].group)
            fprintf(r->output.file, "<td colspan=\"%zu\"></td>", next - i);
        else {
            fprintf(r->output.file, "<th colspan=\"%zu\" scope=\"colgroup\" class=\"group\">", next - i);
            sos_report_put_escaped(r, "", column[i].group, "</th>");
        }
    }
    sos_report_put(r, "</tr>\n");
}

void sos_report_table(sos_report *r, const char *caption, size_t columns, const sos_column column[])
{
    if (!sos_report_enter(r, SOS_BLOCK_NONE)) return;
    if (columns < 1 || columns > SOS_REPORT_COLUMNS_MAX) {
        sos_report_fail(r, sos_fail(r->error, SOS_ERR_ARGUMENT, "a table of a report has 1 to %d columns, not %zu",
                                    SOS_REPORT_COLUMNS_MAX, columns));
        return;
    }
    r->block = SOS_BLOCK_TABLE;
    r->columns = columns;
    r->cells = 0;
    sos_string_clear(&r->kept);
    sos_report_put(r, "<figure>\n");
    sos_report_caption(r, caption, NULL);
    sos_report_scroll_open(r, caption);
    sos_report_put(r, "<table class=\"grid\">\n<thead>\n");
    table_groups(r, columns, column);
    sos_report_put(r, "<tr>");
    for (size_t i = 0; i < columns; i++) {
        r->best[i] = column[i].best;
        r->text[i] = i == 0 || column[i].text;
        sos_report_put_escaped(r, r->text[i] ? "<th scope=\"col\" class=\"t\">" : "<th scope=\"col\">", column[i].name,
                               "</th>");
    }
    sos_report_put(r, "</tr>\n</thead>\n<tbody>\n");
}

/* Cells are kept until the table ends: only then is it known which are best. */
static void cell_keep(sos_report *r, double x, const char *format, va_list values)
{
    if (r->status) return;
    if (r->block != SOS_BLOCK_TABLE) {
        sos_report_fail(r, sos_fail(r->error, SOS_ERR_ARGUMENT, "a cell of a report outside a table"));
        return;
    }
    if (format) sos_string_vprint(&r->kept, format, values);
    sos_string_mark(&r->kept);
    if (r->kept.failed || !sos_grow(&r->values, &r->values_room, r->cells + 1))
        sos_report_no_memory(r, "the report");
    else
        r->values[r->cells++] = x;
}

void sos_report_cell(sos_report *r, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    cell_keep(r, NAN, format, values);
    va_end(values);
}

void sos_report_number(sos_report *r, double x, const char *format, ...)
{
    if (!isfinite(x)) {
        sos_report_cell(r, "–");
        return;
    }
    va_list values;
    va_start(values, format);
    cell_keep(r, x, format, values);
    va_end(values);
}

void sos_report_share(sos_report *r, double share, double deviation)
{
    char text[2][SOS_NUMBER_TEXT];
    sos_fixed_text(100 * share, 2, text[0]);
    if (isfinite(deviation))
        sos_report_number(r, share, "%s ± %s", text[0], sos_fixed_text(100 * deviation, 2, text[1]));
    else
        sos_report_number(r, share, "%s", text[0]);
}

/* The text of the best cell of a column; NULL where it has none. */
static const char *table_best(const sos_report *r, size_t column)
{
    const char *best = NULL, *at = r->kept.text;
    double value = 0;
    for (size_t i = 0; i < r->cells; i++, at += strlen(at) + 1) {
        if (i % r->columns != column || isnan(r->values[i])) continue;
        if (best && !(r->best[column] == SOS_BEST_LEAST ? r->values[i] < value : r->values[i] > value)) continue;
        best = at;
        value = r->values[i];
    }
    return r->best[column] == SOS_BEST_NONE ? NULL : best;
}

/* Short texts stay on a line; long ones are broken. */
static const char *text_class(const char *text)
{
    enum { SHORT = 40 };
    return strlen(text) > SHORT ? "t long" : "t";
}

static void cell_put(const sos_report *r, size_t column, const char *text, bool best)
{
    if (column == 0)
        fprintf(r->output.file, "<tr><th scope=\"row\" class=\"%s\">", text_class(text));
    else if (r->text[column])
        fprintf(r->output.file, "<td class=\"%s\">", text_class(text));
    else
        sos_report_put(r, best ? "<td class=\"best\">" : "<td>");
    sos_report_put_escaped(r, "", text, column ? "</td>" : "</th>");
}

void sos_report_table_close(sos_report *r)
{
    while (!r->status && r->cells % r->columns) sos_report_cell(r, NULL); /* the last row may have been cut short */
    if (r->status) return;
    const char *best[SOS_REPORT_COLUMNS_MAX] = { NULL }, *at = r->kept.text;
    for (size_t i = 0; i < r->columns; i++) best[i] = table_best(r, i);
    for (size_t i = 0; i < r->cells; i++, at += strlen(at) + 1) {
        const size_t column = i % r->columns;
        cell_put(r, column, at, best[column] && !isnan(r->values[i]) && !strcmp(at, best[column]));
        if (column == r->columns - 1) sos_report_put(r, "</tr>\n");
    }
    sos_report_put(r, "</tbody>\n</table>\n</div>\n</figure>\n");
}
