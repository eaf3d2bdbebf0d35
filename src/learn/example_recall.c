/* example_recall.c - see example_recall.h. */
#include "learn/example_recall.h"

#include <stdlib.h>
#include <string.h>

#include "learn/dense.h"

/* What a labelling changes takes no more numbers than a share of the example's variables, in small examples this many: where it
 * would, as with the first answers, which have little in common, the labelling does not serve.  Measured with a half to a
 * sixteenth: as many minimisations are spared. */
enum { ENTRIES_SHARE = 16, ENTRIES_LEAST = 1024 };

enum { SOURCES = SOS_RECALL_ANSWERS + 1 }; /* the answers, and the truth */

void sos_recall_free(sos_recall *r)
{
    free(r->bits);
    free(r->a);
    free(r->pieces);
    free(r->entries.index);
    free(r->entries.value);
    *r = (sos_recall){ 0 };
}

bool sos_recall_serves(const sos_example *x) { return x->layout->labels == 2 && !x->regions_count && !x->counts_count; }

/* ---------------------------------------------------------------- what is open */

/* Cliques of k members, one of which is open at least. */
typedef struct open_cliques {
    size_t count, numbers_room, members_room;
    uint32_t *numbers; /* [count] of the energy's pool */
    uint32_t *members; /* [count * k] by their place among the open variables */
} open_cliques;

/* Variables on whose label the labellings do not agree, and their cliques.  Place 0 stands for all others labelled 0, place 1
 * for all others labelled 1. */
typedef struct opening {
    const sos_example *x;
    size_t count, room;
    uint32_t *variables; /* [count] */
    uint8_t *label;      /* [count] in the newest answer */
    uint8_t *apart;      /* [count] bit k: labelling k has another; 0: of all others */
    open_cliques cliques[SOS_TABLE_MEMBERS_MAX + 1];

    /* Trees of variables that belong together: in an island, or in a piece. */
    uint32_t *island, *piece; /* [count] parents, then roots */
    uint32_t *order;          /* [count] */
} opening;

enum { CLOSED = 2 }; /* places that stand for the variables that are not open */

static void opening_free(opening *o)
{
    free(o->variables);
    free(o->label);
    free(o->apart);
    free(o->island);
    free(o->piece);
    free(o->order);
    for (size_t k = 0; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        free(o->cliques[k].numbers);
        free(o->cliques[k].members);
    }
}

/* The bits that are labellings. */
static uint8_t known_bits(const sos_recall *r) { return (uint8_t)((1 << SOS_RECALL_ANSWERS) | ((1 << r->answers) - 1)); }

static bool is_open(uint8_t bits, uint8_t known) { return (bits & known) && (bits & known) != known; }

static bool opening_take_memory(opening *o, size_t count)
{
    o->count = count;
    o->variables = malloc(count * sizeof *o->variables);
    o->label = calloc(count, 1);
    o->apart = calloc(count, 1);
    o->island = malloc(count * sizeof *o->island);
    o->piece = malloc(count * sizeof *o->piece);
    o->order = malloc(count * sizeof *o->order);
    return o->variables && o->label && o->apart && o->island && o->piece && o->order;
}

/* place[i]: of variable i among the open ones, or that of the closed ones with its label. */
static bool open_variables(opening *o, const sos_recall *r, uint32_t place[])
{
    const uint8_t known = known_bits(r);
    size_t count = CLOSED;
    for (size_t i = 0; i < o->x->n; i++) count += is_open(r->bits[i], known);
    if (!opening_take_memory(o, count)) return false;
    o->label[1] = 1;
    uint32_t next = CLOSED;
    for (uint32_t i = 0; i < o->x->n; i++) {
        const uint8_t bits = r->bits[i], newest = bits & 1;
        place[i] = newest;
        if (!is_open(bits, known)) continue;
        place[i] = next;
        o->variables[next] = i;
        o->label[next] = newest;
        o->apart[next++] = (newest ? (uint8_t)~bits : bits) & known;
    }
    return true;
}

static inline bool has_open(size_t k, const uint32_t v[], const uint32_t place[])
{
    bool open = false;
    for (size_t q = 0; q < k; q++) open |= place[v[q]] >= CLOSED;
    return open;
}

static inline bool cliques_open(open_cliques *o, size_t k, const sos_pool *pool, const uint32_t place[])
{
    for (size_t c = 0; c < pool->count; c++) {
        const uint32_t *v = pool->variables + c * k;
        if (!has_open(k, v, place)) continue;
        if (!sos_grow(&o->numbers, &o->numbers_room, o->count + 1) ||
            !sos_grow(&o->members, &o->members_room, (o->count + 1) * k))
            return false;
        for (size_t q = 0; q < k; q++) o->members[o->count * k + q] = place[v[q]];
        o->numbers[o->count++] = (uint32_t)c;
    }
    return true;
}

static bool opening_create(opening *o, const sos_recall *r, const sos_example *x)
{
    *o = (opening){ .x = x };
    uint32_t *place = malloc((x->n ? x->n : 1) * sizeof *place);
    bool ok = place && open_variables(o, r, place);
#define OPEN(k) cliques_open(&o->cliques[k], k, &x->energy->pools[k], place)
    for (size_t k = 1; ok && k <= SOS_TABLE_MEMBERS_MAX; k++) ok = SOS_FOR_SIZE(k, OPEN);
#undef OPEN
    free(place);
    if (!ok) opening_free(o);
    return ok;
}

/* ---------------------------------------------------------------- what belongs together */

static uint32_t root_of(uint32_t parent[], uint32_t o)
{
    while (parent[o] != o) o = parent[o] = parent[parent[o]];
    return o;
}

/* The members that are not as in one of the labellings are put into one tree, whose root is the first of all. */
static inline void members_join(const opening *o, size_t k, const uint32_t v[], uint8_t labellings, uint32_t parent[])
{
    uint32_t root = UINT32_MAX;
    for (size_t q = 0; q < k; q++) {
        if (!(o->apart[v[q]] & labellings)) continue;
        const uint32_t other = root_of(parent, v[q]);
        if (root != UINT32_MAX) parent[other > root ? other : root] = other > root ? root : other;
        if (other < root) root = other;
    }
}

static inline void cliques_join(const opening *o, size_t k, uint8_t labellings, uint32_t parent[])
{
    const open_cliques *open = &o->cliques[k];
    for (size_t c = 0; c < open->count; c++) members_join(o, k, open->members + c * k, labellings, parent);
}

/* Trees of variables that are not as in the labellings and share cliques; parent[o] becomes the root. */
static void join(const opening *o, uint8_t labellings, uint32_t parent[])
{
    for (uint32_t v = 0; v < o->count; v++) parent[v] = v;
#define JOIN(k) cliques_join(o, k, labellings, parent)
    for (size_t k = 2; k <= SOS_TABLE_MEMBERS_MAX; k++) SOS_FOR_SIZE(k, JOIN);
#undef JOIN
    for (uint32_t v = CLOSED; v < o->count; v++) parent[v] = root_of(parent, v);
}

/* ---------------------------------------------------------------- pieces */

/* A variable (k = 0) or a clique of k members that changes with a piece. */
typedef struct change {
    uint32_t k, number; /* its place among the open ones */
    uint32_t root;      /* of the piece */
} change;

typedef struct changes {
    change *list, *sorted;
    size_t count;
} changes;

static inline uint32_t first_apart(const opening *o, size_t k, const uint32_t v[], uint8_t labelling)
{
    for (size_t q = 0; q < k; q++)
        if (o->apart[v[q]] & labelling) return v[q];
    return UINT32_MAX;
}

static inline void cliques_change(const opening *o, size_t k, uint8_t labelling, changes *all)
{
    const open_cliques *open = &o->cliques[k];
    for (uint32_t c = 0; c < open->count; c++) {
        const uint32_t v = first_apart(o, k, open->members + c * k, labelling);
        if (v != UINT32_MAX) all->list[all->count++] = (change){ (uint32_t)k, c, o->piece[v] };
    }
}

/* All that changes with a labelling, piece by piece in the order of their roots; o->order is how many come before each. */
static void changes_list(const opening *o, uint8_t labelling, changes *all)
{
    all->count = 0;
    for (uint32_t v = CLOSED; v < o->count; v++)
        if (o->apart[v] & labelling) all->list[all->count++] = (change){ 0, v, o->piece[v] };
#define CHANGE(k) cliques_change(o, k, labelling, all)
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) SOS_FOR_SIZE(k, CHANGE);
#undef CHANGE
    memset(o->order, 0, o->count * sizeof *o->order);
    for (size_t i = 0; i < all->count; i++) o->order[all->list[i].root]++;
    uint32_t before = 0;
    for (size_t v = 0; v < o->count; v++) {
        const uint32_t here = o->order[v];
        o->order[v] = before;
        before += here;
    }
    for (size_t i = 0; i < all->count; i++) all->sorted[o->order[all->list[i].root]++] = all->list[i];
}

/* Adds what the change adds to the plane, and returns what it adds to the loss. */
static double change_add(const opening *o, const change *c, uint8_t labelling, sos_sparse *entries)
{
    if (!c->k) return sos_example_move_variable(o->x, o->variables[c->number], !o->label[c->number], entries);
    const open_cliques *open = &o->cliques[c->k];
    const uint32_t *v = open->members + (size_t)c->number * c->k;
    size_t S = 0, D = 0;
    for (size_t q = 0; q < c->k; q++) {
        S |= (size_t)o->label[v[q]] << q;
        D |= (size_t)((o->apart[v[q]] & labelling) != 0) << q;
    }
    return sos_example_move_clique(o->x, c->k, open->numbers[c->number], S, S ^ D, entries);
}

/* The pieces in which a labelling differs from the newest answer; false: no memory. */
static bool take_apart(sos_recall *r, const opening *o, uint32_t source, changes *all)
{
    const uint8_t labelling = (uint8_t)(1 << source);
    const size_t share = o->x->n / ENTRIES_SHARE, pieces = r->count, entries = r->entries.count;
    const size_t most = entries + (share > ENTRIES_LEAST ? share : ENTRIES_LEAST);
    join(o, labelling, o->piece);
    changes_list(o, labelling, all);
    for (size_t i = 0; i < all->count; i++) {
        if (!i || all->sorted[i].root != all->sorted[i - 1].root) {
            if (r->entries.count > most) break;
            if (!sos_grow(&r->pieces, &r->room, r->count + 1)) return false;
            r->entries.begin = r->entries.count;
            r->pieces[r->count++] = (sos_piece){ o->island[all->sorted[i].root], source, r->entries.count, 0 };
        }
        r->pieces[r->count - 1].loss += change_add(o, &all->sorted[i], labelling, &r->entries);
    }
    if (r->entries.count > most) {
        r->count = pieces;
        r->entries.count = entries;
    }
    return !r->entries.no_memory;
}

/* Islands in the order of their roots. */
static void number_islands(sos_recall *r, const opening *o)
{
    r->islands = 0;
    for (uint32_t v = CLOSED; v < o->count; v++)
        if (o->island[v] == v) o->order[v] = (uint32_t)r->islands++;
    for (uint32_t v = CLOSED; v < o->count; v++) o->island[v] = o->order[o->island[v]];
}

static bool lay_pieces(sos_recall *r, const sos_example *x)
{
    opening o;
    if (!opening_create(&o, r, x)) return false;
    size_t most = o.count;
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) most += o.cliques[k].count;
    changes all = { .list = malloc(most * sizeof *all.list), .sorted = malloc(most * sizeof *all.sorted) };
    r->entries.slot = calloc(x->layout->weights, sizeof *r->entries.slot);
    bool ok = all.list && all.sorted && r->entries.slot;
    r->count = r->entries.count = 0;
    r->entries.no_memory = false;
    if (ok) {
        join(&o, known_bits(r), o.island);
        number_islands(r, &o);
    }
    for (uint32_t source = 1; ok && source < SOURCES; source++)
        if (source < r->answers || source == SOS_RECALL_ANSWERS) ok = take_apart(r, &o, source, &all);
    free(r->entries.slot);
    r->entries.slot = NULL;
    free(all.list);
    free(all.sorted);
    opening_free(&o);
    return ok;
}

/* ---------------------------------------------------------------- answers */

static bool recall_begin(sos_recall *r, const sos_example *x)
{
    const size_t d = x->layout->weights;
    r->bits = malloc(x->n ? x->n : 1);
    r->a = malloc((d ? d : 1) * sizeof *r->a);
    if (!r->bits || !r->a) return false;
    const uint8_t *truth = sos_example_reference(x);
    for (size_t i = 0; i < x->n; i++) r->bits[i] = (uint8_t)((truth[i] != 0) << SOS_RECALL_ANSWERS);
    return true;
}

sos_status sos_recall_note(sos_recall *r, const sos_example *x, const uint8_t labels[], const double difference[], double loss,
                           sos_error *error)
{
    const uint8_t truth = 1 << SOS_RECALL_ANSWERS;
    bool ok = r->bits || recall_begin(r, x);
    for (size_t i = 0; ok && i < x->n; i++)
        r->bits[i] = (uint8_t)((r->bits[i] & truth) | (((r->bits[i] << 1) | labels[i]) & (truth - 1)));
    if (ok) {
        memcpy(r->a, difference, x->layout->weights * sizeof *r->a);
        r->b = loss;
        if (r->answers < SOS_RECALL_ANSWERS) r->answers++;
        ok = lay_pieces(r, x);
    }
    if (ok) return SOS_OK;
    sos_recall_free(r);
    return sos_fail(error, SOS_ERR_MEMORY, "no memory for the answers of %zu variables", x->n);
}

static size_t piece_end(const sos_recall *r, size_t p) { return p + 1 < r->count ? r->pieces[p + 1].begin : r->entries.count; }

/* By how much more the constraint is violated with the piece changed. */
static double piece_gain(const sos_recall *r, size_t p, const double w[])
{
    double sum = r->pieces[p].loss;
    for (size_t e = r->pieces[p].begin; e < piece_end(r, p); e++) sum -= r->entries.value[e] * w[r->entries.index[e]];
    return sum;
}

/* The labelling whose pieces gain most, of each island. */
static void choose_sources(const sos_recall *r, const double gain[], double sums[], uint32_t chosen[])
{
    memset(sums, 0, r->islands * SOURCES * sizeof *sums);
    for (size_t p = 0; p < r->count; p++)
        if (gain[p] > 0) sums[r->pieces[p].island * SOURCES + r->pieces[p].source] += gain[p];
    for (size_t i = 0; i < r->islands; i++) {
        chosen[i] = 0;
        for (uint32_t source = 1; source < SOURCES; source++)
            if (sums[i * SOURCES + source] > sums[i * SOURCES + chosen[i]]) chosen[i] = source;
    }
}

sos_status sos_recall_answer(const sos_recall *r, size_t d, const double w[], double difference[], double *loss, bool *known,
                             sos_error *error)
{
    *known = false;
    if (!r->answers) return SOS_OK;
    double *gain = malloc((r->count + r->islands * SOURCES + 1) * sizeof *gain);
    uint32_t *chosen = malloc((r->islands + 1) * sizeof *chosen);
    if (gain && chosen) {
        for (size_t p = 0; p < r->count; p++) gain[p] = piece_gain(r, p, w);
        choose_sources(r, gain, gain + r->count, chosen);
        memcpy(difference, r->a, d * sizeof *difference);
        *loss = r->b;
        for (size_t p = 0; p < r->count; p++) {
            if (!(gain[p] > 0) || chosen[r->pieces[p].island] != r->pieces[p].source) continue;
            *loss += r->pieces[p].loss;
            for (size_t e = r->pieces[p].begin; e < piece_end(r, p); e++)
                difference[r->entries.index[e]] += r->entries.value[e];
        }
        *known = true;
    }
    free(gain);
    free(chosen);
    return *known ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pieces", r->count);
}
