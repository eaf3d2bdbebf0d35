/* knots.c - which knots of a clique with many linear pieces are in the network, and what its pieces cost there (math.md, 7.2).
 *
 * G(A) is the integer function of such a clique, concave on whole amounts A.  H, which the network has instead, is linear
 * between knots, where it is at most G, and equals G at one of them, the anchor: to its right slopes are rounded down, to its
 * left up.  So slopes are integers, and H <= G, as G lies above its chords. */
#include "minimize/knots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    FEW_KINKS = 32,  /* up to so many all of them are in the network: solving once and several times take as long for cliques
                        of about 30 members (measured on a grid of 192 x 192 in blocks: 25 members 0.08 against 0.06 s,
                        35 members 0.18 against 0.16, 63 members 0.2 against 0.05) */
    FIRST_KNOTS = 4, /* between the ends: 2 to 8 take the same time within a third */
    MANY_KNOTS = 32, /* that runs may leave behind: other costs need other ones, and knots are never taken away within a run */
    AMOUNTS_BITS = 28, /* of the largest sum of amounts, so that a unit for each fits the integers of the flow */
};

bool sos_knots_are_chosen(const sos_concave_clique *c)
{
    return !c->products && c->kinks > FEW_KINKS && c->total <= 1 << AMOUNTS_BITS;
}

size_t sos_knots_nodes(const sos_knots *x) { return x->count - 2 + (x->every ? x->count - 1 : 0); }

size_t sos_knots_bytes(const sos_network *net)
{
    size_t bytes = net->knots_room * sizeof *net->knots;
    for (size_t i = 0; i < net->knots_count; i++) {
        const sos_knots *x = &net->knots[i];
        bytes += x->at_room * sizeof *x->at + x->cost_room * sizeof *x->cost + x->bound_room * sizeof *x->bound;
    }
    return bytes;
}

void sos_knots_free(sos_network *net)
{
    for (size_t i = 0; i < net->knots_count; i++) {
        free(net->knots[i].at);
        free(net->knots[i].cost);
        free(net->knots[i].bound);
    }
    free(net->knots);
    net->knots = NULL;
    net->knots_count = net->knots_room = 0;
}

/* ---------------------------------------------------------------- choosing */

/* The first knot of x that is not below an amount. */
static uint32_t knot_from(const sos_knots *x, uint32_t amount)
{
    uint32_t low = 0, high = x->count - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (x->at[middle] < amount)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool knots_reserve(sos_knots *x, size_t count)
{
    return sos_grow(&x->at, &x->at_room, count) && sos_grow(&x->cost, &x->cost_room, count) &&
           sos_grow(&x->bound, &x->bound_room, count);
}

static bool knot_insert(sos_knots *x, uint32_t amount)
{
    const uint32_t i = knot_from(x, amount);
    if (x->at[i] == amount) return true;
    if (!knots_reserve(x, (size_t)x->count + 1)) return false;
    memmove(x->at + i + 1, x->at + i, (x->count - i) * sizeof *x->at);
    x->at[i] = amount;
    x->count++;
    return true;
}

/* Where F is farthest above its chord from one amount to another, and by how much; knots of F lie at whole amounts. */
typedef struct summit {
    uint32_t at;
    double height;
} summit;

static size_t piece_of(const sos_count_function *f, double amount)
{
    size_t low = 1, high = f->knots - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sos_count_place(f, middle) < amount)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* By concavity: where the slope falls below that of the chord. */
static summit find_summit(const sos_concave_clique *c, uint32_t from, uint32_t to)
{
    const sos_count_function *f = &c->hull;
    const double begin = sos_count_value(f, from), rise = (sos_count_value(f, to) - begin) / ((double)to - from);
    size_t low = piece_of(f, (double)from + 1), high = piece_of(f, to); /* the last of these pieces steeper than the chord */
    while (low < high) {
        const size_t middle = low + (high - low + 1) / 2;
        if (sos_count_slope(f, middle) > rise)
            low = middle;
        else
            high = middle - 1;
    }
    const double at = sos_count_place(f, low);
    if (!(at > from && at < to)) return (summit){ from, 0 };
    return (summit){ (uint32_t)at, f->value[low] - begin - rise * (at - from) };
}

/* Adds a knot where F is farthest above the chords of the knots so far. */
static bool highest_insert(sos_knots *x, const sos_concave_clique *c)
{
    summit highest = { 0, 0 };
    for (uint32_t i = 1; i < x->count; i++) {
        const summit s = find_summit(c, x->at[i - 1], x->at[i]);
        if (s.height > highest.height) highest = s;
    }
    return !(highest.height > 0) || knot_insert(x, highest.at);
}

static bool knots_choose(sos_knots *x, const sos_concave_clique *c)
{
    if (!knots_reserve(x, FIRST_KNOTS + 2)) return false;
    x->at[0] = 0;
    x->at[1] = (uint32_t)c->total;
    x->count = 2;
    for (size_t i = 0; i < FIRST_KNOTS; i++)
        if (!highest_insert(x, c)) return false;
    x->anchor = knot_from(x, (uint32_t)(c->total / 2));
    return true;
}

/* Begins anew, with a knot more. */
static bool knots_forget(sos_knots *x, const sos_concave_clique *c)
{
    const uint32_t anchor = x->at[x->anchor];
    if (!knots_choose(x, c) || !knot_insert(x, anchor)) return false;
    x->anchor = knot_from(x, anchor);
    return true;
}

sos_status sos_knots_resume(sos_network *net, const sos_energy *e, sos_error *error)
{
    for (size_t n = 0; net->knots_of == e->identity && n < net->knots_count; n++) {
        sos_knots *x = &net->knots[n];
        x->turned = false;
        if (!x->every && x->count <= MANY_KNOTS) continue;
        x->every = false;
        net->identity = 0;
        if (x->count > MANY_KNOTS && !knots_forget(x, &e->concaves[x->clique]))
            return sos_fail(error, SOS_ERR_MEMORY, "no memory for the knots of concave clique %u", (unsigned)x->clique);
    }
    return SOS_OK;
}

sos_status sos_knots_begin(sos_network *net, const sos_energy *e, sos_error *error)
{
    sos_knots_free(net);
    for (size_t i = 0; i < e->concave_count; i++) {
        if (!sos_knots_are_chosen(&e->concaves[i])) continue;
        if (!sos_grow(&net->knots, &net->knots_room, net->knots_count + 1))
            return sos_fail(error, SOS_ERR_MEMORY, "no memory for the knots of concave clique %zu", i);
        sos_knots *x = &net->knots[net->knots_count++];
        *x = (sos_knots){ .clique = (uint32_t)i };
        if (!knots_choose(x, &e->concaves[i]))
            return sos_fail(error, SOS_ERR_MEMORY, "no memory for the knots of concave clique %zu", i);
    }
    return SOS_OK;
}

/* ---------------------------------------------------------------- integers */

/* G, piece by piece: an amount, what it costs, and the piece behind it.  Slopes are rounded, and never rise. */
typedef struct walk {
    const sos_network *net;
    const sos_concave_clique *c;
    size_t piece; /* that the amount lies on, or begins */
    int64_t slope;
    double at; /* where the piece begins */
    int64_t cost;
    double rounding;
} walk;

static void walk_enter(walk *w, size_t piece)
{
    double moved = 0;
    const double slope = w->c->weight * sos_count_slope(&w->c->hull, piece);
    const int64_t rounded = sos_network_integer(w->net, slope, &moved);
    if (piece > 1 && rounded > w->slope)
        moved += (double)(rounded - w->slope);
    else
        w->slope = rounded;
    w->piece = piece;
    w->rounding += moved * sos_count_length(&w->c->hull, piece);
}

static walk walk_begin(const sos_network *net, const sos_concave_clique *c)
{
    walk w = { .net = net, .c = c };
    walk_enter(&w, 1);
    return w;
}

/* G at an amount that is not before the last one asked for. */
static int64_t walk_to(walk *w, double amount)
{
    const sos_count_function *f = &w->c->hull;
    while (w->piece + 1 < f->knots && sos_count_place(f, w->piece) <= amount) {
        const double end = sos_count_place(f, w->piece);
        w->cost += w->slope * (int64_t)(end - w->at);
        w->at = end;
        walk_enter(w, w->piece + 1);
    }
    return w->cost + w->slope * (int64_t)(amount - w->at);
}

static int64_t floor_quotient(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* The slope of H behind knot i. */
static int64_t slope_of(const sos_knots *x, uint32_t i)
{
    const int64_t rise = x->cost[i + 1] - x->cost[i], length = (int64_t)x->at[i + 1] - x->at[i];
    return i < x->anchor && !x->every ? -floor_quotient(-rise, length) : floor_quotient(rise, length);
}

/* Where H is exact at every knot: what is left of the rise of G when its slope is rounded down.  So many steps are steeper by
 * one. */
static int64_t rest_of(const sos_knots *x, uint32_t i)
{
    const int64_t length = (int64_t)x->at[i + 1] - x->at[i];
    return x->every ? x->cost[i + 1] - x->cost[i] - slope_of(x, i) * length : 0;
}

static void find_bound(sos_knots *x)
{
    memcpy(x->bound, x->cost, x->count * sizeof *x->bound);
    if (x->every) return;
    for (uint32_t i = x->anchor; i + 1 < x->count; i++)
        x->bound[i + 1] = x->bound[i] + slope_of(x, i) * ((int64_t)x->at[i + 1] - x->at[i]);
    for (uint32_t i = x->anchor; i > 0; i--)
        x->bound[i - 1] = x->bound[i] - slope_of(x, i - 1) * ((int64_t)x->at[i] - x->at[i - 1]);
}

/* The nodes of a clique: one at every knot but the ends; with every, then one inside every piece. */
static void pieces_fill(sos_network *net, sos_knots *x)
{
    sos_piece *p = net->pieces + (x->node - net->variables);
    for (uint32_t i = 0; i + 2 < x->count; i++) {
        const int64_t before = slope_of(x, i), behind = slope_of(x, i + 1) + (rest_of(x, i + 1) > 0);
        p[i].place = x->at[i + 1];
        p[i].integer = before - behind;
    }
    p += x->count - 2;
    for (uint32_t i = 0; x->every && i + 1 < x->count; i++) {
        const int64_t rest = rest_of(x, i);
        p[i].place = (double)x->at[i] + (double)rest;
        p[i].integer = rest > 0;
    }
    x->slope = slope_of(x, x->count - 2);
}

void sos_knots_scale(sos_network *net, const sos_energy *e)
{
    for (size_t n = 0; n < net->knots_count; n++) {
        sos_knots *x = &net->knots[n];
        walk w = walk_begin(net, &e->concaves[x->clique]);
        for (uint32_t i = 0; i < x->count; i++) x->cost[i] = walk_to(&w, x->at[i]);
        net->rounding += w.rounding;
        pieces_fill(net, x);
        find_bound(x);
    }
}

/* ---------------------------------------------------------------- where it counts */

/* H at an amount. */
static int64_t bound_at(const sos_knots *x, uint32_t amount)
{
    const uint32_t i = knot_from(x, amount);
    if (x->at[i] == amount) return x->bound[i];
    const int64_t length = (int64_t)x->at[i] - x->at[i - 1], into = (int64_t)amount - x->at[i - 1];
    const int64_t rise = x->bound[i] - x->bound[i - 1], slope = floor_quotient(rise, length), rest = rise - slope * length;
    return x->bound[i - 1] + slope * into + (into < rest ? into : rest);
}

/* A new knot, and where F is farthest above the chords beside it; or a new anchor, but no second time. */
static bool knot_add(sos_knots *x, const sos_concave_clique *c, uint32_t amount)
{
    const uint32_t i = knot_from(x, amount);
    if (x->at[i] == amount) {
        x->every = x->turned;
        x->turned = true;
        x->anchor = i;
        return true;
    }
    const uint32_t before = x->at[i - 1], behind = x->at[i];
    const summit left = find_summit(c, before, amount), right = find_summit(c, amount, behind);
    bool ok = knot_insert(x, amount);
    if (ok && left.height > 0) ok = knot_insert(x, left.at);
    if (ok && right.height > 0) ok = knot_insert(x, right.at);
    x->anchor = knot_from(x, amount);
    return ok;
}

sos_status sos_knots_refine(sos_network *net, const sos_energy *e, const uint8_t labels[], bool *exact, sos_error *error)
{
    *exact = true;
    for (size_t n = 0; n < net->knots_count; n++) {
        sos_knots *x = &net->knots[n];
        const sos_concave_clique *c = &e->concaves[x->clique];
        const uint32_t amount = (uint32_t)sos_concave_amount(c, labels);
        walk w = walk_begin(net, c);
        if (bound_at(x, amount) == walk_to(&w, amount)) continue;
        *exact = false;
        net->identity = 0;
        if (!knot_add(x, c, amount))
            return sos_fail(error, SOS_ERR_MEMORY, "no memory for knots of concave clique %u", x->clique);
    }
    return SOS_OK;
}
