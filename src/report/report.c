/* report.c - the page is HTML that is well-formed XML too, so that any tool can read it. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK_NONE, BLOCK_FACTS, BLOCK_TABLE, BLOCK_CHARTS, BLOCK_PICTURES };

/* Escape goes back from an enlarged picture; a click does without. */
static const char script[] = "addEventListener('keydown',function(e){if(e.key==='Escape')"
                             "document.querySelectorAll('.none').forEach(function(x){x.checked=true})});";

/* what all parts use */

static FILE *out(const sos_report *r) { return r->output.file; }

static void put(const sos_report *r, const char *markup) { fputs(markup, out(r)); }

static void escaped(const sos_report *r, const char *text) { sos_escape(out(r), text); }

static void put_escaped(const sos_report *r, const char *before, const char *text, const char *behind)
{
    put(r, before);
    escaped(r, text);
    put(r, behind);
}

/* What fails leaves no file behind. */
static void report_fail(sos_report *r, sos_status status)
{
    if (r->status) return;
    r->status = status;
    sos_output_abandon(&r->output);
}

static void no_memory(sos_report *r)
{
    if (!r->status) report_fail(r, sos_fail(r->error, SOS_ERR_MEMORY, "no memory for the report"));
}

/* The text that a format and its values make, until the next one; NULL where memory is short. */
static const char *formatted(sos_report *r, const char *format, va_list values)
{
    sos_string_clear(&r->scratch);
    if (format)
        sos_string_vprint(&r->scratch, format, values);
    else
        sos_string_print(&r->scratch, "%s", "");
    if (r->scratch.failed) no_memory(r);
    return r->status ? NULL : r->scratch.text;
}

/* A box that scrolls by itself where the page is narrower than what it holds; the keyboard reaches it. */
static void scroll_open(const sos_report *r, const char *name)
{
    put_escaped(r, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", name && *name ? name : "table",
                "\">\n");
}

static void caption_put(const sos_report *r, const char *title, const char *note)
{
    if (!title && !note) return;
    put_escaped(r, "<figcaption>", title, "");
    if (note && *note) put_escaped(r, "<span>", note, "</span>");
    put(r, "</figcaption>\n");
}

static void table_close(sos_report *r);
static void pictures_close(sos_report *r);

/* Closes what is open unless it is of the kind that goes on.  False after a failure. */
static bool block_enter(sos_report *r, int block)
{
    if (r->status) return false;
    if (r->block == block) return true;
    if (r->block == BLOCK_FACTS) put(r, "</dl>\n");
    if (r->block == BLOCK_CHARTS) put(r, "</div>\n");
    if (r->block == BLOCK_TABLE) table_close(r);
    if (r->block == BLOCK_PICTURES) pictures_close(r);
    r->block = block;
    if (block == BLOCK_FACTS) put(r, "<dl>\n");
    if (block == BLOCK_CHARTS) put(r, "<div class=\"charts\">\n");
    return !r->status;
}

/* the page */

void sos_report_open(sos_report *r, const char *path, const char *title, const char *subtitle, sos_error *error)
{
    *r = (sos_report){ .error = error };
    r->status = sos_output_open(&r->output, path, error);
    if (r->status) return;
    put(r, "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n"
           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n"
           "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';img-src data:;style-src 'unsafe-inline';"
           "script-src 'unsafe-inline'\"/>\n");
    put_escaped(r, "<title>", title, "</title>\n<style>\n");
    sos_chart_style(out(r));
    sos_report_style(out(r));
    put_escaped(r, "</style>\n</head>\n<body>\n<header>\n<h1>", title, "</h1>\n");
    if (subtitle && *subtitle) put_escaped(r, "<p class=\"subtitle\">", subtitle, "</p>\n");
    put(r, "</header>\n<main>\n");
}

/* The headings are known only at the end; the style puts the list of them on top. */
static void contents_put(const sos_report *r)
{
    if (r->headings < 2) return;
    put(r, "<nav aria-label=\"Contents\"><ul>\n");
    const char *at = r->contents.text;
    for (size_t i = 0; i < r->headings; i++, at += strlen(at) + 1) {
        fprintf(out(r), "<li><a href=\"#section%zu\">", i + 1);
        put_escaped(r, "", at, "</a></li>\n");
    }
    put(r, "</ul></nav>\n");
}

static void report_free(sos_report *r)
{
    sos_string_free(&r->scratch);
    sos_string_free(&r->contents);
    sos_string_free(&r->kept);
    sos_string_free(&r->row);
    free(r->values);
    r->values = NULL;
    r->values_room = 0;
}

sos_status sos_report_close(sos_report *r)
{
    if (block_enter(r, BLOCK_NONE)) {
        put(r, "</main>\n");
        contents_put(r);
        put_escaped(r, "<footer>s3svm ", sos_version(), "</footer>\n<script>");
        put(r, script);
        put(r, "</script>\n</body>\n</html>\n");
        r->status = sos_output_commit(&r->output);
    }
    report_free(r);
    return r->status;
}

void sos_report_abandon(sos_report *r)
{
    sos_output_abandon(&r->output);
    if (!r->status) r->status = SOS_CANCELLED;
    report_free(r);
}

/* text */

void sos_report_heading(sos_report *r, const char *text)
{
    if (!block_enter(r, BLOCK_NONE)) return;
    sos_string_print(&r->contents, "%s", text ? text : "");
    sos_string_mark(&r->contents);
    if (r->contents.failed) {
        no_memory(r);
        return;
    }
    fprintf(out(r), "<h2 id=\"section%zu\">", ++r->headings);
    put_escaped(r, "", text, "</h2>\n");
}

void sos_report_subheading(sos_report *r, const char *text)
{
    if (block_enter(r, BLOCK_NONE)) put_escaped(r, "<h3>", text, "</h3>\n");
}

void sos_report_text(sos_report *r, const char *format, ...)
{
    if (!block_enter(r, BLOCK_NONE)) return;
    va_list values;
    va_start(values, format);
    const char *text = formatted(r, format, values);
    va_end(values);
    if (text) put_escaped(r, "<p>", text, "</p>\n");
}

void sos_report_code(sos_report *r, const char *format, ...)
{
    if (!block_enter(r, BLOCK_NONE)) return;
    va_list values;
    va_start(values, format);
    const char *text = formatted(r, format, values);
    va_end(values);
    if (text) put_escaped(r, "<pre tabindex=\"0\"><code>", text, "</code></pre>\n");
}

void sos_report_fact(sos_report *r, const char *name, const char *format, ...)
{
    if (!block_enter(r, BLOCK_FACTS)) return;
    va_list values;
    va_start(values, format);
    const char *text = formatted(r, format, values);
    va_end(values);
    if (!text) return;
    put_escaped(r, "<div><dt>", name, "</dt>");
    put_escaped(r, "<dd>", text, "</dd></div>\n");
}

/* tables */

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static void table_groups(const sos_report *r, size_t columns, const sos_column column[])
{
    bool any = false;
    for (size_t i = 0; i < columns; i++) any |= column[i].group != NULL;
    if (!any) return;
    put(r, "<tr>");
    for (size_t i = 0, next; i < columns; i = next) {
        for (next = i + 1; next < columns && same_text(column[i].group, column[next].group);) next++;
        if (!column[i].group)
            fprintf(out(r), "<td colspan=\"%zu\"></td>", next - i);
        else {
            fprintf(out(r), "<th colspan=\"%zu\" scope=\"colgroup\" class=\"group\">", next - i);
            put_escaped(r, "", column[i].group, "</th>");
        }
    }
    put(r, "</tr>\n");
}

void sos_report_table(sos_report *r, const char *caption, size_t columns, const sos_column column[])
{
    if (!block_enter(r, BLOCK_NONE)) return;
    if (columns < 1 || columns > SOS_REPORT_COLUMNS_MAX) {
        report_fail(r, sos_fail(r->error, SOS_ERR_ARGUMENT, "a table of a report has 1 to %d columns, not %zu",
                                SOS_REPORT_COLUMNS_MAX, columns));
        return;
    }
    r->block = BLOCK_TABLE;
    r->columns = columns;
    r->cells = 0;
    sos_string_clear(&r->kept);
    put(r, "<figure>\n");
    caption_put(r, caption, NULL);
    scroll_open(r, caption);
    put(r, "<table class=\"grid\">\n<thead>\n");
    table_groups(r, columns, column);
    put(r, "<tr>");
    for (size_t i = 0; i < columns; i++) {
        r->best[i] = column[i].best;
        r->text[i] = i == 0 || column[i].text;
        put_escaped(r, r->text[i] ? "<th scope=\"col\" class=\"t\">" : "<th scope=\"col\">", column[i].name, "</th>");
    }
    put(r, "</tr>\n</thead>\n<tbody>\n");
}

/* Cells are kept until the table ends: only then is it known which are best. */
static void cell_keep(sos_report *r, double x, const char *format, va_list values)
{
    if (r->status) return;
    if (r->block != BLOCK_TABLE) {
        report_fail(r, sos_fail(r->error, SOS_ERR_ARGUMENT, "a cell of a report outside a table"));
        return;
    }
    if (format) sos_string_vprint(&r->kept, format, values);
    sos_string_mark(&r->kept);
    if (r->kept.failed || !sos_grow(&r->values, &r->values_room, r->cells + 1))
        no_memory(r);
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

static void cell_put(const sos_report *r, size_t column, const char *text, bool best)
{
    if (column == 0) {
        put_escaped(r, "<tr><th scope=\"row\">", text, "</th>");
        return;
    }
    put(r, best ? "<td class=\"best\">" : r->text[column] ? "<td class=\"t\">" : "<td>");
    put_escaped(r, "", text, "</td>");
}

static void table_close(sos_report *r)
{
    while (!r->status && r->cells % r->columns) sos_report_cell(r, NULL); /* the last row may have been cut short */
    if (r->status) return;
    const char *best[SOS_REPORT_COLUMNS_MAX] = { NULL }, *at = r->kept.text;
    for (size_t i = 0; i < r->columns; i++) best[i] = table_best(r, i);
    for (size_t i = 0; i < r->cells; i++, at += strlen(at) + 1) {
        const size_t column = i % r->columns;
        cell_put(r, column, at, best[column] && !isnan(r->values[i]) && !strcmp(at, best[column]));
        if (column == r->columns - 1) put(r, "</tr>\n");
    }
    put(r, "</tbody>\n</table>\n</div>\n</figure>\n");
}

/* charts */

static void number_put(const sos_report *r, double x)
{
    char text[SOS_NUMBER_TEXT];
    put_escaped(r, "<td>", sos_number_text(x, 6, text), "</td>");
}

/* The numbers of a chart, folded away: for those who do not see it, and for those who want to copy them. */
static void details_open(const sos_report *r, const char *title)
{
    put(r, "<details><summary>Numbers</summary>\n");
    scroll_open(r, title ? title : "numbers of the chart");
    put(r, "<table class=\"grid\">\n<thead><tr>");
}

static void details_head(const sos_report *r, const char *name, const char *otherwise, bool text)
{
    put_escaped(r, text ? "<th scope=\"col\" class=\"t\">" : "<th scope=\"col\">", name && *name ? name : otherwise, "</th>");
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
    put(r, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < c->count; i++)
        for (size_t j = 0; j < c->series[i].count; j++) {
            const sos_series *s = &c->series[i];
            put_escaped(r, "<tr><th scope=\"row\">", s->name, "</th>");
            if (named) put_escaped(r, "<td class=\"t\">", s->names ? s->names[j] : NULL, "</td>");
            number_put(r, s->x[j]);
            number_put(r, s->y[j]);
            if (spread) number_put(r, s->spread ? s->spread[j] : NAN);
            put(r, "</tr>\n");
        }
    put(r, "</tbody></table>\n</div></details>\n");
}

static void figure_open(const sos_report *r, const char *title, const char *note, bool wide)
{
    put(r, wide ? "<figure class=\"wide\">\n" : "<figure>\n");
    caption_put(r, title, note);
    put(r, "<div class=\"scroll\">\n");
}

void sos_report_chart(sos_report *r, const sos_chart *chart)
{
    if (!block_enter(r, BLOCK_CHARTS)) return;
    figure_open(r, chart->title, chart->note, chart->wide);
    sos_chart_draw(out(r), chart);
    put(r, "</div>\n");
    chart_numbers(r, chart);
    put(r, "</figure>\n");
}

static void bars_numbers(const sos_report *r, const sos_bars *b)
{
    details_open(r, b->title);
    details_head(r, NULL, "name", true);
    details_head(r, b->axis, "value", false);
    if (b->spreads) details_head(r, NULL, "±", false);
    put(r, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < b->count; i++) {
        put_escaped(r, "<tr><th scope=\"row\">", b->names ? b->names[i] : NULL, "</th>");
        number_put(r, b->values[i]);
        if (b->spreads) number_put(r, b->spreads[i]);
        put(r, "</tr>\n");
    }
    put(r, "</tbody></table>\n</div></details>\n");
}

void sos_report_bars(sos_report *r, const sos_bars *bars)
{
    if (!block_enter(r, BLOCK_CHARTS)) return;
    figure_open(r, bars->title, bars->note, bars->wide);
    sos_bars_draw(out(r), bars);
    put(r, "</div>\n");
    bars_numbers(r, bars);
    put(r, "</figure>\n");
}

/* pictures: each is the label of a radio button, so that a click and the arrow keys choose which one is large */

void sos_report_pictures(sos_report *r, const char *caption, size_t columns, const char *const heads[])
{
    if (!block_enter(r, BLOCK_NONE)) return;
    if (columns < 1 || columns > SOS_REPORT_COLUMNS_MAX) {
        report_fail(r, sos_fail(r->error, SOS_ERR_ARGUMENT, "a grid of pictures has 1 to %d columns, not %zu",
                                SOS_REPORT_COLUMNS_MAX, columns));
        return;
    }
    sos_string_clear(&r->kept);
    for (size_t i = 0; i < columns; i++) {
        sos_string_print(&r->kept, "%s", heads && heads[i] ? heads[i] : "");
        sos_string_mark(&r->kept);
    }
    if (r->kept.failed) {
        no_memory(r);
        return;
    }
    r->block = BLOCK_PICTURES;
    r->columns = columns;
    r->cells = 0;
    r->grids++;
    sos_string_clear(&r->row);
    put(r, "<figure>\n");
    caption_put(r, caption, NULL);
    scroll_open(r, caption ? caption : "pictures");
    fprintf(out(r),
            "<input type=\"radio\" class=\"none\" id=\"grid%zu\" name=\"grid%zu\" checked=\"checked\" autocomplete=\"off\" "
            "aria-label=\"no picture enlarged\"/>\n",
            r->grids, r->grids);
    fprintf(out(r), "<table class=\"pictures\" style=\"min-width:%zurem\">\n", 8 * columns);
    if (heads) {
        put(r, "<thead><tr>");
        for (size_t i = 0; i < columns; i++) put_escaped(r, "<th scope=\"col\">", heads[i], "</th>");
        put(r, "</tr></thead>\n");
    }
    put(r, "<tbody>\n");
}

/* Ends a row that was begun. */
static void row_end(sos_report *r)
{
    if (!r->cells) return;
    while (r->cells++ < r->columns) put(r, "<td></td>");
    put(r, "</tr>\n");
    r->cells = 0;
}

static void pictures_close(sos_report *r)
{
    row_end(r);
    put(r, "</tbody>\n</table>\n</div>\n</figure>\n");
}

static bool inside_pictures(sos_report *r)
{
    if (r->status) return false;
    if (r->block != BLOCK_PICTURES)
        report_fail(r, sos_fail(r->error, SOS_ERR_ARGUMENT, "a picture of a report outside a grid of pictures"));
    return !r->status;
}

void sos_report_picture_row(sos_report *r, const char *name)
{
    if (!inside_pictures(r)) return;
    row_end(r);
    sos_string_clear(&r->row);
    sos_string_print(&r->row, "%s", name ? name : "");
    if (r->row.failed) {
        no_memory(r);
        return;
    }
    if (!name || !*name) return;
    fprintf(out(r), "<tr><th scope=\"rowgroup\" colspan=\"%zu\">", r->columns);
    put_escaped(r, "", name, "</th></tr>\n");
}

/* "S3SVM, drawing 7, 1.23 %" */
static void picture_words(const sos_report *r, const char *said)
{
    const char *head = r->kept.text;
    for (size_t i = 0; i < r->cells; i++) head += strlen(head) + 1;
    const char *row = r->row.length ? r->row.text : "";
    escaped(r, head);
    put_escaped(r, *head && *row ? ", " : "", row, "");
    put_escaped(r, (*head || *row) && *said ? ", " : "", said, "");
}

/* Small pictures are shown enlarged by a whole number. */
static size_t picture_zoom(const sos_image *image)
{
    enum { WIDTH = 360 };
    return image->width < WIDTH ? WIDTH / image->width : 1;
}

static void picture_put(sos_report *r, const sos_image *image, const uint8_t *bytes, size_t length, const char *said)
{
    const size_t zoom = picture_zoom(image);
    r->pictures++;
    fprintf(out(r), "<td><input type=\"radio\" name=\"grid%zu\" id=\"picture%zu\" autocomplete=\"off\" aria-label=\"enlarge: ",
            r->grids, r->pictures);
    picture_words(r, said);
    fprintf(out(r), "\"/><label for=\"picture%zu\"><img%s width=\"%zu\" height=\"%zu\" style=\"max-width:%zupx\" alt=\"",
            r->pictures, zoom > 1 ? " class=\"px\"" : "", image->width, image->height, zoom * image->width);
    picture_words(r, said);
    put(r, "\" src=\"data:image/png;base64,");
    sos_base64_write(out(r), bytes, length);
    fprintf(out(r), "\"/></label><label class=\"back\" for=\"grid%zu\">", r->grids);
    picture_words(r, said);
    put(r, "</label>");
    if (*said) put_escaped(r, "<span class=\"said\">", said, "</span>");
    put(r, "</td>\n");
}

void sos_report_picture(sos_report *r, const sos_image *image, const char *format, ...)
{
    if (!inside_pictures(r)) return;
    va_list values;
    va_start(values, format);
    const char *said = formatted(r, format, values);
    va_end(values);
    if (!said) return;
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (image) {
        const sos_status status = sos_image_encode(image, &bytes, &length, r->error);
        if (status) {
            report_fail(r, status);
            return;
        }
    }
    if (r->cells == r->columns) row_end(r);
    if (!r->cells) put(r, "<tr>");
    if (image)
        picture_put(r, image, bytes, length, said);
    else
        put_escaped(r, "<td><span class=\"said\">", said, "</span></td>\n");
    r->cells++;
    free(bytes);
}

/* patches */

enum { FEW = 4, PATCH_PIXELS_MAX = 9, PATCH_SETS_MAX = 1 << PATCH_PIXELS_MAX };

static void patch_draw(const sos_report *r, const sos_patches *p, uint32_t S)
{
    fprintf(out(r),
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"patch\" viewBox=\"-.05 -.05 %zu.1 %zu.1\" role=\"img\" "
            "aria-label=\"",
            p->width, p->height);
    for (size_t i = 0; i < p->width * p->height; i++)
        fprintf(out(r), "%s%d", i && i % p->width == 0 ? " " : "", (int)(S >> i & 1));
    put(r, "\">");
    for (size_t i = 0; i < p->width * p->height; i++)
        fprintf(out(r), "<rect class=\"%s\" x=\"%zu\" y=\"%zu\" width=\"1\" height=\"1\"/>",
                (S >> i & 1) == (p->ink ? 1U : 0U) ? "dark" : "paper", i % p->width, i / p->width);
    put(r, "</svg>");
}

/* S mirrored left to right, or, for square patches, along the diagonal; with the first and an upside-down one these make all
 * turns. */
static uint32_t patch_move(const sos_patches *p, uint32_t S, bool across, bool down, bool swap)
{
    uint32_t moved = 0;
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++) {
            const size_t to_x = across ? p->width - 1 - x : x, to_y = down ? p->height - 1 - y : y;
            const size_t to = swap ? to_x * p->width + to_y : to_y * p->width + to_x;
            moved |= (S >> (y * p->width + x) & 1) << to;
        }
    return moved;
}

/* The least of all turned, mirrored and inverted S that cost the same. */
static uint32_t patch_leader(const sos_patches *p, const double costs[], uint32_t S)
{
    if (p->width * p->height <= FEW) return S; /* few enough to see all of them */
    const uint32_t all = (UINT32_C(1) << p->width * p->height) - 1;
    uint32_t least = S;
    for (unsigned move = 0; move < 16; move++) {
        if ((move & 4) && p->width != p->height) continue;
        const uint32_t T = patch_move(p, S, move & 1, move & 2, move & 4) ^ (move & 8 ? all : 0);
        if (T < least && costs[T] == costs[S]) least = T;
    }
    return least;
}

typedef struct patch_group {
    uint32_t S;
    size_t times;
    double cost;
} patch_group;

static int by_cost(const void *a, const void *b)
{
    const patch_group *x = a, *y = b;
    if (isnan(x->cost) != isnan(y->cost)) return isnan(x->cost) ? 1 : -1;
    if (x->cost < y->cost || x->cost > y->cost) return x->cost < y->cost ? -1 : 1;
    return x->S < y->S ? -1 : x->S > y->S;
}

static size_t patch_groups(const sos_patches *p, const double costs[], patch_group groups[PATCH_SETS_MAX])
{
    const uint32_t sets = UINT32_C(1) << p->width * p->height;
    size_t count = 0, place[PATCH_SETS_MAX] = { 0 };
    for (uint32_t S = 0; S < sets; S++) {
        const uint32_t leader = patch_leader(p, costs, S); /* met before S, or S itself */
        if (leader == S) {
            place[S] = count;
            groups[count++] = (patch_group){ S, 0, costs[S] };
        }
        groups[place[leader]].times++;
    }
    return count;
}

/* From 0 for the least to 1 for the greatest finite number. */
typedef struct extent {
    double low, high;
} extent;

static extent extent_of(size_t count, const double x[])
{
    extent e = { INFINITY, -INFINITY };
    for (size_t i = 0; i < count; i++)
        if (isfinite(x[i])) e = (extent){ fmin(e.low, x[i]), fmax(e.high, x[i]) };
    return e;
}

static double extent_share(extent e, double x)
{
    if (!isfinite(x) || !(e.high > e.low)) return 0;
    return (x / 2 - e.low / 2) / (e.high / 2 - e.low / 2);
}

static void patch_item(const sos_report *r, const sos_patches *p, const patch_group *g, extent e, int decimals)
{
    char cost[SOS_NUMBER_TEXT];
    sos_fixed_text(g->cost, decimals, cost);
    put(r, "<li>");
    patch_draw(r, p, g->S);
    put_escaped(r, "", cost, "");
    if (g->times > 1) fprintf(out(r), " <span class=\"times\">×%zu</span>", g->times);
    fprintf(out(r), "<span class=\"meter\"><i style=\"width:%ld%%\"></i></span></li>\n",
            lround(100 * extent_share(e, g->cost)));
}

static void patch_gallery(const sos_report *r, const sos_patches *p, const double costs[])
{
    patch_group groups[PATCH_SETS_MAX];
    const size_t count = patch_groups(p, costs, groups), most = p->most ? p->most : 64;
    if (p->sorted || count > most) qsort(groups, count, sizeof *groups, by_cost);
    const size_t head = count > most ? (most + 1) / 2 : count, tail = count > most ? count - most / 2 : count;
    const size_t sets = (size_t)1 << p->width * p->height;
    const extent e = extent_of(sets, costs);
    const int decimals = sos_decimals(sets, costs, 3);
    put(r, count <= 1 << FEW ? "<ul class=\"patches few\">\n" : "<ul class=\"patches\">\n");
    for (size_t i = 0; i < head; i++) patch_item(r, p, &groups[i], e, decimals);
    if (tail > head) fprintf(out(r), "<li class=\"gap\">… %zu more …</li>\n", tail - head);
    for (size_t i = tail; i < count; i++) patch_item(r, p, &groups[i], e, decimals);
    put(r, "</ul>\n");
}

/* A cell shaded by a share of 0 ... 1, so lightly that its text stays readable. */
static void heat_open(const sos_report *r, double share, const char *kind)
{
    fprintf(out(r), "<td%s%s%s style=\"--a:.%02ld\">", *kind ? " class=\"" : "", kind, *kind ? "\"" : "",
            lround(55 * fmin(1, fmax(0, share))));
}

static void patch_rows(const sos_report *r, const sos_patches *p)
{
    const size_t sets = (size_t)1 << p->width * p->height;
    const extent e = extent_of(p->count * sets, p->costs);
    const int decimals = sos_decimals(p->count * sets, p->costs, 3);
    scroll_open(r, p->caption);
    put(r, "<table class=\"heat\">\n<thead><tr><td></td>");
    for (uint32_t S = 0; S < sets; S++) {
        put(r, "<th scope=\"col\">");
        patch_draw(r, p, S);
        put(r, "</th>");
    }
    put(r, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < p->count; i++) {
        put(r, "<tr><th scope=\"row\">");
        if (p->names && p->names[i])
            escaped(r, p->names[i]);
        else
            fprintf(out(r), "%zu", i + 1);
        put(r, "</th>");
        for (size_t S = 0; S < sets; S++) {
            char cost[SOS_NUMBER_TEXT];
            const double x = p->costs[i * sets + S];
            heat_open(r, extent_share(e, x), "");
            put_escaped(r, "", sos_fixed_text(x, decimals, cost), "</td>");
        }
        put(r, "</tr>\n");
    }
    put(r, "</tbody></table>\n</div>\n");
}

void sos_report_patches(sos_report *r, const sos_patches *p)
{
    if (!block_enter(r, BLOCK_NONE)) return;
    if (p->width < 1 || p->height < 1 || p->width > PATCH_PIXELS_MAX || p->height > PATCH_PIXELS_MAX ||
        p->width * p->height > PATCH_PIXELS_MAX) {
        report_fail(r, sos_fail(r->error, SOS_ERR_ARGUMENT, "a report draws patches of 1 to %d pixels, not %zu x %zu",
                                PATCH_PIXELS_MAX, p->width, p->height));
        return;
    }
    put(r, "<figure>\n");
    caption_put(r, p->caption, NULL);
    if (p->count > 1 && p->width * p->height <= FEW)
        patch_rows(r, p);
    else
        for (size_t i = 0; i < p->count; i++) {
            if (p->names && p->names[i]) put_escaped(r, "<h3>", p->names[i], "</h3>\n");
            patch_gallery(r, p, p->costs + (i << p->width * p->height));
        }
    put(r, "</figure>\n");
}

/* matrices and legends */

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
    put_escaped(r, "<tr><th scope=\"row\">", m->names[row], "</th>");
    for (size_t i = 0; i < m->count; i++) {
        const double share = sum > 0 ? m->values[row * m->count + i] / sum : NAN;
        heat_open(r, sum > 0 ? share : 0, i == row ? "is" : "");
        put_escaped(r, "", sos_fixed_text(100 * share, share > 0 ? 1 : 0, text), "</td>");
    }
    put_escaped(r, "<td class=\"sum\">", sos_number_text(sum, 6, text), "</td></tr>\n");
}

void sos_report_matrix(sos_report *r, const sos_matrix *m)
{
    if (!block_enter(r, BLOCK_NONE)) return;
    put(r, "<figure>\n");
    caption_put(r, m->caption, "% of each row");
    scroll_open(r, m->caption);
    put(r, "<table class=\"heat\">\n<thead>\n<tr><td></td>");
    fprintf(out(r), "<th scope=\"colgroup\" colspan=\"%zu\">", m->count ? m->count : 1);
    put_escaped(r, "", m->columns, "</th></tr>\n");
    put_escaped(r, "<tr><th scope=\"col\">", m->rows, "</th>");
    for (size_t i = 0; i < m->count; i++) put_escaped(r, "<th scope=\"col\">", m->names[i], "</th>");
    put(r, "<th scope=\"col\">all</th></tr>\n</thead>\n<tbody>\n");
    for (size_t i = 0; i < m->count; i++) matrix_row(r, m, i);
    put(r, "</tbody></table>\n</div>\n</figure>\n");
}

void sos_report_legend(sos_report *r, size_t count, const char *const names[], const uint32_t colours[])
{
    if (!block_enter(r, BLOCK_NONE)) return;
    put(r, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < count; i++) {
        fprintf(out(r), "<li><i style=\"--colour:#%06x\"></i>", (unsigned)(colours[i] & 0xffffff));
        put_escaped(r, "", names[i], "</li>\n");
    }
    put(r, "</ul>\n");
}
