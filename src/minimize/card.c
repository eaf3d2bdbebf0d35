#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#endif
#include "minimize/card.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/threads.h"
#include "base/wide.h"
#include "minimize/card_item.h"
#include "minimize/card_open.h"

/* So many variables together make it worth to start the driver, which takes some tenths of a second; and so many to use a card
 * that is there. */
enum { WORTH_STARTING = 1 << 22, WORTH_USING = 1 << 15 };

/* Pixels of a slice: the next is packed, and the last unpacked, while the card works. */
enum { SLICE_PIXELS = 1 << 24 };

/* From so many pixels on an energy that is alone has all threads; fewer are packed before threads have gathered. */
enum { MANY_PIXELS = 1 << 18 };

/* A card that works on a single energy for so long a pixel, or on several, is in trouble: paths are long, and it has few at a
 * time to push along.  Then the CPU does the same work, of which one thread needs 25 ns a pixel where it is easiest.  Several
 * are given more time: a race that begins just before the card is done costs more than it spares. */
static const double PATIENCE_ONE = 5e-9, PATIENCE_MORE = 60e-9;

/* So often a thread that is alone looks whether the card is done meanwhile. */
static const double LOOKS = 50e-6;

/* And so long one that watches the card leaves it alone for no moment. */
static const double WATCHED = 2e-3;

/* One call. */
typedef struct batch {
    const sos_card_ops *card;
    size_t memory; /* of the card, for one slot */
    const sos_minimize_settings *settings;
    int threads;
    size_t count;
    sos_card_item *items;
    sos_card_grid *grids; /* of the items */
    uint8_t *const *labels;
    sos_minimize_result *results;
    bool *done;
    double seconds;      /* of the card, for each of the slice that was fetched last */
    atomic_bool stopped; /* the caller's progress says so */
} batch;

/* ---- which energies ---- */

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
    for (size_t i = 0; i < count; i++) any |= energies[i] && sos_card_may_take(energies[i], s->device);
    return any && sos_card_is_there();
}

typedef void item_work(batch *b, size_t i, int threads);

/* Several items at once, or one by all threads: not from within a team of one, inside which teams do not last. */
static void each_item(batch *b, size_t begin, size_t end, item_work *work)
{
    if (end - begin == 1) {
        work(b, begin, b->items[begin].energy && b->items[begin].energy->n >= MANY_PIXELS ? sos_thread_team(b->threads) : 1);
        return;
    }
#pragma omp parallel for num_threads(b->threads) schedule(dynamic, 1)
    for (size_t i = begin; i < end; i++) work(b, i, 1);
}

/* ---- slices ---- */

/* Items begin .. end - 1, which are in a slot. */
typedef struct slice {
    size_t begin, end;
    bool started;
} slice;

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

static void fill_one(batch *b, size_t i, int threads)
{
    b->items[i].ready = sos_card_item_fill(&b->items[i], &b->grids[i], threads);
}

static bool slice_start(batch *b, slice *s, int slot)
{
    sos_error unused;
    bool filled = true;
    if (b->card->lay(slot, b->items[s->begin].net.scaling.bits, s->end - s->begin, b->grids + s->begin, &unused)) return false;
    each_item(b, s->begin, s->end, fill_one);
    for (size_t i = s->begin; i < s->end; i++) filled &= b->items[i].ready;
    s->started = filled && !b->card->start(slot, &unused);
    return s->started;
}

/* Asks the caller; from any thread, one at a time. */
static bool goes_on(batch *b)
{
    const sos_work *work = &b->settings->work;
#pragma omp critical(sos_card_progress)
    if (work->progress && !atomic_load(&b->stopped) && !work->progress(work->user, "minimise", -1))
        atomic_store(&b->stopped, true);
    return !atomic_load(&b->stopped);
}

/* ---- while the card works ---- */

/* The CPU minimises items of a slice, the last first, until the card is done with it; and what the card could not. */
typedef struct race {
    batch *b;
    const slice *s;
    int slot;
    bool alone;            /* one thread has the card and the race */
    atomic_int came;       /* threads; the first has an eye on the card */
    atomic_bool fetched;   /* the card is done: its grids say which are solved */
    atomic_size_t left;    /* items that are nobody's yet */
    atomic_size_t missing; /* items that nobody has solved */
} race;

/* One of its threads. */
typedef struct racer {
    race *r;
    size_t item; /* at which it is */
    double looked;
} racer;

/* The card is done, or has been stopped.  Where it failed nothing is solved. */
static void race_fetch(race *r)
{
    sos_error unused;
    double seconds[2];
    const batch *b = r->b;
    const size_t count = r->s->end - r->s->begin;
    const bool failed = b->card->finish(r->slot, count, b->grids + r->s->begin, seconds, &unused);
    for (size_t i = r->s->begin; failed && i < r->s->end; i++) b->grids[i].solved = false;
    r->b->seconds = failed ? 0 : seconds[0] / (double)count;
    atomic_store(&r->fetched, true);
}

static bool racer_goes_on(void *user, const char *phase, double done)
{
    (void)phase, (void)done;
    racer *me = user;
    race *r = me->r;
    if (r->alone && !atomic_load(&r->fetched)) {
        const double now = sos_seconds(); /* on some machines as slow as to look */
        if (now - me->looked < LOOKS) return true;
        me->looked = now;
        if (r->b->card->is_ready(r->slot)) race_fetch(r);
    }
    if (atomic_load(&r->fetched) && r->b->grids[me->item].solved) return false;
    return !r->b->settings->work.progress || goes_on(r->b);
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
    for (size_t left = atomic_load(&r->left); left && !atomic_load(&r->b->stopped); left = atomic_load(&r->left)) {
        if (!atomic_compare_exchange_strong(&r->left, &left, left - 1)) continue;
        me.item = r->s->begin + left - 1;
        const sos_card_item *it = &r->b->items[me.item];
        sos_minimize_result result;
        if (!racer_goes_on(&me, NULL, -1)) continue;
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
    const double until = sos_seconds() + WATCHED;
    while (!b->card->is_ready(r->slot) && atomic_load(&r->missing) && !atomic_load(&b->stopped))
        if (sos_seconds() < until)
            sched_yield();
        else
            nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
    if (!b->card->is_ready(r->slot)) b->card->stop(r->slot);
    race_fetch(r);
}

/* One thread watches, the others run. */
static void race_run(race *r)
{
    if (r->b->threads == 1) {
        r->alone = true;
        racer_run(r);
        if (!atomic_load(&r->fetched)) race_watch(r);
        return;
    }
#pragma omp parallel num_threads(r->b->threads)
    {
        if (atomic_fetch_add(&r->came, 1))
            racer_run(r);
        else
            race_watch(r);
    }
}

static void finish_one(batch *b, size_t i, int threads)
{
    const sos_card_item *it = &b->items[i];
    const size_t number = it->number;
    if (b->done[number]) return;
    const sos_card_work work = { b->settings, b->seconds, threads };
    sos_minimize_result r;
    b->done[number] = sos_card_item_finish(it, &b->grids[i], &work, b->labels[number], &r);
    if (b->done[number] && b->results) b->results[number] = r;
}

/* Waits for the card, patiently at first. */
static void slice_finish(batch *b, const slice *s, int slot)
{
    const double began = sos_seconds();
    const size_t count = s->end - s->begin;
    size_t pixels = 0;
    race r = { .b = b, .s = s, .slot = slot, .left = count, .missing = count };
    for (size_t i = s->begin; i < s->end; i++) pixels += b->items[i].energy->n;
    const double patience = (count == 1 ? PATIENCE_ONE : PATIENCE_MORE) * (double)pixels;
    while (!b->card->is_ready(slot) && sos_seconds() - began < patience) sched_yield();
    if (b->card->is_ready(slot))
        race_fetch(&r);
    else
        race_run(&r);
    each_item(b, s->begin, s->end, finish_one);
}

/* A single small energy: a second thread begins while the first is still packing. */
static void duel_run(batch *b)
{
    slice s = slice_next(b, 0);
    race r = { .b = b, .s = &s, .left = 1, .missing = 1 };
    const double until = sos_seconds() + PATIENCE_ONE * (double)b->items[0].energy->n;
    if (s.end == s.begin || !goes_on(b)) return; /* too large for the card */
#pragma omp parallel num_threads(2)
    {
        if (!atomic_fetch_add(&r.came, 1)) {
            if (slice_start(b, &s, 0)) race_watch(&r);
        } else {
            while (!atomic_load(&r.fetched) && sos_seconds() < until) sched_yield();
            racer_run(&r);
        }
    }
    if (atomic_load(&r.fetched)) each_item(b, 0, 1, finish_one);
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
        if (last.started) slice_finish(b, &last, other);
        if (!more) return;
        last = next;
    }
}

/* ---- a batch ---- */

static void find_one(batch *b, size_t i, int threads)
{
    sos_card_item *it = &b->items[i];
    it->ready = it->energy && sos_card_item_find(it, b->settings->device, threads);
}

static void prepare_one(batch *b, size_t i, int threads)
{
    b->items[i].ready = sos_card_item_prepare(&b->items[i], b->settings, threads);
}

/* Drops those that are not ready. */
static size_t items_sift(batch *b, size_t count)
{
    size_t ready = 0;
    for (size_t i = 0; i < count; i++)
        if (b->items[i].ready)
            b->items[ready++] = b->items[i];
        else
            sos_card_item_free(&b->items[i]);
    return ready;
}

/* The energies that are grids. */
static bool items_find(batch *b, size_t count, const sos_energy *const energies[])
{
    b->items = calloc(count, sizeof *b->items);
    b->grids = calloc(count, sizeof *b->grids);
    if (!b->items || !b->grids) return false;
    for (size_t i = 0; i < count; i++) b->items[i] = (sos_card_item){ .energy = energies[i], .number = i };
    each_item(b, 0, count, find_one);
    b->count = items_sift(b, count);
    return b->count != 0;
}

/* Their integers. */
static bool items_prepare(batch *b)
{
    each_item(b, 0, b->count, prepare_one);
    b->count = items_sift(b, b->count);
    for (size_t i = 0; i < b->count; i++) {
        const sos_card_item *it = &b->items[i];
        b->grids[i] = (sos_card_grid){ .width = (uint32_t)it->width,
                                       .height = (uint32_t)it->height,
                                       .tables = it->pairs ? 0 : (uint32_t)it->energy->table_count,
                                       .chosen = !it->pairs && it->energy->table_count > 1 };
    }
    return b->count != 0;
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
    if (sos_card_is_wanted(count, energies, settings) && items_find(&b, count, energies))
        b.card = sos_card_take(settings->device == SOS_DEVICE_CARD, &memory, &unused);
    b.memory = memory / SOS_CARD_SLOTS / 5 * 4;
    if (b.card) {
        const bool any = items_prepare(&b);
        if (any && b.count == 1 && b.threads > 1 && b.items[0].energy->n < MANY_PIXELS)
            duel_run(&b);
        else if (any)
            slices_run(&b);
        *stopped = *stopped || atomic_load(&b.stopped);
        sos_card_leave();
    }
    for (size_t i = 0; i < b.count; i++) sos_card_item_free(&b.items[i]);
    free(b.items);
    free(b.grids);
}
