#include "denoise/pictures.h"

#include "denoise/data.h"

/* Frees the picture. */
static void show(sos_report *page, sos_status status, sos_image *picture, const char *said)
{
    sos_report_fail(page, status);
    sos_report_picture(page, status ? NULL : picture, "%s", said);
    sos_image_free(picture);
}

void sos_denoise_show_noisy(sos_report *page, const sos_plane *noisy, const char *said)
{
    sos_image picture = { 0 };
    const sos_status status = sos_plane_to_image(noisy, &picture, page->error);
    show(page, status, &picture, said);
}

void sos_denoise_show_labels(sos_report *page, size_t width, size_t height, const uint8_t labels[], const char *said)
{
    sos_image picture = { 0 };
    const sos_status status = sos_drawing_picture(width, height, labels, &picture, page->error);
    show(page, status, &picture, said);
}
