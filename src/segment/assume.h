/* assume.h - marks that nobody made, where a kind of them is missing. */
#ifndef SOS_SEGMENT_ASSUME_H
#define SOS_SEGMENT_ASSUME_H

#include <s3svm/marks.h>

#include "segment/scene.h"

/* Whether pixel i lies in the middle of a picture: where an object is looked for if none is marked. */
bool sos_segment_is_middle(const sos_image *picture, size_t i);

/* Marks the inside of an object that was found, from half of its greatest depth on, but not what is marked as background. */
SOS_MUST_USE sos_status sos_segment_assume_inside(const uint8_t found[], int threads, sos_image *marks, sos_error *error);

/* Turns the marks of a scene into those that the maps of dialogues are made of, object and background: the frame of the picture
 * is background, unless it is marked, however much else is marked; where no object is marked, the inside of what GrabCut finds
 * in what is perhaps object, or in the middle; all else that is perhaps is nothing. */
SOS_MUST_USE sos_status sos_segment_assume(const sos_segment_scene *scene, int threads, sos_image *marks, sos_error *error);

#endif
