/* response.h - how likely a pixel belongs to the object, judged by small networks from all of its maps.
 *
 * Several networks, each learned from all training pictures but some.  A network never judges a picture that it has learned
 * from: those that were left out of one network are judged by that one, new pictures by the mean of all.  So responses to
 * pictures of training are as good, and as bad, as those to new ones, and what is learned from them holds. */
#ifndef S3SVM_SEGMENT_RESPONSE_H
#define S3SVM_SEGMENT_RESPONSE_H

#include "segment/features/maps.h"
#include "vision/perceptron.h"

enum { S3SVM_SEGMENT_NETWORKS = 5 };

typedef struct s3svm_segment_response {
    bool dialogues; /* learned from dialogues: networks see their maps too */
    bool evidence;  /* and those of evidence, where there is some */
    size_t pictures;
    uint64_t *hashes; /* of pictures learned from; network i % S3SVM_SEGMENT_NETWORKS has not seen picture i */
    s3svm_perceptron networks[S3SVM_SEGMENT_NETWORKS];
} s3svm_segment_response;

/* Networks of zeros that have seen so many pictures, hashes 0. */
SOS_MUST_USE sos_status s3svm_segment_response_create(size_t pictures, s3svm_segment_sight sight, s3svm_segment_response *out,
                                                      sos_error *error);
void s3svm_segment_response_free(s3svm_segment_response *r); /* leaves it empty; an empty one is fine */

/* The hash of a photograph by which networks know it. */
uint64_t s3svm_segment_response_hash(const s3svm_image *photograph);

/* What its networks see. */
static inline s3svm_segment_sight s3svm_segment_response_sight(const s3svm_segment_response *r)
{
    return r->evidence ? S3SVM_SIGHT_EVIDENCE : r->dialogues ? S3SVM_SIGHT_DIALOGUE : S3SVM_SIGHT_MARKS;
}

/* The response to blocks of a photograph whose maps are known. */
SOS_MUST_USE sos_status s3svm_segment_response_judge(const s3svm_segment_response *r, const s3svm_image *photograph,
                                                     const s3svm_segment_view *v, int threads, float out[], sos_error *error);

/* Learns from photographs with truths; settings: samples, seed, cache and work. */
SOS_MUST_USE sos_status s3svm_segment_response_train(size_t count, const s3svm_marked pictures[],
                                                     const s3svm_segment_settings *settings, s3svm_segment_response *out,
                                                     sos_error *error);

/* What a picture looks like to the full model, a number for each pixel: the response, as log odds of being object, and the
 * ratio of GrabCut's mixtures.  Maps and networks see a large picture at half of its resolution, or less.  photo: of the
 * photograph, or NULL, and it is looked at for this once. */
SOS_MUST_USE sos_status s3svm_segment_response_apply(const s3svm_segment_response *r, const s3svm_segment_input *in,
                                                     const s3svm_photo *photo, float responses[], float ratios[],
                                                     sos_error *error);

#endif
