/* regulariser.c - what weights cost by themselves: 1/2 sum_g stiffness_g |w_g - w0_g|^2 (math.md, 12.1). */
#include <math.h>
#include <stdlib.h>

#include "learn/dense.h"
#include "learn/trainer.h"

static double stiffness_of(const sos_group *g) { return g->stiffness > 0 ? g->stiffness : 1; }

sos_status sos_trainer_take_stiffness(sos_trainer *t, sos_error *error)
{
    const sos_layout *layout = t->layout;
    bool plain = true;
    for (size_t g = 0; g < layout->group_count; g++) plain &= stiffness_of(&layout->groups[g].spec) == 1;
    if (plain) return SOS_OK;
    t->stiffness = malloc(2 * layout->weights * sizeof *t->stiffness);
    if (!t->stiffness) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the stiffness of %zu weights", layout->weights);
    t->root = t->stiffness + layout->weights;
    for (uint32_t g = 0; g < layout->group_count; g++)
        for (size_t i = 0; i < sos_layout_group_weights(layout, g); i++) {
            const double stiffness = stiffness_of(&layout->groups[g].spec);
            t->stiffness[layout->groups[g].offset + i] = stiffness;
            t->root[layout->groups[g].offset + i] = sqrt(stiffness);
        }
    return SOS_OK;
}

double sos_trainer_norm(const sos_trainer *t, const double w[])
{
    const size_t d = t->layout->weights;
    const double *from = t->settings.from;
    if (!from && !t->stiffness) return sos_dot(d, w, w) / 2;
    double sum = 0;
    for (size_t i = 0; i < d; i++) {
        const double away = w[i] - (from ? from[i] : 0);
        sum += (t->stiffness ? t->stiffness[i] : 1) * away * away;
    }
    return sum / 2;
}

/* Repair moves weights by less than 1e-10 of the largest of their table (math.md, 10.3). */
static const double REPAIR_MOVES = 1e-10;

bool sos_trainer_is_origin(const sos_trainer *t, const double w[])
{
    const size_t d = t->layout->weights;
    const double *from = t->settings.from;
    if (!from) return sos_dot(d, w, w) == 0;
    double away = 0;
    for (size_t i = 0; i < d; i++) away += (w[i] - from[i]) * (w[i] - from[i]);
    return away <= REPAIR_MOVES * REPAIR_MOVES * sos_dot(d, from, from);
}

/* With v = root w the norm is 1/2 |v - root w0|^2, planes are a / root, and the cone stays what it is: every block of it has
 * one stiffness, and is a cone. */
sos_status sos_trainer_solve(const sos_trainer *t, sos_qp *qp, size_t count, sos_qp_plane planes[], sos_error *error)
{
    const size_t d = t->layout->weights;
    const double *from = t->settings.from, *root = t->root;
    qp->centre = from;
    if (!root) return sos_qp_solve(qp, count, planes, error);
    double *room = count + 1 <= SIZE_MAX / sizeof *room / d ? malloc((count + 1) * d * sizeof *room) : NULL;
    sos_qp_plane *scaled = malloc((count ? count : 1) * sizeof *scaled);
    if (!room || !scaled) {
        free(room);
        free(scaled);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a quadratic program of %zu planes", count);
    }
    for (size_t k = 0; k < count; k++) {
        double *a = room + (k + 1) * d;
        for (size_t i = 0; i < d; i++) a[i] = planes[k].a[i] / root[i];
        scaled[k] = planes[k];
        scaled[k].a = a;
    }
    for (size_t i = 0; i < d; i++) {
        room[i] = from ? root[i] * from[i] : 0;
        qp->w[i] *= root[i];
    }
    if (from) qp->centre = room;
    const sos_status status = sos_qp_solve(qp, count, scaled, error);
    for (size_t i = 0; i < d; i++) qp->w[i] /= root[i];
    for (size_t k = 0; k < count; k++) planes[k].multiplier = scaled[k].multiplier;
    qp->centre = NULL; /* it goes with the room */
    free(room);
    free(scaled);
    return status;
}
