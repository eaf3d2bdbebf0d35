/* subjects.h - the strokes of things to sketch, and of letters. */
#ifndef S3SVM_DRAWING_SUBJECTS_H
#define S3SVM_DRAWING_SUBJECTS_H

#include <stdbool.h>
#include <stddef.h>

/* Things to sketch and letters to write, as text.  A stroke is a letter and points "x,y" of a square of 100 by 100, y
 * downwards.  A point with a '!' is a corner of a smooth stroke.
 *
 *     s  open, smooth                             l  open, straight from point to point
 *     o  closed, smooth; hides what it covers     p  closed, straight; hides too
 *     c  round: the middle, then both radii; hides too
 *     f  closed, smooth, filled with ink          d  dots */
typedef struct s3svm_subject {
    const char *name;
    const char *strokes;
    bool simple;  /* fit for small cells */
    bool upright; /* never mirrored */
} s3svm_subject;

extern const s3svm_subject s3svm_subjects[];
extern const size_t s3svm_subject_count;

/* The strokes of a letter a ... z or digit, in a box 60 wide and 100 high whose line of writing is at 70; NULL: there are none.
 */
const char *s3svm_letter_strokes(char letter);
double s3svm_letter_width(char letter); /* of the 60 */

#endif
