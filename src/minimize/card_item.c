/* card_item.c - see card_item.h. */
#include "minimize/card_item.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/wide.h"
#include "minimize/card.h"
#include "minimize/certificate.h"

/* ---- which energies ---- */

/* The size of all cliques but single variables, if a card takes cliques of that size. */
static size_t clique_size(const sos_energy *e)
{
    for (size_t k = 2; k <= 4; k += 2)
        if (e->pools[k].count && e->pools[k].count + e->pools[1].count == e->clique_count) return k;
    return 0;
}

/* Of pairs a CPU of many cores has as many done in the time that it takes to pack them. */
bool sos_card_may_take(const sos_energy *e, sos_device device)
{
    const size_t k = clique_size(e);
    if (!k || e->concave_count || e->fixed || e->n > INT32_MAX) return false;
    if (k == 2 && device != SOS_DEVICE_CARD) return false;
    return k == 2 || (!e->pools[4].weights && e->table_count <= SOS_GRID_TABLES_MAX);
}

static bool is_patch(const uint32_t member[4], uint32_t corner, size_t width)
{
    return member[0] == corner && member[1] == corner + 1 && member[2] == corner + width && member[3] == corner + width + 1;
}

static bool has_width(sos_card_item *it, size_t width)
{
    const size_t n = it->energy->n;
    if (width < 2 || width > n / 2 || n % width) return false;
    it->width = width;
    it->height = n / width;
    return true;
}

static bool is_row(const sos_card_item *it, size_t y)
{
    const uint32_t *member = it->energy->pools[4].variables + 4 * y * (it->width - 1);
    bool is = true;
    for (size_t x = 0; x + 1 < it->width; x++) is &= is_patch(member + 4 * x, (uint32_t)(y * it->width + x), it->width);
    return is;
}

static bool find_patches(sos_card_item *it, int threads)
{
    const sos_pool *pool = &it->energy->pools[4];
    bool all = true;
    (void)threads;
    if (!has_width(it, (size_t)pool->variables[2] - pool->variables[0])) return false;
    if (pool->count != (it->width - 1) * (it->height - 1)) return false;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(&& : all) if (threads > 1)
    for (size_t y = 0; y < it->height - 1; y++) all = all && is_row(it, y);
    if (!all) return false;
    it->most_places = (it->width > 2 ? 2U : 1U) * (it->height > 2 ? 2U : 1U);
    return true;
}

/* Are all pairs neighbours in a grid of that width? */
static bool are_neighbours(const sos_pool *pool, uint32_t width)
{
    bool all = true;
    for (size_t c = 0; all && c < pool->count; c++) {
        const uint32_t a = pool->variables[2 * c], b = pool->variables[2 * c + 1], low = a < b ? a : b,
                       far = a < b ? b - a : a - b;
        const uint32_t x = low % width;
        all = far == width || (far == 1 && x + 1 < width) || (far == width + 1 && x + 1 < width) || (far == width - 1 && x);
    }
    return all;
}

/* How many pairs the variable has that has most; 0: no memory. */
static uint32_t most_pairs(const sos_energy *e)
{
    const sos_pool *pool = &e->pools[2];
    uint32_t *count = calloc(e->n, sizeof *count), most = 0;
    for (size_t i = 0; count && i < 2 * pool->count; i++) {
        const uint32_t now = ++count[pool->variables[i]];
        most = now > most ? now : most;
    }
    free(count);
    return most;
}

/* The pair that is farthest apart is above one another, or a step to the right besides. */
static bool find_pairs(sos_card_item *it)
{
    const sos_pool *pool = &it->energy->pools[2];
    uint32_t farthest = 0;
    for (size_t c = 0; c < pool->count; c++) {
        const uint32_t a = pool->variables[2 * c], b = pool->variables[2 * c + 1], far = a < b ? b - a : a - b;
        farthest = far > farthest ? far : farthest;
    }
    for (uint32_t width = farthest; width >= 2 && width + 1 >= farthest; width--) {
        if (!has_width(it, width) || !are_neighbours(pool, width)) continue;
        it->pairs = true;
        it->most_places = most_pairs(it->energy);
        return it->most_places != 0;
    }
    return false;
}

bool sos_card_item_find(sos_card_item *it, sos_device device, int threads)
{
    if (!sos_card_may_take(it->energy, device)) return false;
    return clique_size(it->energy) == 2 ? find_pairs(it) : find_patches(it, threads);
}

/* ---- integers ---- */

/* A base of f by the greedy algorithm, for four orders, of which each gives a quarter. */
static void base_begin(const int64_t f[SOS_GRID_SETS], int64_t base[4])
{
    static const unsigned char ORDER[4][4] = { { 0, 1, 2, 3 }, { 3, 2, 1, 0 }, { 1, 3, 0, 2 }, { 2, 0, 3, 1 } };
    memset(base, 0, 4 * sizeof *base);
    for (int o = 0; o < 4; o++)
        for (unsigned k = 0, S = 0; k < 4; S |= 1U << ORDER[o][k++])
            base[ORDER[o][k]] += (f[S | 1U << ORDER[o][k]] - f[S]) >> 2; /* rounded down: there is room left */
}

/* f becomes what is left of it without a base: 0 at none and all, and nowhere negative. */
static void table_split(int64_t f[SOS_GRID_SETS], int64_t base[4])
{
    base_begin(f, base);
    for (unsigned S = 1; S < SOS_GRID_SETS; S++)
        for (unsigned b = 0; b < 4; b++) f[S] -= S >> b & 1 ? base[b] : 0;
    for (unsigned b = 0; b < 4; b++) {
        int64_t room = INT64_MAX;
        for (unsigned S = 1; S < SOS_GRID_SETS; S++) room = S >> b & 1 && f[S] < room ? f[S] : room;
        base[b] += room;
        for (unsigned S = 1; S < SOS_GRID_SETS; S++) f[S] -= S >> b & 1 ? room : 0;
    }
}

static bool tables_prepare(sos_card_item *it)
{
    const sos_energy *e = it->energy;
    it->table = calloc(e->table_count * SOS_GRID_SETS, sizeof *it->table);
    it->base = calloc(e->table_count * 4, sizeof *it->base);
    if (!it->table || !it->base) return false;
    for (size_t t = 0; t < e->table_count; t++) {
        if (e->tables[t].k != 4) continue;
        int64_t *f = it->table + t * SOS_GRID_SETS;
        memcpy(f, it->net.table + e->tables[t].offset, SOS_GRID_SETS * sizeof *f);
        table_split(f, it->base + 4 * t);
    }
    return true;
}

bool sos_card_item_prepare(sos_card_item *it, const sos_minimize_settings *settings, int threads)
{
    const double began = sos_seconds();
    sos_error unused;
    it->net.threads = threads;
    sos_network_sketch(&it->net, it->energy, it->most_places);
    if (sos_network_scale(&it->net, it->energy, settings->bits, 0, &unused)) return false;
    const bool ready = it->pairs || tables_prepare(it);
    it->seconds = sos_seconds() - began;
    return ready;
}

void sos_card_item_free(sos_card_item *it)
{
    sos_network_free(&it->net);
    free(it->table);
    free(it->base);
}

/* ---- filling in ---- */

static void number_store(const sos_card_item *it, void *to, size_t at, int64_t x)
{
    if (it->net.scaling.bits == 32)
        ((int32_t *)to)[at] = (int32_t)x;
    else
        ((int64_t *)to)[at] = x;
}

/* What the bases of the patches around it leave to a pixel. */
static int64_t bases_at(const sos_card_item *it, size_t x, size_t y)
{
    const uint32_t *tables = it->energy->pools[4].tables, *own = tables + y * (it->width - 1) + x;
    const bool right = x + 1 < it->width, below = y + 1 < it->height;
    int64_t sum = 0;
    if (right && below) sum += it->base[4 * (size_t)own[0]];
    if (x && below) sum += it->base[4 * (size_t)own[-1] + 1];
    if (right && y) sum += it->base[4 * (size_t) * (own - (it->width - 1)) + 2];
    if (x && y) sum += it->base[4 * (size_t) * (own - it->width) + 3];
    return sum;
}

static void row_fill(const sos_card_item *it, const sos_card_grid *g, const int64_t unary[], size_t y)
{
    const size_t w = it->width, p = y * w;
    for (size_t x = 0; x < w; x++) number_store(it, g->unary, p + x, unary[p + x] + bases_at(it, x, y));
    const uint32_t *tables = it->energy->pools[4].tables + y * (w - 1);
    for (size_t x = 0; g->chosen && x < w; x++) g->which[p + x] = x + 1 < w && y + 1 < it->height ? (uint16_t)tables[x] : 0;
}

static bool patches_fill(const sos_card_item *it, const sos_card_grid *g, const int64_t unary[], int threads)
{
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t y = 0; y < it->height; y++) row_fill(it, g, unary, y);
    for (size_t i = 0; i < (size_t)g->tables * SOS_GRID_SETS; i++) number_store(it, g->table, i, it->table[i]);
    return true;
}

/* Where a pair of neighbours stands: patch * 6 + one of the pairs of grid.h, whose first pixel is the lower one.  Along the
 * last column and row its patch is the one before. */
static size_t strength_place(const sos_card_item *it, uint32_t low, uint32_t high)
{
    const uint32_t w = (uint32_t)it->width, far = high - low;
    const bool last_column = low % w + 1 == w, last_row = low / w + 1 == it->height;
    if (far == 1 && !last_column) return SOS_GRID_PAIRS * (size_t)(last_row ? low - w : low) + (last_row ? 1 : 0);
    if (far == w) return SOS_GRID_PAIRS * (size_t)(last_column ? low - 1 : low) + (last_column ? 3 : 2);
    return far == w + 1 ? SOS_GRID_PAIRS * (size_t)low + 4 : SOS_GRID_PAIRS * (size_t)(low - 1) + 5;
}

static int64_t number_at(const sos_card_item *it, const void *from, size_t at)
{
    return it->net.scaling.bits == 32 ? ((const int32_t *)from)[at] : ((const int64_t *)from)[at];
}

/* Integers hold what the pairs of a variable come to, but maybe not those of a patch on the border. */
static bool strengths_fit(const sos_card_item *it, const sos_card_grid *g)
{
    const int64_t most = it->net.scaling.bits == 32 ? INT32_MAX : INT64_MAX;
    bool fit = true;
    for (size_t p = 0; fit && p < it->energy->n; p++) {
        int64_t left = most;
        for (size_t i = 0; i < SOS_GRID_PAIRS; i++) {
            const int64_t strength = number_at(it, g->strength, SOS_GRID_PAIRS * p + i);
            fit &= strength >= 0 && strength <= left;
            left -= strength;
        }
    }
    return fit;
}

/* Each pair is a modular function, which goes to the unaries, and what it costs where its lower variable is 1 and the other 0.
 * What rounding did is added up in the order of the cliques, as the flow does. */
static bool pairs_fill(sos_card_item *it, const sos_card_grid *g, int64_t unary[])
{
    const sos_energy *e = it->energy;
    const sos_pool *pool = &e->pools[2];
    sos_pair pair = { 0, 0, 0 };
    double once = 0;
    memset(g->strength, 0, SOS_GRID_PAIRS * e->n * (size_t)(it->net.scaling.bits / 8));
    for (size_t c = 0; c < pool->count; c++) {
        if (!c || pool->weights || pool->tables[c] != pool->tables[c - 1]) {
            once = 0;
            pair = sos_network_pair(&it->net, e, (uint32_t)c, &once);
        }
        const uint32_t a = pool->variables[2 * c], b = pool->variables[2 * c + 1], low = a < b ? a : b, high = a < b ? b : a;
        const int64_t alone = a < b ? pair.two : pair.one; /* what it costs that only the higher is 1 */
        const size_t at = strength_place(it, low, high);
        unary[low] += pair.both - alone;
        unary[high] += alone;
        number_store(it, g->strength, at, number_at(it, g->strength, at) + pair.one + pair.two - pair.both);
        it->rounding += once;
    }
    for (size_t p = 0; p < e->n; p++) number_store(it, g->unary, p, unary[p]);
    return strengths_fit(it, g);
}

bool sos_card_item_fill(sos_card_item *it, const sos_card_grid *g, int threads)
{
    const double began = sos_seconds();
    int64_t *unary = malloc(it->energy->n * sizeof *unary);
    if (!unary) return false;
    it->net.threads = threads;
    sos_network_unaries(&it->net, it->energy, unary, &it->rounding);
    const bool fits = it->pairs ? pairs_fill(it, g, unary) : patches_fill(it, g, unary, threads);
    free(unary);
    it->seconds += sos_seconds() - began;
    return fits;
}

/* ---- answers ---- */

bool sos_card_item_finish(const sos_card_item *it, const sos_card_grid *g, const sos_card_work *work, uint8_t labels[],
                          sos_minimize_result *result)
{
    const double began = sos_seconds();
    sos_minimize_result r = { .device = SOS_DEVICE_CARD, .seconds_build = it->seconds };
    sos_flow_job job = { .energy = it->energy,
                         .network = &it->net,
                         .threads = work->threads,
                         .settings = work->settings,
                         .labels = g->labels,
                         .rounding = it->rounding,
                         .result = &r };
    if (!g->solved) return false;
    job.bound = sos_wide_value((sos_wide){ g->bound_high, (uint64_t)g->bound_low }, -it->net.scaling.exponent);
    sos_certify(&job);
    const double off = 2 * r.rounding + 1e-9 * fabs(r.energy);
    if (r.rounding == 0 && it->net.lost == 0 && r.energy - r.lower_bound > off) return false;
    memcpy(labels, g->labels, it->energy->n);
    r.bytes = it->energy->costs_count * sizeof *it->net.table;
    r.seconds_solve = work->seconds + (sos_seconds() - began);
    *result = r;
    return true;
}
