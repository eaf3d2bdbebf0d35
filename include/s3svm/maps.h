/* maps.h - numbers of one's own for each pixel, such as what a deep network says of it, as features of any model for pictures.
 *
 *     model = ...                                         of s3svm_denoise_create, s3svm_segment_create or s3svm_label_create
 *     s3svm_maps_learn(model, &settings, count, maps, &error);
 *     ... examples of pictures with their maps, training ...
 *
 * The model then has one more group of weights, "maps", and the fact "maps", which says what its features are: pictures without
 * maps of as many channels are refused from there on. */
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

/* Arrays of NumPy's format .npy: float32 or float64, height x width x channels, or height x width for one channel.  Every
 * number must be finite as a float.  Written as float32, by way of a temporary file and a rename. */
SOS_MUST_USE SOS_API sos_status s3svm_npy_read(const char *path, s3svm_maps *out, sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_npy_write(const s3svm_maps *m, const char *path, sos_error *error);

/* ---- learning from them ---- */

typedef enum s3svm_maps_kind {
    S3SVM_MAPS_NONE,
    S3SVM_MAPS_WEIGHTS, /* a weight for each channel and label; channels are brought to mean 0 and deviation 1 */
    S3SVM_MAPS_ODDS,    /* one weight for what all channels say: logits of the labels, one each; of two labels also one channel,
                         the log odds of label 1 */
    S3SVM_MAPS_BINS     /* for each channel and label a function that is piecewise linear */
} s3svm_maps_kind;

/* Their names on the command line and in models, in the order of s3svm_maps_kind. */
#define S3SVM_MAPS_KINDS "no|weights|odds|bins"
SOS_API const char *s3svm_maps_kind_name(s3svm_maps_kind kind);

typedef struct s3svm_maps_settings {
    s3svm_maps_kind kind;
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_maps_settings;

/* Adds maps to a model that has all other groups: means, deviations and bins are those of count maps, of the pictures that it
 * will learn from; all have as many channels.  S3SVM_MAPS_NONE adds nothing.  On failure the model is as it was. */
SOS_MUST_USE SOS_API sos_status s3svm_maps_learn(sos_model *m, const s3svm_maps_settings *settings, size_t count,
                                                 const s3svm_maps maps[], sos_error *error);

/* How many channels the maps have that a model needs; 0: none. */
SOS_MUST_USE SOS_API sos_status s3svm_maps_needed(const sos_model *m, size_t *channels, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
