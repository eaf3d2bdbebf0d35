#include "minimize/card.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"
#include "base/wide.h"
#include "minimize/card_open.h"
#include "minimize/certificate.h"

/* So many variables together make it worth to start the driver, which takes some tenths of a second; and so many to use a card
 * that is there. */
enum { WORTH_STARTING = 1 << 22, WORTH_USING = 1 << 15 };

/* Pixels of a slice: the next is packed, and the last unpacked, while the card works. */
enum { SLICE_PIXELS = 1 << 24 };

/* From so many pixels on several threads pack one grid. */
enum { MANY_PIXELS = 1 << 15 };

/* An energy of fewer is packed before threads have gathered. */
enum { LARGE_PIXELS = 1 << 18 };

/* The CPU needs this for a pixel of the easiest energies, one thread.  A card that works for longer than some share of it is in
 * trouble: paths are long, and it has few at a time to push along.  Then the CPU does the same work, so that both together
 * take little more than one thread alone would. */
static const double EASIEST = 25e-9, SHARE = 1.2;

/* So often a thread looks whether the card is done meanwhile. */
static const double LOOKS = 50e-6;

/* An energy on its way to the card. */
typedef struct item {
    const sos_energy *energy;
    size_t number; /* in the batch */
    size_t width, height;
    sos_network net; /* without the places of its nodes */
    int64_t *table;  /* of all tables: what is left of them without their bases, */
    int64_t *base;   /* 4 for each, */
    bool ready;      /* all of which is there */
    double rounding;
    double seconds; /* to get there */
} item;

/* One call. */
typedef struct batch {
    const sos_card_ops *card;
    size_t memory; /* of the card, for one slot */
    const sos_minimize_settings *settings;
    int threads;
    size_t count;
    item *items;
    sos_card_grid *grids; /* of the items */
    uint8_t *const *labels;
    sos_minimize_result *results;
    bool *done;
    atomic_bool stopped; /* the caller's progress says so */
} batch;

/* ---- which energies ---- */

static bool is_patch(const uint32_t member[4], uint32_t corner, size_t width)
{
    return member[0] == corner && member[1] == corner + 1 && member[2] == corner + width && member[3] == corner + width + 1;
}

bool sos_card_may_take(const sos_energy *e)
{
    const sos_pool *pool = &e->pools[4];
    if (!pool->count || pool->count + e->pools[1].count != e->clique_count || pool->weights || e->concave_count) return false;
    return !e->fixed && e->table_count <= SOS_GRID_TABLES_MAX && e->n <= INT32_MAX;
}

/* Are the cliques all 2x2 patches of a grid, row by row? */
static bool find_grid(const sos_energy *e, size_t *width, size_t *height)
{
    const sos_pool *pool = &e->pools[4];
    if (!sos_card_may_take(e)) return false;
    *width = (size_t)pool->variables[2] - pool->variables[0];
    if (*width < 2 || *width > e->n / 2 || e->n % *width) return false;
    *height = e->n / *width;
    if (pool->count != (*width - 1) * (*height - 1)) return false;
    const uint32_t *member = pool->variables;
    for (size_t y = 0; y + 1 < *height; y++)
        for (size_t x = 0; x + 1 < *width; x++, member += 4)
            if (!is_patch(member, (uint32_t)(y * *width + x), *width)) return false;
    return true;
}

static bool may_use(const sos_minimize_settings *s)
{
    if (s->device == SOS_DEVICE_CPU || s->maximal || s->memory_limit) return false;
    return s->device == SOS_DEVICE_CARD || s->start == SOS_START_COLD;
}

/* Are there so many variables, of any energies?  Nothing has been allocated yet: small calls do not. */
static bool is_worth(size_t count, const sos_energy *const energies[], const sos_minimize_settings *s)
{
    size_t variables = 0;
    for (size_t i = 0; i < count; i++) variables += energies[i] ? energies[i]->n : 0;
    return s->device == SOS_DEVICE_CARD || variables >= (sos_card_is_open() ? WORTH_USING : WORTH_STARTING);
}

bool sos_card_is_wanted(size_t count, const sos_energy *const energies[], const sos_minimize_settings *s)
{
    bool any = false;
    if (!may_use(s) || !is_worth(count, energies, s)) return false;
    for (size_t i = 0; i < count; i++) any |= energies[i] && sos_card_may_take(energies[i]);
    return any && sos_card_is_there();
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

/* The integers of the tables. */
static bool item_prepare(item *it, const sos_minimize_settings *s)
{
    const sos_energy *e = it->energy;
    const double began = sos_seconds();
    sos_error unused;
    sos_network_sketch(&it->net, e, (it->width > 2 ? 2U : 1U) * (it->height > 2 ? 2U : 1U));
    if (sos_network_scale(&it->net, e, s->bits, 0, &unused)) return false;
    it->table = calloc(e->table_count * SOS_GRID_SETS, sizeof *it->table);
    it->base = calloc(e->table_count * 4, sizeof *it->base);
    if (!it->table || !it->base) return false;
    for (size_t t = 0; t < e->table_count; t++) {
        if (e->tables[t].k != 4) continue;
        int64_t *f = it->table + t * SOS_GRID_SETS;
        memcpy(f, it->net.table + e->tables[t].offset, SOS_GRID_SETS * sizeof *f);
        table_split(f, it->base + 4 * t);
    }
    it->seconds = sos_seconds() - began;
    return true;
}

static void item_free(item *it)
{
    sos_network_free(&it->net);
    free(it->table);
    free(it->base);
}

/* What the bases of the patches around it leave to a pixel. */
static int64_t bases_at(const item *it, size_t x, size_t y)
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

static void row_fill(const item *it, const sos_card_grid *g, const int64_t unary[], size_t y)
{
    const size_t w = it->width, p = y * w;
    int32_t *narrow = (int32_t *)g->unary + p;
    int64_t *wide = (int64_t *)g->unary + p;
    for (size_t x = 0; x < w; x++) {
        const int64_t u = unary[p + x] + bases_at(it, x, y);
        if (it->net.scaling.bits == 32)
            narrow[x] = (int32_t)u;
        else
            wide[x] = u;
    }
    const uint32_t *tables = it->energy->pools[4].tables + y * (w - 1);
    for (size_t x = 0; g->chosen && x < w; x++) g->which[p + x] = x + 1 < w && y + 1 < it->height ? (uint16_t)tables[x] : 0;
}

/* Writes an item's integers to where the card takes them from. */
static bool item_fill(item *it, const sos_card_grid *g, int threads)
{
    const double began = sos_seconds();
    int64_t *unary = malloc(it->energy->n * sizeof *unary);
    if (!unary) return false;
    it->net.threads = threads;
    sos_network_unaries(&it->net, it->energy, unary, &it->rounding);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t y = 0; y < it->height; y++) row_fill(it, g, unary, y);
    for (size_t i = 0; i < (size_t)g->tables * SOS_GRID_SETS; i++)
        if (it->net.scaling.bits == 32)
            ((int32_t *)g->table)[i] = (int32_t)it->table[i];
        else
            ((int64_t *)g->table)[i] = it->table[i];
    free(unary);
    it->seconds += sos_seconds() - began;
    return true;
}

/* ---- answers ---- */

/* Labels and result, if the energy of the labels is what the flow proves. */
static bool item_finish(const batch *b, const item *it, const sos_card_grid *g, double seconds, int threads)
{
    const double began = sos_seconds();
    sos_minimize_result r = { .device = SOS_DEVICE_CARD, .seconds_build = it->seconds };
    uint8_t *labels = b->labels[it->number];
    sos_flow_job job = { .energy = it->energy,
                         .network = &it->net,
                         .threads = threads,
                         .settings = b->settings,
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
    r.seconds_solve = seconds + (sos_seconds() - began);
    if (b->results) b->results[it->number] = r;
    return true;
}

/* ---- slices ---- */

/* Items begin .. end - 1, which are in a slot. */
typedef struct slice {
    size_t begin, end;
    bool started;
    double seconds; /* of the card, for each */
} slice;

typedef void item_work(batch *b, const slice *s, size_t i, int threads);

/* Several items at once, or one by all threads: not from within a team of one, inside which teams do not last. */
static void each_item(batch *b, const slice *s, item_work *work)
{
    if (s->end - s->begin == 1) {
        work(b, s, s->begin, b->items[s->begin].energy->n >= MANY_PIXELS ? b->threads : 1);
        return;
    }
#pragma omp parallel for num_threads(b->threads) schedule(dynamic, 1)
    for (size_t i = s->begin; i < s->end; i++) work(b, s, i, 1);
}

/* As many items with integers of the same size as fit; the first always is one, unless it alone does not fit. */
static slice slice_next(const batch *b, size_t begin)
{
    slice s = { .begin = begin, .end = begin };
    size_t bytes = 0, pixels = 0;
    const int bits = begin < b->count ? b->items[begin].net.scaling.bits : 0;
    for (; s.end < b->count && b->items[s.end].net.scaling.bits == bits; s.end++) {
        bytes += b->card->bytes(bits, &b->grids[s.end]);
        pixels += b->items[s.end].energy->n;
        if (bytes > b->memory || (pixels > SLICE_PIXELS && s.end > begin) || s.end - begin >= UINT16_MAX) break;
    }
    return s;
}

static void fill_one(batch *b, const slice *s, size_t i, int threads)
{
    (void)s;
    b->items[i].ready = item_fill(&b->items[i], &b->grids[i], threads);
}

static bool slice_start(batch *b, slice *s, int slot)
{
    sos_error unused;
    bool filled = true;
    if (b->card->lay(slot, b->items[s->begin].net.scaling.bits, s->end - s->begin, b->grids + s->begin, &unused)) return false;
    each_item(b, s, fill_one);
    for (size_t i = s->begin; i < s->end; i++) filled &= b->items[i].ready;
    s->started = filled && !b->card->start(slot, &unused);
    return s->started;
}

/* Asks the caller; from any thread, one at a time. */
static bool goes_on(batch *b)
{
    const sos_work *work = &b->settings->work;
#pragma omp critical(sos_card_progress)
    if (work->progress && !atomic_load(&b->stopped) && !work->progress(work->user, "minimise", -1)) atomic_store(&b->stopped, true);
    return !atomic_load(&b->stopped);
}

/* ---- while the card works ---- */

/* The CPU minimises items of a slice, the last first, until the card is done with it. */
typedef struct race {
    batch *b;
    const slice *s;
    int slot;
    bool alone;            /* one thread has the card and the race */
    atomic_bool watched;   /* a thread has an eye on the card */
    atomic_bool over;      /* the card is done */
    atomic_size_t left;    /* items that are nobody's yet */
    atomic_size_t missing; /* items that nobody has solved */
} race;

/* One of its threads. */
typedef struct racer {
    race *r;
    double looked;
} racer;

static bool racer_goes_on(void *user, const char *phase, double done)
{
    (void)phase, (void)done;
    racer *me = user;
    race *r = me->r;
    const double now = sos_seconds();
    if (now - me->looked < LOOKS) return true;
    me->looked = now;
    if (r->alone && r->b->card->is_ready(r->slot)) atomic_store(&r->over, true);
    return !atomic_load(&r->over) && goes_on(r->b);
}

static void racer_run(race *r)
{
    racer me = { .r = r };
    sos_minimizer *m;
    sos_minimize_settings s = *r->b->settings;
    if (sos_minimizer_create(&m, NULL)) return;
    s.device = SOS_DEVICE_CPU;
    s.start = SOS_START_COLD;
    s.work = (sos_work){ .threads = 1, .progress = racer_goes_on, .user = &me };
    for (size_t left = atomic_load(&r->left); left && racer_goes_on(&me, NULL, -1); left = atomic_load(&r->left)) {
        if (!atomic_compare_exchange_strong(&r->left, &left, left - 1)) continue;
        const item *it = &r->b->items[r->s->begin + left - 1];
        sos_minimize_result result;
        if (sos_minimizer_run(m, it->energy, &s, r->b->labels[it->number], &result, NULL)) continue;
        if (r->b->results) r->b->results[it->number] = result;
        r->b->done[it->number] = true;
        atomic_fetch_sub(&r->missing, 1);
    }
    sos_minimizer_free(m);
}

/* Where all is done without the card, or the caller wants no more, it need not go on. */
static void race_watch(race *r)
{
    const batch *b = r->b;
    while (!b->card->is_ready(r->slot) && atomic_load(&r->missing) && !atomic_load(&b->stopped)) sched_yield();
    if (!b->card->is_ready(r->slot)) b->card->stop(r->slot);
    atomic_store(&r->over, true);
}

/* One thread watches, the others run. */
static void race_run(race *r, int threads)
{
    if (threads == 1) {
        r->alone = true;
        racer_run(r);
        race_watch(r);
        return;
    }
#pragma omp parallel num_threads(threads)
    {
        if (atomic_exchange(&r->watched, true))
            racer_run(r);
        else
            race_watch(r);
    }
}

/* Waits for the card, patiently at first. */
static void slice_wait(batch *b, const slice *s, int slot)
{
    const double began = sos_seconds();
    const size_t count = s->end - s->begin, runners = count < (size_t)b->threads ? count : (size_t)b->threads;
    size_t pixels = 0;
    race r = { .b = b, .s = s, .slot = slot, .left = count, .missing = count };
    for (size_t i = s->begin; i < s->end; i++) pixels += b->items[i].energy->n;
    const double patience = EASIEST * (SHARE - 1 / (double)runners) * (double)pixels;
    while (!b->card->is_ready(slot) && sos_seconds() - began < patience) sched_yield();
    if (!b->card->is_ready(slot)) race_run(&r, runners < (size_t)b->threads ? (int)runners + 1 : b->threads);
}

static void finish_one(batch *b, const slice *s, size_t i, int threads)
{
    bool *done = &b->done[b->items[i].number];
    *done = *done || item_finish(b, &b->items[i], &b->grids[i], s->seconds, threads);
}

/* After the card is done, or was stopped. */
static bool slice_finish(batch *b, slice *s, int slot)
{
    sos_error unused;
    double seconds[2];
    if (b->card->finish(slot, s->end - s->begin, b->grids + s->begin, seconds, &unused)) return false;
    s->seconds = seconds[0] / (double)(s->end - s->begin);
    each_item(b, s, finish_one);
    return true;
}

/* A single small energy: a second thread begins while the first is still packing. */
static void duel_run(batch *b)
{
    slice s = slice_next(b, 0);
    race r = { .b = b, .s = &s, .left = 1, .missing = 1 };
    const double until = sos_seconds() + EASIEST * (SHARE - 1) * (double)b->items[0].energy->n;
    if (s.end == s.begin || !goes_on(b)) return; /* too large for the card */
#pragma omp parallel num_threads(2)
    {
        if (!atomic_exchange(&r.watched, true)) {
            if (slice_start(b, &s, 0)) race_watch(&r);
        } else {
            while (!atomic_load(&r.over) && sos_seconds() < until) sched_yield();
            if (!atomic_load(&r.over)) racer_run(&r);
        }
    }
    if (s.started) slice_finish(b, &s, 0);
}

/* Slices take turns with the slots.  What fails is left to the caller. */
static void slices_run(batch *b)
{
    slice last = { 0 };
    for (int turn = 0;; turn++) {
        const int slot = turn % SOS_CARD_SLOTS, other = (turn + 1) % SOS_CARD_SLOTS;
        slice next = slice_next(b, last.end);
        const bool too_large = next.end == next.begin && next.begin < b->count;
        if (too_large) next.end++;
        const bool more = too_large || (next.begin < next.end && goes_on(b) && slice_start(b, &next, slot));
        if (last.started) {
            slice_wait(b, &last, other);
            if (!slice_finish(b, &last, other)) return;
        }
        if (!more) return;
        last = next;
    }
}

/* ---- a batch ---- */

/* The energies that are grids. */
static bool items_find(batch *b, size_t count, const sos_energy *const energies[])
{
    b->items = calloc(count, sizeof *b->items);
    b->grids = calloc(count, sizeof *b->grids);
    if (!b->items || !b->grids) return false;
    for (size_t i = 0; i < count; i++) b->items[i] = (item){ .energy = energies[i], .number = i };
#pragma omp parallel for num_threads(b->threads) schedule(dynamic, 1) if (b->threads > 1 && count > 1)
    for (size_t i = 0; i < count; i++) {
        item *it = &b->items[i];
        it->ready = it->energy && find_grid(it->energy, &it->width, &it->height);
    }
    for (size_t i = 0; i < count; i++)
        if (b->items[i].ready) b->items[b->count++] = b->items[i];
    return b->count != 0;
}

static void items_prepare(batch *b)
{
#pragma omp parallel for num_threads(b->threads) schedule(dynamic, 1) if (b->threads > 1 && b->count > 1)
    for (size_t i = 0; i < b->count; i++) {
        item *it = &b->items[i];
        it->ready = item_prepare(it, b->settings);
        b->grids[i] = (sos_card_grid){ .width = (uint32_t)it->width,
                                       .height = (uint32_t)it->height,
                                       .tables = (uint32_t)it->energy->table_count,
                                       .chosen = it->energy->table_count > 1 };
    }
    size_t ready = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (!b->items[i].ready) {
            item_free(&b->items[i]);
            continue;
        }
        b->grids[ready] = b->grids[i];
        b->items[ready++] = b->items[i];
    }
    b->count = ready;
}

void sos_card_minimize(size_t count, const sos_energy *const energies[], const sos_minimize_settings *settings,
                       uint8_t *const labels[], sos_minimize_result results[], bool done[], bool *stopped)
{
    sos_error unused;
    size_t memory = 0;
    batch b = { .settings = settings,
                .threads = sos_thread_team(settings->work.threads),
                .labels = labels,
                .results = results,
                .done = done };
    if (count && may_use(settings) && is_worth(count, energies, settings) && items_find(&b, count, energies)) {
        items_prepare(&b);
        b.card = b.count ? sos_card_take(settings->device == SOS_DEVICE_CARD, &memory, &unused) : NULL;
        b.memory = memory / SOS_CARD_SLOTS / 5 * 4;
        if (b.card) {
            if (b.count == 1 && b.threads > 1 && b.items[0].energy->n < LARGE_PIXELS)
                duel_run(&b);
            else
                slices_run(&b);
            *stopped = *stopped || atomic_load(&b.stopped);
            sos_card_leave();
        }
        for (size_t i = 0; i < b.count; i++) item_free(&b.items[i]);
    }
    free(b.items);
    free(b.grids);
}
