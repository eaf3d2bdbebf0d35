/* move_energy.c - the energy of a move: unaries and cliques with tables (math.md, 13.2). */
#include "minimize/mover.h"

#include <string.h>

#include "base/memory.h"

static inline __attribute__((always_inline)) bool make_key(const sos_mover *m, size_t k, const uint32_t member[],
                                                           sos_move_key *key)
{
    uint32_t can = 0;
    for (size_t q = 0; q < k; q++) can |= (uint32_t)m->may[member[q]] << q;
    if (!can) return false;
    uint8_t y[SOS_TABLE_MEMBERS_MAX];
    for (size_t q = 0; q < k; q++) y[q] = m->y[member[q]];
    for (size_t q = 0; q < k; q++) {
        bool matters = (can >> q & 1) || y[q] == m->label;
        for (size_t p = 0; p < k && !matters; p++) matters = (can >> p & 1) && y[p] == y[q];
        key->y[q] = matters ? y[q] : SOS_MOVE_OTHER;
    }
    key->free = (uint16_t)can;
    return true;
}

static bool list_reserve(sos_move_list *list, size_t k, size_t count)
{
    return sos_grow(&list->variables, &list->variables_room, k * count) && sos_grow(&list->tables, &list->tables_room, count) &&
           sos_grow(&list->weights, &list->weights_room, count);
}

/* Adds one clique to the list of its size, with the variables of the whole energy for now. */
static inline __attribute__((always_inline)) sos_status list_clique(sos_mover *m, size_t k, const uint32_t member[],
                                                                    const sos_move_entry *entry, double w, sos_error *error)
{
    sos_move_list *list = &m->lists[k];
    if (!list_reserve(list, k, list->count + 1)) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the cliques of a move");
    memcpy(list->variables + k * list->count, member, k * sizeof *member);
    list->tables[list->count] = entry->table;
    list->weights[list->count++] = w;
    list->weighted |= w != 1;
    m->lifted += w * entry->lift;
    for (size_t q = 0; q < k; q++) m->used[member[q]] = 1;
    return SOS_OK;
}

/* What the label of one part pays: that of the move, or the one that the members in free have. */
static sos_status list_part(sos_mover *m, size_t k, const uint32_t member[], const sos_move_key *whole, uint16_t part,
                            size_t label, size_t can, double w, sos_error *error)
{
    sos_move_key key = { .set = whole->set, .free = (uint16_t)can, .part = part };
    uint32_t own[SOS_TABLE_MEMBERS_MAX];
    size_t count = 0;
    for (size_t q = 0; q < k; q++) {
        key.y[q] = whole->y[q] == label ? (uint8_t)label : SOS_MOVE_OTHER;
        if (can >> q & 1) own[count++] = member[q];
    }
    const sos_move_entry *entry;
    const sos_status status = sos_move_table(m, k, &key, &entry, error);
    return status ? status : list_clique(m, count, own, entry, w, error);
}

static sos_status list_parts(sos_mover *m, size_t k, const uint32_t member[], const sos_move_key *key, double w,
                             sos_error *error)
{
    sos_status status = list_part(m, k, member, key, SOS_PART_TAKEN, m->label, key->free, w, error);
    for (size_t left = key->free; !status && left;) {
        const size_t l = key->y[__builtin_ctzll(left)];
        size_t can = 0;
        for (size_t q = 0; q < k; q++) can |= (size_t)(key->y[q] == l) << q;
        can &= key->free;
        status = list_part(m, k, member, key, SOS_PART_KEPT, l, can, w, error);
        left &= ~can;
    }
    return status;
}

static bool has_several_labels(size_t k, const sos_move_key *key)
{
    const uint8_t first = key->y[__builtin_ctz(key->free)];
    for (size_t q = 0; q < k; q++)
        if ((key->free >> q & 1) && key->y[q] != first) return true;
    return false;
}

/* Lists the cliques of a size that have a member that may move. */
static inline __attribute__((always_inline)) sos_status list_cliques(sos_mover *m, size_t k, sos_error *error)
{
    const sos_pool *pool = &m->e->frame->pools[k];
    const sos_move_entry *entry = NULL;
    sos_move_key key = { .free = 0 };
    sos_status status = SOS_OK;
    for (size_t i = 0; !status && i < m->active_count[k]; i++) {
        const size_t c = m->active[m->active_first[k] + i];
        const uint32_t *member = pool->variables + c * k;
        const double w = pool->weights ? pool->weights[c] : 1;
        if (w == 0 || !make_key(m, k, member, &key)) continue;
        key.set = pool->tables[c];
        if (k > SOS_WHOLE_MEMBERS && has_several_labels(k, &key)) {
            status = list_parts(m, k, member, &key, w, error);
            entry = NULL; /* entries may have moved */
            continue;
        }
        if (!entry || memcmp(&entry->key, &key, sizeof key) != 0) status = sos_move_table(m, k, &key, &entry, error);
        if (!status) status = list_clique(m, k, member, entry, w, error);
    }
    return status;
}

static sos_status add_list(sos_mover *m, size_t k, sos_error *error)
{
    sos_move_list *list = &m->lists[k];
    for (size_t s = 0; s < k * list->count; s++) list->variables[s] = m->number[list->variables[s]];
    return sos_energy_add_listed(m->energy, list->count, list->tables, list->variables, list->weighted ? list->weights : NULL,
                                 error);
}

static void set_unaries(sos_mover *m)
{
    const size_t n = m->n;
    const double *taken = m->e->unary + m->label * n;
    for (size_t v = 0; v < n; v++)
        if (m->may[v]) m->energy->unary[2 * m->number[v] + 1] = taken[v] - m->kept[v];
}

static sos_status list_all(sos_mover *m, sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t k = 1; !status && k <= SOS_TABLE_MEMBERS_MAX; k++) {
        m->lists[k].count = 0;
        m->lists[k].weighted = false;
#define LIST(size) list_cliques(m, size, error)
        if (m->active_count[k]) status = SOS_FOR_MOVED_SIZE(k, LIST);
#undef LIST
    }
    return status;
}

/* Tables go in first, as only the cliques tell how many variables there are. */
sos_status sos_mover_build(sos_mover *m, sos_error *error)
{
    sos_status status = m->energy ? SOS_OK : sos_energy_create(0, &m->energy, error);
    if (status) return status;
    sos_energy_clear(m->energy);
    sos_move_tables_clear(m);
    m->lifted = 0;
    memcpy(m->used, m->may, m->n);
    status = list_all(m, error);
    if (status) return status;
    uint32_t numbers = 0;
    for (size_t v = 0; v < m->n; v++)
        if (m->used[v]) m->number[v] = numbers++;
    status = sos_energy_resize(m->energy, numbers, error);
    for (size_t k = 1; !status && k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (m->lists[k].count) status = add_list(m, k, error);
    for (size_t c = 0; !status && c < m->e->count_count; c++) status = sos_move_count_clique(m, &m->e->counts[c], error);
    if (!status) set_unaries(m);
    return status;
}
