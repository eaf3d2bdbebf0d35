/* pictures.h - drawings in the grids of reports. */
#ifndef SOS_DENOISE_PICTURES_H
#define SOS_DENOISE_PICTURES_H

#include <s3svm/plane.h>

#include "report/report.h"

/* What a method sees; and labels, ink being black on white.  said stands below. */
void sos_denoise_show_noisy(sos_report *page, const sos_plane *noisy, const char *said);
void sos_denoise_show_labels(sos_report *page, size_t width, size_t height, const uint8_t labels[], const char *said);

#endif
