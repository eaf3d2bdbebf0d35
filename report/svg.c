#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/chart.h"
#include "report/text.h"

static void number_put(FILE *file, double x)
{
    const long tenths = lround(10 * x), size = labs(tenths);
    fprintf(file, size % 10 ? "%s%ld.%ld" : "%s%ld", tenths < 0 ? "-" : "", size / 10, size % 10);
}

void s3svm_svg_attribute(FILE *file, const char *name, double x)
{
    fprintf(file, " %s=\"", name);
    number_put(file, x);
    fputc('"', file);
}

void s3svm_svg_point(FILE *file, char command, double x, double y)
{
    fputc(command, file);
    number_put(file, x);
    fputc(',', file);
    number_put(file, y);
}

void s3svm_svg_line(FILE *file, const char *kind, double x1, double y1, double x2, double y2)
{
    fprintf(file, "<path class=\"%s\" d=\"", kind);
    s3svm_svg_point(file, 'M', x1, y1);
    s3svm_svg_point(file, 'L', x2, y2);
    fputs("\"/>\n", file);
}

double s3svm_svg_text_width(const char *text)
{
    double width = 0;
    for (uint32_t c; text && (c = s3svm_xml_next(&text));) {
        const bool narrow = c < 128 && strchr("ijlftrI.,:;'|!()[] ", (int)c);
        const bool wide = c == 'm' || c == 'w' || (c >= 'A' && c <= 'Z');
        width += c >= 0x1100 && (c < 0x2000 || c >= 0x2e80) ? 1 : narrow ? 0.37 : wide ? 0.8 : 0.62;
    }
    return width * S3SVM_SVG_LETTER;
}

void s3svm_svg_text(FILE *file, const char *kind, const char *anchor, double x, double y, double room, const char *text)
{
    fprintf(file, "<text class=\"%s\" text-anchor=\"%s\"", kind, anchor);
    s3svm_svg_attribute(file, "x", x);
    s3svm_svg_attribute(file, "y", y);
    fputc('>', file);
    if (s3svm_svg_text_width(text) <= room)
        s3svm_escape(file, text);
    else {
        fputs("<title>", file);
        s3svm_escape(file, text);
        fputs("</title>", file);
        char part[5] = "";
        double used = 0.9 * S3SVM_SVG_LETTER;
        for (const char *at = text, *from = at; s3svm_xml_next(&at); from = at) {
            memcpy(part, from, (size_t)(at - from));
            part[at - from] = '\0';
            used += s3svm_svg_text_width(part);
            if (used > room) break;
            s3svm_escape(file, part);
        }
        fputs("…", file);
    }
    fputs("</text>\n", file);
}

void s3svm_svg_open(FILE *file, double width, double height, const char *title, const char *note, bool alone)
{
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" viewBox=\"0 0 %.0f %.0f\"", width,
            height);
    if (alone)
        fprintf(file, " width=\"%.0f\" height=\"%.0f\"", width, height);
    else
        fprintf(file, " style=\"--w:%.0f\"", width);
    fputs(" aria-label=\"", file);
    s3svm_escape(file, title ? title : "chart");
    fputs(note && *note ? ": " : "", file);
    s3svm_escape(file, note);
    fputs("\">\n", file);
    if (!alone) return;
    fputs("<style>\n", file);
    s3svm_chart_style(file);
    fputs("</style>\n<rect class=\"sheet\" width=\"100%\" height=\"100%\" rx=\"6\"/>\n", file);
    if (title)
        s3svm_svg_text(file, "title", "start", S3SVM_SVG_MARGIN, S3SVM_SVG_MARGIN + S3SVM_SVG_LETTER,
                       width / 1.1 - 2 * S3SVM_SVG_MARGIN, title);
}

double s3svm_svg_title_height(const char *title, bool alone)
{
    return alone && title ? S3SVM_SVG_MARGIN + S3SVM_SVG_LINE + 4 : alone ? S3SVM_SVG_MARGIN : 2;
}
