/* augment.h - maximum submodular flow by plain shortest augmenting paths: the paper's baseline, and a check on flow.c. */
#ifndef SOS_MINIMIZE_AUGMENT_H
#define SOS_MINIMIZE_AUGMENT_H

#include "minimize/flow.h"

/* Fills what a run of flow.c fills; job->block and job->start are not used.  Nothing is kept from run to run. */
sos_status sos_augment_run(sos_flow_job *job, size_t limit, sos_error *error);

#endif
