/* response.h - how likely a pixel belongs to the object, judged by small networks from all of its maps.
 *
 * Several networks, each learned from all training pictures but some.  A network never judges a picture that it has learned
 * from: those that were left out of one network are judged by that one, new pictures by the mean of all.  So responses to
 * pictures of training are as good, and as bad, as those to new ones, and what is learned from them holds. */
#ifndef SOS_SEGMENT_RESPONSE_H
#define SOS_SEGMENT_RESPONSE_H

#include "segment/maps.h"
#include "vision/perceptron.h"

enum { SOS_SEGMENT_NETWORKS = 5 };

typedef struct sos_segment_response {
    bool dialogues; /* learned from dialogues: networks see their maps too */
    size_t pictures;
    uint64_t *hashes; /* of pictures learned from; network i % SOS_SEGMENT_NETWORKS has not seen picture i */
    sos_perceptron networks[SOS_SEGMENT_NETWORKS];
} sos_segment_response;

/* Networks of zeros that have seen so many pictures, hashes 0. */
SOS_MUST_USE sos_status sos_segment_response_create(size_t pictures, bool dialogues, sos_segment_response *out,
                                                    sos_error *error);
void sos_segment_response_free(sos_segment_response *r); /* leaves it empty; an empty one is fine */

/* The hash of a photograph by which networks know it. */
uint64_t sos_segment_response_hash(const sos_image *photograph);

/* How many maps its networks see. */
static inline size_t sos_segment_response_inputs(const sos_segment_response *r)
{
    return r->dialogues ? SOS_SEGMENT_DIALOGUE_MAPS : SOS_SEGMENT_MAPS;
}

/* The response to blocks of a photograph whose maps are known. */
SOS_MUST_USE sos_status sos_segment_response_judge(const sos_segment_response *r, const sos_image *photograph,
                                                   const sos_segment_view *v, int threads, float out[], sos_error *error);

/* Learns from photographs with truths; settings: samples, seed, cache and work. */
SOS_MUST_USE sos_status sos_segment_response_train(size_t count, const sos_marked pictures[],
                                                   const sos_segment_settings *settings, sos_segment_response *out,
                                                   sos_error *error);

/* What a picture looks like to the full model, a number for each pixel: the response, as log odds of being object, and the
 * ratio of GrabCut's mixtures.  Maps and networks see a large picture at half of its resolution, or less.  sight: of the
 * photograph, or NULL, and it is looked at for this once. */
SOS_MUST_USE sos_status sos_segment_response_apply(const sos_segment_response *r, const sos_segment_input *in,
                                                   const sos_segment_sight *sight, float responses[], float ratios[],
                                                   sos_error *error);

#endif
