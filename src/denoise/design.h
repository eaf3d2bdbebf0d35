/* design.h - what models of denoising can be made of: which features pixels have, and which cliques there are.  Models are
 * choices among these, with names; what follows from them are groups of weights and examples. */
#ifndef SOS_DENOISE_DESIGN_H
#define SOS_DENOISE_DESIGN_H

#include <s3svm/denoise.h>

/* Features of pixels; each is a free group of weights. */
typedef enum sos_denoise_unary {
    SOS_UNARY_GREY,     /* |x| - |x - 1| */
    SOS_UNARY_CONSTANT, /* 1 */
    SOS_UNARY_STRENGTH, /* a function of how clearly a line runs here: weights at knots */
    SOS_UNARY_RESPONSE, /* a function of what the networks say: weights at knots */
    SOS_UNARY_ODDS,     /* what the networks say, clamped: one weight */
    SOS_UNARIES
} sos_denoise_unary;

/* Cliques.  Lines are those of vision/lines.h, through pixels whose strength is above the first threshold; they and keyed pairs
 * have weights of their own for each class of strengths.  One table serves all directions.  Long lines have as many pixels,
 * some steps apart: they see farther, and cost the same. */
typedef enum sos_denoise_cliques {
    SOS_CLIQUES_PAIRS4,     /* neighbours in a row or column, a weight */
    SOS_CLIQUES_PAIRS8,     /* and across a corner, another one: all pairs of a 2x2 patch, by distance */
    SOS_CLIQUES_KEYED,      /* 8 neighbours, a table of 2x2 costs for each turn against the direction of the clearer pixel */
    SOS_CLIQUES_PATCH2,     /* 2x2 patches, a table of 16 costs */
    SOS_CLIQUES_PATCH3,     /* 3x3 patches, a table of 512 costs with the symmetries of a square */
    SOS_CLIQUES_LINE_PAIRS, /* all pairs of the pixels of a line, a weight for each distance */
    SOS_CLIQUES_LINE_PAIR_TABLES, /* the same with a table of 2x2 costs for each distance: pairs at their strongest */
    SOS_CLIQUES_LINE_TABLES,      /* lines, a table of 2^length costs, the same from both ends */
    SOS_CLIQUES_LINE_ROBUST,      /* lines, robust P^n, a weight */
    SOS_CLIQUES_LINE_COUNTS,      /* lines, a concave function of the share of ink */
    SOS_CLIQUES_LONG_PAIRS,       /* long lines, all pairs of their pixels, a weight for each distance */
    SOS_CLIQUES_LONG_PAIR_TABLES, /* the same with a table for each distance */
    SOS_CLIQUES_LONG_TABLES,      /* long lines, a table, the same from both ends */
    SOS_CLIQUES
} sos_denoise_cliques;

/* Sets of them: bit 1 << u, 1 << c. */
typedef struct sos_denoise_design {
    unsigned unaries, cliques;
} sos_denoise_design;

/* A model with a name, and how it learns best. */
typedef struct sos_denoise_preset {
    const char *name, *title; /* on the command line; in reports */
    sos_denoise_design design;
    double C, gap;
    double ink; /* what missed ink costs in training, where added ink costs 1 */
    bool far;   /* lines are long, in fine directions, and only where they are clear: for thin structures */
} sos_denoise_preset;

const sos_denoise_preset *sos_denoise_preset_of(sos_denoise_kind kind);

/* Their names in the facts of models. */
const char *sos_denoise_unary_name(sos_denoise_unary u);
const char *sos_denoise_cliques_name(sos_denoise_cliques c);

/* Whether the design has any of a set. */
static inline bool sos_design_has_unary(const sos_denoise_design *d, sos_denoise_unary u) { return d->unaries >> u & 1; }
static inline bool sos_design_has_cliques(const sos_denoise_design *d, sos_denoise_cliques c) { return d->cliques >> c & 1; }

bool sos_design_has_networks(const sos_denoise_design *d);
bool sos_design_has_directions(const sos_denoise_design *d);
bool sos_design_has_lines(const sos_denoise_design *d);
bool sos_design_has_long_lines(const sos_denoise_design *d);

#endif
