#include "experiments/denoise/designs.h"

#include <stddef.h>

#define UNARY(u)   (1U << S3SVM_UNARY_##u)
#define CLIQUES(c) (1U << S3SVM_CLIQUES_##c)

/* Features of families of designs. */
#define ON_GREY      (UNARY(GREY) | UNARY(CONSTANT))
#define ON_DIRECTION (UNARY(GREY) | UNARY(STRENGTH))
#define ON_ODDS      (UNARY(ODDS) | UNARY(CONSTANT))

/* Models that are compared with each other learn alike; smaller gaps change their errors by less than their differences.
 *
 * C, gap, ink, far: */
#define BY_GREY      1e4, 2e-3, 1.6, false
#define BY_DIRECTION 1e4, 5e-2, 1, false
#define BY_ODDS      1e4, 1e-2, 1, false
#define FAR          1e4, 2e-2, 1.5, true

typedef struct entry {
    const char *title;
    s3svm_denoise_preset own; /* without a name: the library has it */
    s3svm_denoise_kind kind;  /* then, of this kind */
} entry;

static const entry DESIGNS[S3SVM_DESIGNS] = {
    [S3SVM_DESIGN_PAPER] = { .title = "S3SVM, paper", .kind = S3SVM_DENOISE_PAPER },
    [S3SVM_DESIGN_FULL] = { .title = "S3SVM, full", .kind = S3SVM_DENOISE_FULL },
    [S3SVM_DESIGN_PAIRS4] = { "pairs, 4 neighbours", { "pairs4", { ON_GREY, CLIQUES(PAIRS4) }, BY_GREY }, 0 },
    [S3SVM_DESIGN_PAIRS8] = { "pairs, 8 neighbours", { "pairs8", { ON_GREY, CLIQUES(PAIRS8) }, BY_GREY }, 0 },
    [S3SVM_DESIGN_KEYED] = { "direction, pairs", { "keyed", { ON_DIRECTION, CLIQUES(KEYED) }, BY_DIRECTION }, 0 },
    [S3SVM_DESIGN_LINE_PAIRS] = { "direction, pairs of lines",
                                  { "line-pairs", { ON_DIRECTION, CLIQUES(KEYED) | CLIQUES(LINE_PAIRS) }, BY_DIRECTION },
                                  0 },
    [S3SVM_DESIGN_LINE_PAIR_TABLES] = { "direction, pair tables of lines",
                                        { "line-pair-tables",
                                          { ON_DIRECTION, CLIQUES(KEYED) | CLIQUES(LINE_PAIR_TABLES) },
                                          BY_DIRECTION },
                                        0 },
    [S3SVM_DESIGN_LINES] = { "direction, lines",
                             { "lines", { ON_DIRECTION, CLIQUES(KEYED) | CLIQUES(LINE_TABLES) }, BY_DIRECTION },
                             0 },
    [S3SVM_DESIGN_LONG_LINE_PAIRS] = { "direction, pairs of long lines",
                                       { "long-line-pairs",
                                         { ON_DIRECTION, CLIQUES(KEYED) | CLIQUES(LINE_PAIRS) | CLIQUES(LONG_PAIRS) },
                                         BY_DIRECTION },
                                       0 },
    [S3SVM_DESIGN_LONG_LINE_PAIR_TABLES] = { "direction, pair tables of long lines",
                                             { "long-line-pair-tables",
                                               { ON_DIRECTION,
                                                 CLIQUES(KEYED) | CLIQUES(LINE_PAIR_TABLES) | CLIQUES(LONG_PAIR_TABLES) },
                                               BY_DIRECTION },
                                             0 },
    [S3SVM_DESIGN_LONG_LINES] = { "direction, long lines",
                                  { "long-lines",
                                    { ON_DIRECTION, CLIQUES(KEYED) | CLIQUES(LINE_TABLES) | CLIQUES(LONG_TABLES) },
                                    BY_DIRECTION },
                                  0 },
    [S3SVM_DESIGN_ODDS_PAIRS] = { "networks, pairs", { "odds-pairs", { ON_ODDS, CLIQUES(PAIRS8) }, BY_ODDS }, 0 },
    [S3SVM_DESIGN_ODDS_LINE_PAIRS] = { "networks, pairs of lines",
                                       { "odds-line-pairs", { ON_ODDS, CLIQUES(KEYED) | CLIQUES(LINE_PAIRS) }, BY_ODDS },
                                       0 },
    [S3SVM_DESIGN_ODDS_LINE_PAIR_TABLES] = { "networks, pair tables of lines",
                                             { "odds-line-pair-tables",
                                               { ON_ODDS, CLIQUES(KEYED) | CLIQUES(LINE_PAIR_TABLES) },
                                               BY_ODDS },
                                             0 },
    [S3SVM_DESIGN_ODDS_LINES] = { "networks, lines",
                                  { "odds-lines", { ON_ODDS, CLIQUES(KEYED) | CLIQUES(LINE_TABLES) }, BY_ODDS },
                                  0 },
    [S3SVM_DESIGN_ODDS_LONG_LINE_PAIRS] = { "networks, pairs of long lines",
                                            { "odds-long-line-pairs",
                                              { ON_ODDS, CLIQUES(KEYED) | CLIQUES(LINE_PAIRS) | CLIQUES(LONG_PAIRS) },
                                              BY_ODDS },
                                            0 },
    [S3SVM_DESIGN_ODDS_LONG_LINE_PAIR_TABLES] = { "networks, pair tables of long lines",
                                                  { "odds-long-line-pair-tables",
                                                    { ON_ODDS,
                                                      CLIQUES(KEYED) | CLIQUES(LINE_PAIR_TABLES) | CLIQUES(LONG_PAIR_TABLES) },
                                                    BY_ODDS },
                                                  0 },
    [S3SVM_DESIGN_ODDS_LONG_LINES] = { .title = "networks, long lines", .kind = S3SVM_DENOISE_ODDS_LONG_LINES },
    [S3SVM_DESIGN_FAR_UNARIES] = { "pixels alone", { "far-unaries", { ON_DIRECTION, 0 }, FAR }, 0 },
    [S3SVM_DESIGN_FAR_KEYED] = { "pairs of neighbours", { "far-keyed", { ON_DIRECTION, CLIQUES(KEYED) }, FAR }, 0 },
    [S3SVM_DESIGN_FAR_PAIRS] = { "all pairs of lines",
                                 { "far-pairs", { ON_DIRECTION, CLIQUES(KEYED) | CLIQUES(LINE_PAIRS) }, FAR },
                                 0 },
    [S3SVM_DESIGN_FAR_PAIR_TABLES] = { "pair tables of lines",
                                       { "far-pair-tables", { ON_DIRECTION, CLIQUES(KEYED) | CLIQUES(LINE_PAIR_TABLES) }, FAR },
                                       0 },
    [S3SVM_DESIGN_FAR_ROBUST] = { "robust P^n on lines",
                                  { "far-robust", { ON_DIRECTION, CLIQUES(KEYED) | CLIQUES(LINE_ROBUST) }, FAR },
                                  0 },
    [S3SVM_DESIGN_FAR_COUNTS] = { .title = "learned functions of lines", .kind = S3SVM_DENOISE_FAR_COUNTS },
};

const s3svm_denoise_preset *s3svm_drawing_design_preset(s3svm_drawing_design d)
{
    return DESIGNS[d].own.name ? &DESIGNS[d].own : s3svm_denoise_preset_of(DESIGNS[d].kind);
}

const char *s3svm_drawing_design_title(s3svm_drawing_design d) { return DESIGNS[d].title; }
