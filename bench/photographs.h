/* photographs.h - energies that learning meets: photographs with functions of counts over superpixels and sets of colours. */
#ifndef BENCH_PHOTOGRAPHS_H
#define BENCH_PHOTOGRAPHS_H

#include <stddef.h>

#include <sos/sos.h>

enum { PHOTOGRAPHS = 3 };

/* Learns from the first photographs of $SOS_SHARED_DIR/data/interactive, or else of docs/segmentation, for so many rounds, and
 * fills the energies of all of them with their losses, to free.  Returns how many there are: 0, and why on stdout, where they
 * cannot be read. */
size_t photographs_learn(size_t rounds, sos_energy *energies[PHOTOGRAPHS]);

#endif
