/* experiment_report.h - parts of the page about the experiment; for experiment_*.c only. */
#ifndef SOS_SEGMENT_EXPERIMENT_REPORT_H
#define SOS_SEGMENT_EXPERIMENT_REPORT_H

#include "report/report.h"
#include "segment/experiment.h"

/* The contender that pictures are chosen by: the best that took part; and the one it is compared with. */
size_t sos_segment_subject(const sos_segment_results *r);
size_t sos_segment_reference(const sos_segment_results *r);

void sos_segment_error_charts(sos_report *page, const sos_segment_results *r);    /* image by image */
void sos_segment_training_charts(sos_report *page, const sos_segment_results *r); /* choice of C, bounds against time */
void sos_segment_pictures(sos_report *page, const sos_segment_results *r);        /* of the first split */
void sos_segment_learned(sos_report *page, const sos_segment_results *r);         /* weights and tables of the first split */

#endif
