/* outlines.h - what may be included of this folder from outside: the second look at outlines. */
#ifndef S3SVM_SEGMENT_OUTLINES_OUTLINES_H
#define S3SVM_SEGMENT_OUTLINES_OUTLINES_H

#include "segment/outlines/outline.h"

#endif
