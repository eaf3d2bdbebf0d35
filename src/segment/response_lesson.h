/* response_lesson.h - pixels that networks learn from. */
#ifndef SOS_SEGMENT_RESPONSE_LESSON_H
#define SOS_SEGMENT_RESPONSE_LESSON_H

#include "segment/response.h"

typedef struct sos_response_lesson {
    size_t inputs, count; /* maps; pixels */
    float *maps;          /* inputs numbers of each pixel, side by side */
    uint8_t *labels;      /* what each is */
    uint32_t *pictures;   /* where it comes from */
    size_t epochs;        /* how often each is seen */
    double decay, spread; /* as perceptron.h has them */
} sos_response_lesson;

/* With room for so many pixels, count 0. */
SOS_MUST_USE sos_status sos_response_lesson_create(size_t inputs, size_t room, sos_response_lesson *out, sos_error *error);
void sos_response_lesson_free(sos_response_lesson *l); /* leaves it empty; an empty one is fine */

/* Trains each network on the pixels of all pictures but its own; settings: seed and work. */
SOS_MUST_USE sos_status sos_response_learn(const sos_response_lesson *l, const sos_segment_settings *settings,
                                           sos_segment_response *r, sos_error *error);

/* ---- response_talks.c ---- */

/* Trains networks on simulated dialogues about photographs with truths, with or without marks of their own: first with simple
 * answers, then with those of the networks; settings: samples, seed and work. */
SOS_MUST_USE sos_status sos_response_talk(size_t count, const sos_marked pictures[], const sos_segment_settings *settings,
                                          sos_segment_response *r, sos_error *error);

#endif
