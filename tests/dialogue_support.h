/* dialogue_support.h - what the tests of models that learn from dialogues share: small pictures, and a model of them. */
#ifndef SOS_TESTS_DIALOGUE_SUPPORT_H
#define SOS_TESTS_DIALOGUE_SUPPORT_H

#include <s3svm/segment.h>

#include "support.h"

enum { ELLIPSE_WIDTH = 72, ELLIPSE_HEIGHT = 56 };

/* An ellipse of a noisy colour on a background of another; with a twin, which is not the object, colours alone do not tell. */
sos_marked ellipse_random(sos_random *r, bool twin);

/* A model that has learned from dialogues about such pictures, to free. */
sos_model *dialogue_model_of(size_t count, const sos_marked pictures[], int threads);

#endif
