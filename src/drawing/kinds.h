/* kinds.h - the two kinds of drawings, on a canvas that has begun. */
#ifndef S3SVM_DRAWING_KINDS_H
#define S3SVM_DRAWING_KINDS_H

#include "drawing/canvas.h"

void s3svm_drawing_shapes(s3svm_canvas *c); /* lines and geometric shapes */
void s3svm_drawing_sketch(s3svm_canvas *c); /* free-hand sketches */

#endif
