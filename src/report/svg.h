/* svg.h - pieces of SVG for charts.  Lengths are in pixels. */
#ifndef SOS_REPORT_SVG_H
#define SOS_REPORT_SVG_H

#include <stdbool.h>
#include <stdio.h>

enum {
    SOS_SVG_NARROW = 470, /* widths of charts: two side by side, or one */
    SOS_SVG_WIDE = 940,
    SOS_SVG_LETTER = 13, /* size of the letters */
    SOS_SVG_LINE = 20,   /* from line to line */
    SOS_SVG_MARGIN = 14  /* of a picture of its own */
};

/* Numbers in attributes have a point, whatever the locale. */
void sos_svg_attribute(FILE *file, const char *name, double x);
void sos_svg_point(FILE *file, char command, double x, double y);
void sos_svg_line(FILE *file, const char *kind, double x1, double y1, double x2, double y2);

/* How wide a text will be, near enough for room to be left: nobody asks the font. */
double sos_svg_text_width(const char *text);

/* The text, or so much of it that with an ellipsis it fits; the whole where the mouse rests. */
void sos_svg_text(FILE *file, const char *kind, const char *anchor, double x, double y, double room, const char *text);

/* The element around a picture.  One of its own (alone) has its size, its style, a page behind it and its title on top. */
void sos_svg_open(FILE *file, double width, double height, const char *title, const char *note, bool alone);
double sos_svg_title_height(const char *title, bool alone);

#endif
