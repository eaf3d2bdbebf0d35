/* card_item.h - an energy on its way to a graphics card, and back: which a card takes, its integers, its labels. */
#ifndef SOS_MINIMIZE_CARD_ITEM_H
#define SOS_MINIMIZE_CARD_ITEM_H

#include <sos/minimize.h>

#include "cuda/grid.h"
#include "minimize/network.h"

typedef struct sos_card_item {
    const sos_energy *energy;
    size_t number; /* in the batch */
    size_t width, height;
    bool pairs;           /* of neighbours, instead of tables of patches */
    uint32_t most_places; /* of a variable in cliques */
    sos_network net;      /* without the places of its nodes */
    int64_t *table;       /* of all tables of patches: what is left of them without their bases, */
    int64_t *base;        /* 4 for each, */
    bool ready;           /* all of which is there */
    double rounding;
    double seconds; /* to get there */
} sos_card_item;

/* Is the energy a grid: all 2x2 patches row by row, or pairs of neighbours, eight at most?  Then its width and height are set.
 */
bool sos_card_item_find(sos_card_item *it, sos_device device, int threads);

/* The integers of the tables, as the CPU would have them. */
bool sos_card_item_prepare(sos_card_item *it, const sos_minimize_settings *settings, int threads);

/* Writes the integers to where the card takes them from; with several threads, if it is of patches. */
bool sos_card_item_fill(sos_card_item *it, const sos_card_grid *g, int threads);

typedef struct sos_card_work {
    const sos_minimize_settings *settings;
    double seconds; /* of the card */
    int threads;
} sos_card_work;

/* Labels and result, if the energy of the labels is what the flow proves. */
bool sos_card_item_finish(const sos_card_item *it, const sos_card_grid *g, const sos_card_work *work, uint8_t labels[],
                          sos_minimize_result *result);

void sos_card_item_free(sos_card_item *it);

#endif
