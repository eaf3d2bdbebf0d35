/* move_tables.c - the tables of a move: cliques that look alike share one (math.md, 13.2). */
#include "minimize/mover.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "energy/submodular.h"

/* What it costs, beyond taking none, that the set T of members that may move takes label a (13.2a). */
static void move_table(size_t k, const double g[], size_t a, const sos_move_key *key, double f[])
{
    const size_t entries = (size_t)1 << k;
    size_t A = 0;
    for (size_t q = 0; q < k; q++) A |= (size_t)(key->y[q] == a) << q;
    const double *ga = g + (a << k);
    for (size_t T = 0; T < entries; T++) f[T] = ga[A | (T & key->free)] - ga[A];
    for (size_t left = key->free; left;) {
        const size_t l = key->y[__builtin_ctzll(left)];
        size_t C = 0;
        for (size_t q = 0; q < k; q++) C |= (size_t)(key->y[q] == l) << q;
        const double *gl = g + (l << k);
        for (size_t T = 0; T < entries; T++) f[T] += gl[C & ~(T & key->free)] - gl[C];
        left &= ~C;
    }
}

/* The same of one label alone, over the members that may move. */
static void part_table(size_t k, const double g[], size_t a, const sos_move_key *key, double f[])
{
    const bool taken = key->part == SOS_PART_TAKEN;
    const size_t l = taken ? a : key->y[__builtin_ctz(key->free)];
    size_t C = 0, T = 0;
    for (size_t q = 0; q < k; q++) C |= (size_t)(key->y[q] == l) << q;
    const double *gl = g + (l << k);
    for (size_t i = 0; i < (size_t)1 << __builtin_popcount(key->free); i++) {
        f[i] = gl[taken ? C | T : C & ~T] - gl[C];
        T = (T - key->free) & key->free; /* the next set of these members */
    }
}

/* Where rounding of these sums broke submodularity, raises the table by c |T| (k - |T|), which gives every square 2 c
 * (math.md, 6.3); returns by how much any cost was raised. */
static double lift_table(size_t k, uint32_t members, double f[])
{
    const double c = sos_worst_violation(k, f).amount * (0.5 + 0x1p-50);
    const int most = __builtin_popcount(members);
    for (uint32_t T = 0; T < UINT32_C(1) << k; T++) {
        const int ones = __builtin_popcount(T & members);
        f[T] += c * (double)(ones * (most - ones));
    }
    return c * (double)(most * most) / 4;
}

static uint64_t key_hash(const sos_move_key *key)
{
    uint64_t part[sizeof *key / 8], hash = UINT64_C(0x9e3779b97f4a7c15);
    memcpy(part, key, sizeof part);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        hash = (hash ^ part[i]) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    return hash;
}

/* Makes room for one more entry; half of the slots stay empty. */
static bool cache_grow(sos_move_cache *cache)
{
    if (!sos_grow(&cache->entries, &cache->room, cache->count + 1)) return false;
    if (2 * (cache->count + 1) <= cache->slot_count) return true;
    const size_t count = cache->slot_count ? 2 * cache->slot_count : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots) return false;
    for (size_t i = 0; i < cache->count; i++) {
        size_t slot = (size_t)key_hash(&cache->entries[i].key) & (count - 1);
        while (slots[slot]) slot = (slot + 1) & (count - 1);
        slots[slot] = (uint32_t)(i + 1);
    }
    free(cache->slots);
    cache->slots = slots;
    cache->slot_count = count;
    return true;
}

void sos_move_tables_clear(sos_mover *m)
{
    m->cache.count = 0;
    if (m->cache.slots) memset(m->cache.slots, 0, m->cache.slot_count * sizeof *m->cache.slots);
}

static sos_status new_table(sos_mover *m, size_t k, const sos_move_key *key, sos_move_entry *entry, sos_error *error)
{
    double small[16], *f = k <= 4 ? small : malloc(sizeof *f << k);
    if (!f) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a table of %zu members", k);
    const size_t own = key->part ? (size_t)__builtin_popcount(key->free) : k;
    const double *g = sos_multi_energy_costs(m->e, key->set);
    if (key->part)
        part_table(k, g, m->label, key, f);
    else
        move_table(k, g, m->label, key, f);
    *entry = (sos_move_entry){ .key = *key };
    sos_status status = sos_energy_add_table(m->energy, own, f, &entry->table, error);
    if (status == SOS_ERR_NOT_SUBMODULAR) {
        entry->lift = lift_table(own, key->part ? (UINT32_C(1) << own) - 1 : key->free, f);
        status = sos_energy_add_table(m->energy, own, f, &entry->table, error);
    }
    if (f != small) free(f);
    return status;
}

sos_status sos_move_table(sos_mover *m, size_t k, const sos_move_key *key, const sos_move_entry **found, sos_error *error)
{
    sos_move_cache *cache = &m->cache;
    if (!cache_grow(cache)) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the tables of a move");
    size_t slot = (size_t)key_hash(key) & (cache->slot_count - 1);
    for (; cache->slots[slot]; slot = (slot + 1) & (cache->slot_count - 1)) {
        *found = &cache->entries[cache->slots[slot] - 1];
        if (!memcmp(&(*found)->key, key, sizeof *key)) return SOS_OK;
    }
    const sos_status status = new_table(m, k, key, &cache->entries[cache->count], error);
    if (status) return status;
    *found = &cache->entries[cache->count++];
    cache->slots[slot] = (uint32_t)cache->count;
    return SOS_OK;
}
