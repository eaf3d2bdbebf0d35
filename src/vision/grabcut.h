/* grabcut.h - what GrabCut leaves behind besides labels. */
#ifndef SOS_VISION_GRABCUT_H
#define SOS_VISION_GRABCUT_H

#include <s3svm/grabcut.h>

#include "vision/mixture.h"

/* sos_grabcut.  mixtures, if not NULL, receives those of the last cut, background first, the caller's to free; empty ones where
 * one_sided. */
SOS_MUST_USE sos_status sos_grabcut_mixtures(const sos_image *photograph, sos_image *marks,
                                             const sos_grabcut_settings *settings, sos_mixture mixtures[2],
                                             sos_grabcut_result *result, sos_error *error);

#endif
