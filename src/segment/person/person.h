/* person.h - what may be included of this folder from outside: simulated dialogues, and evidence in them.  <s3svm/simulate.h>
 * has the person. */
#ifndef S3SVM_SEGMENT_PERSON_PERSON_H
#define S3SVM_SEGMENT_PERSON_PERSON_H

#include "segment/person/simulated_dialogue.h"
#include "segment/person/simulated_evidence.h"

#endif
