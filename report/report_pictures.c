/* report_pictures.c - grids of pictures.  Each is the label of a radio button, so that a click and the arrow keys choose which
 * one is large. */
#include "report/report_parts.h"

#include <stdlib.h>
#include <string.h>

void s3svm_report_pictures(s3svm_report *r, const char *caption, size_t columns, const char *const heads[])
{
    if (!s3svm_report_enter(r, S3SVM_BLOCK_NONE)) return;
    if (columns < 1 || columns > S3SVM_REPORT_COLUMNS_MAX) {
        s3svm_report_fail(r, sos_fail(r->error, SOS_ERR_ARGUMENT, "a grid of pictures has 1 to %d columns, not %zu",
                                      S3SVM_REPORT_COLUMNS_MAX, columns));
        return;
    }
    s3svm_string_clear(&r->kept);
    for (size_t i = 0; i < columns; i++) {
        s3svm_string_print(&r->kept, "%s", heads && heads[i] ? heads[i] : "");
        s3svm_string_mark(&r->kept);
    }
    if (r->kept.failed) {
        s3svm_report_no_memory(r, "the report");
        return;
    }
    r->block = S3SVM_BLOCK_PICTURES;
    r->columns = columns;
    r->cells = 0;
    r->grids++;
    s3svm_string_clear(&r->row);
    s3svm_report_put(r, "<figure>\n");
    s3svm_report_caption(r, caption, NULL);
    s3svm_report_scroll_open(r, caption ? caption : "pictures");
    fprintf(r->output.file,
            "<input type=\"radio\" class=\"none\" id=\"grid%zu\" name=\"grid%zu\" checked=\"checked\" autocomplete=\"off\" "
            "aria-label=\"no picture enlarged\"/>\n",
            r->grids, r->grids);
    fprintf(r->output.file, "<table class=\"pictures\" style=\"min-width:%zurem\">\n", 8 * columns);
    if (heads) {
        s3svm_report_put(r, "<thead><tr>");
        for (size_t i = 0; i < columns; i++) s3svm_report_put_escaped(r, "<th scope=\"col\">", heads[i], "</th>");
        s3svm_report_put(r, "</tr></thead>\n");
    }
    s3svm_report_put(r, "<tbody>\n");
}

/* Ends a row that was begun. */
static void row_end(s3svm_report *r)
{
    if (!r->cells) return;
    while (r->cells++ < r->columns) s3svm_report_put(r, "<td></td>");
    s3svm_report_put(r, "</tr>\n");
    r->cells = 0;
}

void s3svm_report_pictures_close(s3svm_report *r)
{
    row_end(r);
    s3svm_report_put(r, "</tbody>\n</table>\n</div>\n</figure>\n");
}

static bool inside_pictures(s3svm_report *r)
{
    if (r->status) return false;
    if (r->block != S3SVM_BLOCK_PICTURES)
        s3svm_report_fail(r, sos_fail(r->error, SOS_ERR_ARGUMENT, "a picture of a report outside a grid of pictures"));
    return !r->status;
}

void s3svm_report_picture_row(s3svm_report *r, const char *name)
{
    if (!inside_pictures(r)) return;
    row_end(r);
    s3svm_string_clear(&r->row);
    s3svm_string_print(&r->row, "%s", name ? name : "");
    if (r->row.failed) {
        s3svm_report_no_memory(r, "the report");
        return;
    }
    if (!name || !*name) return;
    fprintf(r->output.file, "<tr><th scope=\"rowgroup\" colspan=\"%zu\">", r->columns);
    s3svm_report_put_escaped(r, "", name, "</th></tr>\n");
}

/* "S3SVM, drawing 7, 1.23 %" */
static void picture_words(const s3svm_report *r, const char *said)
{
    const char *head = r->kept.text;
    for (size_t i = 0; i < r->cells; i++) head += strlen(head) + 1;
    const char *row = r->row.length ? r->row.text : "";
    s3svm_escape(r->output.file, head);
    s3svm_report_put_escaped(r, *head && *row ? ", " : "", row, "");
    s3svm_report_put_escaped(r, (*head || *row) && *said ? ", " : "", said, "");
}

/* Small pictures are shown enlarged by a whole number. */
static size_t picture_zoom(const s3svm_image *image)
{
    enum { WIDTH = 360 };
    return image->width < WIDTH ? WIDTH / image->width : 1;
}

static void picture_put(s3svm_report *r, const s3svm_image *image, const uint8_t *bytes, size_t length, const char *said)
{
    const size_t zoom = picture_zoom(image);
    r->pictures++;
    fprintf(r->output.file,
            "<td><input type=\"radio\" name=\"grid%zu\" id=\"picture%zu\" autocomplete=\"off\" aria-label=\"enlarge: ",
            r->grids, r->pictures);
    picture_words(r, said);
    fprintf(r->output.file,
            "\"/><label for=\"picture%zu\"><img%s width=\"%zu\" height=\"%zu\" style=\"max-width:%zupx\" alt=\"", r->pictures,
            zoom > 1 ? " class=\"px\"" : "", image->width, image->height, zoom * image->width);
    picture_words(r, said);
    s3svm_report_put(r, "\" src=\"data:image/png;base64,");
    s3svm_base64_write(r->output.file, bytes, length);
    fprintf(r->output.file, "\"/></label><label class=\"back\" for=\"grid%zu\">", r->grids);
    picture_words(r, said);
    s3svm_report_put(r, "</label>");
    if (*said) s3svm_report_put_escaped(r, "<span class=\"said\">", said, "</span>");
    s3svm_report_put(r, "</td>\n");
}

void s3svm_report_picture(s3svm_report *r, const s3svm_image *image, const char *format, ...)
{
    if (!inside_pictures(r)) return;
    va_list values;
    va_start(values, format);
    const char *said = s3svm_report_formatted(r, format, values);
    va_end(values);
    if (!said) return;
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (image) {
        const sos_status status = s3svm_image_encode(image, &bytes, &length, r->error);
        if (status) {
            s3svm_report_fail(r, status);
            return;
        }
    }
    if (r->cells == r->columns) row_end(r);
    if (!r->cells) s3svm_report_put(r, "<tr>");
    if (image)
        picture_put(r, image, bytes, length, said);
    else
        s3svm_report_put_escaped(r, "<td><span class=\"said\">", said, "</span></td>\n");
    r->cells++;
    free(bytes);
}
