/* rounds.c - rounds until a reason to stop holds: what each reports, the reasons (math.md, 12.7), checkpoints. */
#include "learn/trainer.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "learn/dense.h"

static const double SUBSET_GAP =
    0.05; /* how close the examples that go first come, at most: their optimum is not the whole one's */

/* Rounds that find neither better weights nor a plane that the program did not know end training: more would be the same.  It
 * happens where the oracle's own bound on what it missed is all that is left of the gap. */
enum { FRUITLESS_STIFF = 4, FRUITLESS_MOST = 8 };

/* Bounds that do not move by a thousandth, of themselves or of their distance, for so many rounds: the program is too stiff for
 * doubles, and is solved with wide numbers from then on; or, where it is that already or too large for it, this is the end.  On
 * all data that were measured, bounds move at least every fourth round. */
enum { STALE_STIFF = 10, STALE_MOST = 25 };
static const double MOVED = 1e-3;

static double elapsed(const sos_trainer *t) { return t->state.seconds + sos_seconds() - t->began; }

/* Of the examples that take part. */
static double relative_gap(const sos_trainer *t)
{
    const double primal = sos_trainer_primal(t);
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
    const size_t examples = sos_trainer_active_examples(t);
    double loss = 0;
    for (size_t g = 0; g < sos_trainer_active_groups(t); g++) loss += sos_trainer_group_loss(t, g) / (double)examples;
    const double gap = relative_gap(t);
    const bool all = s->stage != SOS_STAGE_SUBSET;
    return (sos_train_round){ .round = s->round,
                              .examples = examples,
                              .C = s->C,
                              .primal = all ? sos_trainer_primal(t) : INFINITY,
                              .dual = all ? fmin(s->dual, sos_trainer_primal(t)) : 0,
                              .gap = all ? gap : 1,
                              .hinge = hinge,
                              .loss = loss,
                              .planes = s->planes.count,
                              .oracle_calls = s->oracle_calls,
                              .cache_hits = s->cache_hits,
                              .seconds = elapsed(t),
                              .seconds_oracle = s->seconds_oracle,
                              .seconds_qp = s->seconds_qp,
                              .seconds_left = all ? seconds_left(t, first) : -1,
                              .approximate = s->approximate,
                              .beaten = s->beaten,
                              .idle = t->span > 0 ? fmax(0, 1 - t->busy / t->span) : 0,
                              .seconds_shared = t->ranks->seconds,
                              .bytes_shared = t->ranks->bytes };
}

/* Training goes on without a checkpoint, and says so. */
static void save(sos_trainer *t)
{
    const double now = sos_seconds();
    t->state.seconds += now - t->began;
    t->began = now;
    t->written = now;
    sos_error error = { SOS_OK, "" };
    sos_checkpoint_write(t, t->settings.checkpoint, &error);
    t->checkpoint_error = error;
}

static bool is_due(const sos_trainer *t) { return sos_seconds() - t->written >= t->settings.checkpoint_seconds; }

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

/* Has a bound moved since the marks were set? */
static bool has_moved(const sos_trainer *t)
{
    const sos_trainer_state *s = &t->state;
    const double primal = sos_trainer_primal(t), before = s->mark_primal - s->mark_dual;
    return primal < (1 - MOVED) * s->mark_primal || s->dual > (1 + MOVED) * s->mark_dual ||
           primal - s->dual < (1 - MOVED) * before;
}

static void watch_bounds(sos_trainer *t)
{
    sos_trainer_state *s = &t->state;
    if (has_moved(t)) {
        s->stale = 0;
        s->mark_primal = sos_trainer_primal(t);
        s->mark_dual = s->dual;
    } else {
        s->stale++;
    }
    if (s->stiff || (s->stale < STALE_STIFF && s->fruitless < FRUITLESS_STIFF)) return;
    s->stiff = 1;
    s->stale = s->fruitless = 0;
}

static bool is_gap_reached(const sos_trainer *t)
{
    const double wanted = t->settings.gap;
    return relative_gap(t) <= (t->state.stage == SOS_STAGE_SUBSET ? fmax(SUBSET_GAP, wanted) : wanted);
}

/* Where more than half of what is left is what the oracle may have missed, further planes cannot close the gap: only an oracle
 * that misses less can. */
static void watch_missed(sos_trainer *t)
{
    sos_trainer_state *s = &t->state;
    if (s->precise || !t->recaller.refine || is_gap_reached(t)) return;
    if (s->C * s->best_missed < (sos_trainer_primal(t) - s->dual) / 2) return;
    s->precise = 1;
    s->stale = s->fruitless = 0;
    t->recaller.refine(t->recaller.user);
}

static bool is_epsilon_reached(const sos_trainer *t, double shortfall)
{
    const double epsilon = t->settings.epsilon;
    return epsilon > 0 && shortfall <= epsilon && sos_trainer_primal(t) - t->state.dual <= t->state.C * epsilon;
}

/* Whether training has come to an end, and by what. */
typedef struct verdict {
    bool ended;
    sos_train_outcome outcome;
} verdict;

/* By what the round found. */
static verdict judge_learning(const sos_trainer *t, double shortfall)
{
    if (is_gap_reached(t)) return (verdict){ true, SOS_TRAIN_GAP };
    if (is_epsilon_reached(t, shortfall)) return (verdict){ true, SOS_TRAIN_EPSILON };
    return (verdict){ t->state.fruitless >= FRUITLESS_MOST || t->state.stale >= STALE_MOST, SOS_TRAIN_STALLED };
}

/* What clocks and people say.  Clocks are those of rank 0; any rank can stop. */
typedef struct votes {
    int64_t stop, late, due; /* stopped by a callback; the seconds are used up; it is time for a checkpoint */
} votes;

/* By what may be used. */
static verdict judge_limits(const sos_trainer *t, const votes *v)
{
    if (t->settings.rounds && t->state.round >= t->settings.rounds) return (verdict){ true, SOS_TRAIN_ROUNDS };
    return (verdict){ v->late, SOS_TRAIN_SECONDS };
}

static bool goes_on(const sos_trainer *t)
{
    sos_train_round r = t->state.last;
    r.checkpoint_error = t->checkpoint_error.status ? &t->checkpoint_error : NULL;
    const sos_work *work = &t->settings.work;
    if (work->progress && !work->progress(work->user, "training", -1)) return false;
    return !t->settings.watch || t->settings.watch(work->user, &r);
}

static sos_status vote(sos_trainer *t, votes *v, sos_error *error)
{
    const double seconds = t->settings.seconds;
    const bool first = sos_ranks_rank(t->ranks) == 0;
    int64_t words[3] = { !goes_on(t), first && seconds > 0 && sos_seconds() - t->called >= seconds,
                         first && t->settings.checkpoint && is_due(t) };
    const sos_status status = sos_ranks_max(t->ranks, 3, words, error);
    *v = (votes){ words[0], words[1], words[2] };
    return status;
}

/* The best weights of the last round, or of the C before, may be good enough by what the program and the caches know: then the
 * round asks nothing.  Where the oracle is approximate, only asking shows what it missed. */
static bool needs_no_answers(const sos_trainer *t)
{
    const sos_trainer_state *s = &t->state;
    return s->stage == SOS_STAGE_ALL && !s->approximate && is_gap_reached(t);
}

/* What a round reports that did not ask all: the loss is that of the last answers of all. */
static sos_train_round report_kept(const sos_trainer *t, const milestone *first)
{
    sos_train_round r = report(t, t->state.best_hinge, first);
    r.loss = t->state.last.loss;
    return r;
}

static sos_status end_unasked(sos_trainer *t, const milestone *first, verdict *end, sos_error *error)
{
    sos_trainer_state *s = &t->state;
    votes v;
    s->pending = SOS_ROUND_NEW;
    s->last = report_kept(t, first);
    *end = (verdict){ true, SOS_TRAIN_GAP };
    return vote(t, &v, error);
}

/* Ends training if the round was the last that is allowed, or somebody says so. */
static void end_by(const sos_trainer *t, const votes *v, verdict *end)
{
    *end = judge_limits(t, v);
    if (v->stop && !end->ended) *end = (verdict){ true, SOS_TRAIN_STOPPED };
}

/* A round that asks the subset only. */
static sos_status advance_ahead(sos_trainer *t, const milestone *first, verdict *end, bool *due, sos_error *error)
{
    votes v;
    sos_status status = sos_trainer_round_ahead(t, error);
    if (status) return status;
    t->state.last = report_kept(t, first);
    t->state.last.examples = sos_trainer_group_size(t, 0);
    status = vote(t, &v, error);
    if (status) return status;
    *due = v.due;
    end_by(t, &v, end);
    return SOS_OK;
}

/* One round and what follows from it. */
static sos_status advance(sos_trainer *t, milestone *first, verdict *end, bool *due, sos_error *error)
{
    sos_trainer_state *s = &t->state;
    sos_whom whom;
    double hinge;
    bool better;
    votes v;
    sos_status status = sos_trainer_round_begin(t, error);
    if (status) return status;
    if (needs_no_answers(t)) return end_unasked(t, first, end, error);
    status = sos_trainer_round_choose(t, &whom, error);
    if (status) return status;
    if (whom == SOS_ASK_SUBSET) return advance_ahead(t, first, end, due, error);
    status = sos_trainer_round(t, whom, &hinge, &better, error);
    if (status) return status;
    s->last = report(t, hinge, first);
    if (!first->round && s->stage != SOS_STAGE_SUBSET) *first = (milestone){ s->round, s->last.gap, s->last.seconds };
    const double shortfall = worst_shortfall(t);
    s->fruitless = !better && shortfall <= 1e-13 * (1 + s->last.loss) ? s->fruitless + 1 : 0;
    watch_missed(t);
    watch_bounds(t);
    status = vote(t, &v, error);
    if (status) return status;
    const bool on_subset = s->stage == SOS_STAGE_SUBSET;
    const verdict learned = judge_learning(t, shortfall);
    *due = v.due;
    if (learned.ended && !on_subset)
        *end = learned;
    else
        end_by(t, &v, end);
    if (s->stage == SOS_STAGE_FIRST) s->stage = SOS_STAGE_ALL;
    if (learned.ended && on_subset) sos_trainer_call_all(t);
    return SOS_OK;
}

static bool is_before_goal(sos_train_outcome outcome)
{
    return outcome == SOS_TRAIN_ROUNDS || outcome == SOS_TRAIN_SECONDS || outcome == SOS_TRAIN_STOPPED;
}

static void conclude(const sos_trainer *t, sos_train_outcome outcome, sos_train_result *result)
{
    const sos_trainer_state *s = &t->state;
    const bool none = sos_trainer_is_origin(t, s->best);
    result->outcome = outcome;
    result->last = s->last;
    result->approximate = s->approximate;
    result->zero = none && (outcome == SOS_TRAIN_GAP || outcome == SOS_TRAIN_EPSILON);
    result->learned = s->last.round && isfinite(s->last.primal) && (!none || result->zero);
    result->checkpoint_error = t->checkpoint_error;
}

/* A checkpoint may be from behind the last round that is allowed. */
static verdict verdict_of_checkpoint(const sos_trainer *t)
{
    const bool used_up = t->settings.rounds && t->state.round >= t->settings.rounds && !t->state.pending;
    return (verdict){ used_up, SOS_TRAIN_ROUNDS };
}

/* An oracle that cancels stops training as the callback does.  Whatever ends it before its goal, the state is kept. */
sos_status sos_trainer_run(sos_trainer *t, sos_train_result *result, sos_error *error)
{
    milestone first = { 0 };
    verdict end = verdict_of_checkpoint(t);
    sos_status status = SOS_OK;
    while (!status && !end.ended) {
        bool due = false;
        status = advance(t, &first, &end, &due, error);
        if (!status && !end.ended && due) save(t);
    }
    if (status == SOS_CANCELLED) {
        end = (verdict){ true, SOS_TRAIN_STOPPED };
        status = SOS_OK;
    }
    const bool begun = t->state.rounds > 0;
    if (t->settings.checkpoint && begun && !t->ranks->lost && (status || is_before_goal(end.outcome))) save(t);
    if (!status) conclude(t, end.outcome, result);
    return status;
}
