/* pictures.h - drawings in the grids of reports. */
#ifndef S3SVM_EXPERIMENTS_DENOISE_PICTURES_H
#define S3SVM_EXPERIMENTS_DENOISE_PICTURES_H

#include <s3svm/plane.h>

#include "report/report.h"

/* What a method sees; and labels, ink being black on white.  said stands below. */
void s3svm_denoise_show_noisy(s3svm_report *page, const s3svm_plane *noisy, const char *said);
void s3svm_denoise_show_labels(s3svm_report *page, size_t width, size_t height, const uint8_t labels[], const char *said);

#endif
