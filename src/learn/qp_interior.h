/* qp_interior.h - the interior-point method of a quadratic program (qp.h), compiled for numbers REAL of two kinds: qp_double.c
 * and qp_wide.c say what REAL is, and have its products, factors and solutions.
 *
 * Notation: planes k = 1 ... m with multipliers lambda and slacks s, slack variables xi with multipliers nu, inequalities of
 * the cone with multipliers mu and slacks t.
 *
 *     w = z + A^T lambda + G^T mu,   c = E^T lambda + nu,   s = A w + E xi - b,   t = G w,
 *     lambda s = nu xi = mu t = 0,   all nonnegative.
 *
 * A Newton step eliminates everything but lambda:
 *
 *     H = I + G^T (mu/t) G                                              block diagonal; blocks factored as L L^T
 *     (s/lambda + A H^-1 A^T + E (xi/nu) E^T) d_lambda = right side     m x m, by B = rows L^-1 a: B B^T
 *
 * The part of B B^T that belongs to free weights, where H = I, does not change and is computed once. */
#include "learn/qp_solve.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "learn/dense.h"

static inline REAL larger(REAL a, REAL b) { return a > b ? a : b; }
static inline REAL smaller(REAL a, REAL b) { return a < b ? a : b; }

enum { ITERATIONS_MAX = 100, STALLED_MAX = 20 };

typedef struct vectors { /* one set for the point, one for its residuals or a step */
    REAL *w;             /* [d] */
    REAL *xi, *nu;       /* [groups] */
    REAL *lambda, *s;    /* [m] */
    REAL *mu, *t;        /* [rows] */
} vectors;

typedef struct solver {
    sos_qp *qp;
    const sos_cone *cone;
    size_t m, d, groups, rows;
    const sos_qp_plane *planes;
    size_t cone_weights; /* weights that lie in blocks */
    size_t *factor_at;   /* [blocks] where a block's factor begins */

    vectors at, step;
    REAL *second_s, *second_xi, *second_t; /* [m], [groups], [rows] second-order terms of a step's products */
    REAL *best_lambda;                     /* [m] of the best weights */
    double *candidate, *slack;             /* [d], [groups] weights that may be the best, and what the planes ask of xi there */
    REAL *image;                           /* [d] A^T lambda + G^T mu */
    REAL *sum;                             /* [groups] of multipliers */
    REAL *factor;                          /* of the blocks of H */
    REAL *B;                               /* m rows of cone_weights */
    REAL *fixed, *M;                       /* m x m */
    REAL *right, *q, *u;                   /* [m], [d], [groups] */
} solver;

static void take_vectors(vectors *v, sos_arena *arena, const solver *s)
{
    v->w = sos_arena_take(arena, s->d, sizeof(REAL));
    v->xi = sos_arena_take(arena, s->groups, sizeof(REAL));
    v->nu = sos_arena_take(arena, s->groups, sizeof(REAL));
    v->lambda = sos_arena_take(arena, s->m, sizeof(REAL));
    v->s = sos_arena_take(arena, s->m, sizeof(REAL));
    v->mu = sos_arena_take(arena, s->rows, sizeof(REAL));
    v->t = sos_arena_take(arena, s->rows, sizeof(REAL));
}

static void solver_lay_out(solver *s, sos_arena *arena)
{
    size_t factors = 0;
    for (size_t b = 0; b < s->cone->block_count; b++)
        factors += s->cone->blocks[b].pattern->size * s->cone->blocks[b].pattern->size;
    take_vectors(&s->at, arena, s);
    take_vectors(&s->step, arena, s);
    s->second_s = sos_arena_take(arena, s->m, sizeof(REAL));
    s->second_xi = sos_arena_take(arena, s->groups, sizeof(REAL));
    s->second_t = sos_arena_take(arena, s->rows, sizeof(REAL));
    s->best_lambda = sos_arena_take(arena, s->m, sizeof(REAL));
    s->candidate = sos_arena_take(arena, s->d, sizeof(double));
    s->image = sos_arena_take(arena, s->d, sizeof(REAL));
    s->slack = sos_arena_take(arena, s->groups, sizeof(double));
    s->sum = sos_arena_take(arena, s->groups, sizeof(REAL));
    s->factor_at = sos_arena_take(arena, s->cone->block_count, sizeof *s->factor_at);
    s->factor = sos_arena_take(arena, factors, sizeof(REAL));
    s->B = sos_arena_take(arena, s->m * s->cone_weights, sizeof(REAL));
    s->fixed = sos_arena_take(arena, s->m * s->m, sizeof(REAL));
    s->M = sos_arena_take(arena, s->m * s->m, sizeof(REAL));
    s->right = sos_arena_take(arena, s->m, sizeof(REAL));
    s->q = sos_arena_take(arena, s->d, sizeof(REAL));
    s->u = sos_arena_take(arena, s->groups, sizeof(REAL));
}

/* ---------------------------------------------------------------- products */

static REAL row_value(const sos_cone_row *r, const REAL w[])
{
    REAL sum = 0;
    for (int t = 0; t < SOS_CONE_TERMS; t++) sum += r->coefficient[t] * w[r->index[t]];
    return sum;
}

/* out := G w, and out += G^T x. */
static void cone_times(const sos_cone *cone, const REAL w[], REAL out[])
{
    for (size_t b = 0; b < cone->block_count; b++) {
        const sos_cone_block *block = &cone->blocks[b];
        for (size_t r = 0; r < block->pattern->row_count; r++)
            out[block->row + r] = row_value(&block->pattern->rows[r], w + block->offset);
    }
}

static void cone_transposed(const sos_cone *cone, const REAL x[], REAL out[])
{
    for (size_t b = 0; b < cone->block_count; b++) {
        const sos_cone_block *block = &cone->blocks[b];
        for (size_t r = 0; r < block->pattern->row_count; r++) {
            const sos_cone_row *row = &block->pattern->rows[r];
            for (int t = 0; t < SOS_CONE_TERMS; t++)
                out[block->offset + row->index[t]] += row->coefficient[t] * x[block->row + r];
        }
    }
}

static void planes_transposed(const solver *s, const REAL x[], REAL out[])
{
    for (size_t k = 0; k < s->m; k++)
        if (x[k] != 0) plane_axpy(s->d, x[k], s->planes[k].a, out);
}

/* ---------------------------------------------------------------- values */

/* 1/2 |w - z|^2. */
static REAL half_distance(const solver *s, const REAL w[])
{
    const double *z = s->qp->centre;
    if (!z) return real_dot(s->d, w, w) / 2;
    REAL sum = 0;
    for (size_t i = 0; i < s->d; i++) sum += (w[i] - z[i]) * (w[i] - z[i]);
    return sum / 2;
}

/* The value of w, xi being the least that the planes allow. */
static REAL value_at(const solver *s, const REAL w[], REAL xi[])
{
    for (size_t g = 0; g < s->groups; g++) xi[g] = 0;
    for (size_t k = 0; k < s->m; k++) {
        const REAL slack = s->planes[k].b - plane_dot(s->d, s->planes[k].a, w);
        if (slack > xi[s->planes[k].group]) xi[s->planes[k].group] = slack;
    }
    REAL value = half_distance(s, w);
    for (size_t g = 0; g < s->groups; g++) value += s->qp->cost[g] * xi[g];
    return value;
}

/* lambda . b - 1/2 |v|^2 - v . z, v = A^T lambda + G^T mu, with lambda scaled down where a group's sum is over its c: the
 * Lagrangian at any nonnegative multipliers is a bound, however rough they are. */
static REAL dual_value(const solver *s, REAL w[])
{
    memset(s->sum, 0, s->groups * sizeof *s->sum);
    for (size_t k = 0; k < s->m; k++) s->sum[s->planes[k].group] += s->at.lambda[k];
    memset(w, 0, s->d * sizeof *w);
    REAL value = 0;
    for (size_t k = 0; k < s->m; k++) {
        const REAL c = s->qp->cost[s->planes[k].group], sum = s->sum[s->planes[k].group];
        const REAL lambda = sum > c ? s->at.lambda[k] * (c / sum) : s->at.lambda[k];
        value += lambda * s->planes[k].b;
        if (lambda != 0) plane_axpy(s->d, lambda, s->planes[k].a, w);
    }
    cone_transposed(s->cone, s->at.mu, w);
    if (s->qp->centre) value -= plane_dot(s->d, s->qp->centre, w);
    return value - real_dot(s->d, w, w) / 2;
}

/* ---------------------------------------------------------------- start */

/* Where to start from.  The equations need not hold; steps mend that.  What counts is that all products of slacks and
 * multipliers are alike and that their sizes are near those of the solution: which of two guesses is nearer depends on whether
 * the planes or c limit the multipliers. */
typedef enum origin { WARM, BY_COST, BY_MARGIN, ORIGINS } origin;

static void start(solver *s, origin from)
{
    const sos_qp *qp = s->qp;
    vectors *x = &s->at;
    REAL margin = 0, norm = 0, cost = 0;
    for (size_t k = 0; k < s->m; k++) {
        margin = larger(margin, (REAL)fabs(s->planes[k].b));
        norm = larger(norm, (REAL)sqrt(sos_dot(s->d, s->planes[k].a, s->planes[k].a)));
    }
    for (size_t g = 0; g < s->groups; g++) cost += qp->cost[g];
    if (margin == 0) margin = 1;
    if (norm == 0) norm = 1;
    const bool warm = from == WARM;
    const REAL shrink = warm ? 1e-2 : 1, size = smaller(margin / norm, from == BY_MARGIN ? REAL_MAX : cost * norm);
    const REAL product = shrink * shrink * (from == BY_COST ? cost * margin / (REAL)(s->m + s->groups) : size * margin / norm);
    for (size_t i = 0; i < s->d; i++) x->w[i] = qp->centre ? qp->centre[i] : 0;
    memset(x->xi, 0, s->groups * sizeof *x->xi);
    if (warm) {
        for (size_t i = 0; i < s->d; i++) x->w[i] = qp->w[i];
        value_at(s, x->w, x->xi);
    }
    for (size_t g = 0; g < s->groups; g++) {
        x->xi[g] = larger(x->xi[g], from == BY_COST ? margin : product / qp->cost[g]);
        x->nu[g] = product / x->xi[g];
    }
    for (size_t k = 0; k < s->m; k++) {
        const sos_qp_plane *p = &s->planes[k];
        const REAL slack = plane_dot(s->d, p->a, x->w) + x->xi[p->group] - p->b;
        x->s[k] = larger(slack, shrink * margin);
        x->lambda[k] = larger(warm ? p->multiplier : 0, product / x->s[k]);
    }
    cone_times(s->cone, x->w, x->t);
    for (size_t r = 0; r < s->rows; r++) {
        x->t[r] = larger(x->t[r], shrink * size);
        x->mu[r] = larger(warm ? qp->cone_multiplier[r] : 0, product / x->t[r]);
    }
}

/* ---------------------------------------------------------------- a step */

/* H of a block, and its factor. */
static void factor_block(const solver *s, size_t b)
{
    const sos_cone_block *block = &s->cone->blocks[b];
    const size_t n = block->pattern->size;
    REAL *H = s->factor + s->factor_at[b];
    memset(H, 0, n * n * sizeof *H);
    for (size_t i = 0; i < n; i++) H[i * n + i] = 1;
    for (size_t r = 0; r < block->pattern->row_count; r++) {
        const sos_cone_row *row = &block->pattern->rows[r];
        const REAL weight = s->at.mu[block->row + r] / s->at.t[block->row + r];
        for (int i = 0; i < SOS_CONE_TERMS; i++)
            for (int j = 0; row->coefficient[i] && j < SOS_CONE_TERMS; j++)
                if (row->index[j] <= row->index[i])
                    H[row->index[i] * n + row->index[j]] += weight * row->coefficient[i] * row->coefficient[j];
    }
    cholesky(n, H);
    size_t at = 0;
    for (size_t c = 0; c < b; c++) at += s->cone->blocks[c].pattern->size;
    for (size_t k = 0; k < s->m; k++) {
        REAL *row = s->B + k * s->cone_weights + at;
        for (size_t i = 0; i < n; i++) row[i] = s->planes[k].a[block->offset + i];
    }
    solve_lower_rows(n, H, s->m, s->B + at, s->cone_weights);
}

/* x := H^-1 x. */
static void solve_blocks(const solver *s, REAL x[])
{
    for (size_t b = 0; b < s->cone->block_count; b++) {
        const sos_cone_block *block = &s->cone->blocks[b];
        solve_lower(block->pattern->size, s->factor + s->factor_at[b], x + block->offset);
        solve_upper(block->pattern->size, s->factor + s->factor_at[b], x + block->offset);
    }
}

static void factor(solver *s)
{
    const int threads = s->qp->threads;
    (void)threads;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (s->m * s->cone_weights > 1 << 14)
    for (size_t b = 0; b < s->cone->block_count; b++) factor_block(s, b);
    memcpy(s->M, s->fixed, s->m * s->m * sizeof *s->M);
    gram_add(s->m, s->cone_weights, s->B, s->cone_weights, s->M, threads);
    for (size_t k = 0; k < s->m; k++) {
        const uint32_t g = s->planes[k].group;
        s->M[k * s->m + k] += s->at.s[k] / s->at.lambda[k];
        for (size_t l = 0; l <= k; l++)
            if (s->planes[l].group == g) s->M[k * s->m + l] += s->at.xi[g] / s->at.nu[g];
    }
    cholesky(s->m, s->M);
}

/* The Newton step to products target; less the second-order terms, where they are known. */
static void newton(solver *s, REAL target, bool second)
{
    const vectors *x = &s->at;
    vectors *d = &s->step;
    /* q = -r_w + G^T ((target - second)/t - mu - mu r_t / t), where mu t and t's residual r_t = G w - t join. */
    memcpy(s->q, x->w, s->d * sizeof *s->q);
    for (size_t i = 0; i < s->d; i++) s->q[i] = s->qp->centre ? s->qp->centre[i] - s->q[i] : -s->q[i];
    planes_transposed(s, x->lambda, s->q);
    cone_times(s->cone, x->w, d->t);
    for (size_t r = 0; r < s->rows; r++) {
        const REAL wanted = target - (second ? s->second_t[r] : 0);
        d->mu[r] = (wanted - x->mu[r] * (d->t[r] - x->t[r])) / x->t[r]; /* mu itself and -mu cancel in q */
    }
    cone_transposed(s->cone, d->mu, s->q);

    for (size_t g = 0; g < s->groups; g++) s->u[g] = s->qp->cost[g] - x->nu[g];
    for (size_t k = 0; k < s->m; k++) s->u[s->planes[k].group] -= x->lambda[k]; /* r_xi */
    memcpy(d->nu, s->u, s->groups * sizeof *s->u);
    for (size_t g = 0; g < s->groups; g++) {
        const REAL wanted = target - (second ? s->second_xi[g] : 0);
        s->u[g] = (wanted - x->nu[g] * x->xi[g] - x->xi[g] * s->u[g]) / x->nu[g];
    }

    memcpy(d->w, s->q, s->d * sizeof *s->q);
    solve_blocks(s, d->w); /* H^-1 q, for now */
    for (size_t k = 0; k < s->m; k++) {
        const sos_qp_plane *p = &s->planes[k];
        const REAL wanted = target - (second ? s->second_s[k] : 0);
        const REAL residual = plane_dot(s->d, p->a, x->w) + x->xi[p->group] - p->b - x->s[k];
        s->right[k] = (wanted - x->lambda[k] * x->s[k]) / x->lambda[k] - residual - plane_dot(s->d, p->a, d->w) -
                      s->u[p->group];
        d->s[k] = residual;
    }
    memcpy(d->lambda, s->right, s->m * sizeof *s->right);
    solve_lower(s->m, s->M, d->lambda);
    solve_upper(s->m, s->M, d->lambda);

    memcpy(d->w, s->q, s->d * sizeof *s->q);
    planes_transposed(s, d->lambda, d->w);
    solve_blocks(s, d->w);
    for (size_t k = 0; k < s->m; k++) d->nu[s->planes[k].group] -= d->lambda[k];
    for (size_t g = 0; g < s->groups; g++) {
        const REAL wanted = target - (second ? s->second_xi[g] : 0);
        d->xi[g] = (wanted - x->nu[g] * x->xi[g] - x->xi[g] * d->nu[g]) / x->nu[g];
    }
    for (size_t k = 0; k < s->m; k++) {
        const sos_qp_plane *p = &s->planes[k];
        d->s[k] += plane_dot(s->d, p->a, d->w) + d->xi[p->group];
    }
    cone_times(s->cone, d->w, d->t);
    for (size_t b = 0; b < s->cone->block_count; b++) {
        const sos_cone_block *block = &s->cone->blocks[b];
        for (size_t r = 0; r < block->pattern->row_count; r++)
            d->t[block->row + r] += row_value(&block->pattern->rows[r], x->w + block->offset) - x->t[block->row + r];
    }
    for (size_t r = 0; r < s->rows; r++) {
        const REAL wanted = target - (second ? s->second_t[r] : 0);
        d->mu[r] = (wanted - x->mu[r] * x->t[r] - x->mu[r] * d->t[r]) / x->t[r];
    }
}

static void limit_step(size_t n, const REAL x[], const REAL d[], REAL *length)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] + *length * d[i] < 0) *length = -x[i] / d[i];
}

/* How far the step may go before a slack, or a multiplier, is 0. */
static REAL longest_step(const solver *s)
{
    REAL length = 1;
    limit_step(s->m, s->at.s, s->step.s, &length);
    limit_step(s->m, s->at.lambda, s->step.lambda, &length);
    limit_step(s->groups, s->at.xi, s->step.xi, &length);
    limit_step(s->groups, s->at.nu, s->step.nu, &length);
    limit_step(s->rows, s->at.t, s->step.t, &length);
    limit_step(s->rows, s->at.mu, s->step.mu, &length);
    return length;
}

static REAL product_after(size_t n, const REAL x[], const REAL dx[], const REAL y[], const REAL dy[], REAL length)
{
    REAL sum = 0;
    for (size_t i = 0; i < n; i++) sum += (x[i] + length * dx[i]) * (y[i] + length * dy[i]);
    return sum;
}

/* Mean product of slacks and multipliers after a step. */
static REAL mean_product(const solver *s, REAL length)
{
    const vectors *x = &s->at, *d = &s->step;
    const REAL sum = product_after(s->m, x->s, d->s, x->lambda, d->lambda, length) +
                     product_after(s->groups, x->xi, d->xi, x->nu, d->nu, length) +
                     product_after(s->rows, x->t, d->t, x->mu, d->mu, length);
    return sum / (REAL)(s->m + s->groups + s->rows);
}

static void second_order(solver *s)
{
    for (size_t k = 0; k < s->m; k++) s->second_s[k] = s->step.s[k] * s->step.lambda[k];
    for (size_t g = 0; g < s->groups; g++) s->second_xi[g] = s->step.xi[g] * s->step.nu[g];
    for (size_t r = 0; r < s->rows; r++) s->second_t[r] = s->step.t[r] * s->step.mu[r];
}

static void take_step(solver *s, REAL length)
{
    real_axpy(s->d, length, s->step.w, s->at.w);
    real_axpy(s->m, length, s->step.s, s->at.s);
    real_axpy(s->m, length, s->step.lambda, s->at.lambda);
    real_axpy(s->groups, length, s->step.xi, s->at.xi);
    real_axpy(s->groups, length, s->step.nu, s->at.nu);
    real_axpy(s->rows, length, s->step.t, s->at.t);
    real_axpy(s->rows, length, s->step.mu, s->at.mu);
}

#if REAL_IS_WIDE
/* The same of the point itself, which must lie in the cone but for what repair moves. */
static bool is_solved_inside(const solver *s)
{
    REAL largest = 0, least = 0;
    for (size_t i = 0; i < s->d; i++) largest = larger(largest, s->at.w[i] < 0 ? -s->at.w[i] : s->at.w[i]);
    cone_times(s->cone, s->at.w, s->step.t);
    for (size_t r = 0; r < s->rows; r++) least = smaller(least, s->step.t[r]);
    const REAL primal = value_at(s, s->at.w, s->step.xi), dual = dual_value(s, s->image);
    return least >= -1e-12 * largest && primal - dual <= s->qp->gap * primal;
}
#else
static bool is_solved_inside(const solver *s) { return !s; } /* never */
#endif

/* Keeps the best bound, and the best weights, repaired: then they lie in the cone. */
static void keep_best(solver *s)
{
    sos_qp *qp = s->qp;
    const double dual = (double)dual_value(s, s->image);
    if (dual > qp->dual) qp->dual = dual;
    for (size_t i = 0; i < s->d; i++) s->candidate[i] = (double)s->at.w[i];
    sos_cone_repair(s->cone, s->candidate);
    const double primal = sos_qp_value(qp, s->m, s->planes, s->candidate, s->slack);
    if (!(primal < qp->primal)) return;
    qp->primal = primal;
    memcpy(qp->w, s->candidate, s->d * sizeof *qp->w);
    for (size_t r = 0; r < s->rows; r++) qp->cone_multiplier[r] = (double)s->at.mu[r];
    memcpy(s->best_lambda, s->at.lambda, s->m * sizeof *s->at.lambda);
}

/* Value and bound have met, as doubles.  Where these cannot tell weights apart (C may be so large that the last place of a
 * weight counts more than the objective) wider numbers do, before the weights are repaired. */
static bool is_solved(const solver *s)
{
    const sos_qp *qp = s->qp;
    if (qp->primal - qp->dual <= qp->gap * fmax(fabs(qp->primal), 1e-300)) return true;
    return REAL_IS_WIDE && is_solved_inside(s);
}

static bool iterate(solver *s)
{
    REAL last = REAL_MAX;
    int stalled = 0;
    for (int n = 0; n < ITERATIONS_MAX; n++, s->qp->iterations++) {
        keep_best(s);
        if (is_solved(s)) return true;
        const REAL mean = mean_product(s, 0);
        stalled = s->qp->primal - s->qp->dual < 0.9 * last ? 0 : stalled + 1;
        last = smaller(last, s->qp->primal - s->qp->dual);
        if (stalled > STALLED_MAX || !(mean > 0) || mean - mean != 0) return false; /* infinite, if not 0 */
        factor(s);
        newton(s, 0, false);
        const REAL affine = longest_step(s), ratio = mean_product(s, affine) / mean;
        second_order(s);
        newton(s, mean * ratio * ratio * ratio, true);
        take_step(s, smaller(1, 0.99 * longest_step(s)));
    }
    return false;
}

static sos_status interior_solve(sos_qp *qp, size_t count, sos_qp_plane planes[], sos_error *error)
{
    solver s = { .qp = qp,
                 .cone = qp->cone,
                 .m = count,
                 .d = qp->cone->weights,
                 .groups = qp->groups,
                 .rows = qp->cone->row_count,
                 .planes = planes };
    for (size_t b = 0; b < s.cone->block_count; b++) s.cone_weights += s.cone->blocks[b].pattern->size;
    sos_arena arena = { 0 };
    solver_lay_out(&s, &arena);
    void *block = arena.overflowed ? NULL : sos_block_alloc(arena.used);
    if (!block) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a quadratic program of %zu planes", count);
    memset(block, 0, arena.used);
    arena = (sos_arena){ .base = block };
    solver_lay_out(&s, &arena);
    for (size_t b = 0, at = 0; b < s.cone->block_count; b++) {
        s.factor_at[b] = at;
        at += s.cone->blocks[b].pattern->size * s.cone->blocks[b].pattern->size;
    }

    /* Gram matrix of the weights outside of blocks: they lie between blocks, which are sorted. */
    for (size_t k = 0; k < count; k++)
        for (size_t l = 0; l <= k; l++) {
            size_t from = 0;
            REAL sum = 0;
            for (size_t b = 0; b <= s.cone->block_count; b++) {
                const size_t to = b < s.cone->block_count ? s.cone->blocks[b].offset : s.d;
                if (to > from) sum += planes_dot(to - from, planes[k].a + from, planes[l].a + from);
                if (b < s.cone->block_count) from = to + s.cone->blocks[b].pattern->size;
            }
            s.fixed[k * count + l] = sum;
        }
    bool solved = false;
    for (origin from = qp->warm ? WARM : BY_COST; !solved && from < ORIGINS; from++) {
        start(&s, from);
        solved = iterate(&s);
    }
    for (size_t k = 0; k < count; k++) planes[k].multiplier = (double)s.best_lambda[k];
    sos_block_free(block);
    return SOS_OK;
}
