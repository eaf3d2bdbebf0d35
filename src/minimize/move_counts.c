/* move_counts.c - cliques that count in the energy of a move: what each label pays is a concave function of how many members,
 * or how much of them, takes the label of the move (math.md, 13.2). */
#include "minimize/mover.h"

#include <math.h>

#include "base/memory.h"

/* The part of a clique that one label pays: F_a of all members that may move, rising from what has the label, or F_l of those
 * labelled l, falling from it. */
typedef struct count_part {
    const sos_count_clique *c;
    size_t label;
    double has;     /* the amount of the label before the move */
    double moving;  /* of the members that may move, and matter to the label */
    size_t members; /* how many they are */
    bool rising;
} count_part;

/* The numbers of the members of a part in the move's energy; and their amounts, which add up in the order of the members. */
static void find_members(sos_mover *m, count_part *part)
{
    const sos_count_clique *c = part->c;
    part->members = 0;
    part->moving = 0;
    for (size_t q = 0; q < c->k; q++) {
        const uint32_t v = c->variables[q];
        if (!m->may[v] || !(part->rising || m->y[v] == part->label)) continue;
        if (c->amounts) m->amounts[part->members] = c->amounts[q];
        m->members[part->members++] = m->number[v];
        part->moving += sos_count_amount(c, q);
    }
}

static double cost_after(const count_part *part, double moved)
{
    return sos_count_cost(part->c, part->label, fmax(0, part->rising ? part->has + moved : part->has - moved));
}

static sos_status add_counts(sos_mover *m, const count_part *part, sos_error *error)
{
    bool constant = true;
    for (size_t t = 0; t <= part->members; t++) {
        m->costs[t] = part->c->weight * cost_after(part, (double)t);
        constant &= m->costs[t] == m->costs[0];
    }
    return constant ? SOS_OK : sos_energy_add_concave(m->energy, part->members, m->members, m->costs, 1, error);
}

/* The knots of the function that lie inside the part, in the order of what moves, and its two ends. */
static sos_status add_pieces(sos_mover *m, const count_part *part, sos_error *error)
{
    const sos_count_clique *c = part->c;
    if (!(part->moving > 0)) return SOS_OK;
    /* Knots nearer than sums of amounts are rounded would make slopes of nothing. */
    const double near = c->rounded ? 4 * ((double)c->k + 4) * DBL_EPSILON * c->total : 0;
    size_t knots = 0;
    double lift = 0, reached = 0;
    lift += sos_count_hull_add(&knots, m->places, m->costs, 0, cost_after(part, 0));
    for (size_t i = 0; i < c->knots; i++) {
        const size_t j = part->rising ? i : c->knots - 1 - i;
        const double moved = part->rising ? c->place[j] - part->has : part->has - c->place[j];
        if (!(moved > reached + near && moved < part->moving - near)) continue;
        lift += sos_count_hull_add(&knots, m->places, m->costs, moved, c->value[part->label * c->knots + j]);
        reached = moved;
    }
    lift += sos_count_hull_add(&knots, m->places, m->costs, part->moving, cost_after(part, part->moving));
    bool constant = true;
    for (size_t j = 1; j < knots; j++) constant &= m->costs[j] == m->costs[0];
    m->lifted += c->weight * (lift + 16 * sos_count_doubt(m->e, c));
    if (constant) return SOS_OK;
    return sos_energy_add_pieces(m->energy, part->members, m->members, c->amounts ? m->amounts : NULL, knots, m->places,
                                 m->costs, c->weight, error);
}

static sos_status add_part(sos_mover *m, count_part part, sos_error *error)
{
    find_members(m, &part);
    return part.c->value ? add_pieces(m, &part, error) : add_counts(m, &part, error);
}

sos_status sos_move_count_clique(sos_mover *m, const sos_count_clique *c, sos_error *error)
{
    double has[SOS_LABELS_MAX] = { 0 };
    bool moves[SOS_LABELS_MAX] = { false }, any = false;
    for (size_t q = 0; q < c->k; q++) {
        const uint32_t v = c->variables[q];
        has[m->y[v]] += sos_count_amount(c, q);
        moves[m->y[v]] |= m->may[v];
        any |= m->may[v];
    }
    if (!any || c->weight == 0) return SOS_OK;
    const size_t costs = c->value ? c->knots + 2 : c->k + 1;
    if (!sos_grow(&m->members, &m->members_room, c->k) || !sos_grow(&m->costs, &m->costs_room, costs) ||
        !sos_grow(&m->amounts, &m->amounts_room, c->amounts ? c->k : 0) ||
        !sos_grow(&m->places, &m->places_room, c->value ? costs : 0))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", c->k);
    sos_status status = add_part(m, (count_part){ .c = c, .label = m->label, .has = has[m->label], .rising = true }, error);
    for (size_t l = 0; !status && l < m->e->labels; l++)
        if (moves[l]) status = add_part(m, (count_part){ .c = c, .label = l, .has = has[l] }, error);
    return status;
}
