/* features.h - what may be included of this folder from outside: the paper's features, the maps of full models, marks that are
 * assumed, and the responses of networks. */
#ifndef S3SVM_SEGMENT_FEATURES_FEATURES_H
#define S3SVM_SEGMENT_FEATURES_FEATURES_H

#include "segment/features/assume.h"
#include "segment/features/maps.h"
#include "segment/features/paper.h"
#include "segment/features/response.h"

#endif
