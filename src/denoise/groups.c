/* groups.c - the groups of weights that a design has. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "denoise/features.h"

/* Adds a group of that name, and returns its number. */
static uint32_t group_add(s3svm_denoise_groups *g, sos_group group, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static uint32_t group_add(s3svm_denoise_groups *g, sos_group group, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(g->names[g->count], sizeof g->names[0], format, arguments);
    va_end(arguments);
    group.name = g->names[g->count];
    g->groups[g->count] = group;
    return (uint32_t)g->count++;
}

/* Features of free groups cost w[l] times their value for label l: the difference of both is what counts. */
static void unaries_list(const s3svm_denoise_features *f, s3svm_denoise_groups *g)
{
    const size_t sizes[S3SVM_UNARIES] = { 1, 1, f->key.knots, f->knots, 1 };
    for (s3svm_denoise_unary u = 0; u < S3SVM_UNARIES; u++)
        if (s3svm_design_has_unary(&f->design, u))
            g->unary[u] = group_add(g, (sos_group){ .kind = SOS_GROUP_FREE, .size = sizes[u] }, "%s",
                                    s3svm_denoise_unary_name(u));
}

/* ---------------------------------------------------------------- groups of pairs and lines */

/* Turns of keyed pairs, from along to across. */
static size_t turns_of(const s3svm_denoise_key *k) { return k->steps / 2 + 1; }

/* Costs of two pixels: 0 for two of paper, and free otherwise. */
static const sos_group PAIR_TABLE = { .kind = SOS_GROUP_TABLE, .size = 2, .anchored = true };

/* A cost for different labels. */
static const sos_group PAIR = { .kind = SOS_GROUP_TABLE, .size = 2, .anchored = true, .swap = true };

static void keyed_list(const s3svm_denoise_key *k, s3svm_denoise_groups *g)
{
    g->cliques[S3SVM_CLIQUES_KEYED] = (uint32_t)g->count;
    for (size_t class = 0; class <= k->thresholds; class ++)
        for (size_t turn = 0; turn < turns_of(k); turn++) group_add(g, PAIR_TABLE, "pair %zu, turn %zu", class, turn);
}

/* What squares of weights of lines cost.  A table says with a hundred weights what pairs say with a few, so at the same C the
 * sum of squares would keep it small: with 5 drawings of 400x200 (sigma 0.7, 7 pixels, 2 classes) 2.20, 2.15 and 2.15 % of the
 * pixels of 14 others are wrong for 1, 0.05 and 0.005.  Pairs get the same: with ten times C theirs fall from 2.27 to 2.22 %.
 */
static const double LINE_STIFFNESS = 0.05;

/* name: "line", "long line"; first: the first class that has them. */
static void line_pairs_list(const s3svm_denoise_key *k, s3svm_denoise_cliques which, const char *name, size_t first,
                            sos_group pair, s3svm_denoise_groups *g)
{
    g->cliques[which] = (uint32_t)g->count;
    pair.stiffness = LINE_STIFFNESS;
    for (size_t class = first; class <= k->thresholds; class ++)
        for (size_t d = 1; d < k->length; d++) group_add(g, pair, "%s %zu, distance %zu", name, class, d);
}

static void line_tables_list(const s3svm_denoise_key *k, s3svm_denoise_cliques which, const char *name, size_t first,
                             s3svm_denoise_groups *g)
{
    const sos_group line = {
        .kind = SOS_GROUP_TABLE, .size = k->length, .anchored = true, .reversal = true, .stiffness = LINE_STIFFNESS
    };
    g->cliques[which] = (uint32_t)g->count;
    for (size_t class = first; class <= k->thresholds; class ++) group_add(g, line, "%s %zu", name, class);
}

static void line_robust_list(const s3svm_denoise_key *k, s3svm_denoise_groups *g)
{
    g->cliques[S3SVM_CLIQUES_LINE_ROBUST] = (uint32_t)g->count;
    for (size_t class = 1; class <= k->thresholds; class ++)
        group_add(g, (sos_group){ .kind = SOS_GROUP_NONNEGATIVE, .size = 1 }, "line %zu", class);
}

/* Values of a function are of the order of 10, where other weights are of the order of 1.  On one half of dashed curves, with
 * missed ink counting three times in training, 2.05, 1.85 and 1.79 % of the pixels are wrong for 1, 0.1 and 0.01. */
static const double COUNT_STIFFNESS = 0.01;

static void line_counts_list(const s3svm_denoise_key *k, s3svm_denoise_groups *g)
{
    static const double shares[] = { 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1 };
    const sos_group line = { .kind = SOS_GROUP_COUNT,
                             .size = sizeof shares / sizeof *shares,
                             .shares = shares,
                             .anchored = true,
                             .stiffness = COUNT_STIFFNESS };
    g->cliques[S3SVM_CLIQUES_LINE_COUNTS] = (uint32_t)g->count;
    for (size_t class = 1; class <= k->thresholds; class ++) group_add(g, line, "line %zu", class);
}

static void cliques_list(const s3svm_denoise_features *f, s3svm_denoise_cliques which, s3svm_denoise_groups *g)
{
    const sos_group patch2 = { .kind = SOS_GROUP_TABLE, .size = 4 };
    const sos_group patch3 = { .kind = SOS_GROUP_TABLE, .size = 9, .anchored = true, .patch_width = 3, .patch_height = 3 };
    switch (which) {
    case S3SVM_CLIQUES_PAIRS4: g->cliques[which] = group_add(g, PAIR, "pair"); return;
    case S3SVM_CLIQUES_PAIRS8:
        g->cliques[which] = group_add(g, PAIR, "pair");
        group_add(g, PAIR, "pair across");
        return;
    case S3SVM_CLIQUES_KEYED: keyed_list(&f->key, g); return;
    case S3SVM_CLIQUES_PATCH2: g->cliques[which] = group_add(g, patch2, "patch"); return;
    case S3SVM_CLIQUES_PATCH3: g->cliques[which] = group_add(g, patch3, "patch"); return;
    case S3SVM_CLIQUES_LINE_PAIRS: line_pairs_list(&f->key, which, "line", 1, PAIR, g); return;
    case S3SVM_CLIQUES_LINE_PAIR_TABLES: line_pairs_list(&f->key, which, "line", 1, PAIR_TABLE, g); return;
    case S3SVM_CLIQUES_LINE_TABLES: line_tables_list(&f->key, which, "line", 1, g); return;
    case S3SVM_CLIQUES_LINE_ROBUST: line_robust_list(&f->key, g); return;
    case S3SVM_CLIQUES_LINE_COUNTS: line_counts_list(&f->key, g); return;
    case S3SVM_CLIQUES_LONG_PAIRS: line_pairs_list(&f->key, which, "long line", f->key.long_class, PAIR, g); return;
    case S3SVM_CLIQUES_LONG_PAIR_TABLES: line_pairs_list(&f->key, which, "long line", f->key.long_class, PAIR_TABLE, g); return;
    case S3SVM_CLIQUES_LONG_TABLES: line_tables_list(&f->key, which, "long line", f->key.long_class, g); return;
    case S3SVM_CLIQUES: return;
    }
}

void s3svm_denoise_groups_list(const s3svm_denoise_features *f, s3svm_denoise_groups *out)
{
    memset(out, 0, sizeof *out);
    unaries_list(f, out);
    for (s3svm_denoise_cliques c = 0; c < S3SVM_CLIQUES; c++)
        if (s3svm_design_has_cliques(&f->design, c)) cliques_list(f, c, out);
}
