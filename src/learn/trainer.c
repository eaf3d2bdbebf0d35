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

#include "base/clock.h"
#include "base/hash.h"
#include "base/output.h"
#include "base/threads.h"

sos_train_settings sos_train_defaults(void)
{
    return (sos_train_settings){ .C = 1,
                                 .gap = 1e-3,
                                 .step = 0.45,
                                 .cache = 8,
                                 .idle = 12,
                                 .qp_gap = 1e-6,
                                 .warm = true,
                                 .checkpoint_seconds = 60,
                                 .searches = 1,
                                 .exhaustive = 4096 };
}

static sos_status settings_check(const sos_train_settings *s, sos_error *error)
{
    if (!(s->C > 0 && isfinite(s->C))) return sos_fail(error, SOS_ERR_ARGUMENT, "C is %g; it must be over 0", s->C);
    if (!(s->gap >= 0) || !(s->epsilon >= 0) || !(s->seconds >= 0) || !(s->checkpoint_seconds >= 0))
        return sos_fail(error, SOS_ERR_ARGUMENT, "gap, epsilon and seconds must not be negative");
    if (!(s->step > 0 && s->step <= 1)) return sos_fail(error, SOS_ERR_ARGUMENT, "step is %g; it must be in (0, 1]", s->step);
    if (!(s->qp_gap > 0)) return sos_fail(error, SOS_ERR_ARGUMENT, "qp_gap is %g; it must be over 0", s->qp_gap);
    return SOS_OK;
}


static void choose_groups(sos_trainer *t)
{
    const size_t wanted = t->settings.slacks ? t->settings.slacks : 1;
    t->subset = !t->settings.slacks && t->examples >= SOS_SUBSET_EVERY;
    t->groups = t->subset ? 2 : wanted < t->examples ? wanted : t->examples;
}

/* The group of an example: consecutive examples are often alike, so they are dealt out in turn. */
uint32_t sos_trainer_group(const sos_trainer *t, size_t i)
{
    if (t->subset) return i % SOS_SUBSET_EVERY != 0;
    return (uint32_t)(i % t->groups); // NOLINT(clang-analyzer-core.DivideZero): sos_trainer_create sees to it
}

size_t sos_trainer_active_groups(const sos_trainer *t) { return t->state.stage == SOS_STAGE_SUBSET ? 1 : t->groups; }

bool sos_trainer_is_active(const sos_trainer *t, size_t i) { return sos_trainer_group(t, i) < sos_trainer_active_groups(t); }

size_t sos_trainer_active_examples(const sos_trainer *t)
{
    return t->state.stage == SOS_STAGE_SUBSET ? sos_trainer_group_size(t, 0) : t->examples;
}

size_t sos_trainer_group_size(const sos_trainer *t, size_t g)
{
    const size_t subset = (t->examples + SOS_SUBSET_EVERY - 1) / SOS_SUBSET_EVERY;
    if (t->subset) return g ? t->examples - subset : subset;
    return t->examples / t->groups + (g < t->examples % t->groups);
}

void sos_trainer_free(sos_trainer *t)
{
    sos_lock_release(&t->lock);
    sos_cone_free(&t->cone);
    free(t->mine);
    free(t->stiffness);
    free(t->cost);
    free(t->xi);
    free(t->trial);
    free(t->difference);
    free(t->loss);
    free(t->missed);
    free(t->cached);
    free(t->beaten);
    free(t->slack);
    free(t->floor);
    free(t->group);
    free(t->sums);
    free(t->state.best_slack);
    free(t->state.best_group);
    free(t->state.best_floor);
    free(t->state.best);
    free(t->state.optimum);
    free(t->state.aim);
    free(t->state.ahead_sums);
    free(t->state.cone_multiplier);
    free(t->state.points);
    free(t->state.kept);
    sos_cuts_free(&t->state.planes);
    sos_cuts_free(&t->state.cache);
    sos_cuts_free(&t->state.asked);
    sos_cuts_free(&t->state.common);
}

static double *numbers(size_t count) { return calloc(count ? count : 1, sizeof(double)); }

/* Bounds are forgotten, and whether they move is watched anew. */
static void forget_bounds(sos_trainer_state *s)
{
    s->fruitless = 0;
    s->stale = 0;
    s->dual = s->mark_dual = 0;
    s->primal = s->mark_primal = INFINITY;
}

size_t sos_trainer_place(const sos_trainer *t, size_t i)
{
    size_t low = 0, high = t->own;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->mine[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->own && t->mine[low] == i ? low : t->own;
}

/* What a checkpoint must agree with. */
static uint64_t problem_identity(const sos_trainer *t, uint64_t data)
{
    const uint64_t facts[] = { t->layout->identity, t->layout->weights, t->examples, t->groups, data };
    const size_t bytes = t->layout->weights * sizeof(double);
    uint64_t hash = sos_hash(SOS_HASH_START, facts, sizeof facts);
    if (t->stiffness) hash = sos_hash(hash, t->stiffness, bytes);
    return t->settings.from ? sos_hash(hash, t->settings.from, bytes) : hash;
}

/* Weights that the caller gives must be in the cone. */
static sos_status given_check(const char *what, const sos_layout *layout, const double w[], sos_error *error)
{
    sos_error why;
    const sos_status status = sos_layout_check(layout, w, &why);
    return status ? sos_fail(error, status, "%s: %.400s", what, why.message) : SOS_OK;
}

/* Which examples are this rank's. */
static bool is_own(const sos_trainer *t, size_t i)
{
    if (sos_ranks_size(t->ranks) == 1) return true;
    if (t->oracle->has) return t->oracle->has(t->oracle->user, i);
    return i % sos_ranks_size(t->ranks) == sos_ranks_rank(t->ranks);
}

static bool take_own(sos_trainer *t)
{
    t->mine = malloc(t->examples * sizeof *t->mine);
    for (size_t i = 0; t->mine && i < t->examples; i++)
        if (is_own(t, i)) t->mine[t->own++] = i;
    return t->mine;
}

static sos_status create_here(sos_trainer *t, sos_ranks *ranks, const sos_layout *layout, const sos_oracle *oracle,
                              sos_recaller recaller, uint64_t data, const sos_train_settings *settings, sos_error *error)
{
    *t = (sos_trainer){ .ranks = ranks,
                        .layout = layout,
                        .oracle = oracle,
                        .recaller = recaller,
                        .settings = settings ? *settings : sos_train_defaults() };
    sos_status status = sos_reserved_check("sos_train_settings", &t->settings, error);
    if (!status) status = sos_reserved_check("sos_oracle", oracle, error);
    if (!status) status = settings_check(&t->settings, error);
    if (status) return status;
    if (!oracle->examples) return sos_fail(error, SOS_ERR_ARGUMENT, "there are no examples to train on");
    if (!layout->weights) return sos_fail(error, SOS_ERR_ARGUMENT, "the model has no weights to train");
    if (t->settings.from) status = given_check("the weights to learn away from", layout, t->settings.from, error);
    if (!status && t->settings.start) status = given_check("the weights to start at", layout, t->settings.start, error);
    if (status) return status;
    t->examples = oracle->examples;
    choose_groups(t);
    t->threads = sos_thread_count(t->settings.work.threads);
    status = sos_trainer_take_stiffness(t, error);
    if (!status) status = sos_cone_create(layout, &t->cone, error);
    if (status) {
        free(t->stiffness);
        return status;
    }
    const size_t d = layout->weights;
    t->cost = numbers(t->groups);
    t->xi = numbers(t->groups);
    t->trial = numbers(d);
    const bool fits = d + 3 <= SIZE_MAX / sizeof(double) / t->examples && take_own(t);
    t->difference = fits ? numbers(t->own * d) : NULL;
    t->loss = numbers(t->own);
    t->missed = numbers(t->own);
    t->cached = numbers(t->own);
    t->beaten = calloc(t->own + 1, sizeof *t->beaten);
    t->slack = numbers(t->own);
    t->group = numbers(t->groups);
    t->floor = numbers(t->groups);
    t->sums = fits ? numbers(t->groups * (d + 3)) : NULL;
    t->state.best_slack = numbers(t->own);
    t->state.best_group = numbers(t->groups);
    t->state.best_floor = numbers(t->groups);
    t->state.best = numbers(d);
    t->state.optimum = numbers(d);
    t->state.aim = numbers(d);
    t->state.ahead_sums = numbers(d + 3);
    t->state.cone_multiplier = numbers(t->cone.row_count);
    t->state.kept = numbers(d);
    t->state.best_hinge = -1;
    t->state.approximate = oracle->approximate;
    t->state.identity = problem_identity(t, data);
    if (t->cost && t->state.kept && t->xi && t->trial && t->difference && t->loss && t->missed && t->cached && t->beaten &&
        t->slack && t->group && t->floor && t->sums && t->state.best_slack && t->state.best_group && t->state.best_floor &&
        t->state.best && t->state.optimum && t->state.aim && t->state.ahead_sums && t->state.cone_multiplier)
        return SOS_OK;
    sos_trainer_free(t);
    return sos_fail(error, SOS_ERR_MEMORY, "no memory to train %zu weights on %zu examples", d, t->examples);
}

/* Ranks that were given different problems would wait for each other for ever, or learn nonsense. */
static sos_status ranks_check(sos_trainer *t, sos_error *error)
{
    const int64_t identity = (int64_t)t->state.identity;
    int64_t all[3] = { identity, ~identity, (int64_t)t->own };
    sos_status status = sos_ranks_max(t->ranks, 2, all, error);
    if (!status) status = sos_ranks_sum(t->ranks, 1, all + 2, error);
    if (status) return status;
    if (all[0] != ~all[1]) return sos_fail(error, SOS_ERR_ARGUMENT, "the ranks have different models, examples or settings");
    if (all[2] == (int64_t)t->examples) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "the ranks have %lld of %zu examples", (long long)all[2], t->examples);
}

sos_status sos_trainer_create(sos_trainer *t, sos_ranks *ranks, const sos_layout *layout, const sos_oracle *oracle,
                              sos_recaller recaller, uint64_t data, const sos_train_settings *settings, sos_error *error)
{
    const sos_status mine = create_here(t, ranks, layout, oracle, recaller, data, settings, error);
    sos_status status = sos_ranks_agree(ranks, sos_ranks_rank(ranks), mine, error);
    if (!status) status = ranks_check(t, error);
    if (status && !mine) sos_trainer_free(t);
    return status;
}

static void set_C(sos_trainer *t, double C)
{
    const double share = 1 / (double)sos_trainer_active_examples(t);
    t->state.C = C;
    for (size_t g = 0; g < t->groups; g++) t->cost[g] = 0;
    for (size_t i = 0; i < t->examples; i++) t->cost[sos_trainer_group(t, i)] += C * share;
}

/* Along a path, what can be recalled of all examples says more of the next C than the subset does. */
static bool begins_with_subset(const sos_trainer *t) { return t->subset && !(t->recaller.recall && t->state.rounds); }

void sos_trainer_next_C(sos_trainer *t, double C)
{
    const bool subset = begins_with_subset(t);
    t->state.stage = subset ? SOS_STAGE_SUBSET : SOS_STAGE_ALL;
    if (subset) t->state.best_hinge = -1;
    set_C(t, C);
    t->state.round = t->state.ahead = 0;
    forget_bounds(&t->state);
}

void sos_trainer_call_all(sos_trainer *t)
{
    sos_trainer_state *s = &t->state;
    s->stage = SOS_STAGE_FIRST;
    forget_bounds(s);
    s->best_hinge = -1;
    set_C(t, s->C);
}

double sos_trainer_objective(const sos_trainer *t, const double w[], double hinge)
{
    return sos_trainer_norm(t, w) + t->state.C * hinge;
}

/* A place where no checkpoint can be written is better known now than after hours. */
static sos_status place_check(const char *path, sos_error *error)
{
    sos_output out;
    const sos_status status = sos_output_open(&out, path, error);
    if (!status) sos_output_abandon(&out);
    return status;
}

sos_status sos_trainer_begin(sos_trainer *t, bool *resumed, sos_error *error)
{
    t->began = t->written = t->called = sos_seconds();
    *resumed = false;
    if (!t->settings.checkpoint) return SOS_OK;
    const size_t rank = sos_ranks_rank(t->ranks);
    sos_status status = rank ? SOS_OK : place_check(t->settings.checkpoint, error);
    if (!status && !rank) status = sos_lock_take(&t->lock, t->settings.checkpoint, error);
    status = sos_ranks_agree(t->ranks, rank, status, error);
    if (!status) status = sos_checkpoint_read(t, t->settings.checkpoint, resumed, error);
    if (!status && *resumed) set_C(t, t->state.C);
    if (!status && *resumed && t->state.precise && t->recaller.refine) t->recaller.refine(t->recaller.user);
    if (!status && *resumed && t->recaller.recall) status = sos_trainer_replay(t, error);
    return status;
}
