/* talk.h - a simulated person and a model in the making talk about a photograph: marks, an answer, a correction, and so on.
 *
 *     sos_segment_talk_begin(&t, &picture, &sight, &opening, &error);
 *     while (!sos_segment_talk_step(&t, &right, &error) && !right) {
 *         sos_segment_view_find(&t.in, &sight, true, &view, &error);
 *         sos_segment_talk_answer(&t, response, &error);
 *     }
 *     sos_segment_talk_end(&t); */
#ifndef SOS_SEGMENT_TALK_H
#define SOS_SEGMENT_TALK_H

#include <s3svm/segment.h>
#include <s3svm/simulate.h>

#include "segment/sight.h"

/* How a person begins: with marks of their own making, or with those that the picture came with. */
typedef struct sos_segment_opening {
    bool own;
    sos_simulation person;
} sos_segment_opening;

/* in is the moment that the talk has come to: its marks, those of the last step, the labels before. */
typedef struct sos_segment_talk {
    const sos_marked *picture;
    const sos_segment_sight *sight;
    sos_segment_opening opening;
    sos_dialogue *dialogue;
    sos_image marks, last;
    uint8_t *labels; /* the last answer, of the photograph */
    sos_segment_moment moment;
    sos_segment_input in; /* points into this struct */
    sos_energy *pairs;    /* of blocks */
} sos_segment_talk;

/* t stays where it is until the end.  The picture has a truth. */
SOS_MUST_USE sos_status sos_segment_talk_begin(sos_segment_talk *t, const sos_marked *picture, const sos_segment_sight *sight,
                                               const sos_segment_opening *opening, sos_error *error);
void sos_segment_talk_end(sos_segment_talk *t); /* of one that failed to begin, too */

/* The next marks; *right: there is nothing to correct, and no step was made. */
SOS_MUST_USE sos_status sos_segment_talk_step(sos_segment_talk *t, bool *right, sos_error *error);

/* The labels that log odds of blocks give, with pairs of neighbours that differ the more readily the more contrast they have;
 * marks hold.  A model in the making has no energy yet. */
SOS_MUST_USE sos_status sos_segment_talk_answer(sos_segment_talk *t, const float response[], sos_error *error);

/* Goes on to so many steps, what networks of a model make of each being the answer.  *right: there was nothing more to correct
 * before that. */
SOS_MUST_USE sos_status sos_segment_talk_until(sos_segment_talk *t, const sos_segment_model *model, size_t steps, bool *right,
                                               sos_error *error);

#endif
