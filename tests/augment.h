/* augment.h - the minimum by plain shortest augmenting paths: an oracle for energies too large to try all labellings.  It
 * shares the network of nodes, cliques and integers with the library, and not one line of its flow. */
#ifndef SOS_TESTS_AUGMENT_H
#define SOS_TESTS_AUGMENT_H

#include <sos/minimize.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As sos_minimize.  Of the settings maximal and bits count; of the result energy, lower_bound, rounding, bits, augmentations
 * and pushes are filled. */
SOS_MUST_USE sos_status augment_minimize(const sos_energy *e, const sos_minimize_settings *settings, uint8_t labels[],
                                         sos_minimize_result *result, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
