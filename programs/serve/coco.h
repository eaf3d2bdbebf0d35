/* coco.h - the photographs of a folder that are done, in the form of the data set COCO. */
#ifndef S3SVM_SERVE_COCO_H
#define S3SVM_SERVE_COCO_H

#include "request.h"

/* GET /api/folder/coco/NAME: objects as "polygons" or as "rle". */
bool folder_coco(exchange *x);

#endif
