/* dialogue.h - where a round pen and an outline mark pixels. */
#ifndef SOS_VISION_DIALOGUE_H
#define SOS_VISION_DIALOGUE_H

#include <s3svm/dialogue.h>

/* Half the diagonal of a pixel, rounded up: a pen of this radius reaches the centre of the pixel that it is in. */
#define SOS_PEN_LEAST 0.7072

/* Whether a pixel is at most radius from the line from a to b.  With d = b - a, p = pixel - a and t = p.d: beyond the ends the
 * distance is that from an end; between them |p x d| / |d|.  Squares only, so that nothing is rounded but products and sums. */
static inline bool sos_pen_marks(sos_point a, sos_point b, double radius, double x, double y)
{
    const double dx = (double)b.x - (double)a.x, dy = (double)b.y - (double)a.y;
    const double px = x - (double)a.x, py = y - (double)a.y, qx = x - (double)b.x, qy = y - (double)b.y;
    const double along = px * dx + py * dy, square = dx * dx + dy * dy, across = px * dy - py * dx;
    if (along <= 0) return px * px + py * py <= radius * radius;
    if (along >= square) return qx * qx + qy * qy <= radius * radius;
    return across * across <= radius * radius * square;
}

/* The radius that a pen draws with. */
static inline double sos_pen_radius(float radius) { return (double)radius < SOS_PEN_LEAST ? SOS_PEN_LEAST : (double)radius; }

/* The columns first ... last, cut to 0 ... width - 1, that the pen marks of row y; false: none. */
bool sos_pen_row(sos_point a, sos_point b, double radius, size_t width, size_t y, size_t *first, size_t *last);

/* The rows likewise that it may mark. */
bool sos_pen_rows(sos_point a, sos_point b, double radius, size_t height, size_t *first, size_t *last);

/* 1 for pixels of row y inside of a closed line by the nonzero rule, else 0; pixels on its left side are inside, those on the
 * right are not.  turns is room for width + 1 numbers.  Returns how many are inside. */
size_t sos_outline_row(size_t count, const sos_point points[], size_t width, size_t y, int32_t turns[], uint8_t inside[]);

/* The marks of one step alone, as sos_dialogue_draw would draw them if there were no other. */
SOS_MUST_USE sos_status sos_dialogue_draw_step(const sos_dialogue *d, size_t step, sos_image *marks, sos_error *error);

#endif
