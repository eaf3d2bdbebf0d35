/* maps.h - custom maps: given numbers for each pixel, such as the output of a deep network, as features of models for pictures.
 *
 *     model = ...                                         of s3svm_denoise_create, s3svm_segment_create or s3svm_label_create
 *     s3svm_maps_learn(model, &settings, count, maps, &error);
 *     ... examples of pictures with their maps, training ...
 *
 * The model then has one more group of weights, "maps", and the fact "maps", which describes its features.  From then on it
 * refuses pictures without maps of that many channels. */
#ifndef S3SVM_MAPS_H
#define S3SVM_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/model.h>
#include <sos/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- maps, and their files ---- */

enum { S3SVM_MAPS_CHANNELS_MAX = 4096 };

/* Maps of a picture: values[c * width * height + i] is number c of pixel i. */
typedef struct s3svm_maps {
    size_t width, height, channels;
    float *values; /* NULL: there are none */
} s3svm_maps;

/* Maps of zeros. */
SOS_MUST_USE SOS_API sos_status s3svm_maps_create(size_t width, size_t height, size_t channels, s3svm_maps *out,
                                                  sos_error *error);
SOS_API void s3svm_maps_free(s3svm_maps *m); /* leaves them empty; freeing empty ones does nothing */

/* Reads and writes arrays in NumPy's format .npy: float32 or float64, height x width x channels, or height x width for one
 * channel.  Every number must be finite as a float.  Arrays are written as float32, to a temporary file that is then renamed.
 */
SOS_MUST_USE SOS_API sos_status s3svm_npy_read(const char *path, s3svm_maps *out, sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_npy_write(const s3svm_maps *m, const char *path, sos_error *error);

/* ---- learning from them ---- */

typedef enum s3svm_maps_kind {
    S3SVM_MAPS_NONE,
    S3SVM_MAPS_WEIGHTS, /* a weight for each channel and label; channels are scaled to mean 0 and standard deviation 1 */
    S3SVM_MAPS_ODDS,    /* one weight for all channels, which are logits of the labels, one each; with two labels also a single
                         channel, the log odds of label 1 */
    S3SVM_MAPS_BINS     /* a piecewise linear function for each channel and label */
} s3svm_maps_kind;

/* Their names on the command line and in models, in the order of s3svm_maps_kind. */
#define S3SVM_MAPS_KINDS "no|weights|odds|bins"
SOS_API const char *s3svm_maps_kind_name(s3svm_maps_kind kind);

typedef struct s3svm_maps_settings {
    s3svm_maps_kind kind;
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_maps_settings;

/* Adds maps to a model that has all its other groups.  Means, deviations and bins are computed from count maps, those of the
 * training pictures, which must all have the same number of channels.  S3SVM_MAPS_NONE adds nothing.  On failure the model is
 * unchanged. */
SOS_MUST_USE SOS_API sos_status s3svm_maps_learn(sos_model *m, const s3svm_maps_settings *settings, size_t count,
                                                 const s3svm_maps maps[], sos_error *error);

/* The number of channels of the maps that a model needs; 0: none. */
SOS_MUST_USE SOS_API sos_status s3svm_maps_needed(const sos_model *m, size_t *channels, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
