/* qp.c - see qp.h.  Notation: planes k = 1 ... m with multipliers lambda and slacks s, slack variables xi with multipliers nu,
 * inequalities of the cone with multipliers mu and slacks t.
 *
 *     w = A^T lambda + G^T mu,   c = E^T lambda + nu,   s = A w + E xi - b,   t = G w,
 *     lambda s = nu xi = mu t = 0,   all nonnegative.
 *
 * A Newton step eliminates everything but lambda:
 *
 *     H = I + G^T (mu/t) G                                              block diagonal; blocks factored as L L^T
 *     (s/lambda + A H^-1 A^T + E (xi/nu) E^T) d_lambda = right side     m x m, by B = rows L^-1 a: B B^T
 *
 * The part of B B^T that belongs to free weights, where H = I, does not change and is computed once. */
#include "learn/qp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "learn/dense.h"

enum { ITERATIONS_MAX = 100, STALLED_MAX = 20 };

typedef struct vectors { /* one set for the point, one for its residuals or a step */
    double *w;           /* [d] */
    double *xi, *nu;     /* [groups] */
    double *lambda, *s;  /* [m] */
    double *mu, *t;      /* [rows] */
} vectors;

typedef struct solver {
    sos_qp *qp;
    const sos_cone *cone;
    size_t m, d, groups, rows;
    const sos_qp_plane *planes;
    size_t cone_weights; /* weights that lie in blocks */
    size_t *factor_at;   /* [blocks] where a block's factor begins */

    vectors at, step;
    double *second_s, *second_xi, *second_t; /* [m], [groups], [rows] second-order terms of a step's products */
    double *best_lambda;                     /* [m] of the best weights */
    double *candidate, *slack; /* [d], [groups] weights that may be the best, and what the planes ask of xi there */
    double *sum;               /* [groups] of multipliers */
    double *factor;            /* of the blocks of H */
    double *B;                 /* m rows of cone_weights */
    double *fixed, *M;         /* m x m */
    double *right, *q, *u;     /* [m], [d], [groups] */
} solver;

static void take_vectors(vectors *v, sos_arena *arena, const solver *s)
{
    v->w = sos_arena_take(arena, s->d, sizeof(double));
    v->xi = sos_arena_take(arena, s->groups, sizeof(double));
    v->nu = sos_arena_take(arena, s->groups, sizeof(double));
    v->lambda = sos_arena_take(arena, s->m, sizeof(double));
    v->s = sos_arena_take(arena, s->m, sizeof(double));
    v->mu = sos_arena_take(arena, s->rows, sizeof(double));
    v->t = sos_arena_take(arena, s->rows, sizeof(double));
}

static void lay_out(solver *s, sos_arena *arena)
{
    size_t factors = 0;
    for (size_t b = 0; b < s->cone->block_count; b++)
        factors += s->cone->blocks[b].pattern->size * s->cone->blocks[b].pattern->size;
    take_vectors(&s->at, arena, s);
    take_vectors(&s->step, arena, s);
    s->second_s = sos_arena_take(arena, s->m, sizeof(double));
    s->second_xi = sos_arena_take(arena, s->groups, sizeof(double));
    s->second_t = sos_arena_take(arena, s->rows, sizeof(double));
    s->best_lambda = sos_arena_take(arena, s->m, sizeof(double));
    s->candidate = sos_arena_take(arena, s->d, sizeof(double));
    s->slack = sos_arena_take(arena, s->groups, sizeof(double));
    s->sum = sos_arena_take(arena, s->groups, sizeof(double));
    s->factor_at = sos_arena_take(arena, s->cone->block_count, sizeof *s->factor_at);
    s->factor = sos_arena_take(arena, factors, sizeof(double));
    s->B = sos_arena_take(arena, s->m * s->cone_weights, sizeof(double));
    s->fixed = sos_arena_take(arena, s->m * s->m, sizeof(double));
    s->M = sos_arena_take(arena, s->m * s->m, sizeof(double));
    s->right = sos_arena_take(arena, s->m, sizeof(double));
    s->q = sos_arena_take(arena, s->d, sizeof(double));
    s->u = sos_arena_take(arena, s->groups, sizeof(double));
}

/* ---------------------------------------------------------------- products */

/* out := G w, and out += G^T x. */
static void cone_times(const sos_cone *cone, const double w[], double out[])
{
    for (size_t b = 0; b < cone->block_count; b++) {
        const sos_cone_block *block = &cone->blocks[b];
        for (size_t r = 0; r < block->pattern->row_count; r++)
            out[block->row + r] = sos_cone_row_value(&block->pattern->rows[r], w + block->offset);
    }
}

static void cone_transposed(const sos_cone *cone, const double x[], double out[])
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

static void planes_transposed(const solver *s, const double x[], double out[])
{
    for (size_t k = 0; k < s->m; k++)
        if (x[k] != 0) sos_axpy(s->d, x[k], s->planes[k].a, out);
}

/* ---------------------------------------------------------------- values */

double sos_qp_value(const sos_qp *qp, size_t count, const sos_qp_plane planes[], const double w[], double xi[])
{
    const size_t d = qp->cone->weights;
    for (size_t g = 0; g < qp->groups; g++) xi[g] = 0;
    for (size_t k = 0; k < count; k++) {
        const double slack = planes[k].b - sos_dot(d, planes[k].a, w);
        if (slack > xi[planes[k].group]) xi[planes[k].group] = slack;
    }
    double value = sos_dot(d, w, w) / 2;
    for (size_t g = 0; g < qp->groups; g++) value += qp->cost[g] * xi[g];
    return value;
}

/* lambda . b - 1/2 |A^T lambda + G^T mu|^2, with lambda scaled down where a group's sum is over its c: the Lagrangian at any
 * nonnegative multipliers is a bound, however rough they are. */
static double dual_value(const solver *s, double w[])
{
    memset(s->sum, 0, s->groups * sizeof *s->sum);
    for (size_t k = 0; k < s->m; k++) s->sum[s->planes[k].group] += s->at.lambda[k];
    memset(w, 0, s->d * sizeof *w);
    double value = 0;
    for (size_t k = 0; k < s->m; k++) {
        const double c = s->qp->cost[s->planes[k].group], sum = s->sum[s->planes[k].group];
        const double lambda = sum > c ? s->at.lambda[k] * (c / sum) : s->at.lambda[k];
        value += lambda * s->planes[k].b;
        if (lambda != 0) sos_axpy(s->d, lambda, s->planes[k].a, w);
    }
    cone_transposed(s->cone, s->at.mu, w);
    return value - sos_dot(s->d, w, w) / 2;
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
    double margin = 0, norm = 0, cost = 0;
    for (size_t k = 0; k < s->m; k++) {
        margin = fmax(margin, fabs(s->planes[k].b));
        norm = fmax(norm, sqrt(sos_dot(s->d, s->planes[k].a, s->planes[k].a)));
    }
    for (size_t g = 0; g < s->groups; g++) cost += qp->cost[g];
    if (margin == 0) margin = 1;
    if (norm == 0) norm = 1;
    const bool warm = from == WARM;
    const double shrink = warm ? 1e-2 : 1, size = fmin(margin / norm, from == BY_MARGIN ? INFINITY : cost * norm);
    const double product = shrink * shrink *
                           (from == BY_COST ? cost * margin / (double)(s->m + s->groups) : size * margin / norm);
    memset(x->w, 0, s->d * sizeof *x->w);
    memset(x->xi, 0, s->groups * sizeof *x->xi);
    if (warm) {
        memcpy(x->w, qp->w, s->d * sizeof *x->w);
        sos_qp_value(qp, s->m, s->planes, x->w, x->xi);
    }
    for (size_t g = 0; g < s->groups; g++) {
        x->xi[g] = fmax(x->xi[g], from == BY_COST ? margin : product / qp->cost[g]);
        x->nu[g] = product / x->xi[g];
    }
    for (size_t k = 0; k < s->m; k++) {
        const sos_qp_plane *p = &s->planes[k];
        const double slack = sos_dot(s->d, p->a, x->w) + x->xi[p->group] - p->b;
        x->s[k] = fmax(slack, shrink * margin);
        x->lambda[k] = fmax(warm ? p->multiplier : 0, product / x->s[k]);
    }
    cone_times(s->cone, x->w, x->t);
    for (size_t r = 0; r < s->rows; r++) {
        x->t[r] = fmax(x->t[r], shrink * size);
        x->mu[r] = fmax(warm ? qp->cone_multiplier[r] : 0, product / x->t[r]);
    }
}

/* ---------------------------------------------------------------- a step */

/* H of a block, and its factor. */
static void factor_block(const solver *s, size_t b)
{
    const sos_cone_block *block = &s->cone->blocks[b];
    const size_t n = block->pattern->size;
    double *H = s->factor + s->factor_at[b];
    memset(H, 0, n * n * sizeof *H);
    for (size_t i = 0; i < n; i++) H[i * n + i] = 1;
    for (size_t r = 0; r < block->pattern->row_count; r++) {
        const sos_cone_row *row = &block->pattern->rows[r];
        const double weight = s->at.mu[block->row + r] / s->at.t[block->row + r];
        for (int i = 0; i < SOS_CONE_TERMS; i++)
            for (int j = 0; row->coefficient[i] && j < SOS_CONE_TERMS; j++)
                if (row->index[j] <= row->index[i])
                    H[row->index[i] * n + row->index[j]] += weight * row->coefficient[i] * row->coefficient[j];
    }
    sos_cholesky(n, H);
    size_t at = 0;
    for (size_t c = 0; c < b; c++) at += s->cone->blocks[c].pattern->size;
    for (size_t k = 0; k < s->m; k++) {
        double *row = s->B + k * s->cone_weights + at;
        memcpy(row, s->planes[k].a + block->offset, n * sizeof *row);
    }
    sos_solve_lower_rows(n, H, s->m, s->B + at, s->cone_weights);
}

/* x := H^-1 x. */
static void solve_blocks(const solver *s, double x[])
{
    for (size_t b = 0; b < s->cone->block_count; b++) {
        const sos_cone_block *block = &s->cone->blocks[b];
        sos_solve_lower(block->pattern->size, s->factor + s->factor_at[b], x + block->offset);
        sos_solve_upper(block->pattern->size, s->factor + s->factor_at[b], x + block->offset);
    }
}

static void factor(solver *s)
{
    const int threads = s->qp->threads;
    (void)threads;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (s->m * s->cone_weights > 1 << 14)
    for (size_t b = 0; b < s->cone->block_count; b++) factor_block(s, b);
    memcpy(s->M, s->fixed, s->m * s->m * sizeof *s->M);
    sos_gram_add(s->m, s->cone_weights, s->B, s->cone_weights, s->M, threads);
    for (size_t k = 0; k < s->m; k++) {
        const uint32_t g = s->planes[k].group;
        s->M[k * s->m + k] += s->at.s[k] / s->at.lambda[k];
        for (size_t l = 0; l <= k; l++)
            if (s->planes[l].group == g) s->M[k * s->m + l] += s->at.xi[g] / s->at.nu[g];
    }
    sos_cholesky(s->m, s->M);
}

/* The Newton step to products target; less the second-order terms, where they are known. */
static void newton(solver *s, double target, bool second)
{
    const vectors *x = &s->at;
    vectors *d = &s->step;
    /* q = -r_w + G^T ((target - second)/t - mu - mu r_t / t), where mu t and t's residual r_t = G w - t join. */
    memcpy(s->q, x->w, s->d * sizeof *s->q);
    for (size_t i = 0; i < s->d; i++) s->q[i] = -s->q[i];
    planes_transposed(s, x->lambda, s->q);
    cone_times(s->cone, x->w, d->t);
    for (size_t r = 0; r < s->rows; r++) {
        const double wanted = target - (second ? s->second_t[r] : 0);
        d->mu[r] = (wanted - x->mu[r] * (d->t[r] - x->t[r])) / x->t[r]; /* mu itself and -mu cancel in q */
    }
    cone_transposed(s->cone, d->mu, s->q);

    for (size_t g = 0; g < s->groups; g++) s->u[g] = s->qp->cost[g] - x->nu[g];
    for (size_t k = 0; k < s->m; k++) s->u[s->planes[k].group] -= x->lambda[k]; /* r_xi */
    memcpy(d->nu, s->u, s->groups * sizeof *s->u);
    for (size_t g = 0; g < s->groups; g++) {
        const double wanted = target - (second ? s->second_xi[g] : 0);
        s->u[g] = (wanted - x->nu[g] * x->xi[g] - x->xi[g] * s->u[g]) / x->nu[g];
    }

    memcpy(d->w, s->q, s->d * sizeof *s->q);
    solve_blocks(s, d->w); /* H^-1 q, for now */
    for (size_t k = 0; k < s->m; k++) {
        const sos_qp_plane *p = &s->planes[k];
        const double wanted = target - (second ? s->second_s[k] : 0);
        const double residual = sos_dot(s->d, p->a, x->w) + x->xi[p->group] - p->b - x->s[k];
        s->right[k] = (wanted - x->lambda[k] * x->s[k]) / x->lambda[k] - residual - sos_dot(s->d, p->a, d->w) - s->u[p->group];
        d->s[k] = residual;
    }
    memcpy(d->lambda, s->right, s->m * sizeof *s->right);
    sos_solve_lower(s->m, s->M, d->lambda);
    sos_solve_upper(s->m, s->M, d->lambda);

    memcpy(d->w, s->q, s->d * sizeof *s->q);
    planes_transposed(s, d->lambda, d->w);
    solve_blocks(s, d->w);
    for (size_t k = 0; k < s->m; k++) d->nu[s->planes[k].group] -= d->lambda[k];
    for (size_t g = 0; g < s->groups; g++) {
        const double wanted = target - (second ? s->second_xi[g] : 0);
        d->xi[g] = (wanted - x->nu[g] * x->xi[g] - x->xi[g] * d->nu[g]) / x->nu[g];
    }
    for (size_t k = 0; k < s->m; k++) {
        const sos_qp_plane *p = &s->planes[k];
        d->s[k] += sos_dot(s->d, p->a, d->w) + d->xi[p->group];
    }
    cone_times(s->cone, d->w, d->t);
    for (size_t b = 0; b < s->cone->block_count; b++) {
        const sos_cone_block *block = &s->cone->blocks[b];
        for (size_t r = 0; r < block->pattern->row_count; r++)
            d->t[block->row + r] += sos_cone_row_value(&block->pattern->rows[r], x->w + block->offset) - x->t[block->row + r];
    }
    for (size_t r = 0; r < s->rows; r++) {
        const double wanted = target - (second ? s->second_t[r] : 0);
        d->mu[r] = (wanted - x->mu[r] * x->t[r] - x->mu[r] * d->t[r]) / x->t[r];
    }
}

static void limit_step(size_t n, const double x[], const double d[], double *length)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] + *length * d[i] < 0) *length = -x[i] / d[i];
}

/* How far the step may go before a slack, or a multiplier, is 0. */
static double longest_step(const solver *s)
{
    double length = 1;
    limit_step(s->m, s->at.s, s->step.s, &length);
    limit_step(s->m, s->at.lambda, s->step.lambda, &length);
    limit_step(s->groups, s->at.xi, s->step.xi, &length);
    limit_step(s->groups, s->at.nu, s->step.nu, &length);
    limit_step(s->rows, s->at.t, s->step.t, &length);
    limit_step(s->rows, s->at.mu, s->step.mu, &length);
    return length;
}

static double product_after(size_t n, const double x[], const double dx[], const double y[], const double dy[], double length)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (x[i] + length * dx[i]) * (y[i] + length * dy[i]);
    return sum;
}

/* Mean product of slacks and multipliers after a step. */
static double mean_product(const solver *s, double length)
{
    const vectors *x = &s->at, *d = &s->step;
    const double sum = product_after(s->m, x->s, d->s, x->lambda, d->lambda, length) +
                       product_after(s->groups, x->xi, d->xi, x->nu, d->nu, length) +
                       product_after(s->rows, x->t, d->t, x->mu, d->mu, length);
    return sum / (double)(s->m + s->groups + s->rows);
}

static void second_order(solver *s)
{
    for (size_t k = 0; k < s->m; k++) s->second_s[k] = s->step.s[k] * s->step.lambda[k];
    for (size_t g = 0; g < s->groups; g++) s->second_xi[g] = s->step.xi[g] * s->step.nu[g];
    for (size_t r = 0; r < s->rows; r++) s->second_t[r] = s->step.t[r] * s->step.mu[r];
}

static void take_step(solver *s, double length)
{
    sos_axpy(s->d, length, s->step.w, s->at.w);
    sos_axpy(s->m, length, s->step.s, s->at.s);
    sos_axpy(s->m, length, s->step.lambda, s->at.lambda);
    sos_axpy(s->groups, length, s->step.xi, s->at.xi);
    sos_axpy(s->groups, length, s->step.nu, s->at.nu);
    sos_axpy(s->rows, length, s->step.t, s->at.t);
    sos_axpy(s->rows, length, s->step.mu, s->at.mu);
}

/* Keeps the best bound, and the best weights, repaired: then they lie in the cone. */
static void keep_best(solver *s)
{
    sos_qp *qp = s->qp;
    const double dual = dual_value(s, s->candidate);
    if (dual > qp->dual) qp->dual = dual;
    memcpy(s->candidate, s->at.w, s->d * sizeof *s->candidate);
    sos_cone_repair(s->cone, s->candidate);
    const double primal = sos_qp_value(qp, s->m, s->planes, s->candidate, s->slack);
    if (!(primal < qp->primal)) return;
    qp->primal = primal;
    memcpy(qp->w, s->candidate, s->d * sizeof *qp->w);
    memcpy(qp->cone_multiplier, s->at.mu, s->rows * sizeof *s->at.mu);
    memcpy(s->best_lambda, s->at.lambda, s->m * sizeof *s->at.lambda);
}

static bool is_solved(const sos_qp *qp) { return qp->primal - qp->dual <= qp->gap * fmax(fabs(qp->primal), 1e-300); }

static bool iterate(solver *s)
{
    double last = INFINITY;
    int stalled = 0;
    for (int n = 0; n < ITERATIONS_MAX; n++, s->qp->iterations++) {
        keep_best(s);
        if (is_solved(s->qp)) return true;
        const double mean = mean_product(s, 0);
        stalled = s->qp->primal - s->qp->dual < 0.9 * last ? 0 : stalled + 1;
        last = fmin(last, s->qp->primal - s->qp->dual);
        if (stalled > STALLED_MAX || !(mean > 0) || !isfinite(mean)) return false;
        factor(s);
        newton(s, 0, false);
        const double affine = longest_step(s), ratio = mean_product(s, affine) / mean;
        second_order(s);
        newton(s, mean * ratio * ratio * ratio, true);
        take_step(s, fmin(1, 0.99 * longest_step(s)));
    }
    return false;
}

sos_status sos_qp_solve(sos_qp *qp, size_t count, sos_qp_plane planes[], sos_error *error)
{
    solver s = { .qp = qp,
                 .cone = qp->cone,
                 .m = count,
                 .d = qp->cone->weights,
                 .groups = qp->groups,
                 .rows = qp->cone->row_count,
                 .planes = planes };
    for (size_t b = 0; b < s.cone->block_count; b++) s.cone_weights += s.cone->blocks[b].pattern->size;
    qp->primal = INFINITY;
    qp->dual = 0; /* of no multipliers at all */
    if (!count) {
        memset(qp->w, 0, s.d * sizeof *qp->w);
        qp->primal = 0;
        return SOS_OK;
    }
    sos_arena arena = { 0 };
    lay_out(&s, &arena);
    void *block = arena.overflowed ? NULL : sos_block_alloc(arena.used);
    if (!block) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a quadratic program of %zu planes", count);
    memset(block, 0, arena.used);
    arena = (sos_arena){ .base = block };
    lay_out(&s, &arena);
    for (size_t b = 0, at = 0; b < s.cone->block_count; b++) {
        s.factor_at[b] = at;
        at += s.cone->blocks[b].pattern->size * s.cone->blocks[b].pattern->size;
    }

    /* Gram matrix of the weights outside of blocks: they lie between blocks, which are sorted. */
    for (size_t k = 0; k < count; k++)
        for (size_t l = 0; l <= k; l++) {
            size_t from = 0;
            double sum = 0;
            for (size_t b = 0; b <= s.cone->block_count; b++) {
                const size_t to = b < s.cone->block_count ? s.cone->blocks[b].offset : s.d;
                if (to > from) sum += sos_dot(to - from, planes[k].a + from, planes[l].a + from);
                if (b < s.cone->block_count) from = to + s.cone->blocks[b].pattern->size;
            }
            s.fixed[k * count + l] = sum;
        }
    bool solved = false;
    qp->iterations = 0;
    for (origin from = qp->warm ? WARM : BY_COST; !solved && from < ORIGINS; from++) {
        start(&s, from);
        solved = iterate(&s);
    }
    for (size_t k = 0; k < count; k++) planes[k].multiplier = s.best_lambda[k];
    sos_block_free(block);
    return SOS_OK;
}
