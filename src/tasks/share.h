/* share.h - lessons of several processes: who makes which examples, and what rank 0 learns for all.
 *
 * Rank 0 reads all pictures, since features are learned from all; the others read their own. */
#ifndef SOS_TASKS_SHARE_H
#define SOS_TASKS_SHARE_H

#include <s3svm/dataset.h>
#include <s3svm/task.h>

#include "base/crew.h"

/* Which examples of the pictures of a folder, all of them so many times over, are this rank's (sos_crew_deal): example i is of
 * picture i % d->count. */
SOS_MUST_USE sos_status sos_share_pictures(const sos_crew *c, const sos_dataset *d, size_t times, bool **mine,
                                           sos_error *error);

/* Is piece i one of those that mine has? */
static inline bool sos_share_has(const bool mine[], size_t i) { return !mine || mine[i]; }

/* Ends a step that each rank takes for itself: where one failed all fail.  Then the model goes from rank 0 to the others. */
SOS_MUST_USE sos_status sos_share_model(sos_crew *c, sos_status status, sos_model **m, sos_error *error);

#endif
