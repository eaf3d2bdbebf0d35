/* example_search.c - the most violated labelling of an example with several labels: by trying all where there are few, else by
 * expansion moves from several starts (math.md, 12.8). */
#include "learn/example_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sos/relax.h>

/* ---------------------------------------------------------------- all labellings */

bool sos_example_is_listed(const sos_example *x, size_t most)
{
    size_t count = 1;
    for (size_t i = 0; i < x->n; i++) {
        if (x->fixed && x->fixed[i] != SOS_LABEL_FREE) continue;
        if (count > most / x->layout->labels) return false;
        count *= x->layout->labels;
    }
    return most > 0;
}

/* Counts on in the free variables, the first one fastest; false after the last. */
static bool labelling_next(const sos_example *x, uint8_t y[])
{
    for (size_t i = 0; i < x->n; i++) {
        if (x->fixed && x->fixed[i] != SOS_LABEL_FREE) continue;
        if (++y[i] < x->layout->labels) return true;
        y[i] = 0;
    }
    return false;
}

/* O(labels^n (n + cliques)). */
static double list_search(const sos_example *x, uint8_t y[], uint8_t best[])
{
    double least = INFINITY;
    memset(y, 0, x->n);
    sos_example_keep_fixed(x, y);
    do {
        const double energy = sos_multi_energy_value(x->multi, y);
        if (energy >= least) continue;
        least = energy;
        memcpy(best, y, x->n);
    } while (labelling_next(x, y));
    return least;
}

/* ---------------------------------------------------------------- expansion moves */

/* Where search number k begins, and in which order labels are tried.  By what each adds, as measured (math.md, 12.8): another
 * order from the same start, then from the true labelling, then further orders. */
static bool starts_from_truth(size_t k) { return k == 2 || k == 3; }

static void order_of(size_t k, size_t labels, uint8_t order[])
{
    const size_t turned = k < 4 ? 0 : 1 + (k - 4) / 2; /* searches 4, 6, ... begin with label 1, 2, ... */
    for (size_t l = 0; l < labels; l++) order[l] = (uint8_t)((l + turned) % labels);
    const bool reversed = k == 1 || k == 2 || (k >= 4 && k % 2);
    for (size_t a = 0, b = labels - 1; reversed && a < b; a++, b--) {
        const uint8_t last = order[b];
        order[b] = order[a];
        order[a] = last;
    }
}

/* What searches have come to. */
typedef struct hunt {
    sos_expander *expander;
    uint8_t *y;    /* of the search */
    uint8_t *best; /* of all */
    sos_minimize_result result;
} hunt;

static sos_status search_once(const sos_example *x, const sos_expand_settings *s, hunt *h, sos_error *error)
{
    sos_expand_result r;
    const sos_status status = sos_expander_run(h->expander, x->multi, s, h->y, &r, error);
    if (status) return status;
    h->result.rounding = fmax(h->result.rounding, r.rounding);
    h->result.seconds_solve += r.seconds;
    if (r.bytes > h->result.bytes) h->result.bytes = r.bytes;
    if (r.energy >= h->result.energy) return SOS_OK;
    h->result.energy = r.energy;
    h->result.lower_bound = r.lower_bound;
    memcpy(h->best, h->y, x->n);
    return SOS_OK;
}

bool sos_example_truth_is_less(const sos_example *x, double energy)
{
    return sos_multi_energy_value(x->multi, sos_example_reference(x)) < energy;
}

static sos_status truth_search(const sos_example *x, const uint8_t *order, hunt *h, sos_error *error)
{
    sos_expand_settings s = sos_expand_defaults();
    s.start = SOS_EXPAND_LABELS;
    s.order = order;
    memcpy(h->y, sos_example_reference(x), x->n);
    return search_once(x, &s, h, error);
}

static sos_status moves_search(const sos_example *x, size_t searches, hunt *h, sos_error *error)
{
    const size_t most = 2 * x->layout->labels + 2; /* there are no more orders of this kind */
    sos_status status = SOS_OK;
    h->result.energy = INFINITY;
    for (size_t k = 0; k < (searches < 1 ? 1 : searches < most ? searches : most) && !status; k++) {
        uint8_t order[SOS_LABELS_MAX];
        order_of(k, x->layout->labels, order);
        sos_expand_settings s = sos_expand_defaults();
        s.order = order;
        status = starts_from_truth(k) ? truth_search(x, order, h, error) : search_once(x, &s, h, error);
    }
    if (!status && sos_example_truth_is_less(x, h->result.energy)) status = truth_search(x, NULL, h, error);
    return status;
}

/* Bounds what searches missed, and takes what is better. */
static sos_status bound_find(const sos_example *x, size_t rounds, hunt *h, sos_error *error)
{
    sos_relax_settings s = sos_relax_defaults();
    sos_relax_result r;
    s.rounds = rounds;
    s.work.threads = 1; /* examples are shared out among threads */
    const sos_status status = sos_relax(x->multi, &s, h->best, &r, error);
    if (status) return status;
    h->result.energy = r.energy;
    h->result.lower_bound = r.lower_bound;
    return SOS_OK;
}

/* ---------------------------------------------------------------- the whole */

sos_status sos_example_search(sos_example *x, const double w[], const sos_example_searching *searching, uint8_t labels[],
                              sos_minimize_result *result, sos_error *error)
{
    sos_status status = sos_example_set_multi_energy(x, w, true, error);
    if (status) return status;
    hunt h = { .y = malloc(x->n ? x->n : 1), .best = labels };
    if (!h.y) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu labels", x->n);
    if (sos_example_is_listed(x, searching->exhaustive)) {
        h.result.energy = h.result.lower_bound = list_search(x, h.y, labels);
    } else {
        status = sos_expander_create(&h.expander, error);
        if (!status) status = moves_search(x, searching->searches, &h, error);
        sos_expander_free(h.expander);
        if (!status && searching->relax) status = bound_find(x, searching->relax, &h, error);
    }
    free(h.y);
    if (status) return status;
    h.result.energy *= x->scale;
    h.result.lower_bound *= x->scale;
    h.result.rounding *= x->scale;
    *result = h.result;
    return SOS_OK;
}
