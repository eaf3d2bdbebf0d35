/* marks.h - what may be included of this folder from outside: marked photographs.  <s3svm/marks.h> and <s3svm/dialogue.h> have
 * files of scribbles. */
#ifndef S3SVM_SEGMENT_MARKS_MARKS_H
#define S3SVM_SEGMENT_MARKS_MARKS_H

#include "segment/marks/data.h"

#endif
