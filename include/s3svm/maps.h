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
#include <sos/work.h>

#include <s3svm/truth.h>

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

/* Reads a file of either kind: .npy; or PNG, whose grey values are probabilities times 255, as one channel of their log odds.
 * 0 and 255 are taken for half a step less. */
SOS_MUST_USE SOS_API sos_status s3svm_maps_read(const char *path, s3svm_maps *out, sos_error *error);

/* As above, from the bytes of a file of that name. */
SOS_MUST_USE SOS_API sos_status s3svm_maps_parse(const void *bytes, size_t length, const char *name, s3svm_maps *out,
                                                 sos_error *error);

/* ---- one channel as evidence: log odds of label 1 ---- */

/* What the numbers of a network are, and z, the log odds that they would be if it were honest. */
typedef enum s3svm_maps_numbers {
    S3SVM_NUMBERS_ODDS,          /* log odds: z is the number */
    S3SVM_NUMBERS_PROBABILITIES, /* 0 to 1: z is the logarithm of p / (1 - p), p at least 0.0001 away from 0 and 1 */
    S3SVM_NUMBERS_BYTES          /* probabilities times 255; 0 and 255 are taken for half a step less */
} s3svm_maps_numbers;

/* Their names in files, in that order. */
#define S3SVM_NUMBERS "odds|probabilities|bytes"
SOS_API const char *s3svm_maps_numbers_name(s3svm_maps_numbers numbers); /* NULL: not one of them */

/* From the numbers of a network to log odds: scale * z + offset. */
typedef struct s3svm_maps_calibration {
    s3svm_maps_numbers numbers;
    double scale, offset;
    uint64_t reserved[8]; /* 0 (status.h) */
} s3svm_maps_calibration;

/* What can be told from maps alone.  Numbers that all lie in 0 to 1 are probabilities; whole numbers in 0 to 255 are bytes; all
 * others are log odds.  Probabilities and bytes are believed.  Of log odds, the median of |z| (the median over the maps, of
 * several) is brought into 1 to 10 by the scale nearest to 1: half of the pixels are then held to be sure by e : 1 at least,
 * and by e^10 : 1 at most.  SOS_ERR_ARGUMENT: no maps, or not one channel. */
SOS_MUST_USE SOS_API sos_status s3svm_maps_calibration_guess(size_t count, const s3svm_maps maps[], s3svm_maps_calibration *out,
                                                             sos_error *error);

/* How well log odds foretell labels, every picture counting the same. */
typedef struct s3svm_maps_score {
    double loss;   /* the mean of -log p of the true label */
    double astray; /* the expected calibration error: over ten equal parts of 0 to 1 that p of label 1 can lie in, the mean
                      distance between p and the share of label 1 */
} s3svm_maps_score;

typedef struct s3svm_maps_calibration_report {
    size_t pictures;         /* with pixels that are sure */
    s3svm_maps_score before; /* by what can be told from each map alone */
    s3svm_maps_score after;  /* on the pictures that it was learned from */
    s3svm_maps_score others; /* of pictures, by what was learned without them: one at a time or, of more than twenty, a
                                twentieth at a time; NaN for a single picture */
    uint64_t reserved[8];
} s3svm_maps_calibration_report;

/* Learns a calibration (Platt, 1999) from maps of one channel and the true labels of the same pictures: the scale and the
 * offset with the least
 *
 *     sum of the pictures' mean -log p  +  0.05 (scale / guess - 1)^2  +  0.05 offset^2,
 *
 * guess being the scale that is told from the maps alone.  Pixels of a picture are alike, so each picture counts as one
 * observation; at most 2000 of its pixels are taken, evenly spread.  Pixels that are not sure are left out.  The result is the
 * same for every number of threads.  work and report may be NULL.  SOS_ERR_ARGUMENT: sizes or channels do not fit, numbers are
 * not finite, or all pixels have one label. */
SOS_MUST_USE SOS_API sos_status s3svm_maps_calibrate(size_t count, const s3svm_maps maps[], const s3svm_truth truths[],
                                                     const sos_work *work, s3svm_maps_calibration *out,
                                                     s3svm_maps_calibration_report *report, sos_error *error);

/* Turns maps of one channel into log odds; c NULL: by what can be told from them alone.  On failure they are unchanged:
 * SOS_ERR_ARGUMENT where numbers are not what the calibration says, or not one channel. */
SOS_MUST_USE SOS_API sos_status s3svm_maps_apply(const s3svm_maps_calibration *c, s3svm_maps *m, sos_error *error);

/* Files of calibrations, in JSON (docs/formats.md). */
SOS_MUST_USE SOS_API sos_status s3svm_maps_calibration_read(const char *path, s3svm_maps_calibration *out, sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_maps_calibration_parse(const char *text, size_t length, const char *name,
                                                             s3svm_maps_calibration *out, sos_error *error);
SOS_MUST_USE SOS_API sos_status s3svm_maps_calibration_write(const s3svm_maps_calibration *c, const char *path,
                                                             sos_error *error);

/* How unsure labels are, by log odds in one channel: the expected share of pixels that are wrong, the mean of the probability
 * of the label that a pixel has not got.  It is large where the evidence is weak, and where labels contradict it. */
SOS_MUST_USE SOS_API sos_status s3svm_maps_doubt(const s3svm_maps *odds, const uint8_t labels[], double *doubt,
                                                 sos_error *error);

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
