/* noise.h - independent Gaussian noise on every pixel, seeded, in two models.  With y in 0 ... 1 and N(m, s) normal:
 *
 *     plain    x = y + N(0, sigma)                       sigma is a fraction of the range from black to white
 *     shifted  x = (255 y + N(255, sigma)) / 2 / 255     sigma is in grey values; black becomes 127.5 on average
 *
 * The same normal numbers are used for both models and every sigma. */
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

typedef enum s3svm_noise_model { S3SVM_NOISE_PLAIN, S3SVM_NOISE_SHIFTED } s3svm_noise_model;

/* Their names on the command line, in the order of s3svm_noise_model. */
#define S3SVM_NOISE_MODELS "plain|shifted"

typedef struct s3svm_noise {
    s3svm_noise_model model;
    double sigma;
    uint64_t seed;
    bool unclipped;       /* keep real numbers, which may lie outside 0 ... 1 */
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_noise;

SOS_API const char *s3svm_noise_name(s3svm_noise_model model); /* "plain", "shifted" */

/* sigma 0.5 or 150, seed 1, clipped. */
SOS_API s3svm_noise s3svm_noise_defaults(s3svm_noise_model model);

/* The number of a picture for s3svm_noise_add: computed from the name of its file without folder and extension, so that the
 * noise of a picture does not depend on other pictures. */
SOS_API uint64_t s3svm_noise_stream(const char *path);

/* Adds the noise of number picture to a picture of 1 channel.  Unless unclipped, the result is clipped to 0 ... 1 and rounded
 * to multiples of 1/255, as if written to a file of 8 bits and read back.  The caller frees out. */
SOS_MUST_USE SOS_API sos_status s3svm_noise_add(const s3svm_noise *noise, uint64_t picture, const s3svm_image *clean,
                                                s3svm_plane *out, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
