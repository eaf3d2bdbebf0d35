/* pass_answers.c - what the answers of a pass come to, over the examples of all processes. */
#include <math.h>

#include "learn/dense.h"
#include "learn/pass.h"
#include "learn/sums.h"

/* Groups whose sums are taken at once: with a slack per example the integers of all would take more memory than the answers. */
enum { GROUPS_AT_ONCE = 64 };

/* Groups from first on, up to last, of one number per own example or of whole answers. */
typedef struct range {
    const sos_pass *p;
    size_t first, last;
    const double *of_own; /* or NULL */
} range;

static void answers_list(const void *from, sos_sums *s)
{
    const range *r = from;
    const sos_pass *p = r->p;
    const size_t d = p->weights;
    for (size_t k = 0; k < p->own; k++) {
        const size_t g = sos_slacks_group(&p->slacks, p->mine[k]);
        if (g < r->first || g >= r->last) continue;
        const size_t at = (g - r->first) * (d + 3);
        sos_sums_terms(s, at, d, p->difference + k * d);
        sos_sums_term(s, at + d, p->loss[k]);
        sos_sums_term(s, at + d + 1, p->slack[k]);
        sos_sums_term(s, at + d + 2, p->missed[k]);
    }
}

static void numbers_list(const void *from, sos_sums *s)
{
    const range *r = from;
    for (size_t k = 0; k < r->p->own; k++) {
        const size_t g = sos_slacks_group(&r->p->slacks, r->p->mine[k]);
        if (g < r->last) sos_sums_term(s, g, r->of_own[k]);
    }
}

sos_status sos_pass_sum(sos_pass *p, const double w[], sos_error *error)
{
    const size_t d = p->weights, groups = sos_slacks_active_groups(&p->slacks);
    for (size_t k = 0; k < p->own; k++)
        if (sos_slacks_is_active(&p->slacks, p->mine[k]))
            p->slack[k] = fmax(0, p->loss[k] - sos_dot(d, p->difference + k * d, w));
    sos_status status = SOS_OK;
    for (size_t g = 0; g < groups && !status; g += GROUPS_AT_ONCE) {
        const size_t count = groups - g < GROUPS_AT_ONCE ? groups - g : GROUPS_AT_ONCE;
        const range r = { .p = p, .first = g, .last = g + count };
        status = sos_sums_take(p->share, count * (d + 3), answers_list, &r, sos_pass_sums(p, g), error);
    }
    return status;
}

sos_status sos_pass_sum_numbers(const sos_pass *p, const double of_own[], double sums[], sos_error *error)
{
    const range r = { .p = p, .last = sos_slacks_active_groups(&p->slacks), .of_own = of_own };
    return sos_sums_take(p->share, r.last, numbers_list, &r, sums, error);
}

double sos_pass_plane(const sos_pass *p, size_t g, double a[])
{
    const double *sums = sos_pass_sums(p, g), size = (double)sos_slacks_size(&p->slacks, g);
    for (size_t j = 0; j < p->weights; j++) a[j] = sums[j] / size;
    return sos_pass_loss(p, g) / size;
}
