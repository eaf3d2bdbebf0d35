/* inputs.h - the 92 numbers that describe a place of a picture to networks.
 *
 * A place is described by colours, slopes and texture in boxes around it and to its sides, by where it is, and by the picture
 * as a whole.  inputs.c has them as a table. */
#ifndef S3SVM_LABEL_INPUTS_H
#define S3SVM_LABEL_INPUTS_H

#include "base/random.h"
#include "label/view.h"

enum { S3SVM_LABEL_INPUTS = 92 };

/* Those of a pixel. */
void s3svm_label_inputs(const s3svm_label_view *v, size_t x, size_t y, float out[S3SVM_LABEL_INPUTS]);

/* Makes them those of the same place in a picture that may be mirrored, in another light, with another contrast: so that few
 * pictures become many. */
void s3svm_label_inputs_vary(sos_random *r, float inputs[S3SVM_LABEL_INPUTS]);

#endif
