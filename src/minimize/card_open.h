/* card_open.h - the library for graphics cards, loaded when it is first asked for, and who uses it. */
#ifndef SOS_MINIMIZE_CARD_OPEN_H
#define SOS_MINIMIZE_CARD_OPEN_H

#include <stdbool.h>

#include "cuda/grid.h"

/* Is it loaded, with a card that can be used? */
bool sos_card_is_open(void);

/* The same, after loading it if nobody has yet. */
bool sos_card_is_there(void);

/* Loads it, if it is not, and takes it for this thread, until sos_card_leave: one call at a time.  NULL: there is no card, or,
 * where the caller will not wait, it is in use; *error says what is wrong.  *memory: bytes of the card that are free. */
const sos_card_ops *sos_card_take(bool wait, size_t *memory, sos_error *error);
void sos_card_leave(void);

#endif
