/* drawing_parts.h - the two kinds of drawings, for drawing.c, and what sketches are made of. */
#ifndef SOS_DRAWING_PARTS_H
#define SOS_DRAWING_PARTS_H

#include "drawing/canvas.h"

void sos_drawing_shapes(sos_canvas *c);
void sos_drawing_sketch(sos_canvas *c);

/* Things to sketch and letters to write, as text.  A stroke is a letter and points "x,y" of a square of 100 by 100, y
 * downwards: s  open, smooth       l  open, straight from point to point o  closed, smooth     p  closed, straight; both hide
 * what they cover c  round: the middle, then both radii; hides too f  closed, smooth, filled with ink d  dots A point with a
 * '!' is a corner of a smooth stroke. */
typedef struct sos_subject {
    const char *name;
    const char *strokes;
    bool simple;  /* fit for small cells */
    bool upright; /* never mirrored */
} sos_subject;

extern const sos_subject sos_subjects[];
extern const size_t sos_subject_count;

/* The strokes of a letter a ... z or digit, in a box 60 wide and 100 high whose line of writing is at 70; NULL: there are none.
 */
const char *sos_letter_strokes(char letter);
double sos_letter_width(char letter); /* of the 60 */

#endif
