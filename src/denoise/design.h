/* design.h - what models of denoising can be made of: which features pixels have, and which cliques there are.  Models are
 * choices among these, with names; what follows from them are groups of weights and examples.  Kinds of models are the
 * designs that won; experiments have others to compare them with, and 0.2 had those as kinds. */
#ifndef S3SVM_DENOISE_DESIGN_H
#define S3SVM_DENOISE_DESIGN_H

#include <s3svm/denoise.h>

/* Features of pixels; each is a free group of weights. */
typedef enum s3svm_denoise_unary {
    S3SVM_UNARY_GREY,     /* |x| - |x - 1| */
    S3SVM_UNARY_CONSTANT, /* 1 */
    S3SVM_UNARY_STRENGTH, /* a function of how clearly a line runs here: weights at knots */
    S3SVM_UNARY_RESPONSE, /* a function of what the networks say: weights at knots */
    S3SVM_UNARY_ODDS,     /* what the networks say, clamped: one weight */
    S3SVM_UNARIES
} s3svm_denoise_unary;

/* Cliques.  Lines are those of vision/lines.h, through pixels whose strength is above the first threshold; they and keyed pairs
 * have weights of their own for each class of strengths.  One table serves all directions.  Long lines have as many pixels,
 * some steps apart: they see farther, and cost the same. */
typedef enum s3svm_denoise_cliques {
    S3SVM_CLIQUES_PAIRS4,     /* neighbours in a row or column, a weight */
    S3SVM_CLIQUES_PAIRS8,     /* and across a corner, another one: all pairs of a 2x2 patch, by distance */
    S3SVM_CLIQUES_KEYED,      /* 8 neighbours, a table of 2x2 costs for each turn against the direction of the clearer pixel */
    S3SVM_CLIQUES_PATCH2,     /* 2x2 patches, a table of 16 costs */
    S3SVM_CLIQUES_PATCH3,     /* 3x3 patches, a table of 512 costs with the symmetries of a square */
    S3SVM_CLIQUES_LINE_PAIRS, /* all pairs of the pixels of a line, a weight for each distance */
    S3SVM_CLIQUES_LINE_PAIR_TABLES, /* the same with a table of 2x2 costs for each distance: pairs at their strongest */
    S3SVM_CLIQUES_LINE_TABLES,      /* lines, a table of 2^length costs, the same from both ends */
    S3SVM_CLIQUES_LINE_ROBUST,      /* lines, robust P^n, a weight */
    S3SVM_CLIQUES_LINE_COUNTS,      /* lines, a concave function of the share of ink */
    S3SVM_CLIQUES_LONG_PAIRS,       /* long lines, all pairs of their pixels, a weight for each distance */
    S3SVM_CLIQUES_LONG_PAIR_TABLES, /* the same with a table for each distance */
    S3SVM_CLIQUES_LONG_TABLES,      /* long lines, a table, the same from both ends */
    S3SVM_CLIQUES
} s3svm_denoise_cliques;

/* Sets of them: bit 1 << u, 1 << c. */
typedef struct s3svm_denoise_design {
    unsigned unaries, cliques;
} s3svm_denoise_design;

/* A design with a name, and how models of it learn best. */
typedef struct s3svm_denoise_preset {
    const char *name; /* in models, and on the command line */
    s3svm_denoise_design design;
    double C, gap;
    double ink; /* what missed ink costs in training, where added ink costs 1 */
    bool far;   /* lines are long, in fine directions, and only where they are clear: for thin structures */
} s3svm_denoise_preset;

/* Names have less than so many bytes. */
enum { S3SVM_DENOISE_NAME_ROOM = 24 };

const s3svm_denoise_preset *s3svm_denoise_preset_of(s3svm_denoise_kind kind);
const s3svm_denoise_preset *s3svm_denoise_preset_find(const char *name); /* NULL: of no kind */

/* Their names in the facts of models. */
const char *s3svm_denoise_unary_name(s3svm_denoise_unary u);
const char *s3svm_denoise_cliques_name(s3svm_denoise_cliques c);

/* Whether the design has any of a set. */
static inline bool s3svm_design_has_unary(const s3svm_denoise_design *d, s3svm_denoise_unary u) { return d->unaries >> u & 1; }
static inline bool s3svm_design_has_cliques(const s3svm_denoise_design *d, s3svm_denoise_cliques c)
{
    return d->cliques >> c & 1;
}

bool s3svm_design_has_networks(const s3svm_denoise_design *d);
bool s3svm_design_has_directions(const s3svm_denoise_design *d);
bool s3svm_design_has_lines(const s3svm_denoise_design *d);
bool s3svm_design_has_long_lines(const s3svm_denoise_design *d);

#endif
