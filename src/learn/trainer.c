/* trainer.c - cutting-plane training (the paper's algorithm 1 and its n-slack twin; Joachims, Finley and Yu, 2009).
 *
 * The examples are dealt out to groups that share a slack variable each: one group is the 1-slack method, a group per example
 * the n-slack method.  A round solves the program over the planes so far, asks the oracle at weights between the best seen
 * and the program's optimum, and adds a plane per group.  Unless told otherwise, one example in five goes first: while weights
 * still move far, a few examples tell as much as all of them, and their planes, with a slack of their own, stay.  Every value
 * of the objective that is reported was computed from oracle calls, every bound from multipliers, so that primal >= optimum >=
 * dual holds whatever the steps are. */
#include "learn/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/threads.h"
#include "learn/dense.h"

sos_train_settings sos_train_defaults(void)
{
    return (sos_train_settings){
        .C = 1, .gap = 1e-3, .step = 0.45, .cache = 8, .idle = 12, .qp_gap = 1e-6, .warm = true, .checkpoint_seconds = 60
    };
}

bool sos_cuts_add(sos_cuts *cuts, size_t d, const double a[], double b, uint32_t group)
{
    double *copy = malloc((d ? d : 1) * sizeof *copy);
    if (!copy || !sos_grow(&cuts->list, &cuts->room, cuts->count + 1)) {
        free(copy);
        return false;
    }
    memcpy(copy, a, d * sizeof *copy);
    cuts->list[cuts->count++] = (sos_cut){ .a = copy, .b = b, .group = group };
    return true;
}

void sos_cuts_free(sos_cuts *cuts)
{
    for (size_t i = 0; i < cuts->count; i++) free(cuts->list[i].a);
    free(cuts->list);
    *cuts = (sos_cuts){ 0 };
}

/* ---------------------------------------------------------------- set-up */

static sos_status settings_check(const sos_train_settings *s, sos_error *error)
{
    if (!(s->C > 0 && isfinite(s->C))) return sos_fail(error, SOS_ERR_ARGUMENT, "C is %g; it must be over 0", s->C);
    if (!(s->gap >= 0) || !(s->epsilon >= 0) || !(s->seconds >= 0) || !(s->checkpoint_seconds >= 0))
        return sos_fail(error, SOS_ERR_ARGUMENT, "gap, epsilon and seconds must not be negative");
    if (!(s->step > 0 && s->step <= 1)) return sos_fail(error, SOS_ERR_ARGUMENT, "step is %g; it must be in (0, 1]", s->step);
    if (!(s->qp_gap > 0)) return sos_fail(error, SOS_ERR_ARGUMENT, "qp_gap is %g; it must be over 0", s->qp_gap);
    return SOS_OK;
}

enum { SCOUT_EVERY = 5 }; /* examples that go first: one in so many */
static const double SCOUT_GAP = 0.05;

static void choose_groups(sos_trainer *t)
{
    const size_t wanted = t->settings.slacks ? t->settings.slacks : 1;
    t->scouts = !t->settings.slacks && t->examples >= SCOUT_EVERY;
    t->groups = t->scouts ? 2 : wanted < t->examples ? wanted : t->examples;
}

/* The group of an example: consecutive examples are often alike, so they are dealt out in turn. */
static uint32_t group_of(const sos_trainer *t, size_t i)
{
    if (t->scouts) return i % SCOUT_EVERY != 0;
    return (uint32_t)(i % t->groups); // NOLINT(clang-analyzer-core.DivideZero): trainer_create sees to it
}

/* Groups and examples that take part at this stage. */
static size_t active_groups(const sos_trainer *t) { return t->state.stage == SOS_STAGE_SCOUTS ? 1 : t->groups; }

static bool is_active(const sos_trainer *t, size_t i) { return group_of(t, i) < active_groups(t); }

static size_t active_examples(const sos_trainer *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->examples; i++) count += is_active(t, i);
    return count;
}

static void trainer_free(sos_trainer *t)
{
    sos_cone_free(&t->cone);
    free(t->cost);
    free(t->xi);
    free(t->trial);
    free(t->difference);
    free(t->loss);
    free(t->missed);
    free(t->state.best);
    free(t->state.optimum);
    free(t->state.cone_multiplier);
    free(t->state.points);
    free(t->state.kept);
    sos_cuts_free(&t->state.planes);
    sos_cuts_free(&t->state.cache);
}

static double *numbers(size_t count) { return calloc(count ? count : 1, sizeof(double)); }

/* What a checkpoint must agree with. */
static uint64_t problem_identity(const sos_trainer *t, uint64_t data)
{
    const uint64_t facts[] = { t->layout->identity, t->layout->weights, t->examples, t->groups, data };
    return sos_hash(SOS_HASH_START, facts, sizeof facts);
}

static sos_status trainer_create(sos_trainer *t, const sos_layout *layout, const sos_oracle *oracle, uint64_t data,
                                 const sos_train_settings *settings, sos_error *error)
{
    *t = (sos_trainer){ .layout = layout, .oracle = oracle, .settings = settings ? *settings : sos_train_defaults() };
    sos_status status = settings_check(&t->settings, error);
    if (status) return status;
    if (!oracle->examples) return sos_fail(error, SOS_ERR_ARGUMENT, "there are no examples to train on");
    if (!layout->weights) return sos_fail(error, SOS_ERR_ARGUMENT, "the model has no weights to train");
    t->examples = oracle->examples;
    choose_groups(t);
    t->threads = sos_thread_count(t->settings.threads);
    status = sos_cone_create(layout, &t->cone, error);
    if (status) return status;
    const size_t d = layout->weights;
    t->cost = numbers(t->groups);
    t->xi = numbers(t->groups);
    t->trial = numbers(d);
    t->difference = d <= SIZE_MAX / sizeof(double) / t->examples ? numbers(t->examples * d) : NULL;
    t->loss = numbers(t->examples);
    t->missed = numbers(t->examples);
    t->state.best = numbers(d);
    t->state.optimum = numbers(d);
    t->state.cone_multiplier = numbers(t->cone.row_count);
    t->state.kept = numbers(d);
    t->state.best_hinge = -1;
    t->state.identity = problem_identity(t, data);
    if (t->cost && t->state.kept && t->xi && t->trial && t->difference && t->loss && t->missed && t->state.best &&
        t->state.optimum && t->state.cone_multiplier)
        return SOS_OK;
    trainer_free(t);
    return sos_fail(error, SOS_ERR_MEMORY, "no memory to train %zu weights on %zu examples", d, t->examples);
}

static void set_C(sos_trainer *t, double C)
{
    const double share = 1 / (double)active_examples(t);
    t->state.C = C;
    for (size_t g = 0; g < t->groups; g++) t->cost[g] = 0;
    for (size_t i = 0; i < t->examples; i++) t->cost[group_of(t, i)] += C * share;
}

/* Examples in a group: its planes are means over them. */
static double group_size(const sos_trainer *t, size_t g)
{
    size_t count = 0;
    for (size_t i = 0; i < t->examples; i++) count += group_of(t, i) == g;
    return (double)count;
}

/* ---------------------------------------------------------------- a round */

static sos_status solve_program(sos_trainer *t, sos_error *error)
{
    sos_trainer_state *s = &t->state;
    const double began = sos_seconds();
    sos_qp_plane *planes = malloc((s->planes.count ? s->planes.count : 1) * sizeof *planes);
    if (!planes) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu planes", s->planes.count);
    size_t count = 0;
    for (size_t k = 0; k < s->planes.count; k++) {
        const sos_cut *cut = &s->planes.list[k];
        if (cut->group < active_groups(t)) planes[count++] = (sos_qp_plane){ cut->a, cut->b, cut->group, cut->multiplier };
    }
    sos_qp qp = { .cone = &t->cone,
                  .groups = active_groups(t),
                  .cost = t->cost,
                  .gap = fmax(1e-12, fmin(t->settings.qp_gap, t->settings.gap / 10)),
                  .threads = t->threads,
                  .w = s->optimum,
                  .cone_multiplier = s->cone_multiplier,
                  .warm = s->round > 1 };
    const sos_status status = sos_qp_solve(&qp, count, planes, error);
    for (size_t k = 0, known = 0; !status && k < s->planes.count; k++) {
        sos_cut *cut = &s->planes.list[k];
        if (cut->group >= active_groups(t)) continue;
        cut->multiplier = planes[known++].multiplier;
        cut->idle = cut->multiplier > 1e-7 * t->cost[cut->group] ? 0 : cut->idle + 1;
    }
    free(planes);
    if (!status && qp.dual > s->dual) s->dual = qp.dual;
    s->seconds_qp += sos_seconds() - began;
    return status;
}

/* The weights to ask the oracle at. */
static void choose_trial(sos_trainer *t)
{
    const sos_trainer_state *s = &t->state;
    const size_t d = t->layout->weights;
    memcpy(t->trial, s->stage == SOS_STAGE_FIRST ? s->best : s->optimum, d * sizeof *t->trial);
    if (s->best_hinge >= 0 && t->settings.step < 1)
        for (size_t i = 0; i < d; i++) t->trial[i] = s->best[i] + t->settings.step * (s->optimum[i] - s->best[i]);
    sos_cone_repair(&t->cone, t->trial);
}

static sos_status answer_check(const sos_trainer *t, size_t i, sos_error *error)
{
    const size_t d = t->layout->weights;
    const double *a = t->difference + i * d;
    double sum = t->loss[i] + t->missed[i];
    for (size_t j = 0; j < d; j++) sum += a[j] - a[j]; /* NaN unless a[j] is finite */
    if (isfinite(sum) && t->missed[i] >= 0) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "the oracle's answer is not finite");
}

static sos_status ask_oracle(sos_trainer *t, sos_error *error)
{
    const size_t d = t->layout->weights;
    const double began = sos_seconds();
    sos_failure failure = { 0 };
#pragma omp parallel for schedule(dynamic, 1) num_threads(t->threads)
    for (size_t i = 0; i < t->examples; i++) {
        if (!is_active(t, i)) continue;
        sos_error mine = { SOS_OK, "" };
        t->loss[i] = t->missed[i] = 0;
        memset(t->difference + i * d, 0, d * sizeof *t->difference);
        sos_status status = t->oracle->violate(t->oracle->user, i, t->trial, t->difference + i * d, &t->loss[i], &t->missed[i],
                                               &mine);
        if (!status) status = answer_check(t, i, &mine);
        sos_failure_note(&failure, i, status, &mine);
    }
    t->state.oracle_calls += active_examples(t);
    t->state.seconds_oracle += sos_seconds() - began;
    return sos_failure_status(&failure, "example", error);
}

/* What an approximate oracle said gives way to a plane that it, or one like it, has found before and that is more violated. */
static void improve_answers(sos_trainer *t)
{
    const size_t d = t->layout->weights;
    for (size_t c = 0; c < t->state.cache.count; c++) {
        const sos_cut *cut = &t->state.cache.list[c];
        const size_t i = cut->group;
        if (!is_active(t, i)) continue;
        double *a = t->difference + i * d;
        if (cut->b - sos_dot(d, cut->a, t->trial) <= t->loss[i] - sos_dot(d, a, t->trial)) continue;
        t->loss[i] = cut->b;
        memcpy(a, cut->a, d * sizeof *a);
        t->state.cache_hits++;
    }
}

/* Replaces what the oracle would say by the most violated plane of each example's cache.  False: an example has none. */
static bool ask_cache(sos_trainer *t)
{
    const size_t d = t->layout->weights;
    double *violation = t->missed; /* not needed meanwhile */
    for (size_t i = 0; i < t->examples; i++) violation[i] = -1;
    for (size_t c = 0; c < t->state.cache.count; c++) {
        const sos_cut *cut = &t->state.cache.list[c];
        const double v = cut->b - sos_dot(d, cut->a, t->trial);
        if (v <= violation[cut->group]) continue;
        violation[cut->group] = v;
        t->loss[cut->group] = cut->b;
        memcpy(t->difference + cut->group * d, cut->a, d * sizeof *cut->a);
    }
    for (size_t i = 0; i < t->examples; i++) {
        if (violation[i] < 0) { /* its true labelling, which violates nothing, is as good as any */
            t->loss[i] = 0;
            memset(t->difference + i * d, 0, d * sizeof *t->difference);
        }
        violation[i] = 0;
    }
    return t->state.cache.count > 0;
}

/* Means over the examples: of how much their plane is violated at the trial, and of what the oracle may have missed. */
static double mean_violation(const sos_trainer *t)
{
    const size_t d = t->layout->weights;
    double sum = 0;
    for (size_t i = 0; i < t->examples; i++)
        if (is_active(t, i)) sum += fmax(0, t->loss[i] - sos_dot(d, t->difference + i * d, t->trial));
    return sum / (double)active_examples(t);
}

static double mean_missed(const sos_trainer *t)
{
    double sum = 0;
    for (size_t i = 0; i < t->examples; i++)
        if (is_active(t, i)) sum += t->missed[i];
    return sum / (double)active_examples(t);
}

static bool is_known(const sos_trainer *t, const double a[], double b, size_t group)
{
    const size_t d = t->layout->weights;
    bool known = false;
    for (size_t k = 0; k < t->state.planes.count && !known; k++) {
        const sos_cut *cut = &t->state.planes.list[k];
        known = cut->group == group && cut->b == b && !memcmp(cut->a, a, d * sizeof *a);
    }
    return known;
}

/* A plane per group: the mean of those of its examples.  A plane that the program has already would only be in its way. */
static sos_status add_planes(sos_trainer *t, sos_error *error)
{
    const size_t d = t->layout->weights;
    double *a = numbers(d);
    bool ok = a;
    for (size_t g = 0; ok && g < active_groups(t); g++) {
        const double share = 1 / group_size(t, g);
        double b = 0;
        memset(a, 0, d * sizeof *a);
        for (size_t i = 0; i < t->examples; i++) {
            if (group_of(t, i) != g) continue;
            sos_axpy(d, share, t->difference + i * d, a);
            b += share * t->loss[i];
        }
        const bool empty = b == 0 && sos_dot(d, a, a) == 0;
        if (!empty && !is_known(t, a, b, g)) ok = sos_cuts_add(&t->state.planes, d, a, b, (uint32_t)g);
    }
    free(a);
    return ok ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for more planes");
}

/* Keeps the newest planes of every example. */
static sos_status fill_cache(sos_trainer *t, sos_error *error)
{
    sos_cuts *cache = &t->state.cache;
    const size_t d = t->layout->weights, most = t->settings.cache * t->examples;
    if (!most) return SOS_OK;
    for (size_t i = 0; i < t->examples; i++) {
        const double *a = t->difference + i * d;
        if (!is_active(t, i)) continue;
        if (t->loss[i] == 0 && sos_dot(d, a, a) == 0) continue;
        if (!sos_cuts_add(cache, d, a, t->loss[i], (uint32_t)i))
            return sos_fail(error, SOS_ERR_MEMORY, "no memory for a cache");
    }
    size_t drop = cache->count > most ? cache->count - most : 0, kept = 0;
    for (size_t c = 0; c < cache->count; c++) {
        if (c < drop)
            free(cache->list[c].a);
        else
            cache->list[kept++] = cache->list[c];
    }
    cache->count = kept;
    return SOS_OK;
}

static void drop_idle(sos_trainer *t)
{
    sos_cuts *planes = &t->state.planes;
    size_t kept = 0;
    for (size_t k = 0; k < planes->count; k++) {
        if (t->settings.idle && planes->list[k].idle > t->settings.idle)
            free(planes->list[k].a);
        else
            planes->list[kept++] = planes->list[k];
    }
    planes->count = kept;
}

static double objective(const sos_trainer *t, const double w[], double hinge)
{
    return sos_dot(t->layout->weights, w, w) / 2 + t->state.C * hinge;
}

static double best_primal(const sos_trainer *t)
{
    const sos_trainer_state *s = &t->state;
    return s->best_hinge < 0 ? INFINITY : fmin(s->primal, objective(t, s->best, s->best_hinge + s->best_missed));
}

/* Adds planes from the caches as long as they tell the program enough: each spares a round of oracle calls. */
static sos_status exhaust_cache(sos_trainer *t, sos_error *error)
{
    enum { TRIES = 20 };
    if (!t->settings.cache) return SOS_OK;
    for (int n = 0; n < TRIES && t->state.best_hinge >= 0; n++) {
        memcpy(t->trial, t->state.optimum, t->layout->weights * sizeof *t->trial);
        if (!ask_cache(t)) return SOS_OK;
        const double gap = best_primal(t) - t->state.dual;
        const double gained = objective(t, t->trial, mean_violation(t)) - t->state.dual;
        if (gained < 0.25 * gap) return SOS_OK;
        sos_status status = add_planes(t, error);
        if (!status) status = solve_program(t, error);
        if (status) return status;
        t->state.cache_hits += active_examples(t);
    }
    return SOS_OK;
}

/* ---------------------------------------------------------------- rounds */

static double elapsed(const sos_trainer *t) { return t->state.seconds + sos_seconds() - t->began; }

/* Of the examples that take part. */
static double relative_gap(const sos_trainer *t)
{
    const double primal = best_primal(t);
    return primal > 0 ? fmax(0, primal - t->state.dual) / primal : 0;
}

/* The first round that asked all examples: what the time that is left is estimated from. */
typedef struct milestone {
    uint64_t round; /* 0: not passed yet */
    double gap, seconds;
} milestone;

/* The gap shrinks geometrically, more or less: so much longer at this rate. */
static double seconds_left(const sos_trainer *t, const milestone *first)
{
    const double gap = relative_gap(t), wanted = t->settings.gap;
    if (!first->round || t->state.round < first->round + 2 || !(gap > 0) || !(gap < first->gap) || !(wanted > 0)) return -1;
    return gap <= wanted ? 0 : (elapsed(t) - first->seconds) * log(gap / wanted) / log(first->gap / gap);
}

static sos_train_round report(const sos_trainer *t, double hinge, const milestone *first)
{
    const sos_trainer_state *s = &t->state;
    double loss = 0;
    for (size_t i = 0; i < t->examples; i++)
        if (is_active(t, i)) loss += t->loss[i] / (double)active_examples(t);
    const double gap = relative_gap(t);
    const bool all = s->stage != SOS_STAGE_SCOUTS;
    return (sos_train_round){ .round = s->round,
                              .examples = active_examples(t),
                              .C = s->C,
                              .primal = all ? best_primal(t) : INFINITY,
                              .dual = all ? fmin(s->dual, best_primal(t)) : 0,
                              .gap = all ? gap : 1,
                              .hinge = hinge,
                              .loss = loss,
                              .planes = s->planes.count,
                              .oracle_calls = s->oracle_calls,
                              .cache_hits = s->cache_hits,
                              .seconds = elapsed(t),
                              .seconds_oracle = s->seconds_oracle,
                              .seconds_qp = s->seconds_qp,
                              .seconds_left = all ? seconds_left(t, first) : -1 };
}

static sos_status save(sos_trainer *t, sos_error *error)
{
    if (!t->settings.checkpoint || sos_seconds() - t->written < t->settings.checkpoint_seconds) return SOS_OK;
    const double now = sos_seconds();
    t->state.seconds += now - t->began;
    t->began = now;
    t->written = now;
    return sos_checkpoint_write(t, t->settings.checkpoint, error);
}

/* One round: program, oracle, planes.  *hinge: mean slack of its weights; *better: they are the best so far. */
static sos_status round_of(sos_trainer *t, double *hinge, bool *better, sos_error *error)
{
    sos_trainer_state *s = &t->state;
    s->round++;
    s->rounds++;
    sos_status status = solve_program(t, error);
    if (!status) status = exhaust_cache(t, error);
    if (status) return status;
    choose_trial(t);
    status = ask_oracle(t, error);
    if (status) return status;
    if (t->oracle->approximate) improve_answers(t);
    /* The best weights are those with the least value; the bound counts what the oracle may have missed. */
    const double missed = mean_missed(t);
    *hinge = mean_violation(t);
    s->primal = fmin(s->primal, objective(t, t->trial, *hinge + missed));
    *better = s->best_hinge < 0 || objective(t, t->trial, *hinge) < objective(t, s->best, s->best_hinge);
    if (*better) {
        memcpy(s->best, t->trial, t->layout->weights * sizeof *s->best);
        s->best_hinge = *hinge;
        s->best_missed = missed;
    }
    drop_idle(t);
    t->known = s->planes.count;
    status = add_planes(t, error);
    return status ? status : fill_cache(t, error);
}

/* By how much the planes that the round added are violated beyond those known before, at most. */
static double worst_shortfall(const sos_trainer *t)
{
    const size_t d = t->layout->weights;
    double worst = 0;
    memset(t->xi, 0, t->groups * sizeof *t->xi);
    for (size_t k = 0; k < t->state.planes.count; k++) {
        const sos_cut *cut = &t->state.planes.list[k];
        const double violation = cut->b - sos_dot(d, cut->a, t->trial);
        if (k >= t->known)
            worst = fmax(worst, violation - t->xi[cut->group]);
        else
            t->xi[cut->group] = fmax(t->xi[cut->group], violation);
    }
    return worst;
}

/* Rounds that find neither better weights nor a plane that the program did not know end it too: more would be the same.  It
 * happens where the oracle's own bound on what it missed is all that is left of the gap. */
static bool is_learned(sos_trainer *t, bool better, double loss, sos_train_outcome *outcome)
{
    enum { FRUITLESS_MOST = 8 };
    const sos_train_settings *s = &t->settings;
    const double shortfall = worst_shortfall(t), enough = t->state.stage == SOS_STAGE_SCOUTS ? fmax(SCOUT_GAP, s->gap) : s->gap;
    t->state.fruitless = !better && shortfall <= 1e-13 * (1 + loss) ? t->state.fruitless + 1 : 0;
    const bool close = best_primal(t) - t->state.dual <= t->state.C * s->epsilon;
    const bool no_more = (s->epsilon > 0 && shortfall <= s->epsilon && close) || t->state.fruitless >= FRUITLESS_MOST;
    *outcome = relative_gap(t) <= enough ? SOS_TRAIN_GAP : SOS_TRAIN_EPSILON;
    return *outcome == SOS_TRAIN_GAP || no_more;
}

static bool is_used_up(const sos_trainer *t, const sos_train_round *r, sos_train_outcome *outcome)
{
    const sos_train_settings *s = &t->settings;
    const bool rounds = s->rounds && r->round >= s->rounds, seconds = s->seconds > 0 && r->seconds >= s->seconds;
    if (rounds || seconds) *outcome = rounds ? SOS_TRAIN_ROUNDS : SOS_TRAIN_SECONDS;
    return rounds || seconds;
}

/* From the scouts to all examples: their weights are where to begin, their bounds say nothing. */
static void call_all(sos_trainer *t)
{
    sos_trainer_state *s = &t->state;
    s->stage = SOS_STAGE_FIRST;
    s->fruitless = 0;
    s->dual = 0;
    s->primal = INFINITY;
    s->best_hinge = -1;
    set_C(t, s->C);
}

/* One round and what follows from it.  *done: a reason to stop holds. */
static sos_status advance(sos_trainer *t, milestone *first, bool *done, sos_train_result *result, sos_error *error)
{
    sos_trainer_state *s = &t->state;
    sos_train_outcome outcome;
    double hinge;
    bool better;
    const sos_status status = round_of(t, &hinge, &better, error);
    if (status) return status;
    sos_train_round *r = &result->last;
    *r = report(t, hinge, first);
    if (!first->round && s->stage != SOS_STAGE_SCOUTS) *first = (milestone){ s->round, r->gap, r->seconds };
    const bool learned = is_learned(t, better, r->loss, &outcome), scouting = s->stage == SOS_STAGE_SCOUTS;
    *done = (learned && !scouting) || is_used_up(t, r, &outcome);
    if (t->settings.progress && !t->settings.progress(t->settings.user, r) && !*done) {
        outcome = SOS_TRAIN_STOPPED;
        *done = true;
    }
    result->outcome = outcome;
    if (s->stage == SOS_STAGE_FIRST) s->stage = SOS_STAGE_ALL;
    if (learned && scouting) call_all(t);
    return *done ? SOS_OK : save(t, error);
}

/* Rounds until one of the reasons to stop holds. */
static sos_status train_at(sos_trainer *t, sos_train_result *result, sos_error *error)
{
    milestone first = { 0 };
    for (bool done = false; !done;) {
        const sos_status status = advance(t, &first, &done, result, error);
        if (status) return status;
    }
    result->approximate = t->oracle->approximate;
    const bool proven = result->outcome == SOS_TRAIN_GAP || result->outcome == SOS_TRAIN_EPSILON;
    result->zero = proven && sos_dot(t->layout->weights, t->state.best, t->state.best) == 0;
    return SOS_OK;
}

/* A new C: planes, caches and, unless scouts go first, the best weights stay; bounds do not. */
static void next_C(sos_trainer *t, double C)
{
    t->state.stage = t->scouts ? SOS_STAGE_SCOUTS : SOS_STAGE_ALL;
    if (t->scouts) t->state.best_hinge = -1;
    set_C(t, C);
    t->state.round = 0;
    t->state.fruitless = 0;
    t->state.dual = 0;
    t->state.primal = INFINITY;
}

static sos_status begin(sos_trainer *t, bool *resumed, sos_error *error)
{
    t->began = t->written = sos_seconds();
    *resumed = false;
    if (!t->settings.checkpoint) return SOS_OK;
    const sos_status status = sos_checkpoint_read(t, t->settings.checkpoint, resumed, error);
    if (!status && *resumed) set_C(t, t->state.C);
    return status;
}

/* data: a hash of what the examples are, as far as that is known. */
static sos_status train_with(sos_model *m, const sos_oracle *oracle, uint64_t data, const sos_train_settings *settings,
                             sos_train_result *result, sos_error *error)
{
    sos_trainer t;
    sos_train_result r = { 0 };
    sos_status status = trainer_create(&t, m->layout, oracle, data, settings, error);
    if (status) return status;
    status = begin(&t, &r.resumed, error);
    if (!status && !r.resumed) next_C(&t, t.settings.C);
    if (!status && r.resumed && t.state.C != t.settings.C)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "the checkpoint is of C = %g, not %g", t.state.C, t.settings.C);
    if (!status) status = train_at(&t, &r, error);
    if (!status) memcpy(m->weights, t.state.best, m->layout->weights * sizeof *m->weights);
    if (!status && result) *result = r;
    trainer_free(&t);
    return status;
}

sos_status sos_train_oracle(sos_model *m, const sos_oracle *oracle, const sos_train_settings *settings,
                            sos_train_result *result, sos_error *error)
{
    if (!m || !oracle || !oracle->violate) return sos_fail(error, SOS_ERR_ARGUMENT, "no model or no oracle was given");
    return train_with(m, oracle, 0, settings, result, error);
}

/* ---------------------------------------------------------------- training on examples */

typedef struct example_oracle {
    sos_example *const *examples;
    uint8_t *const *labels; /* one array per example, for what the oracle finds */
    bool warm;
} example_oracle;

static sos_status violate_example(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                                  sos_error *error)
{
    const example_oracle *o = user;
    sos_example *x = o->examples[i];
    sos_minimize_settings s = sos_minimize_defaults();
    sos_minimize_result r;
    s.start = o->warm ? SOS_START_FLOW : SOS_START_COLD;
    const sos_status status = sos_example_minimize(x, w, true, &s, o->labels[i], &r, error);
    if (status) return status;
    sos_example_add_psi(x, o->labels[i], sos_example_truth(x), difference);
    *loss = sos_example_loss(x, o->labels[i]);
    *missed = 2 * r.rounding; /* the flow's minimum and this labelling's energy each moved by as much */
    return SOS_OK;
}

static sos_status examples_check(const sos_model *m, size_t count, sos_example *const examples[], bool truths, sos_error *error)
{
    if (!m || (count && !examples)) return sos_fail(error, SOS_ERR_ARGUMENT, "no model or no examples were given");
    for (size_t i = 0; i < count; i++) {
        if (!examples[i]) return sos_fail(error, SOS_ERR_ARGUMENT, "example %zu is missing", i);
        if (sos_example_layout(examples[i])->identity != m->layout->identity)
            return sos_fail(error, SOS_ERR_ARGUMENT, "example %zu was made for a model with other groups", i);
        if (truths && !sos_example_truth(examples[i]))
            return sos_fail(error, SOS_ERR_ARGUMENT, "example %zu has no true labels", i);
    }
    return SOS_OK;
}

static void labels_free(size_t count, uint8_t **labels)
{
    for (size_t i = 0; labels && i < count; i++) free(labels[i]);
    free(labels);
}

static uint8_t **labels_create(size_t count, sos_example *const examples[])
{
    uint8_t **labels = calloc(count ? count : 1, sizeof *labels);
    for (size_t i = 0; labels && i < count; i++) {
        labels[i] = malloc(sos_example_variables(examples[i]));
        if (labels[i]) continue;
        labels_free(count, labels);
        return NULL;
    }
    return labels;
}

/* Flows are kept as far as memory goes: the examples' sizes tell before the first is there. */
static bool flows_fit(size_t count, sos_example *const examples[], size_t memory)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += 2 * sos_example_bytes(examples[i]);
    return !memory || bytes <= memory;
}

static void forget_flows(size_t count, sos_example *const examples[])
{
    for (size_t i = 0; i < count; i++) sos_example_forget_flow(examples[i]);
}

/* Only a checkpoint needs it. */
static uint64_t examples_hash(const sos_train_settings *s, size_t count, sos_example *const examples[])
{
    uint64_t hash = SOS_HASH_START;
    if (!s->checkpoint) return hash;
    for (size_t i = 0; i < count; i++) hash = sos_example_hash(examples[i], hash);
    return hash;
}

sos_status sos_train(sos_model *m, size_t count, sos_example *const examples[], const sos_train_settings *settings,
                     sos_train_result *result, sos_error *error)
{
    const sos_status status = examples_check(m, count, examples, true, error);
    if (status) return status;
    const sos_train_settings s = settings ? *settings : sos_train_defaults();
    uint8_t **labels = labels_create(count, examples);
    if (!labels) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
    example_oracle o = { examples, labels, s.warm && flows_fit(count, examples, s.memory) };
    const sos_oracle oracle = { count, &o, violate_example, m->layout->labels > 2 };
    const sos_status trained = train_with(m, &oracle, examples_hash(&s, count, examples), &s, result, error);
    forget_flows(count, examples);
    labels_free(count, labels);
    return trained;
}

sos_status sos_evaluate(const sos_model *m, size_t count, sos_example *const examples[], int threads, double losses[],
                        double *mean, sos_error *error)
{
    sos_status status = examples_check(m, count, examples, false, error);
    if (status) return status;
    uint8_t **labels = labels_create(count, examples);
    double *loss = numbers(count);
    if (!labels || !loss) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
    sos_failure failure = { 0 };
    const int workers = sos_thread_count(threads);
    (void)workers;
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
    for (size_t i = 0; i < (status ? 0 : count); i++) {
        sos_error mine = { SOS_OK, "" };
        const sos_status one = sos_model_predict(m, examples[i], NULL, labels[i], NULL, &mine);
        if (!one) loss[i] = sos_example_loss(examples[i], labels[i]);
        sos_failure_note(&failure, i, one, &mine);
    }
    if (!status) status = sos_failure_status(&failure, "example", error);
    double sum = 0;
    for (size_t i = 0; !status && i < count; i++) {
        sum += loss[i];
        if (losses) losses[i] = loss[i];
    }
    if (!status && mean) *mean = count ? sum / (double)count : 0;
    free(loss);
    labels_free(count, labels);
    return status;
}

/* ---------------------------------------------------------------- paths */

static sos_status path_check(size_t count, const double values[], sos_error *error)
{
    if (!count || !values) return sos_fail(error, SOS_ERR_ARGUMENT, "a path needs values of C");
    for (size_t i = 0; i < count; i++)
        if (!(values[i] > 0 && isfinite(values[i])) || (i && !(values[i] > values[i - 1])))
            return sos_fail(error, SOS_ERR_ARGUMENT, "values of C must be over 0 and increase; number %zu is %g", i, values[i]);
    return SOS_OK;
}

/* Trains for the current C of the path and judges the weights. */
static sos_status path_point(sos_trainer *t, sos_model *m, size_t count, sos_example *const validation[], sos_path_point *point,
                             sos_error *error)
{
    sos_status status = train_at(t, &point->result, error);
    if (status) return status;
    memcpy(m->weights, t->state.best, m->layout->weights * sizeof *m->weights);
    if (count) status = sos_evaluate(m, count, validation, t->settings.threads, NULL, &point->validation_loss, error);
    return status;
}

static sos_status follow_path(sos_trainer *t, sos_model *m, size_t validation_count, sos_example *const validation[],
                              size_t values_count, const double values[], sos_error *error)
{
    sos_trainer_state *s = &t->state;
    bool resumed;
    sos_status status = begin(t, &resumed, error);
    if (status) return status;
    if (!sos_grow(&s->points, &s->points_room, values_count)) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a path");
    if (resumed && (s->point >= values_count || s->C != values[s->point]))
        return sos_fail(error, SOS_ERR_ARGUMENT, "the checkpoint is of a path with other values of C");
    for (bool stopped = false; !stopped && s->point < values_count;) {
        sos_path_point point = { .C = values[s->point], .result.resumed = resumed, .validation_loss = NAN };
        if (!resumed) next_C(t, values[s->point]);
        status = path_point(t, m, validation_count, validation, &point, error);
        if (status) return status;
        if (!s->point || !validation_count || point.validation_loss < s->points[s->chosen].validation_loss) {
            s->chosen = s->point;
            memcpy(s->kept, m->weights, m->layout->weights * sizeof *s->kept);
        }
        s->points[s->point++] = point;
        stopped = point.result.outcome == SOS_TRAIN_STOPPED;
        resumed = false;
    }
    return SOS_OK;
}

sos_status sos_train_path(sos_model *m, size_t count, sos_example *const examples[], size_t validation_count,
                          sos_example *const validation[], size_t values_count, const double values[],
                          const sos_train_settings *settings, sos_path_point path[], size_t *best, sos_error *error)
{
    sos_status status = path_check(values_count, values, error);
    if (!status) status = examples_check(m, count, examples, true, error);
    if (!status) status = examples_check(m, validation_count, validation, true, error);
    if (status) return status;
    sos_train_settings s = settings ? *settings : sos_train_defaults();
    s.C = values[0];
    uint8_t **labels = labels_create(count, examples);
    double *before = numbers(m->layout->weights);
    example_oracle o = { examples, labels, s.warm && flows_fit(count, examples, s.memory) };
    const sos_oracle oracle = { count, &o, violate_example, m->layout->labels > 2 };
    sos_trainer t = { 0 };
    if (!labels || !before)
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a path");
    else
        status = trainer_create(&t, m->layout, &oracle, examples_hash(&s, count, examples), &s, error);
    if (!status) {
        const size_t bytes = m->layout->weights * sizeof *before;
        memcpy(before, m->weights, bytes);
        status = follow_path(&t, m, validation_count, validation, values_count, values, error);
        memcpy(m->weights, status ? before : t.state.kept, bytes);
        if (!status && path)
            for (size_t i = 0; i < values_count; i++)
                path[i] = i < t.state.point ? t.state.points[i] : (sos_path_point){ .C = values[i], .validation_loss = NAN };
        if (!status && best) *best = (size_t)t.state.chosen;
        trainer_free(&t);
    }
    forget_flows(count, examples);
    labels_free(count, labels);
    free(before);
    return status;
}
