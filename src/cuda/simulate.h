/* simulate.h - the card's algorithm on the CPU, tile by tile: for tests. */
#ifndef SOS_CUDA_SIMULATE_H
#define SOS_CUDA_SIMULATE_H

#include "cuda/grid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Solves a grid as the card does, with costs of 32 or 64 bits. */
SOS_MUST_USE sos_status sos_card_simulate(sos_grid *grid, int bits, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif
