/* card.h - energies on grids, minimised by a graphics card.
 *
 * libsos-cuda, where it lies beside libsos and finds a card, takes grids with a table of 16 costs at each 2x2 patch
 * (cuda/grid.h), in the same integers as the flow, and gives the same labels.  Whatever it does not take, or not finish, is the
 * caller's to minimise. */
#ifndef SOS_MINIMIZE_CARD_H
#define SOS_MINIMIZE_CARD_H

#include <sos/minimize.h>

/* May a card be able to take this energy, and is it for one with these settings?  Asks for numbers of cliques only, not for
 * costs. */
bool sos_card_may_take(const sos_energy *e, sos_device device);

/* Is there a card, and work enough for it in these energies (NULL: none), of which some may be for it?  Costs need not be set.
 */
bool sos_card_is_wanted(size_t count, const sos_energy *const energies[], const sos_minimize_settings *settings);

/* Tries to minimise the energies that a card takes, together; done[i] says which of them are: their labels and results (which
 * may be NULL) are set.  Where the caller's progress says to stop, *stopped says so, and the rest is not done. */
void sos_card_minimize(size_t count, const sos_energy *const energies[], const sos_minimize_settings *settings,
                       uint8_t *const labels[], sos_minimize_result results[], bool done[], bool *stopped);

#endif
