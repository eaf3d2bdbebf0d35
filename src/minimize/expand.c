/* expand.c - expansion moves (Boykov, Veksler and Zabih, 2001; paper, section 4.4; math.md, 13): one move after the other until
 * none lowers the energy.  mover.h has the parts of a move. */
#include <sos/expand.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "minimize/mover.h"

struct sos_expander {
    sos_mover mover;
};

/* One run. */
typedef struct expansion {
    sos_mover *m;
    const sos_multi_energy *e;
    const sos_expand_settings *settings;
    size_t n;
    uint32_t clock, tried[SOS_LABELS_MAX]; /* successes so far, plus 1; and when a label was last tried, 0: never */
    double energy;                         /* of the labels so far */
    sos_expand_result result;
} expansion;

sos_expand_settings sos_expand_defaults(void) { return (sos_expand_settings){ .reduce = true }; }

/* ---------------------------------------------------------------- one move */

static sos_status solve(expansion *x, sos_error *error)
{
    sos_mover *m = x->m;
    const size_t n = m->energy->n, limit = x->settings->memory_limit;
    if (!sos_grow(&m->answer, &m->answer_room, n) || !sos_grow(&m->before, &m->before_room, n))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the labels of a move");
    const size_t held = sos_mover_bytes(m);
    if (limit && held >= limit) return sos_fail(error, SOS_ERR_MEMORY, "a move takes %zu bytes, the limit is %zu", held, limit);
    sos_minimize_settings s = sos_minimize_defaults();
    s.bits = x->settings->bits;
    s.memory_limit = limit ? limit - held : 0;
    s.work.progress = x->settings->work.progress;
    s.work.user = x->settings->work.user;
    sos_minimize_result r;
    const sos_status status = sos_minimizer_run(m->minimizer, m->energy, &s, m->answer, &r, error);
    if (status) return status;
    x->result.rounding = fmax(x->result.rounding, r.rounding + m->lifted);
    if (held + r.bytes > x->result.bytes) x->result.bytes = held + r.bytes;
    return SOS_OK;
}

/* Takes over the answer if it lowers the energy, which it does unless it is empty or rounding deceived. */
static void accept(expansion *x)
{
    sos_mover *m = x->m;
    bool any = false;
    for (size_t v = 0; v < x->n; v++) {
        if (!m->may[v]) continue;
        const uint32_t i = m->number[v];
        m->before[i] = m->y[v];
        if (!m->answer[i]) continue;
        m->y[v] = m->label;
        any = true;
    }
    if (!any) return;
    const double energy = sos_multi_energy_value(x->e, m->y);
    const bool better = energy < x->energy;
    if (better) {
        x->energy = energy;
        x->clock++;
        x->result.successes++;
    }
    for (size_t v = 0; v < x->n; v++) {
        if (!m->may[v] || !m->answer[m->number[v]]) continue;
        if (better)
            m->kept[v] = x->e->unary[m->label * x->n + v];
        else
            m->y[v] = m->before[m->number[v]];
    }
}

/* The best expansion of a label. */
static sos_status move(expansion *x, uint8_t label, sos_error *error)
{
    const sos_expand_settings *s = x->settings;
    if (s->work.progress && !s->work.progress(s->work.user, "expansion moves", -1))
        return sos_fail(error, SOS_CANCELLED, "expansion moves were cancelled");
    x->m->label = label;
    x->result.moves++;
    if (sos_mover_choose(x->m)) {
        sos_status status = sos_mover_build(x->m, error);
        if (!status) status = solve(x, error);
        if (status) return status;
        x->result.variables += x->m->energy->n;
        accept(x);
    }
    x->tried[label] = x->clock;
    return SOS_OK;
}

/* ---------------------------------------------------------------- moves until none helps */

static void find_kept(expansion *x)
{
    for (size_t v = 0; v < x->n; v++) x->m->kept[v] = x->e->unary[x->m->y[v] * x->n + v];
}

static void shuffle(sos_random *r, size_t count, uint8_t order[])
{
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)sos_random_below(r, i);
        const uint8_t swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
}

/* Sweeps over the labels until none has anything new to look at. */
static sos_status sweep(expansion *x, uint8_t order[], sos_error *error)
{
    const size_t L = x->e->labels;
    find_kept(x);
    sos_random r = sos_random_seeded(x->settings->seed);
    for (bool done = false; !done;) {
        if (x->settings->sweeps && x->result.sweeps >= x->settings->sweeps) return SOS_OK;
        if (x->settings->shuffle) shuffle(&r, L, order);
        for (size_t i = 0; i < L; i++) {
            if (x->tried[order[i]] == x->clock) {
                x->result.skipped++;
                continue;
            }
            const sos_status status = move(x, order[i], error);
            if (status) return status;
        }
        x->result.sweeps++;
        done = true;
        for (size_t l = 0; l < L; l++) done &= x->tried[l] == x->clock;
    }
    x->result.converged = true;
    return SOS_OK;
}

/* With two labels the expansion of label 1 from nothing but label 0 is any labelling: one move, and the least of all. */
static sos_status minimize_two(expansion *x, const uint8_t labels[], sos_error *error)
{
    const double given = x->energy;
    memset(x->m->y, 0, x->n);
    x->energy = sos_multi_energy_value(x->e, x->m->y);
    find_kept(x);
    const sos_status status = move(x, 1, error);
    x->result.sweeps = 1;
    if (x->energy > given) { /* cancelled, or rounding */
        memcpy(x->m->y, labels, x->n);
        x->energy = given;
    }
    x->result.converged = !status;
    return status;
}

static void least_unaries(const sos_multi_energy *e, uint8_t labels[])
{
    const size_t n = e->frame->n;
    memset(labels, 0, n);
    for (size_t l = 1; l < e->labels; l++)
        for (size_t v = 0; v < n; v++)
            if (e->unary[l * n + v] < e->unary[labels[v] * n + v]) labels[v] = (uint8_t)l;
}

static sos_status expand(expansion *x, uint8_t labels[], sos_error *error)
{
    const sos_multi_energy *e = x->e;
    uint8_t *y = x->m->y, order[SOS_LABELS_MAX];
    for (size_t l = 0; l < e->labels; l++) order[l] = x->settings->order ? x->settings->order[l] : (uint8_t)l;
    if (x->settings->start == SOS_EXPAND_LABELS && x->n)
        memcpy(y, labels, x->n);
    else
        least_unaries(e, y);
    x->energy = x->result.start_energy = sos_multi_energy_value(e, y);
    sos_status status = SOS_OK;
    if (e->labels == 2 && x->n) {
        uint8_t *start = malloc(x->n);
        if (!start) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
        memcpy(start, y, x->n);
        status = minimize_two(x, start, error);
        free(start);
    } else {
        status = sweep(x, order, error);
    }
    if (status && status != SOS_CANCELLED) return status;
    if (x->n) memcpy(labels, y, x->n);
    x->result.energy = x->energy;
    const sos_sum bound = sos_multi_energy_bound(e, x->m->share);
    x->result.lower_bound = fmin(x->energy, sos_sum_below(bound, 0));
    x->result.factor = sos_expand_factor(e);
    x->result.exact = x->result.converged && (e->labels == 2 || x->energy <= bound.total);
    return status;
}

/* ---------------------------------------------------------------- the calls */

static sos_status order_check(const sos_multi_energy *e, const uint8_t order[], sos_error *error)
{
    bool seen[SOS_LABELS_MAX] = { false };
    for (size_t i = 0; order && i < e->labels; i++) {
        if (order[i] >= e->labels || seen[order[i]])
            return sos_fail(error, SOS_ERR_ARGUMENT, "the order of the labels has %u, which is no label or there already",
                            (unsigned)order[i]);
        seen[order[i]] = true;
    }
    return SOS_OK;
}

sos_status sos_expander_create(sos_expander **out, sos_error *error)
{
    if (!out) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the expander was given");
    sos_expander *x = calloc(1, sizeof *x);
    if (!x) return sos_fail(error, SOS_ERR_MEMORY, "no memory for an expander");
    *out = x;
    return SOS_OK;
}

void sos_expander_free(sos_expander *x)
{
    if (!x) return;
    sos_mover_free(&x->mover);
    free(x);
}

sos_status sos_expander_run(sos_expander *x, const sos_multi_energy *e, const sos_expand_settings *settings, uint8_t labels[],
                            sos_expand_result *result, sos_error *error)
{
    const double began = sos_seconds();
    const sos_expand_settings s = settings ? *settings : sos_expand_defaults();
    if (!x || !e || (!labels && e->frame->n))
        return sos_fail(error, SOS_ERR_ARGUMENT, "no expander, no energy or no labels were given");
    sos_status status = sos_reserved_check("sos_expand_settings", &s, error);
    if (!status) status = order_check(e, s.order, error);
    if (!status && s.start == SOS_EXPAND_LABELS) status = sos_multi_energy_labels_check(e, labels, error);
    if (!status) status = sos_mover_begin(&x->mover, e, &s, error);
    if (status) return status;
    expansion run = { .m = &x->mover, .e = e, .settings = &s, .n = e->frame->n, .clock = 1 };
    status = expand(&run, labels, error);
    run.result.seconds = sos_seconds() - began;
    if (result && (!status || status == SOS_CANCELLED)) *result = run.result;
    return status;
}

sos_status sos_expand(const sos_multi_energy *e, const sos_expand_settings *settings, uint8_t labels[],
                      sos_expand_result *result, sos_error *error)
{
    sos_expander x = { .mover = { 0 } };
    const sos_status status = sos_expander_run(&x, e, settings, labels, result, error);
    sos_mover_free(&x.mover);
    return status;
}
