/* hinge.c - the structured hinge loss and its subgradients: loss-augmented minima less the truth, many at once. */
#include <sos/hinge.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "energy/energy.h"

/* A copy of the structure with the costs of one example, its minimizer and its labels. */
typedef struct seat {
    sos_energy *energy; /* NULL: nobody has sat here */
    sos_minimizer *minimizer;
    uint8_t *labels; /* n */
    size_t bytes;    /* of all this after its last run */
} seat;

struct sos_hinge {
    sos_energy *structure;
    seat *shared; /* one for each thread: which items it had is chance, so that it starts cold */
    size_t shared_count, shared_room;
    seat *kept; /* number - 1: of one example each */
    size_t kept_count, kept_room;
};

sos_hinge_settings sos_hinge_defaults(void) { return (sos_hinge_settings){ .memory = (size_t)1 << 30 }; }

sos_status sos_hinge_create(const sos_energy *structure, sos_hinge **out, sos_error *error)
{
    if (!structure || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no energy or no place for the hinge loss was given");
    sos_hinge *h = calloc(1, sizeof *h);
    if (!h) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a hinge loss");
    const sos_status status = sos_energy_copy(structure, &h->structure, error);
    if (status) {
        free(h);
        return status;
    }
    *out = h;
    return SOS_OK;
}

static void seat_free(seat *s)
{
    sos_energy_free(s->energy);
    sos_minimizer_free(s->minimizer);
    free(s->labels);
    *s = (seat){ 0 };
}

void sos_hinge_forget(sos_hinge *h)
{
    for (size_t i = 0; i < h->kept_count; i++) seat_free(&h->kept[i]);
}

void sos_hinge_free(sos_hinge *h)
{
    if (!h) return;
    sos_hinge_forget(h);
    for (size_t i = 0; i < h->shared_count; i++) seat_free(&h->shared[i]);
    free(h->shared);
    free(h->kept);
    sos_energy_free(h->structure);
    free(h);
}

const sos_energy *sos_hinge_structure(const sos_hinge *h) { return h->structure; }

static size_t seats_bytes(size_t count, const seat seats[])
{
    size_t bytes = count * sizeof *seats;
    for (size_t i = 0; i < count; i++) bytes += seats[i].bytes;
    return bytes;
}

size_t sos_hinge_bytes(const sos_hinge *h)
{
    return sizeof *h + sos_energy_bytes(h->structure) + seats_bytes(h->shared_count, h->shared) +
           seats_bytes(h->kept_count, h->kept);
}

/* ---- seats ---- */

static sos_status seat_take(seat *s, const sos_energy *structure, sos_error *error)
{
    if (s->energy) return SOS_OK;
    s->labels = malloc(structure->n + !structure->n);
    sos_status status = s->labels ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu labels", structure->n);
    if (!status) status = sos_minimizer_create(&s->minimizer, error);
    if (!status) status = sos_energy_copy(structure, &s->energy, error);
    if (status) {
        seat_free(s);
        return status;
    }
    s->bytes = structure->n + sos_energy_bytes(s->energy);
    return SOS_OK;
}

static bool seats_reserve(seat **seats, size_t *count, size_t *room, size_t wanted)
{
    if (wanted <= *count) return true;
    if (!sos_grow(seats, room, wanted)) return false;
    memset(*seats + *count, 0, (wanted - *count) * sizeof **seats);
    *count = wanted;
    return true;
}

/* Seats for all threads, and for the examples that are to be kept while there is memory. */
static sos_status seats_prepare(sos_hinge *h, size_t count, const sos_hinge_item items[], size_t memory, size_t workers,
                                sos_error *error)
{
    size_t most = 0;
    for (size_t i = 0; memory && i < count; i++) most = items[i].keep > most ? items[i].keep : most;
    if (!seats_reserve(&h->shared, &h->shared_count, &h->shared_room, workers) ||
        !seats_reserve(&h->kept, &h->kept_count, &h->kept_room, most))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory to keep %zu examples", most);
    sos_status status = SOS_OK;
    for (size_t w = 0; w < workers && !status; w++) status = seat_take(&h->shared[w], h->structure, error);
    size_t held = seats_bytes(h->kept_count, h->kept);
    for (size_t i = 0; memory && i < count && !status; i++) {
        if (!items[i].keep) continue;
        seat *s = &h->kept[items[i].keep - 1];
        if (s->energy || held >= memory) continue;
        status = seat_take(s, h->structure, error);
        if (!status) s->bytes += h->shared[0].bytes; /* which minimising will take, about */
        held += s->bytes;
    }
    return status;
}

/* ---- what an example must be ---- */

static sos_status truth_check(const sos_energy *e, const sos_hinge_item *x, sos_error *error)
{
    for (size_t i = 0; x->truth && i < e->n; i++) {
        if (x->truth[i] > 1) return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu has true label %d", i, x->truth[i]);
        if (e->fixed && e->fixed[i] != SOS_FREE && e->fixed[i] != x->truth[i])
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu is fixed to %d, but its true label is %d", i, e->fixed[i],
                            x->truth[i]);
        if (x->loss && !(x->loss[i] >= 0 && isfinite(x->loss[i])))
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu has loss %g; it must be finite and not negative", i,
                            x->loss[i]);
    }
    return SOS_OK;
}

static sos_status item_check(const sos_energy *e, const sos_hinge_item *x, sos_error *error)
{
    const sos_status status = sos_reserved_check("sos_hinge_item", x, error);
    if (status) return status;
    if (e->n && !x->unary == !x->unary32)
        return sos_fail(error, SOS_ERR_ARGUMENT, "unaries in double or in single precision must be given, and not both");
    if (x->keep > SOS_HINGE_KEEP_MAX)
        return sos_fail(error, SOS_ERR_RANGE, "kept under number %zu; numbers end at %d", x->keep, SOS_HINGE_KEEP_MAX);
    for (size_t c = 0; x->weights && c < e->clique_count; c++)
        if (!(x->weights[c] >= 0 && isfinite(x->weights[c])))
            return sos_fail(error, SOS_ERR_ARGUMENT, "clique %zu has weight %g; it must be finite and not negative", c,
                            x->weights[c]);
    return truth_check(e, x, error);
}

static int by_number(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static sos_status keeps_check(size_t count, const sos_hinge_item items[], sos_error *error)
{
    size_t *numbers = malloc(count * sizeof *numbers), kept = 0;
    if (!numbers) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu numbers", count);
    for (size_t i = 0; i < count; i++)
        if (items[i].keep) numbers[kept++] = items[i].keep;
    qsort(numbers, kept, sizeof *numbers, by_number);
    sos_status status = SOS_OK;
    for (size_t i = 1; i < kept && !status; i++)
        if (numbers[i] == numbers[i - 1])
            status = sos_fail(error, SOS_ERR_ARGUMENT, "two items are to be kept under number %zu", numbers[i]);
    free(numbers);
    return status;
}

static sos_status items_check(const sos_hinge *h, size_t count, const sos_hinge_item items[], sos_error *error)
{
    for (size_t i = 0; i < count; i++) {
        sos_error why = { SOS_OK, "" };
        const sos_status status = item_check(h->structure, &items[i], &why);
        if (status) return sos_fail(error, status, "item %zu: %.460s", i, why.message);
    }
    return count ? keeps_check(count, items, error) : SOS_OK;
}

/* ---- the costs of an example ---- */

static double unary_of(const sos_hinge_item *x, size_t i) { return x->unary ? x->unary[i] : (double)x->unary32[i]; }

static double loss_of(const sos_hinge_item *x, size_t i) { return x->loss ? x->loss[i] : 1; }

/* Label 1 costs u_i more; the label that is wrong costs its loss less. */
static sos_status set_unaries(sos_energy *e, const sos_hinge_item *x, sos_error *error)
{
    for (size_t i = 0; i < e->n; i++) {
        double *cost = &e->unary[2 * i];
        cost[0] = 0;
        cost[1] = unary_of(x, i);
        if (x->truth) cost[!x->truth[i]] -= loss_of(x, i);
        if (!isfinite(cost[1] - cost[0]))
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu has unary %g; it must be finite", i, unary_of(x, i));
    }
    return SOS_OK;
}

/* Tables that have not changed need no check, and let the flow keep its cliques. */
static sos_status set_tables(sos_energy *e, const double costs[], sos_error *error)
{
    for (uint32_t t = 0; t < e->table_count; t++) {
        const size_t offset = e->tables[t].offset, bytes = sizeof *costs << e->tables[t].k;
        sos_error why = { SOS_OK, "" };
        if (!memcmp(e->costs + offset, costs + offset, bytes)) continue;
        const sos_status status = sos_energy_set_table(e, t, costs + offset, &why);
        if (status) return sos_fail(error, status, "table %u: %.460s", (unsigned)t, why.message);
    }
    return SOS_OK;
}

static double weight_of(const sos_pool *pool, size_t c) { return pool->weights ? pool->weights[c] : 1; }

/* Weights of one size that differ from what they are; wanted NULL: those of the structure. */
static bool weights_differ(const sos_pool *have, const sos_pool *like, const double wanted[])
{
    for (size_t c = 0; c < have->count; c++)
        if (weight_of(have, c) != (wanted ? wanted[c] : weight_of(like, c))) return true;
    return false;
}

static sos_status set_weights(sos_energy *e, const sos_energy *structure, const double weights[], sos_error *error)
{
    size_t first = 0;
    sos_status status = SOS_OK;
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX && !status; k++) {
        const sos_pool *pool = &e->pools[k], *like = &structure->pools[k];
        if (weights_differ(pool, like, weights ? weights + first : NULL)) {
            const double *wanted = weights ? weights + first : like->weights;
            double *ones = wanted ? NULL : malloc(pool->count * sizeof *ones);
            if (!wanted && !ones) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu weights", pool->count);
            for (size_t c = 0; ones && c < pool->count; c++) ones[c] = 1;
            status = sos_energy_set_weights(e, first, pool->count, wanted ? wanted : ones, error);
            free(ones);
        }
        first += pool->count;
    }
    return status;
}

static sos_status set_costs(const sos_hinge *h, sos_energy *e, const sos_hinge_item *x, sos_error *error)
{
    sos_status status = set_unaries(e, x, error);
    if (!status) status = set_tables(e, x->tables ? x->tables : h->structure->costs, error);
    if (!status) status = set_weights(e, h->structure, x->weights, error);
    return status;
}

/* ---- the value of labels, and its gradients ---- */

static size_t set_of(const uint8_t labels[], size_t k, const uint32_t variables[])
{
    size_t S = 0;
    for (size_t b = 0; b < k; b++) S |= (size_t)labels[variables[b]] << b;
    return S;
}

static double unaries_part(const sos_energy *e, sos_hinge_item *x, const uint8_t y[])
{
    double sum = 0;
    for (size_t i = 0; i < e->n; i++) {
        const int t = x->truth ? x->truth[i] : 0, difference = x->truth ? t - y[i] : y[i];
        if (difference) sum += difference * unary_of(x, i) + (x->truth ? loss_of(x, i) : 0);
        if (x->to_unary) x->to_unary[i] = difference;
    }
    return sum;
}

/* w_C (f_C(t_C) - f_C(y_C)) of the cliques of k members, number first and on. */
static double cliques_part(const sos_energy *e, sos_hinge_item *x, const uint8_t y[], size_t k, size_t first)
{
    const sos_pool *pool = &e->pools[k];
    double sum = 0;
    for (size_t c = 0; c < pool->count; c++) {
        const double *f = sos_table_costs(e, pool->tables[c]), w = weight_of(pool, c);
        double *to = x->to_tables ? x->to_tables + e->tables[pool->tables[c]].offset : NULL;
        const size_t S = set_of(y, k, pool->variables + c * k);
        const size_t T = x->truth ? set_of(x->truth, k, pool->variables + c * k) : S;
        const double difference = x->truth ? f[T] - f[S] : f[S];
        sum += w * difference;
        if (x->to_weights) x->to_weights[first + c] = difference;
        if (!to || (x->truth && S == T)) continue;
        if (x->truth) to[T] += w;
        to[S] += x->truth ? -w : w;
    }
    return sum;
}

static double concaves_part(const sos_energy *e, const sos_hinge_item *x, const uint8_t y[])
{
    double sum = 0;
    for (size_t c = 0; c < e->concave_count; c++) {
        const sos_concave_clique *q = &e->concaves[c];
        const double here = sos_count_value(&q->f, sos_concave_amount(q, y));
        sum += q->weight * (x->truth ? sos_count_value(&q->f, sos_concave_amount(q, x->truth)) - here : here);
    }
    return sum;
}

/* Delta(y) + E(t) - E(y), or E(y) where there is no truth: differences alone, which round less than sums of all. */
static double judge(const sos_energy *e, sos_hinge_item *x, const uint8_t y[])
{
    if (x->to_tables) memset(x->to_tables, 0, e->costs_count * sizeof *x->to_tables);
    double sum = unaries_part(e, x, y);
    for (size_t k = 1, first = 0; k <= SOS_TABLE_MEMBERS_MAX; first += e->pools[k++].count)
        sum += cliques_part(e, x, y, k, first);
    return sum + concaves_part(e, x, y);
}

/* ---- running ---- */

static sos_status run_item(const sos_hinge *h, seat *s, bool kept, sos_hinge_item *x, const sos_minimize_settings *settings,
                           sos_error *error)
{
    sos_minimize_settings mine = *settings;
    sos_minimize_result result;
    mine.start = kept ? SOS_START_FLOW : SOS_START_COLD;
    sos_status status = set_costs(h, s->energy, x, error);
    if (!status) status = sos_minimizer_run(s->minimizer, s->energy, &mine, s->labels, &result, error);
    if (status) return status;
    s->bytes = h->structure->n + sos_energy_bytes(s->energy) + result.bytes;
    x->value = judge(s->energy, x, s->labels);
    if (x->truth && !(x->value > 0)) { /* as good: the true labels, where nothing is left to learn */
        memcpy(s->labels, x->truth, s->energy->n);
        x->value = judge(s->energy, x, s->labels);
    }
    x->gap = result.energy - result.lower_bound;
    x->warm = result.warm;
    if (x->labels) memcpy(x->labels, s->labels, s->energy->n);
    return SOS_OK;
}

/* The minimizer of one item, for any thread. */
static seat *seat_of(sos_hinge *h, const sos_hinge_item *x, size_t worker, bool *kept)
{
    seat *own = x->keep && x->keep <= h->kept_count ? &h->kept[x->keep - 1] : NULL;
    *kept = own && own->energy;
    return *kept ? own : &h->shared[worker];
}

static sos_status run_items(sos_hinge *h, size_t count, sos_hinge_item items[], const sos_hinge_settings *settings,
                            size_t workers, sos_error *error)
{
    sos_shared_progress watched = { .progress = settings->work.progress, .user = settings->work.user };
    sos_minimize_settings minimize = sos_minimize_defaults();
    minimize.bits = settings->bits;
    minimize.work.threads = workers > 1 ? 1 : settings->work.threads;
    if (watched.progress) {
        minimize.work.progress = sos_shared_go_on;
        minimize.work.user = &watched;
    }
    sos_failure failure = { 0 };
    atomic_size_t next = 0;
#pragma omp parallel num_threads((int)workers)
    {
        const size_t me = atomic_fetch_add(&next, 1);
#pragma omp for schedule(dynamic, 1)
        for (size_t i = 0; i < count; i++) {
            bool kept;
            seat *s = seat_of(h, &items[i], me, &kept);
            sos_error mine = { SOS_OK, "" };
            const sos_status status = atomic_load(&watched.stopped)
                                          ? sos_fail(&mine, SOS_CANCELLED, "the hinge loss was cancelled")
                                          : run_item(h, s, kept, &items[i], &minimize, &mine);
            sos_failure_note(&failure, i, status, &mine);
        }
    }
    return sos_failure_status(&failure, "item", error);
}

sos_status sos_hinge_run(sos_hinge *h, size_t count, sos_hinge_item items[], const sos_hinge_settings *settings,
                         sos_error *error)
{
    const sos_hinge_settings s = settings ? *settings : sos_hinge_defaults();
    if (!h || (count && !items)) return sos_fail(error, SOS_ERR_ARGUMENT, "no hinge loss or no items were given");
    sos_status status = sos_reserved_check("sos_hinge_settings", &s, error);
    if (!status && s.bits != 0 && s.bits != 32)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "%d bits; 0 and 32 are possible", s.bits);
    if (!status) status = items_check(h, count, items, error);
    const size_t most = (size_t)sos_thread_count(s.work.threads), workers = count < most ? count + !count : most;
    if (!status) status = seats_prepare(h, count, items, s.memory, workers, error);
    return status ? status : run_items(h, count, items, &s, workers, error);
}
