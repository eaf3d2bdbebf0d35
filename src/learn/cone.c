#include "learn/cone.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sos_cone_free(sos_cone *cone)
{
    for (size_t p = 0; p < cone->pattern_count; p++) { free(cone->patterns[p].rows); }
    free(cone->patterns);
    free(cone->blocks);
    *cone = (sos_cone){ 0 };
}

static int compare_rows(const void *a, const void *b) { return memcmp(a, b, sizeof(sos_cone_row)); }

/* Adds coefficient times the weight of entry S; entries of one class add up, anchored ones are 0. */
static void add_term(sos_cone_row *r, uint32_t class, int32_t coefficient)
{
    if (class == SOS_ANCHOR) return;
    int free_term = -1;
    for (int t = SOS_CONE_TERMS - 1; t >= 0; t--) {
        if (r->coefficient[t] && r->index[t] == class) {
            r->coefficient[t] += coefficient;
            return;
        }
        if (!r->coefficient[t]) free_term = t;
    }
    r->index[free_term] = class;
    r->coefficient[free_term] = coefficient;
}

/* Terms by index, unused ones last, so that equal inequalities are equal in memory. */
static void sort_terms(sos_cone_row *r)
{
    for (int t = 0; t < SOS_CONE_TERMS; t++)
        if (!r->coefficient[t]) r->index[t] = 0;
    for (int i = 1; i < SOS_CONE_TERMS; i++)
        for (int j = i; j > 0; j--) {
            const bool swap = (!r->coefficient[j - 1] && r->coefficient[j]) ||
                              (r->coefficient[j - 1] && r->coefficient[j] && r->index[j] < r->index[j - 1]);
            if (!swap) break;
            const uint32_t index = r->index[j];
            const int32_t coefficient = r->coefficient[j];
            r->index[j] = r->index[j - 1], r->coefficient[j] = r->coefficient[j - 1];
            r->index[j - 1] = index, r->coefficient[j - 1] = coefficient;
        }
}

static void drop_repeats(sos_cone_pattern *p)
{
    qsort(p->rows, p->row_count, sizeof *p->rows, compare_rows);
    size_t kept = 0;
    for (size_t r = 0; r < p->row_count; r++)
        if (!kept || memcmp(&p->rows[kept - 1], &p->rows[r], sizeof *p->rows) != 0) p->rows[kept++] = p->rows[r];
    p->row_count = kept;
}

/* f(S+i) + f(S+j) - f(S+i+j) - f(S) >= 0 in terms of classes: all of them, without repeats and without 0 >= 0. */
static sos_status table_pattern(const sos_layout_group *g, sos_cone_pattern *p, sos_error *error)
{
    const size_t k = g->spec.size, squares = k < 2 ? 0 : k * (k - 1) / 2 << (k - 2);
    const uint32_t *class_of = g->ties->class_of;
    p->size = g->classes;
    p->rows = calloc(squares ? squares : 1, sizeof *p->rows);
    if (!p->rows) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the inequalities of a table");
    for (uint32_t S = 0; S < UINT32_C(1) << k; S++)
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < i; j++) {
                const uint32_t bi = UINT32_C(1) << i, bj = UINT32_C(1) << j;
                if (S & (bi | bj)) continue;
                sos_cone_row r;
                memset(&r, 0, sizeof r);
                add_term(&r, class_of[S | bi], 1);
                add_term(&r, class_of[S | bj], 1);
                add_term(&r, class_of[S | bi | bj], -1);
                add_term(&r, class_of[S], -1);
                sort_terms(&r);
                if (r.coefficient[0]) p->rows[p->row_count++] = r;
            }
    drop_repeats(p);
    return SOS_OK;
}

/* Knot j lies not below the chord of its neighbours, at the distances a before and b behind it:
 *     (a + b) F_j - b F_{j-1} - a F_{j+1} >= 0,   divided by what a and b have in common. */
static sos_status concave_pattern(const sos_layout_group *g, sos_cone_pattern *p, sos_error *error)
{
    const sos_ties *t = g->ties;
    p->size = g->classes;
    p->rows = calloc(t->entries, sizeof *p->rows);
    if (!p->rows) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the inequalities of a function of the count");
    for (size_t j = 1; j + 1 < t->entries; j++) {
        const int32_t before = t->place[j] - t->place[j - 1], behind = t->place[j + 1] - t->place[j];
        const int32_t divisor = sos_common_divisor(before, behind);
        sos_cone_row r;
        memset(&r, 0, sizeof r);
        add_term(&r, t->class_of[j], (before + behind) / divisor);
        add_term(&r, t->class_of[j - 1], -behind / divisor);
        add_term(&r, t->class_of[j + 1], -before / divisor);
        sort_terms(&r);
        p->rows[p->row_count++] = r;
    }
    drop_repeats(p);
    return SOS_OK;
}

static sos_status nonnegative_pattern(sos_cone_pattern *p, sos_error *error)
{
    p->size = 1;
    p->rows = calloc(1, sizeof *p->rows);
    if (!p->rows) return sos_fail(error, SOS_ERR_MEMORY, "no memory for an inequality");
    p->rows[p->row_count++].coefficient[0] = 1;
    return SOS_OK;
}

static sos_status tied_pattern(const sos_layout_group *g, sos_cone_pattern *p, sos_error *error)
{
    return g->ties->place ? concave_pattern(g, p, error) : table_pattern(g, p, error);
}

static sos_status find_pattern(const sos_layout *layout, size_t group, sos_cone *cone, size_t *pattern, sos_error *error)
{
    const sos_layout_group *g = &layout->groups[group];
    for (size_t p = 0; p < cone->pattern_count; p++)
        if (cone->patterns[p].ties == g->ties) { /* both NULL: both w >= 0 */
            *pattern = p;
            return SOS_OK;
        }
    *pattern = cone->pattern_count++;
    cone->patterns[*pattern] = (sos_cone_pattern){ .ties = g->ties };
    return g->ties ? tied_pattern(g, &cone->patterns[*pattern], error) : nonnegative_pattern(&cone->patterns[*pattern], error);
}

sos_status sos_cone_create(const sos_layout *layout, sos_cone *cone, sos_error *error)
{
    size_t blocks = 0;
    for (size_t g = 0; g < layout->group_count; g++) {
        const sos_layout_group *group = &layout->groups[g];
        blocks += group->ties ? group->copies : group->spec.size;
    }
    *cone = (sos_cone){ .weights = layout->weights };
    cone->blocks = calloc(blocks ? blocks : 1, sizeof *cone->blocks);
    cone->patterns = calloc(layout->group_count ? layout->group_count : 1, sizeof *cone->patterns);
    sos_status status = cone->blocks && cone->patterns ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a cone");
    for (size_t g = 0; !status && g < layout->group_count; g++) {
        const sos_layout_group *group = &layout->groups[g];
        if (group->spec.kind == SOS_GROUP_FREE) continue;
        size_t p;
        status = find_pattern(layout, g, cone, &p, error);
        if (status) break;
        const sos_cone_pattern *pattern = &cone->patterns[p];
        const size_t copies = group->ties ? group->copies : group->spec.size;
        for (size_t c = 0; c < copies; c++) {
            cone->blocks[cone->block_count++] = (sos_cone_block){ .offset = group->offset + c * pattern->size,
                                                                  .row = cone->row_count,
                                                                  .pattern = pattern };
            cone->row_count += pattern->row_count;
        }
    }
    if (status) sos_cone_free(cone);
    return status;
}

/* Rounding to integers lowers (a + b) W_j - b W_{j-1} - a W_{j+1} by a + b at most, and place (last - place) has the value
 * a b (a + b) there: so much of it makes up for that. */
static double rounding_curve(const sos_ties *t)
{
    double worst = 0;
    for (size_t j = 1; j + 1 < t->entries; j++)
        worst = fmax(worst, 1 / ((double)(t->place[j] - t->place[j - 1]) * (double)(t->place[j + 1] - t->place[j])));
    return worst;
}

/* How much of it is missing where knots lie below the chords of their neighbours, in doubles. */
static double missing_curve(const sos_ties *t, const double F[])
{
    double worst = 0;
    for (size_t j = 1; j + 1 < t->entries; j++) {
        const double a = t->place[j] - t->place[j - 1], b = t->place[j + 1] - t->place[j];
        worst = fmax(worst, (b * F[j - 1] + a * F[j + 1] - (a + b) * F[j]) / (a * b * (a + b)));
    }
    return worst;
}

/* Is it concave, exactly?  Places are below 2^17 and values below 2^45. */
static bool is_concave(const sos_ties *t, const double W[])
{
    bool concave = true;
    for (size_t j = 1; j + 1 < t->entries; j++) {
        const int64_t a = t->place[j] - t->place[j - 1], b = t->place[j + 1] - t->place[j];
        concave &= (a + b) * (int64_t)W[j] - b * (int64_t)W[j - 1] - a * (int64_t)W[j + 1] >= 0;
    }
    return concave;
}

static void add_curve(const sos_ties *t, double curve, const double F[], double out[])
{
    const double last = t->place[t->entries - 1];
    for (size_t j = 0; j < t->entries; j++) out[j] = F[j] + curve * t->place[j] * (last - t->place[j]);
}

/* Numbers below `largest` have so many bits at most when they are multiplied by 2 to this power and rounded; none is finer than
 * the least that doubles have, so that all of them come back without rounding. */
static int grid_of(double largest, int bits)
{
    const int finest = DBL_MANT_DIG - DBL_MIN_EXP; /* the least double is 2^-1074 */
    int exponent;
    frexp(largest, &exponent);
    return bits - exponent < finest ? bits - exponent : finest;
}

enum { TABLE_BITS = 40, CURVE_BITS = 44, CURVE_TRIES = 8 };

/* F is made concave in doubles, then rounded to integers, with just as much of the curve as that takes (math.md, 10.5).  The
 * first try does it, in theory; what none does becomes 0.  Weights are those of F even where nothing is left of it. */
static void repair_curve(const sos_ties *t, double w[])
{
    double F[SOS_KNOTS_MAX], W[SOS_KNOTS_MAX], largest = 0;
    for (size_t j = 0; j < t->entries; j++) F[j] = t->class_of[j] == SOS_ANCHOR ? 0 : w[t->class_of[j]];
    add_curve(t, missing_curve(t, F), F, F);
    for (size_t j = 0; j < t->entries; j++) largest = fmax(largest, fabs(F[j]));
    const int grid = grid_of(largest, CURVE_BITS);
    bool concave = false;
    double curve = 0;
    for (size_t j = 0; j < t->entries; j++) F[j] = ldexp(F[j], grid);
    for (int n = 0; !concave && n < CURVE_TRIES; n++) {
        add_curve(t, curve, F, W);
        for (size_t j = 0; j < t->entries; j++) W[j] = rint(W[j]);
        concave = is_concave(t, W);
        curve = n ? 2 * curve : missing_curve(t, F) + rounding_curve(t);
    }
    for (size_t j = 0; j < t->entries; j++)
        if (t->class_of[j] != SOS_ANCHOR) w[t->class_of[j]] = concave ? ldexp(W[j], -grid) : 0;
}

static void repair_table(const sos_cone_pattern *p, double w[])
{
    double largest = 0;
    for (size_t i = 0; i < p->size; i++) largest = fmax(largest, fabs(w[i]));
    const int grid = grid_of(largest, TABLE_BITS);
    for (size_t i = 0; i < p->size; i++) w[i] = rint(ldexp(w[i], grid)); /* integers from here on, far below 2^53 */
    double worst = 0;
    for (size_t r = 0; r < p->row_count; r++) worst = fmax(worst, -sos_cone_row_value(&p->rows[r], w));
    const double lift = ceil(worst / p->ties->gain);
    for (size_t i = 0; i < p->size; i++) w[i] = ldexp(w[i] + lift * p->ties->lift[i], -grid);
}

void sos_cone_repair(const sos_cone *cone, double w[])
{
    for (size_t b = 0; b < cone->block_count; b++) {
        double *block = w + cone->blocks[b].offset;
        const sos_ties *ties = cone->blocks[b].pattern->ties;
        if (ties && ties->place)
            repair_curve(ties, block);
        else if (ties)
            repair_table(cone->blocks[b].pattern, block);
        else if (!(block[0] > 0))
            block[0] = 0;
    }
}
