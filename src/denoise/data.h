/* data.h - drawings and their noisy pictures, in memory. */
#ifndef SOS_DENOISE_DATA_H
#define SOS_DENOISE_DATA_H

#include <s3svm/dataset.h>
#include <s3svm/noise.h>

/* Drawing i: planes[i] is what a method sees, truths[i] what it should answer, a label per pixel, 1 for ink. */
typedef struct sos_drawings {
    size_t count;
    char **names;
    sos_plane *noisy;
    uint8_t **truths;
} sos_drawings;

/* Dark pixels of a picture are ink: those below half of the grey range. */
void sos_drawing_truth(const sos_image *picture, uint8_t labels[]);

/* And back: ink is black on white. */
SOS_MUST_USE sos_status sos_drawing_picture(size_t width, size_t height, const uint8_t labels[], sos_image *out,
                                            sos_error *error);

/* What a method sees of one item: its image or, with noise not NULL, its labels with noise of the stream of its name. */
SOS_MUST_USE sos_status sos_drawing_noisy(const sos_item *item, const sos_noise *noise, sos_plane *out, sos_error *error);

/* That, and the true labels, to free. */
SOS_MUST_USE sos_status sos_drawing_read(const sos_item *item, const sos_noise *noise, sos_plane *noisy, uint8_t **truth,
                                         sos_error *error);

/* All items of a data set.  Without noises its images are read, and where there are none an error says what to do.  With noises
 * these are added to the labels instead: all items with the first one, then all with the next, each item getting the stream of
 * its name.  wanted, if not NULL, says which of them are read; the others stay empty. */
SOS_MUST_USE sos_status sos_drawings_load(const sos_dataset *d, size_t noises, const sos_noise noise[], const bool wanted[],
                                          sos_drawings *out, sos_error *error);
void sos_drawings_free(sos_drawings *d); /* leaves it empty; an empty one is fine */

#endif
