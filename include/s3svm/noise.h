/* noise.h - independent Gaussian noise on every pixel, seeded, in two models.  With y in 0 ... 1 and N(m, s) normal:
 *
 *     plain    x = y + N(0, sigma)                       sigma is a fraction of the range from black to white
 *     shifted  x = (255 y + N(255, sigma)) / 2 / 255     sigma is in grey values; black comes to lie at 127.5
 *
 * The same normal numbers serve both models and every sigma. */
#ifndef S3SVM_NOISE_H
#define S3SVM_NOISE_H

#include <stdbool.h>
#include <stdint.h>

#include <sos/status.h>

#include <s3svm/image.h>
#include <s3svm/plane.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sos_noise_model { SOS_NOISE_PLAIN, SOS_NOISE_SHIFTED } sos_noise_model;

/* Their names on the command line, in the order of sos_noise_model. */
#define SOS_NOISE_MODELS "plain|shifted"

typedef struct sos_noise {
    sos_noise_model model;
    double sigma;
    uint64_t seed;
    bool unclipped;       /* real numbers, which may lie outside of 0 ... 1 */
    uint64_t reserved[8]; /* 0 (status.h) */
} sos_noise;

SOS_API const char *sos_noise_name(sos_noise_model model); /* "plain", "shifted" */

/* sigma 0.5 or 150, seed 1, clipped. */
SOS_API sos_noise sos_noise_defaults(sos_noise_model model);

/* The number of a picture for sos_noise_add: from the name of its file without folder and ending, so that a picture gets the
 * same noise whichever others there are. */
SOS_API uint64_t sos_noise_stream(const char *path);

/* Adds noise of the given stream to a picture of 1 channel.  Unless unclipped, the result is what reading it back from a file
 * of 8 bits gives: clipped to 0 ... 1, and multiples of 1/255. */
SOS_MUST_USE SOS_API sos_status sos_noise_add(const sos_noise *noise, uint64_t picture, const sos_image *clean, sos_plane *out,
                                              sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
