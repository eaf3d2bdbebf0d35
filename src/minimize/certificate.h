/* certificate.h - what the flow proves. */
#ifndef SOS_MINIMIZE_CERTIFICATE_H
#define SOS_MINIMIZE_CERTIFICATE_H

#include "minimize/flow.h"

/* Fills energy, lower_bound, rounding and bits of a job that is done. */
void sos_certify(const sos_flow_job *job);

#endif
