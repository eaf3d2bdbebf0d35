/* clicks_judge.h - how good labels are, along the outline and elsewhere; for clicks*.c only. */
#ifndef SOS_SEGMENT_CLICKS_JUDGE_H
#define SOS_SEGMENT_CLICKS_JUDGE_H

#include "segment/clicks.h"

/* A photograph with what labels are judged by. */
typedef struct sos_clicks_subject {
    sos_image photograph, scribbles; /* scribbles: marks; empty: there are none */
    uint8_t *truth, *care;
    uint8_t *zones; /* the nearest zone that a sure pixel is in; SOS_CLICKS_ZONES: none */
} sos_clicks_subject;

SOS_MUST_USE sos_status sos_clicks_subject_read(const sos_item *item, sos_clicks_subject *out, sos_error *error);
void sos_clicks_subject_free(sos_clicks_subject *s);

sos_clicks_score sos_clicks_judge(const sos_clicks_subject *s, const uint8_t labels[]);

/* The share of right, sure pixels, farther from a click than a tenth of the longer side, that are wrong behind it. */
double sos_clicks_harm_of(const sos_clicks_subject *s, const uint8_t before[], const uint8_t behind[], sos_point click);

#endif
