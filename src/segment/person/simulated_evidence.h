/* simulated_evidence.h - what networks of users might say of a photograph: the maps that it came with, or worse ones.
 *
 * A model that learns from the maps of one network alone learns its manners, and to believe it.  So a dialogue sees them as
 * they are, or not at all; or less sure, too sure or shifted; blurred; coarse; with flaws; of another photograph; inverted; or
 * noise. Where a photograph has maps of several channels, each is of a network of its own, and a dialogue sees one of them. */
#ifndef S3SVM_SEGMENT_SIMULATED_EVIDENCE_H
#define S3SVM_SEGMENT_SIMULATED_EVIDENCE_H

#include <s3svm/segment.h>

#include "base/random.h"

/* Draws the evidence of picture number i for a dialogue: one channel, or none.  Pictures without maps have none. */
SOS_MUST_USE sos_status s3svm_simulated_evidence(size_t count, const s3svm_marked pictures[], size_t i, sos_random *r,
                                                 s3svm_maps *out, sos_error *error);

#endif
