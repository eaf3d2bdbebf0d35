/* simulated_dialogue.h - simulated dialogues about a photograph: marks, the answer of a model in the making, a correction, and
 * so on.
 *
 *     s3svm_simulated_dialogue_begin(&t, &picture, &photo, &opening, &evidence, &error);
 *     while (!s3svm_simulated_dialogue_step(&t, &right, &error) && !right) {
 *         s3svm_segment_view_find(&t.in, &photo, sight, &view, &error);
 *         s3svm_simulated_dialogue_answer(&t, response, &error);
 *     }
 *     s3svm_simulated_dialogue_end(&t); */
#ifndef S3SVM_SEGMENT_SIMULATED_DIALOGUE_H
#define S3SVM_SEGMENT_SIMULATED_DIALOGUE_H

#include <s3svm/segment.h>
#include <s3svm/simulate.h>

#include "segment/features/features.h"
#include "vision/dialogue.h"

/* How a person begins: with marks of their own making, with those that the picture came with, or by correcting what was
 * proposed without a mark. */
typedef struct s3svm_simulated_opening {
    bool own, proposed;
    s3svm_simulation person;
} s3svm_simulated_opening;

/* in is the moment that the dialogue has come to: its marks, those of the last step, the labels before. */
typedef struct s3svm_simulated_dialogue {
    const s3svm_marked *picture;
    const s3svm_photo *photo;
    s3svm_simulated_opening opening;
    s3svm_dialogue *dialogue;
    s3svm_drawn_marks marks;
    uint8_t *labels; /* the last answer, of the photograph */
    s3svm_segment_moment moment;
    s3svm_segment_input in; /* points into this struct */
    sos_energy *pairs;      /* of blocks */
} s3svm_simulated_dialogue;

/* t stays where it is until the end.  The picture has a truth.  evidence is borrowed, and may be empty. */
SOS_MUST_USE sos_status s3svm_simulated_dialogue_begin(s3svm_simulated_dialogue *t, const s3svm_marked *picture,
                                                       const s3svm_photo *photo, const s3svm_simulated_opening *opening,
                                                       const s3svm_maps *evidence, sos_error *error);
void s3svm_simulated_dialogue_end(s3svm_simulated_dialogue *t); /* of one that failed to begin, too */

/* The next marks; *right: there is nothing to correct, and no step was made. */
SOS_MUST_USE sos_status s3svm_simulated_dialogue_step(s3svm_simulated_dialogue *t, bool *right, sos_error *error);

/* The labels that log odds of blocks give, with pairs of neighbours that differ the more readily the more contrast they have;
 * marks hold.  A model in the making has no energy yet. */
SOS_MUST_USE sos_status s3svm_simulated_dialogue_answer(s3svm_simulated_dialogue *t, const float response[], sos_error *error);

/* Goes on to so many steps, what networks make of each, and of none where the dialogue begins so, being the answer.  *right:
 * there was nothing more to correct before that. */
SOS_MUST_USE sos_status s3svm_simulated_dialogue_until(s3svm_simulated_dialogue *t, const s3svm_segment_response *networks,
                                                       size_t steps, bool *right, sos_error *error);

#endif
