#include "experiments/denoise/pictures.h"

#include "denoise/data.h"

/* Frees the picture. */
static void show(s3svm_report *page, sos_status status, s3svm_image *picture, const char *said)
{
    s3svm_report_fail(page, status);
    s3svm_report_picture(page, status ? NULL : picture, "%s", said);
    s3svm_image_free(picture);
}

void s3svm_denoise_show_noisy(s3svm_report *page, const s3svm_plane *noisy, const char *said)
{
    s3svm_image picture = { 0 };
    const sos_status status = s3svm_plane_to_image(noisy, &picture, page->error);
    show(page, status, &picture, said);
}

void s3svm_denoise_show_labels(s3svm_report *page, size_t width, size_t height, const uint8_t labels[], const char *said)
{
    s3svm_image picture = { 0 };
    const sos_status status = s3svm_drawing_picture(width, height, labels, &picture, page->error);
    show(page, status, &picture, said);
}
