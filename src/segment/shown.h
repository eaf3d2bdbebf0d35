/* shown.h - photographs as large as a page shows them, with labels and marks. */
#ifndef SOS_SEGMENT_SHOWN_H
#define SOS_SEGMENT_SHOWN_H

#include "report/report.h"

/* A photograph reduced to the width of the page's columns, and room for what belongs to its pixels. */
typedef struct sos_shown {
    sos_image picture;
    size_t full_width, full_height;
    uint8_t *labels;
    sos_image marks;
} sos_shown;

SOS_MUST_USE sos_status sos_shown_create(const sos_image *photograph, sos_shown *out, sos_error *error);
void sos_shown_free(sos_shown *s); /* leaves it empty */

/* Shows it with labels at full size, its background dimmed, or without any; and with marks, unless they are NULL.  said stands
 * below. */
void sos_shown_overlay(sos_report *page, sos_shown *s, const uint8_t labels[], const sos_image *marks, const char *said);

/* What may be shown, and how much it is worth to be. */
typedef struct sos_shown_candidate {
    size_t number;
    double worth;
    bool taken;
} sos_shown_candidate;

/* Those of most worth first, those of as much by their numbers. */
void sos_shown_order(size_t count, sos_shown_candidate list[]);

#endif
