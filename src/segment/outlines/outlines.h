/* outlines.h - the interface of this folder: refinement of outlines. */
#ifndef S3SVM_SEGMENT_OUTLINES_OUTLINES_H
#define S3SVM_SEGMENT_OUTLINES_OUTLINES_H

#include "segment/outlines/outline.h"

#endif
