/* svg.h - pieces of SVG for charts.  Lengths are in pixels. */
#ifndef S3SVM_REPORT_SVG_H
#define S3SVM_REPORT_SVG_H

#include <stdbool.h>
#include <stdio.h>

enum {
    S3SVM_SVG_NARROW = 470, /* widths of charts: two side by side, or one */
    S3SVM_SVG_WIDE = 940,
    S3SVM_SVG_LETTER = 13, /* size of the letters */
    S3SVM_SVG_LINE = 20,   /* from line to line */
    S3SVM_SVG_MARGIN = 14  /* of a picture of its own */
};

/* Numbers in attributes have a point, whatever the locale. */
void s3svm_svg_attribute(FILE *file, const char *name, double x);
void s3svm_svg_point(FILE *file, char command, double x, double y);
void s3svm_svg_line(FILE *file, const char *kind, double x1, double y1, double x2, double y2);

/* How wide a text will be, near enough for room to be left: nobody asks the font. */
double s3svm_svg_text_width(const char *text);

/* The text, or so much of it that with an ellipsis it fits; the whole where the mouse rests. */
void s3svm_svg_text(FILE *file, const char *kind, const char *anchor, double x, double y, double room, const char *text);

/* The element around a picture.  One of its own (alone) has its size, its style, a page behind it and its title on top. */
void s3svm_svg_open(FILE *file, double width, double height, const char *title, const char *note, bool alone);
double s3svm_svg_title_height(const char *title, bool alone);

#endif
