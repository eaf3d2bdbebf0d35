/* scene.h - what maps need of a photograph whatever is marked in it: it stays while marks change.
 *
 * Lengths are in sides of a square of as many pixels, so that they mean the same at every resolution. */
#ifndef SOS_SEGMENT_SCENE_H
#define SOS_SEGMENT_SCENE_H

#include "vision/distance.h"
#include "vision/superpixel_graph.h"
#include "vision/walk.h"

enum { SOS_SCENE_TEXTURE = 5 }; /* numbers of a texture: a soft colour, and how rough the picture is, finely and coarsely */

typedef struct sos_segment_scene {
    size_t width, height, n;
    double side;                        /* in pixels */
    float *lab;                         /* 3 n: colours */
    float *soft;                        /* 3 n: blurred, so that noise does not count */
    float *texture;                     /* SOS_SCENE_TEXTURE n */
    sos_steps colour_steps;             /* for paths on which colours change little */
    sos_steps frame_steps;              /* the same, for paths that begin at the frame */
    sos_superpixel_graph small, large;  /* superpixels */
    sos_walk_graph near_walk, far_walk; /* steps between small ones that touch; and also between similar ones far away */
} sos_segment_scene;

/* Of a photograph of 3 channels. */
SOS_MUST_USE sos_status sos_segment_scene_create(const sos_image *photograph, int threads, sos_segment_scene *out,
                                                 sos_error *error);
void sos_segment_scene_free(sos_segment_scene *s); /* leaves it empty; an empty one is fine */

#endif
