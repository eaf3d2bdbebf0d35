/* assume.h - marks that nobody made, where a kind of them is missing. */
#ifndef S3SVM_SEGMENT_ASSUME_H
#define S3SVM_SEGMENT_ASSUME_H

#include <s3svm/marks.h>

#include "segment/features/photo_features.h"

/* Whether pixel i lies in the middle of a picture: where an object is looked for if none is marked. */
bool s3svm_segment_is_middle(const s3svm_image *picture, size_t i);

/* Marks the inside of an object that was found, from half of its greatest depth on, but not what is marked as background. */
SOS_MUST_USE sos_status s3svm_segment_assume_inside(const uint8_t found[], int threads, s3svm_image *marks, sos_error *error);

/* Turns the marks of a photograph into those that the maps of dialogues are made of, object and background: the frame of the
 * picture is background, unless it is marked, however much else is marked; where no object is marked, the inside of what
 * evidence, log odds of a user's network or NULL, calls object, within what is perhaps object if that was said, or else of what
 * GrabCut finds there, or in the middle; all else that is perhaps is nothing. */
SOS_MUST_USE sos_status s3svm_segment_assume(const s3svm_photo_features *features, const float evidence[], int threads,
                                             s3svm_image *marks, sos_error *error);

#endif
