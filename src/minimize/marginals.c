/* marginals.c - by how much the least energy rises if groups of variables must take a label (math.md, 5.6). */
#include <sos/marginals.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "energy/energy.h"
#include "minimize/minimizer.h"

/* What a thread has. */
typedef struct worker {
    sos_energy *energy; /* a copy, in which the costs of one group at a time are others */
    sos_minimizer *minimizer;
    uint8_t *labels; /* [n] */
    double *most;    /* [n], or NULL if nobody asks */
    double doubt;
    size_t bytes;
} worker;

typedef struct marginals {
    const sos_energy *e;
    size_t groups;
    const size_t *start;
    const uint32_t *variables;
    const sos_marginals_settings *settings;
    double clamp;     /* what the other label costs more */
    uint8_t *labels;  /* [n] the minimum */
    double *rises;    /* [2 * groups] */
    size_t *asked;    /* 2 * group + label, where it takes a flow */
    size_t questions; /* of these */
    size_t answered;
    bool stopped; /* by the caller */
    worker *workers;
    int worker_count;
    sos_marginals_result result;
    sos_failure failure;
} marginals;

sos_marginals_settings sos_marginals_defaults(void) { return (sos_marginals_settings){ 0 }; }

/* ---------------------------------------------------------------- groups */

static size_t group_begin(const marginals *m, size_t g) { return m->start ? m->start[g] : g; }
static size_t group_end(const marginals *m, size_t g) { return m->start ? m->start[g + 1] : g + 1; }
static size_t member_at(const marginals *m, size_t place) { return m->variables ? m->variables[place] : place; }

static sos_status groups_check(const marginals *m, sos_error *error)
{
    if (m->start && !m->variables && m->groups) return sos_fail(error, SOS_ERR_ARGUMENT, "no members of the groups were given");
    for (size_t g = 0; g < m->groups; g++) {
        if (group_begin(m, g) > group_end(m, g))
            return sos_fail(error, SOS_ERR_ARGUMENT, "group %zu begins at member %zu and ends at member %zu", g,
                            group_begin(m, g), group_end(m, g));
        for (size_t i = group_begin(m, g); i < group_end(m, g); i++)
            if (member_at(m, i) >= m->e->n)
                return sos_fail(error, SOS_ERR_ARGUMENT, "group %zu has variable %zu; there are %zu", g, member_at(m, i),
                                m->e->n);
    }
    return SOS_OK;
}

/* What is known of a group and a label without a flow: 0, or infinity; NAN if it takes one. */
static double rise_known(const marginals *m, size_t g, int label)
{
    bool has_it = true;
    for (size_t i = group_begin(m, g); i < group_end(m, g); i++) {
        const size_t v = member_at(m, i);
        const int fixed = m->e->fixed ? m->e->fixed[v] : SOS_FREE;
        if (fixed != SOS_FREE && fixed != label) return INFINITY;
        has_it &= m->labels[v] == label;
    }
    return has_it ? 0 : NAN;
}

/* ---------------------------------------------------------------- the clamp */

/* Adds what a change of a variable's label can change in its cliques, at most. */
static void cliques_reach(const sos_energy *e, double reach[])
{
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_pool *pool = &e->pools[k];
        for (size_t c = 0; c < pool->count; c++) {
            const double w = pool->weights ? pool->weights[c] : 1, most = w * e->tables[pool->tables[c]].marginal;
            for (size_t q = 0; q < k; q++) reach[pool->variables[c * k + q]] += most;
        }
    }
    for (size_t i = 0; i < e->concave_count; i++) {
        const sos_concave_clique *c = &e->concaves[i];
        const double most = c->weight * c->steepest;
        for (size_t q = 0; q < c->k; q++) reach[c->variables[q]] += most * (c->amounts ? c->amounts[q] : 1);
    }
}

/* Of the size of the largest cost of a variable, at least, so that a sum of doubles is moved by it. */
static const double CLAMP_SHARE = 0x1p-40;

/* The least power of two that is more than twice that, of all variables, so that it does not depend on the groups: whole where
 * costs are, a multiple of the power of two that they are multiples of, and no larger than it must be, for the sake of the
 * integers.  Without cliques, above all costs. */
static sos_status clamp_find(marginals *m, sos_error *error)
{
    const sos_energy *e = m->e;
    double *reach = calloc(e->n + 1, sizeof *reach), most = 0, unary = 0;
    int exponent;
    if (!reach) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu variables", e->n);
    cliques_reach(e, reach);
    for (size_t v = 0; v < e->n; v++) {
        most = fmax(most, reach[v]);
        unary = fmax(unary, fmax(fabs(e->unary[2 * v]), fabs(e->unary[2 * v + 1])));
    }
    free(reach);
    const double least = most > 0 ? fmax(2 * most, CLAMP_SHARE * unary) : unary > 0 ? unary : 1;
    frexp(least, &exponent);
    m->clamp = ldexp(1, exponent);
    if (isfinite(least) && isfinite(m->clamp)) return SOS_OK;
    return sos_fail(error, SOS_ERR_RANGE, "costs are so large that their sums are no numbers");
}

/* The other label of every member costs more. */
static sos_status group_clamp(const marginals *m, worker *w, size_t g, int label, sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t i = group_begin(m, g); i < group_end(m, g) && !status; i++) {
        const size_t v = member_at(m, i);
        const double zero = m->e->unary[2 * v], one = m->e->unary[2 * v + 1];
        status = sos_energy_set_unary(w->energy, v, label ? one + m->clamp : zero, label ? one : zero + m->clamp, error);
    }
    return status;
}

/* Costs are what they were. */
static sos_status group_release(const marginals *m, worker *w, size_t g, sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t i = group_begin(m, g); i < group_end(m, g) && !status; i++) {
        const size_t v = member_at(m, i);
        status = sos_energy_set_unary(w->energy, v, m->e->unary[2 * v], m->e->unary[2 * v + 1], error);
    }
    return status;
}

/* ---------------------------------------------------------------- flows */

/* threads: of this minimisation alone.  Nothing is settled before the flow, so that later flows can go on from it. */
static sos_status worker_minimize(const marginals *m, worker *w, int threads, sos_minimize_result *r, sos_error *error)
{
    sos_minimize_settings s = { .start = SOS_START_FLOW,
                                .bits = m->settings->bits,
                                .memory_limit = m->settings->memory_limit,
                                .work = { .threads = threads } };
    const sos_status status = sos_minimizer_run(w->minimizer, w->energy, &s, w->labels, r, error);
    if (status) return status;
    w->doubt = fmax(w->doubt, r->energy - r->lower_bound);
    w->bytes = r->bytes > w->bytes ? r->bytes : w->bytes;
    return SOS_OK;
}

/* Variables whose labels changed rise no further. */
static void most_lower(const marginals *m, worker *w, double rise)
{
    for (size_t v = 0; w->most && v < m->e->n; v++)
        if (w->labels[v] != m->labels[v] && rise < w->most[v]) w->most[v] = rise;
}

static sos_status question_answer(marginals *m, worker *w, size_t question, sos_error *error)
{
    const size_t g = m->asked[question] / 2;
    const int label = (int)(m->asked[question] % 2);
    sos_minimize_result r = { 0 };
    sos_status status = group_clamp(m, w, g, label, error);
    if (!status) status = worker_minimize(m, w, 1, &r, error);
    if (!status) status = group_release(m, w, g, error);
    if (status) return status;
    const double rise = fmax(r.energy - m->result.energy, 0);
    m->rises[2 * g + (size_t)label] = rise;
    most_lower(m, w, rise);
    return SOS_OK;
}

static bool goes_on(marginals *m)
{
    const sos_work *work = &m->settings->work;
    bool stopped;
#pragma omp critical(sos_marginals_go_on)
    {
        const double done = m->questions ? (double)m->answered / (double)m->questions : 0;
        if (!m->stopped && work->progress && !work->progress(work->user, "min-marginals", done)) m->stopped = true;
        m->answered++;
        stopped = m->stopped;
    }
    return !stopped;
}

static void questions_answer(marginals *m)
{
    int next = 0;
#pragma omp parallel num_threads(m->worker_count)
    {
        worker *w;
#pragma omp critical(sos_marginals_worker)
        w = &m->workers[next++];
#pragma omp for schedule(dynamic, 1)
        for (size_t q = 0; q < m->questions; q++) {
            sos_error mine = { SOS_OK, "" };
            const sos_status status = goes_on(m) ? question_answer(m, w, q, &mine)
                                                 : sos_fail(&mine, SOS_CANCELLED, "min-marginals were cancelled");
            sos_failure_note(&m->failure, m->asked[q] / 2, status, &mine);
        }
    }
}

/* ---------------------------------------------------------------- the whole */

static void marginals_free(marginals *m)
{
    for (int i = 0; m->workers && i < m->worker_count; i++) {
        sos_energy_free(m->workers[i].energy);
        sos_minimizer_free(m->workers[i].minimizer);
        free(m->workers[i].labels);
        free(m->workers[i].most);
    }
    free(m->workers);
    free(m->labels);
    free(m->rises);
    free(m->asked);
}

static sos_status worker_create(const marginals *m, bool most, worker *w, sos_error *error)
{
    const size_t n = m->e->n;
    w->labels = malloc(n + 1);
    w->most = most ? malloc((n + 1) * sizeof *w->most) : NULL;
    if (!w->labels || (most && !w->most)) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu labels", n);
    for (size_t v = 0; most && v < n; v++) w->most[v] = INFINITY;
    sos_status status = sos_energy_copy(m->e, &w->energy, error);
    if (!status) status = sos_minimizer_create(&w->minimizer, error);
    if (!status) sos_minimizer_clamp(w->minimizer, m->clamp);
    return status;
}

/* The minimum, by the first of the threads that will answer. */
static sos_status minimum_find(marginals *m, bool most, sos_error *error)
{
    sos_minimize_result r;
    m->workers = calloc(1, sizeof *m->workers);
    if (!m->workers) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a minimizer");
    m->worker_count = 1;
    sos_status status = worker_create(m, most, m->workers, error);
    if (!status) status = worker_minimize(m, m->workers, m->settings->work.threads, &r, error);
    if (status) return status;
    m->result.energy = r.energy;
    m->result.lower_bound = r.lower_bound;
    memcpy(m->labels, m->workers->labels, m->e->n);
    return SOS_OK;
}

static void questions_find(marginals *m)
{
    for (size_t g = 0; g < m->groups; g++)
        for (int label = 0; label < 2; label++) {
            m->rises[2 * g + (size_t)label] = rise_known(m, g, label);
            if (isnan(m->rises[2 * g + (size_t)label])) m->asked[m->questions++] = 2 * g + (size_t)label;
        }
}

static sos_status workers_add(marginals *m, bool most, sos_error *error)
{
    const int threads = sos_thread_team(m->settings->work.threads);
    const int count = m->questions < (size_t)threads ? (int)m->questions : threads;
    sos_status status = SOS_OK;
    if (count < 2) return SOS_OK;
    worker *all = realloc(m->workers, (size_t)count * sizeof *all);
    if (!all) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %d minimizers", count);
    m->workers = all;
    while (m->worker_count < count && !status) {
        all[m->worker_count] = (worker){ 0 };
        status = worker_create(m, most, &all[m->worker_count++], error);
    }
    return status;
}

static sos_status marginals_find(marginals *m, bool most, sos_error *error)
{
    m->labels = malloc(m->e->n + 1);
    m->rises = malloc((2 * m->groups + 1) * sizeof *m->rises);
    m->asked = malloc((2 * m->groups + 1) * sizeof *m->asked);
    if (!m->labels || !m->rises || !m->asked)
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu groups of %zu variables", m->groups, m->e->n);
    sos_status status = clamp_find(m, error);
    if (!status) status = minimum_find(m, most, error);
    if (status) return status;
    questions_find(m);
    status = workers_add(m, most, error);
    if (status) return status;
    questions_answer(m);
    if (m->failure.error.status == SOS_CANCELLED) return sos_fail(error, SOS_CANCELLED, "%s", m->failure.error.message);
    return sos_failure_status(&m->failure, "group", error);
}

/* What is known goes to the caller. */
static void marginals_give(marginals *m, uint8_t labels[], double rises[], double most[], sos_marginals_result *result)
{
    sos_marginals_result *r = &m->result;
    r->flows = m->questions;
    for (int i = 0; i < m->worker_count; i++) {
        const worker *w = &m->workers[i];
        r->doubt = fmax(r->doubt, w->doubt);
        r->bytes += w->bytes + sos_energy_bytes(w->energy);
        for (size_t v = 0; most && v < m->e->n; v++) most[v] = i ? fmin(most[v], w->most[v]) : w->most[v];
    }
    if (m->e->n) memcpy(labels, m->labels, m->e->n);
    if (m->groups) memcpy(rises, m->rises, 2 * m->groups * sizeof *rises);
    if (result) *result = *r;
}

sos_status sos_min_marginals(const sos_energy *e, size_t groups, const size_t start[], const uint32_t variables[],
                             const sos_marginals_settings *settings, uint8_t labels[], double rises[], double most[],
                             sos_marginals_result *result, sos_error *error)
{
    const sos_marginals_settings s = settings ? *settings : sos_marginals_defaults();
    if (!e || (!labels && e->n) || (!rises && groups))
        return sos_fail(error, SOS_ERR_ARGUMENT, "no energy, no labels or no place for rises were given");
    sos_status status = sos_reserved_check("sos_marginals_settings", &s, error);
    marginals m = { .e = e, .groups = groups, .start = start, .variables = variables, .settings = &s };
    if (!status) status = groups_check(&m, error);
    if (status) return status;
    status = marginals_find(&m, most, error);
    if (!status) marginals_give(&m, labels, rises, most, result);
    marginals_free(&m);
    return status;
}
