/* relax.c - a bound on energies with several labels by Lagrangian relaxation (math.md, 13.7). */
#include <sos/relax.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"
#include "energy/multi_energy.h"

/* What one label pays, as an energy with two labels: 1 where it is taken. */
typedef struct side {
    sos_energy *energy;
    sos_minimizer *minimizer;
    uint8_t *wants; /* [n] */
    double *cost;   /* [n] of taking the label, less the price */
    double off;     /* by how much the differences are rounded, in all */
    double bound;
    size_t bytes;
} side;

/* What a label is paid for taking a variable, and how the bound changes with it. */
typedef struct prices {
    double *price, *slope; /* [n] */
} prices;

typedef struct relaxation {
    const sos_multi_energy *e;
    const sos_relax_settings *settings;
    size_t n, labels;
    side *sides;             /* [labels] */
    prices now, best_prices; /* the latter gave the bound */
    double *way;             /* [n] in which prices move */
    uint8_t *best, *y;       /* [n] labels of the energy; of the round */
    double fixed_off;        /* by how much costs of cliques are rounded */
    double share;            /* of the step that would reach the energy, were the bound straight */
    size_t idle;             /* rounds since the bound rose */
    bool agreed;             /* every variable was wanted by one label */
    sos_relax_result result;
} relaxation;

/* Steps become shorter where the bound has not risen for some rounds, and go on from the prices that gave the best one.  Of 300
 * energies of 8 variables with 4 labels and up to 24 cliques, in 200 rounds 299 bounds are the minimum to one part in a
 * million; with 4 rounds of patience 298, with 2 288.  Factors of 0.5 to 0.85 do the same. */
static const double SHORTER = 0.7;
enum { PATIENCE = 8 };
static const double SHARE_LEAST = 1e-6; /* then nothing moves any more */

sos_relax_settings sos_relax_defaults(void) { return (sos_relax_settings){ .rounds = 200, .gap = 1e-9 }; }

/* ---------------------------------------------------------------- sides */

static void side_free(side *s)
{
    sos_energy_free(s->energy);
    sos_minimizer_free(s->minimizer);
    free(s->wants);
    free(s->cost);
}

static sos_status counted_add(const sos_count_clique *c, size_t label, sos_energy *to, sos_error *error)
{
    if (c->value)
        return sos_energy_add_pieces(to, c->k, c->variables, c->amounts, c->knots, c->place, c->value + label * c->knots,
                                     c->weight, error);
    double *costs = malloc((c->k + 1) * sizeof *costs);
    if (!costs) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", c->k);
    for (size_t m = 0; m <= c->k; m++) costs[m] = sos_count_cost(c, label, (double)m);
    const sos_status status = sos_energy_add_concave(to, c->k, c->variables, costs, c->weight, error);
    free(costs);
    return status;
}

/* The cliques are those of the frame; only what tables cost is the label's own. */
static sos_status side_create(const sos_multi_energy *e, size_t label, side *s, sos_error *error)
{
    const size_t n = e->frame->n;
    s->wants = malloc(n + 1);
    s->cost = malloc((n + 1) * sizeof *s->cost);
    if (!s->wants || !s->cost) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu variables", n);
    sos_status status = sos_minimizer_create(&s->minimizer, error);
    if (!status) status = sos_energy_copy(e->frame, &s->energy, error);
    for (uint32_t t = 0; !status && t < e->frame->table_count; t++)
        status = sos_energy_set_table(s->energy, t, sos_multi_energy_costs(e, t) + (label << e->frame->tables[t].k), error);
    for (size_t c = 0; !status && c < e->count_count; c++) status = counted_add(&e->counts[c], label, s->energy, error);
    return status;
}

/* Finds what a label wants at the prices. */
static sos_status side_solve(const relaxation *r, size_t label, side *s, sos_error *error)
{
    const double *unary = r->e->unary + label * r->n;
    s->off = 0;
    for (size_t i = 0; i < r->n; i++) {
        s->cost[i] = unary[i] - r->now.price[i];
        s->off += sos_difference_off(unary[i], r->now.price[i]);
    }
    sos_status status = sos_energy_set_unaries(s->energy, NULL, s->cost, error);
    sos_minimize_settings settings = sos_minimize_defaults();
    settings.start = SOS_START_FLOW;
    settings.work.threads = 1;
    sos_minimize_result found;
    if (!status) status = sos_minimizer_run(s->minimizer, s->energy, &settings, s->wants, &found, error);
    if (status) return status;
    s->bound = found.lower_bound;
    s->bytes = found.bytes + sos_energy_bytes(s->energy) + r->n * (1 + sizeof *s->cost);
    return SOS_OK;
}

static sos_status sides_solve(const relaxation *r, sos_error *error)
{
    sos_failure failure = { 0 };
    const int used = sos_thread_count(r->settings->work.threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t l = 0; l < r->labels; l++) {
        sos_error why;
        const sos_status status = side_solve(r, l, &r->sides[l], &why);
        if (status) sos_failure_note(&failure, l, status, &why);
    }
    return sos_failure_status(&failure, "label", error);
}

/* ---------------------------------------------------------------- rounds */

/* The bound of the round, (13.7b). */
static double bound_of(const relaxation *r)
{
    sos_sum sum = { r->e->constant, 0 };
    double off = r->fixed_off;
    for (size_t i = 0; i < r->n; i++) sos_sum_add(&sum, r->now.price[i]);
    for (size_t l = 0; l < r->labels; l++) {
        sos_sum_add(&sum, r->sides[l].bound);
        off += r->sides[l].off;
    }
    for (size_t c = 0; c < r->e->count_count; c++) sos_sum_add_product(&sum, r->e->counts[c].weight, r->e->counts[c].most);
    return sos_sum_below(sum, off);
}

/* By how many labels a variable is wanted. */
static size_t wanted(const relaxation *r, size_t i)
{
    size_t count = 0;
    for (size_t l = 0; l < r->labels; l++) count += r->sides[l].wants[i];
    return count;
}

/* A variable that one label wants gets it, others keep what they have in the best labelling. */
static void labels_read(relaxation *r)
{
    r->agreed = true;
    for (size_t i = 0; i < r->n; i++) {
        const bool one = wanted(r, i) == 1;
        r->agreed &= one;
        r->y[i] = r->best[i];
        for (size_t l = 0; one && l < r->labels; l++)
            if (r->sides[l].wants[i]) r->y[i] = (uint8_t)l;
    }
    const double energy = sos_multi_energy_value(r->e, r->y);
    if (energy >= r->result.energy) return;
    r->result.energy = energy;
    memcpy(r->best, r->y, r->n);
}

/* Where the bound rises: by 1 for each label that is missing, and down for those that are too many. */
static void slope_find(relaxation *r)
{
    for (size_t i = 0; i < r->n; i++) r->now.slope[i] = 1 - (double)wanted(r, i);
}

static void prices_copy(const relaxation *r, const prices *from, prices *to)
{
    memcpy(to->price, from->price, r->n * sizeof *to->price);
    memcpy(to->slope, from->slope, r->n * sizeof *to->slope);
}

/* Keeps the prices if their bound is the best, and goes back to those that gave it where it has not risen for long. */
static void bound_take(relaxation *r, double *bound)
{
    if (*bound > r->result.lower_bound || !r->result.rounds) {
        r->result.lower_bound = fmax(*bound, r->result.lower_bound);
        prices_copy(r, &r->now, &r->best_prices);
        r->idle = 0;
    } else if (++r->idle == PATIENCE) {
        *bound = r->result.lower_bound;
        prices_copy(r, &r->best_prices, &r->now);
        memset(r->way, 0, r->n * sizeof *r->way);
        r->share *= SHORTER;
        r->idle = 0;
    }
}

/* The way up is turned where it would lead back (Camerini, Fratta and Maffioli, 1975), and gone as far as Polyak's rule says.
 */
static void prices_move(relaxation *r, double bound)
{
    const double *slope = r->now.slope;
    double along = 0, before = 0, length = 0;
    for (size_t i = 0; i < r->n; i++) {
        along += slope[i] * r->way[i];
        before += r->way[i] * r->way[i];
    }
    const double turn = along < 0 ? -1.5 * along / before : 0;
    for (size_t i = 0; i < r->n; i++) {
        r->way[i] = slope[i] + turn * r->way[i];
        length += r->way[i] * r->way[i];
    }
    if (!(length > 0)) return;
    const double step = r->share * (r->result.energy - bound) / length;
    for (size_t i = 0; i < r->n; i++) r->now.price[i] += step * r->way[i];
}

static bool is_close(const relaxation *r)
{
    return r->result.energy - r->result.lower_bound <= r->settings->gap * fabs(r->result.energy);
}

static sos_status rounds_run(relaxation *r, sos_error *error)
{
    const sos_relax_settings *s = r->settings;
    while (r->result.rounds < s->rounds && !r->agreed && !is_close(r) && r->share > SHARE_LEAST) {
        if (s->work.progress && !s->work.progress(s->work.user, "bound", (double)r->result.rounds / (double)s->rounds))
            return sos_fail(error, SOS_CANCELLED, "the bound was cancelled");
        const sos_status status = sides_solve(r, error);
        if (status) return status;
        double bound = bound_of(r);
        labels_read(r);
        slope_find(r);
        bound_take(r, &bound);
        prices_move(r, bound);
        r->result.rounds++;
    }
    return SOS_OK;
}

/* ---------------------------------------------------------------- the whole */

static void relaxation_free(relaxation *r)
{
    for (size_t l = 0; r->sides && l < r->labels; l++) side_free(&r->sides[l]);
    free(r->sides);
    free(r->now.price);
    free(r->best_prices.price);
    free(r->way);
    free(r->best);
    free(r->y);
}

/* Prices at which no label wants anything by unaries alone. */
static void prices_start(relaxation *r)
{
    for (size_t i = 0; i < r->n; i++) {
        r->now.price[i] = r->e->unary[i];
        for (size_t l = 1; l < r->labels; l++) r->now.price[i] = fmin(r->now.price[i], r->e->unary[l * r->n + i]);
    }
}

static bool prices_create(size_t room, prices *p)
{
    p->price = calloc(2 * room, sizeof *p->price);
    p->slope = p->price ? p->price + room : NULL;
    return p->price;
}

static sos_status relaxation_create(relaxation *r, const uint8_t labels[], sos_error *error)
{
    const sos_multi_energy *e = r->e;
    const size_t room = r->n + 1;
    r->sides = calloc(r->labels, sizeof *r->sides);
    const bool done = prices_create(room, &r->now) && prices_create(room, &r->best_prices);
    r->way = calloc(room, sizeof *r->way);
    r->best = malloc(room);
    r->y = malloc(room);
    if (!r->sides || !done || !r->way || !r->best || !r->y)
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the relaxation of %zu variables", r->n);
    sos_status status = SOS_OK;
    for (size_t l = 0; l < r->labels && !status; l++) status = side_create(e, l, &r->sides[l], error);
    if (status) return status;
    for (size_t c = 0; c < e->count_count; c++)
        r->fixed_off += (double)r->labels * e->counts[c].weight * sos_count_doubt(e, &e->counts[c]);
    if (r->n) memcpy(r->best, labels, r->n);
    r->result.energy = sos_multi_energy_value(e, labels);
    double *share = calloc(e->frame->table_count + 1, sizeof *share);
    if (!share) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu tables", (size_t)e->frame->table_count);
    r->result.lower_bound = sos_sum_below(sos_multi_energy_bound(e, share), 0);
    free(share);
    prices_start(r);
    return SOS_OK;
}

static void result_finish(relaxation *r, double began)
{
    sos_relax_result *f = &r->result;
    f->lower_bound = fmin(f->lower_bound, f->energy);
    f->exact = r->agreed || is_close(r);
    for (size_t l = 0; l < r->labels; l++) f->bytes += r->sides[l].bytes;
    f->bytes += r->n * (5 * sizeof(double) + 2);
    f->seconds = sos_seconds() - began;
}

sos_status sos_relax(const sos_multi_energy *e, const sos_relax_settings *settings, uint8_t labels[], sos_relax_result *result,
                     sos_error *error)
{
    const double began = sos_seconds();
    const sos_relax_settings s = settings ? *settings : sos_relax_defaults();
    if (!e || (!labels && e->frame->n)) return sos_fail(error, SOS_ERR_ARGUMENT, "no energy or no labels were given");
    if (!(s.gap >= 0)) return sos_fail(error, SOS_ERR_ARGUMENT, "the gap is %g; it cannot be negative", s.gap);
    sos_status status = sos_reserved_check("sos_relax_settings", &s, error);
    if (!status) status = sos_multi_energy_labels_check(e, labels, error);
    if (status) return status;
    relaxation r = { .e = e, .settings = &s, .n = e->frame->n, .labels = e->labels, .share = 1 };
    status = relaxation_create(&r, labels, error);
    if (!status) status = rounds_run(&r, error);
    if (!status || status == SOS_CANCELLED) {
        result_finish(&r, began);
        if (r.n) memcpy(labels, r.best, r.n);
        if (result) *result = r.result;
    }
    relaxation_free(&r);
    return status;
}
