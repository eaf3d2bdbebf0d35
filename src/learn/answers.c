/* answers.c - what the answers of a round come to, over the examples of all ranks. */
#include "learn/trainer.h"

#include <math.h>
#include <string.h>

#include "learn/dense.h"
#include "learn/sums.h"

/* Groups whose sums are taken at once: with a slack per example the integers of all would take more memory than the answers. */
enum { GROUPS_AT_ONCE = 64 };

/* Groups from first on, up to last, of one number per own example or of whole answers. */
typedef struct range {
    const sos_trainer *t;
    size_t first, last;
    const double *of_own; /* or NULL */
} range;

static void answers_list(const void *from, sos_sums *s)
{
    const range *r = from;
    const sos_trainer *t = r->t;
    const size_t d = t->layout->weights;
    for (size_t k = 0; k < t->own; k++) {
        const size_t g = sos_trainer_group(t, t->mine[k]);
        if (g < r->first || g >= r->last) continue;
        const size_t at = (g - r->first) * (d + 3);
        sos_sums_terms(s, at, d, t->difference + k * d);
        sos_sums_term(s, at + d, t->loss[k]);
        sos_sums_term(s, at + d + 1, t->slack[k]);
        sos_sums_term(s, at + d + 2, t->missed[k]);
    }
}

static void numbers_list(const void *from, sos_sums *s)
{
    const range *r = from;
    for (size_t k = 0; k < r->t->own; k++) {
        const size_t g = sos_trainer_group(r->t, r->t->mine[k]);
        if (g < r->last) sos_sums_term(s, g, r->of_own[k]);
    }
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

sos_status sos_trainer_sum_answers(sos_trainer *t, sos_error *error)
{
    const size_t d = t->layout->weights, groups = sos_trainer_active_groups(t);
    for (size_t k = 0; k < t->own; k++)
        if (sos_trainer_is_active(t, t->mine[k]))
            t->slack[k] = fmax(0, t->loss[k] - sos_dot(d, t->difference + k * d, t->trial));
    sos_status status = SOS_OK;
    for (size_t g = 0; g < groups && !status; g += GROUPS_AT_ONCE) {
        const range r = { .t = t, .first = g, .last = least(g + GROUPS_AT_ONCE, groups) };
        status = sos_sums_take(t->ranks, (r.last - g) * (d + 3), answers_list, &r, t->sums + g * (d + 3), error);
    }
    return status;
}

sos_status sos_trainer_sum_by_group(sos_trainer *t, const double of_own[], double sums[], sos_error *error)
{
    const range r = { .t = t, .last = sos_trainer_active_groups(t), .of_own = of_own };
    return sos_sums_take(t->ranks, r.last, numbers_list, &r, sums, error);
}
