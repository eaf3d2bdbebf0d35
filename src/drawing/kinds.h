/* kinds.h - the two kinds of drawings, on a canvas that has begun. */
#ifndef SOS_DRAWING_KINDS_H
#define SOS_DRAWING_KINDS_H

#include "drawing/canvas.h"

void sos_drawing_shapes(sos_canvas *c); /* lines and geometric shapes */
void sos_drawing_sketch(sos_canvas *c); /* free-hand sketches */

#endif
