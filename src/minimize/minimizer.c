/* minimizer.c - from an energy to labels with a proof: network, integers, flow, certificate. */
#include <sos/minimize.h>

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"
#include "minimize/card.h"
#include "minimize/certificate.h"
#include "minimize/knots.h"
#include "minimize/minimizer.h"
#include "minimize/push.h"

struct sos_minimizer {
    sos_network network;
    void *flow; /* block of the flow, */
    size_t flow_bytes;
    void *packed; /* or, between runs, room for it packed (push.h), */
    size_t packed_room;
    bool waits;                  /* where it waits */
    uint64_t solved;             /* identity of the energy whose flow the block holds, 0: none */
    const sos_flow_ops *variant; /* that left it */
    sos_scaling scaling;         /* of its integers */
    size_t costs;                /* how many costs its tables had, */
    uint64_t revision;           /* and which */
    bool settled;                /* some nodes took no part */
    bool deep;                   /* its paths were long */
    sos_regions regions;
    size_t region_nodes; /* forced by sos_minimizer_cut, or 0 */
};

sos_minimize_settings sos_minimize_defaults(void) { return (sos_minimize_settings){ .reduce = true }; }

sos_status sos_minimizer_create(sos_minimizer **out, sos_error *error)
{
    sos_minimizer *m = out ? calloc(1, sizeof *m) : NULL;
    if (!out) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the minimizer was given");
    if (!m) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a minimizer");
    *out = m;
    return SOS_OK;
}

static void minimizer_clear(sos_minimizer *m)
{
    sos_network_free(&m->network);
    sos_regions_free(&m->regions);
    sos_block_free(m->flow);
    free(m->packed);
}

void sos_minimizer_free(sos_minimizer *m)
{
    if (!m) return;
    minimizer_clear(m);
    free(m);
}

void sos_minimizer_cut(sos_minimizer *m, size_t nodes) { m->region_nodes = nodes; }

void sos_minimizer_pair(sos_minimizer *m, bool pairs) { m->network.pairs = pairs; }

void sos_minimizer_clamp(sos_minimizer *m, double clamp) { m->network.clamp = clamp; }

/* Of knots, and of the labels of all but the last solution. */
static size_t knots_bytes(const sos_network *net) { return net->knots_count ? sos_knots_bytes(net) + net->variables : 0; }

/* Held besides the flow. */
static size_t network_bytes(const sos_minimizer *m)
{
    return m->network.bytes + m->network.table_room * sizeof *m->network.table + m->packed_room;
}

/* What the network and the tables leave of the limit; 0: none was set, or nothing is left. */
static sos_status room_left(const sos_minimizer *m, size_t limit, size_t *room, sos_error *error)
{
    const size_t held = network_bytes(m) + knots_bytes(&m->network);
    *room = 0;
    if (!limit) return SOS_OK;
    if (held >= limit) return sos_fail(error, SOS_ERR_MEMORY, "the network takes %zu bytes, the limit is %zu", held, limit);
    *room = limit - held;
    return SOS_OK;
}

static sos_status flow_reserve(sos_minimizer *m, size_t bytes, size_t limit, sos_error *error)
{
    size_t room;
    if (!bytes) return sos_fail(error, SOS_ERR_RANGE, "the flow does not fit the address space");
    const sos_status status = room_left(m, limit, &room, error);
    if (status) return status;
    if (limit && bytes > room)
        return sos_fail(error, SOS_ERR_MEMORY, "the flow takes %zu bytes more, over the limit of %zu", bytes, limit);
    if (bytes <= m->flow_bytes && (!limit || m->flow_bytes <= room)) return SOS_OK;
    sos_block_free(m->flow);
    if (!m->waits) m->solved = 0;
    m->flow_bytes = 0;
    m->flow = sos_block_alloc(bytes);
    if (!m->flow) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a flow of %zu bytes", bytes);
    m->flow_bytes = bytes;
    return SOS_OK;
}

/* From so many variables on a network is cut into regions, and several threads pay.  At a third of that the cut costs a tenth
 * where the prior is moderate, and spares a quarter on pure noise. */
enum { MANY_VARIABLES = 1 << 18 };

/* Where costs are noise, regions pay from fewer variables on: each layer of the trees lies all over the network, which the
 * cache does not hold.  Measured with 2x2 patches: at 640x320 a sixth less where others use the cache as well, as much where
 * nobody does; at 400x200 a fifth more. */
enum { NOISY_VARIABLES = 1 << 17, NOISY_SAMPLES = 512 };

static bool prefers_one(const sos_energy *e, uint32_t v) { return e->unary[2 * v + 1] < e->unary[2 * v]; }

/* Do neighbours prefer the same label hardly more often than by chance?  In pictures with strong noise four in ten do not. */
static bool is_noise(const sos_network *net, const sos_energy *e)
{
    if (net->variables < NOISY_VARIABLES || (net->k != 2 && net->k != 4)) return false;
    const uint32_t stride = net->cliques / NOISY_SAMPLES | 1;
    uint32_t seen = 0, differ = 0;
    for (uint32_t c = 0; c < net->cliques; c += stride, seen++) {
        const uint32_t *member = net->member + sos_network_start(net, c);
        differ += prefers_one(e, member[0]) != prefers_one(e, member[1]);
    }
    return seen && 20 * differ >= 9 * seen;
}

/* Regions of a cold start.  Warm starts have little left to do, spread over all of the network. */
static void cut(sos_minimizer *m, sos_flow_job *job)
{
    const size_t limit = job->settings->memory_limit;
    const size_t held = network_bytes(m) + m->flow_bytes;
    job->regions = NULL;
    if (job->start != SOS_FLOW_COLD || job->network->lists || (limit && held >= limit)) return;
    const bool many = job->network->variables >= MANY_VARIABLES || m->region_nodes;
    if (!many && !is_noise(job->network, job->energy)) return;
    sos_regions_find(&m->regions, job->network, m->region_nodes, limit ? limit - held : 0, job->threads);
    if (m->regions.count) job->regions = &m->regions;
}

static sos_status run_flow(sos_minimizer *m, sos_flow_job *job, bool same, sos_error *error)
{
    const sos_minimize_settings *s = job->settings;
    const sos_flow_ops *ops = sos_flow_choose(job->network);
    const size_t bytes = ops->bytes(job->network, job->energy);
    const sos_status status = flow_reserve(m, bytes, s->memory_limit, error);
    if (status) return status;
    const sos_scaling now = job->network->scaling;
    /* Where tables changed, every clique must be fitted to the new ones, which costs more than short paths do. */
    const bool worth = m->deep || m->revision == job->energy->revision;
    const bool keep = s->start == SOS_START_FLOW && same && worth && m->solved && m->variant == ops &&
                      m->scaling.exponent == now.exponent && m->scaling.weight_exponent == now.weight_exponent;
    job->block = m->flow;
    job->start = s->start == SOS_START_LABELS ? SOS_FLOW_LABELS : keep ? SOS_FLOW_KEEP : SOS_FLOW_COLD;
    job->same_cliques = keep && !m->waits && m->revision == job->energy->revision && !m->settled && !job->energy->fixed;
    job->result->warm = job->start != SOS_FLOW_COLD;
    cut(m, job);
    if (keep && m->waits) sos_push_unpack(job->network, job->energy, m->flow, m->packed);
    m->waits = false;
    ops->run(job);
    m->solved = job->cancelled ? 0 : job->energy->identity;
    m->variant = ops;
    m->scaling = now;
    m->costs = job->energy->costs_count;
    m->revision = job->energy->revision;
    m->settled = job->settled;
    m->deep = job->start == SOS_FLOW_KEEP ? m->deep : job->deep;
    job->result->bytes += bytes + (job->regions ? job->regions->bytes : 0);
    return SOS_OK;
}

size_t sos_minimizer_pack(sos_minimizer *m, const sos_energy *e)
{
    const bool packs = m->solved == e->identity && !m->waits && m->variant == &sos_push_ops;
    const size_t bytes = packs ? sos_push_packed(&m->network, e) : 0;
    if (bytes > m->packed_room) {
        free(m->packed);
        m->packed = malloc(bytes);
        m->packed_room = m->packed ? bytes : 0;
    }
    if (bytes && m->packed) { /* without memory the flow stays what it is */
        sos_push_pack(&m->network, e, m->flow, m->packed);
        sos_block_free(m->flow);
        m->flow = NULL;
        m->flow_bytes = 0;
        m->waits = true;
    }
    return network_bytes(m) + m->flow_bytes;
}

/* Builds the network, and solves it once: labels of the least of a lower bound of the energy, of all of which *job has the
 * proof. */
static sos_status solve_once(sos_minimizer *m, sos_flow_job *job, sos_error *error)
{
    const sos_energy *e = job->energy;
    const sos_minimize_settings *s = job->settings;
    const double began = sos_seconds();
    const bool same = m->solved == e->identity && m->costs == e->costs_count && m->network.identity == e->identity;
    m->network.threads = job->threads;
    sos_status status = sos_network_build(&m->network, e, s->memory_limit, error);
    if (!status) status = sos_network_scale(&m->network, e, s->bits, s->memory_limit, error);
    if (status) {
        m->solved = 0;
        return status;
    }
    job->result->seconds_build += sos_seconds() - began;
    job->result->bytes = m->network.used + e->costs_count * sizeof *m->network.table + knots_bytes(&m->network);
    status = run_flow(m, job, same, error);
    if (status) return status;
    return job->cancelled ? sos_fail(error, SOS_CANCELLED, "minimisation was cancelled") : SOS_OK;
}

/* What counts of several runs adds up; the rest is that of the last, and warm that of the first. */
static void result_add(sos_minimize_result *sum, const sos_minimize_result *r, bool first)
{
    const sos_minimize_result before = *sum;
    *sum = *r;
    if (first) return;
    sum->warm = before.warm;
    sum->augmentations += before.augmentations;
    sum->pushes += before.pushes;
    sum->adoptions += before.adoptions;
    sum->growths += before.growths;
    sum->seconds_build += before.seconds_build;
    sum->seconds_reduce += before.seconds_reduce;
    sum->seconds_solve += before.seconds_solve;
}

/* Solves lower bounds until one is exact at its minimum, which so is that of the energy (math.md, 7.2).  s: the job's settings,
 * of which the start changes. */
static sos_status solve_exactly(sos_minimizer *m, sos_flow_job *job, sos_minimize_settings *s, sos_error *error)
{
    sos_minimize_result *sum = job->result;
    bool exact = false;
    sos_status status = sos_knots_resume(&m->network, job->energy, error);
    for (bool first = true; !status && !exact; first = false) {
        sos_minimize_result r = { .device = SOS_DEVICE_CPU };
        job->result = &r;
        job->rounding = 0;
        status = solve_once(m, job, error);
        result_add(sum, &r, first);
        if (!status) status = sos_knots_refine(&m->network, job->energy, job->labels, &exact, error);
        s->start = SOS_START_LABELS; /* which are near; measured: up to three times as fast as cold for one large clique, and as
                                       fast for many on a grid */
    }
    job->result = sum;
    return status;
}

sos_status sos_minimizer_run(sos_minimizer *m, const sos_energy *e, const sos_minimize_settings *settings, uint8_t labels[],
                             sos_minimize_result *result, sos_error *error)
{
    sos_minimize_settings s = settings ? *settings : sos_minimize_defaults();
    if (!m || !e || (!labels && e->n))
        return sos_fail(error, SOS_ERR_ARGUMENT, "no minimizer, no energy or no labels were given");
    sos_status status = sos_reserved_check("sos_minimize_settings", &s, error);
    if (status) return status;
    bool once = true; /* no clique has so many pieces that knots are chosen */
    for (size_t c = 0; c < e->concave_count; c++) once &= !sos_knots_are_chosen(&e->concaves[c]);
    bool done = false, stopped = false;
    if (once) sos_card_minimize(1, &e, &s, &labels, result, &done, &stopped);
    if (done) {
        m->solved = 0;
        return SOS_OK;
    }
    if (stopped) return sos_fail(error, SOS_CANCELLED, "minimisation was cancelled");
    uint8_t *own = once || !e->n ? NULL : malloc(e->n); /* the caller's stay what they are when a later solution is cancelled */
    if (!once && !own) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
    if (own && s.start == SOS_START_LABELS) memcpy(own, labels, e->n);
    sos_minimize_result r = { .device = SOS_DEVICE_CPU };
    sos_flow_job job = { .energy = e,
                         .network = &m->network,
                         .threads = e->n < MANY_VARIABLES && !m->region_nodes ? 1 : sos_thread_team(s.work.threads),
                         .settings = &s,
                         .labels = own ? own : labels,
                         .result = &r };
    status = once ? solve_once(m, &job, error) : solve_exactly(m, &job, &s, error);
    if (!status) {
        if (own) memcpy(labels, own, e->n);
        sos_certify(&job);
        if (result) *result = r;
    }
    free(own);
    return status;
}

sos_status sos_minimize(const sos_energy *e, const sos_minimize_settings *settings, uint8_t labels[],
                        sos_minimize_result *result, sos_error *error)
{
    sos_minimizer m = { 0 };
    const sos_status status = sos_minimizer_run(&m, e, settings, labels, result, error);
    minimizer_clear(&m);
    return status;
}

/* What a card has minimised is done already. */
static bool *batch_card(size_t count, const sos_energy *const energies[], const sos_minimize_settings *s,
                        uint8_t *const labels[], sos_minimize_result results[], sos_shared_progress *watched)
{
    bool stopped = false, *done = calloc(count + 1, sizeof *done);
    if (!done || sos_reserved_check("sos_minimize_settings", s, NULL)) return done; /* an error of each energy's own, as is: */
    for (size_t i = 0; i < count; i++)
        if (!labels[i]) return done;
    sos_card_minimize(count, energies, s, labels, results, done, &stopped);
    if (stopped) atomic_store(&watched->stopped, true);
    return done;
}

/* Energies that several threads share out. */
typedef struct crowd {
    size_t count;
    const sos_energy *const *energies;
    sos_minimize_settings settings;
    uint8_t *const *labels;
    sos_minimize_result *results;
    bool *done;
    atomic_size_t next;
    sos_shared_progress watched;
    sos_failure failure;
} crowd;

static sos_status crowd_run_one(crowd *c, sos_minimizer *m, size_t i, sos_error *error)
{
    if (atomic_load(&c->watched.stopped)) return sos_fail(error, SOS_CANCELLED, "minimisation was cancelled");
    return sos_minimizer_run(m, c->energies[i], &c->settings, c->labels[i], c->results ? &c->results[i] : NULL, error);
}

/* One minimizer for each thread: energies of one size reuse its memory. */
static void crowd_run(crowd *c)
{
    sos_minimizer m = { 0 };
    for (size_t i = atomic_fetch_add(&c->next, 1); i < c->count; i = atomic_fetch_add(&c->next, 1)) {
        sos_error why = { SOS_OK, "" };
        if (!c->done[i]) sos_failure_note(&c->failure, i, crowd_run_one(c, &m, i, &why), &why);
    }
    minimizer_clear(&m);
}

sos_status sos_minimize_batch(size_t count, const sos_energy *const energies[], const sos_minimize_settings *settings,
                              uint8_t *const labels[], sos_minimize_result results[], sos_error *error)
{
    if (count && (!energies || !labels)) return sos_fail(error, SOS_ERR_ARGUMENT, "no energies or no labels were given");
    crowd c = { .count = count,
                .energies = energies,
                .settings = settings ? *settings : sos_minimize_defaults(),
                .labels = labels,
                .results = results };
    sos_minimize_settings *s = &c.settings;
    if (s->start == SOS_START_FLOW) s->start = SOS_START_COLD; /* which flow a thread has is chance */
    c.watched = (sos_shared_progress){ .progress = s->work.progress, .user = s->work.user };
    if (s->work.progress) {
        s->work.progress = sos_shared_go_on;
        s->work.user = &c.watched;
    }
    c.done = batch_card(count, energies, s, labels, results, &c.watched);
    if (!c.done) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a batch of %zu energies", count);
    s->device = SOS_DEVICE_CPU; /* what is left */
    const int most = sos_thread_count(s->work.threads), workers = count < (size_t)most ? (int)count : most;
    if (workers > 1) {
        s->work.threads = 1;
#pragma omp parallel num_threads(workers)
        crowd_run(&c);
    } else {
        crowd_run(&c); /* one energy has all threads: not within a team of one, inside which teams do not last */
    }
    free(c.done);
    return sos_failure_status(&c.failure, "energy", error);
}
