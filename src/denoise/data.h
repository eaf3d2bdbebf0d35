/* data.h - drawings and their noisy pictures, in memory. */
#ifndef S3SVM_DENOISE_DATA_H
#define S3SVM_DENOISE_DATA_H

#include <s3svm/dataset.h>
#include <s3svm/noise.h>

/* Drawing i: planes[i] is what a method sees, truths[i] what it should answer, a label per pixel, 1 for ink. */
typedef struct s3svm_drawings {
    size_t count;
    char **names;
    s3svm_plane *noisy;
    uint8_t **truths;
} s3svm_drawings;

/* Dark pixels of a picture are ink: those below half of the grey range. */
static inline bool s3svm_drawing_is_ink(uint8_t grey) { return grey < 128; }
void s3svm_drawing_truth(const s3svm_image *picture, uint8_t labels[]);

/* A picture of labels, 0 paper and 1 ink, becomes that drawing, black on white. */
void s3svm_drawing_of_labels(s3svm_image *picture);

/* The same where a picture tells by itself that it has labels: none of its pixels is above 1, and some are 1. */
void s3svm_drawing_tell(s3svm_image *picture);

/* And back: ink is black on white. */
SOS_MUST_USE sos_status s3svm_drawing_picture(size_t width, size_t height, const uint8_t labels[], s3svm_image *out,
                                              sos_error *error);

/* What a method sees of one item: its image or, with noise not NULL, its labels with noise of the stream of its name. */
SOS_MUST_USE sos_status s3svm_drawing_noisy(const s3svm_item *item, const s3svm_noise *noise, s3svm_plane *out,
                                            sos_error *error);

/* That, and the true labels, to free. */
SOS_MUST_USE sos_status s3svm_drawing_read(const s3svm_item *item, const s3svm_noise *noise, s3svm_plane *noisy,
                                           uint8_t **truth, sos_error *error);

/* All items of a data set.  Without noises its images are read, and where there are none an error says what to do.  With noises
 * these are added to the labels instead: all items with the first one, then all with the next, each item getting the stream of
 * its name.  wanted, if not NULL, says which of them are read; the others stay empty. */
SOS_MUST_USE sos_status s3svm_drawings_load(const s3svm_dataset *d, size_t noises, const s3svm_noise noise[],
                                            const bool wanted[], s3svm_drawings *out, sos_error *error);
void s3svm_drawings_free(s3svm_drawings *d); /* leaves it empty; an empty one is fine */

#endif
