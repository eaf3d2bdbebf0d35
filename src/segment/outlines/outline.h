/* outline.h - a second look at the labels of a photograph: pixels near their outline are decided again, at full resolution, by
 * colours and edges close by.
 *
 * A small network says of each pixel of a band around the outline how likely it is object: from how far the outline is, what
 * the first model said, how steep the picture is there, and, in windows of several sizes, how well its colour fits the colours
 * of either side; and from what a user's network says, if it has learned from such evidence.  Then the energy
 *
 *     E(y) = sum_i z_i [y_i = 0] + sum_ij strength / |ij| exp(-beta |x_i - x_j|^2) [y_i != y_j],
 *
 * z_i being the log odds of pixels of the band and ij pairs of 8 neighbours, is minimised exactly; outside of the band labels
 * stay as they are.
 *
 * Lengths are in pixels of a photograph of S3SVM_OUTLINE_PIXELS; in others they grow with the sides. */
#ifndef S3SVM_SEGMENT_OUTLINE_H
#define S3SVM_SEGMENT_OUTLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/model.h>

#include <s3svm/image.h>

#include "vision/perceptron.h"

enum { S3SVM_OUTLINE_PIXELS = 200000 };

/* ---- what depends on the photograph alone ---- */

/* Of a pixel: 1, a colour of three bytes, their squares, 0.  Sums over a window are exact. */
typedef uint16_t s3svm_outline_moments __attribute__((vector_size(16)));
enum { S3SVM_OUTLINE_CHANNELS = 3, S3SVM_OUTLINE_MOMENTS = 8 };

enum { S3SVM_OUTLINE_NEIGHBOURS = 4 }; /* of a pixel, those after it: right, down left, down, down right */

typedef struct s3svm_outline_photo {
    size_t width, height;
    double scale;                   /* of lengths */
    s3svm_outline_moments *moments; /* n: of colours that are a little blurred */
    float *steepness;               /* n: log (1 + change of colour from pixel to pixel) */
    float *contrast;                /* S3SVM_OUTLINE_NEIGHBOURS n: what a pair counts; 0 where a neighbour is missing */
} s3svm_outline_photo;

/* Of a photograph of 3 channels; lab: its colours (vision/colour.h). */
SOS_MUST_USE sos_status s3svm_outline_photo_create(const s3svm_image *photograph, const float lab[], int threads,
                                                   s3svm_outline_photo *out, sos_error *error);
void s3svm_outline_photo_free(s3svm_outline_photo *s); /* leaves it empty; an empty one is fine */

/* ---- the band ---- */

/* Pixels near the outline of labels, in the order of pixels. */
typedef struct s3svm_outline_band {
    size_t count;
    uint32_t *pixels; /* their numbers */
    uint32_t *first;  /* height + 1: of every row, the first in the list */
    float *distances; /* of all pixels of the photograph: from the nearest pixel beside one of another label, which has 0 */
    uint8_t *labels;  /* of all pixels: a copy */
} s3svm_outline_band;

/* marks, if not NULL: pixels with a sure mark are not in the band. */
SOS_MUST_USE sos_status s3svm_outline_band_create(const s3svm_outline_photo *s, const uint8_t labels[], const uint8_t marks[],
                                                  int threads, s3svm_outline_band *out, sos_error *error);
void s3svm_outline_band_free(s3svm_outline_band *b); /* leaves it empty; an empty one is fine */

/* ---- colours on both sides ---- */

/* Which pixels speak for the colours of a side: those at most reach pixels away along rows and along columns, and more than
 * apart from the outline. */
typedef struct s3svm_outline_window {
    size_t reach;
    double apart;
} s3svm_outline_window;

/* What a pixel of the band is told by a window. */
enum {
    S3SVM_OUTLINE_FIT,   /* log p(x | object) - log p(x | background), normal densities with independent channels */
    S3SVM_OUTLINE_PLACE, /* where x lies on the line from the mean of the background to that of the object; 0 in the middle */
    S3SVM_OUTLINE_APART, /* how far these means are apart, in deviations */
    S3SVM_OUTLINE_SHARE, /* log of object pixels over background pixels */
    S3SVM_OUTLINE_TOLD
};

/* told[k * count + i] receives number k of pixel i of the band.  Linear in the pixels of the photograph, whatever the reach. */
SOS_MUST_USE sos_status s3svm_outline_sides(const s3svm_outline_photo *s, const s3svm_outline_band *b,
                                            const s3svm_outline_window *w, int threads, float told[], sos_error *error);

/* ---- the features of the band ---- */

enum {
    S3SVM_OUTLINE_WINDOWS = 3,
    S3SVM_OUTLINE_FEATURES = 4 + S3SVM_OUTLINE_WINDOWS * S3SVM_OUTLINE_TOLD,
    S3SVM_OUTLINE_EVIDENCE_FEATURES = 3, /* of models that have learned from evidence, after these */
    S3SVM_OUTLINE_FEATURES_MAX = S3SVM_OUTLINE_FEATURES + S3SVM_OUTLINE_EVIDENCE_FEATURES
};

/* Log odds of all pixels of the photograph: those of the first model, and those of a user's network, or NULL. */
typedef struct s3svm_outline_odds {
    const float *response, *evidence;
} s3svm_outline_odds;

/* features[f * count + i] receives feature f of pixel i of the band, for count features: with or without those of evidence,
 * which are 0 where there is none. */
SOS_MUST_USE sos_status s3svm_outline_features(const s3svm_outline_photo *s, const s3svm_outline_band *b,
                                               const s3svm_outline_odds *odds, size_t count, int threads, float features[],
                                               sos_error *error);

/* ---- models ---- */

enum { S3SVM_OUTLINE_STRENGTH_MAX = 1000 };

typedef struct s3svm_outline_model {
    s3svm_perceptron network;
    double strength; /* of pairs */
} s3svm_outline_model;

void s3svm_outline_model_free(s3svm_outline_model *m); /* leaves it empty; an empty one is fine */

/* An empty one has learned nothing, and stands for a model that does not look again. */
static inline bool s3svm_outline_model_is_empty(const s3svm_outline_model *m) { return !m->network.numbers; }

/* The fact "outline" of a model; read gives an empty one where there is none. */
SOS_MUST_USE sos_status s3svm_outline_model_write(const s3svm_outline_model *outline, sos_model *m, sos_error *error);
SOS_MUST_USE sos_status s3svm_outline_model_read(const sos_model *m, s3svm_outline_model *out, sos_error *error);

/* Decides the labels of the band by log odds of its pixels; labels of all pixels of the photograph. */
SOS_MUST_USE sos_status s3svm_outline_cut(const s3svm_outline_photo *s, const s3svm_outline_band *b, double strength,
                                          const float odds[], uint8_t labels[], sos_error *error);

/* The second look: labels, of all pixels of the photograph, are those found first and become the better ones. */
SOS_MUST_USE sos_status s3svm_outline_decide(const s3svm_outline_model *m, const s3svm_outline_photo *s, const uint8_t marks[],
                                             const s3svm_outline_odds *odds, int threads, uint8_t labels[], sos_error *error);

#endif
