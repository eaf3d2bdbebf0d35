/* polygon.h - a mask as polygons along the sides of its pixels.
 *
 * Each part of the object whose pixels are connected along sides is one polygon, (0, 0) the top left corner of the picture.  A
 * hole is joined to what lies left of it by a line that is run along twice, there and back: filled by the even-odd rule, or by
 * that of nonzero winding numbers, the polygons give back the mask, and their areas by Gauss's formula its pixels. */
#ifndef S3SVM_SERVE_POLYGON_H
#define S3SVM_SERVE_POLYGON_H

#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

typedef struct polygon_list {
    size_t count;
    size_t *ends;          /* of each polygon among the points */
    uint32_t (*points)[2]; /* x and y of corners; those between corners are left out */
    size_t points_count, ends_room, points_room;
} polygon_list;

/* Of labels 1 (object) and 0; O(pixels + b log b) for borders of length b. */
SOS_MUST_USE sos_status polygons_of(size_t width, size_t height, const uint8_t labels[], polygon_list *out, sos_error *error);
void polygons_free(polygon_list *p);

#endif
