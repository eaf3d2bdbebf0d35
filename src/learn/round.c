/* round.c - a round of training, and rounds until a reason to stop holds (math.md, 12.3 to 12.7). */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/elementary.h"
#include "learn/trainer.h"

static sos_bounds bounds_of(const sos_trainer *t)
{
    return (sos_bounds){ sos_best_value(&t->best, &t->master, &t->pass), t->master.dual };
}

static bool is_on_subset(const sos_trainer *t) { return t->pass.slacks.stage == SOS_STAGE_SUBSET; }

static sos_ahead_view view_of(sos_trainer *t) { return (sos_ahead_view){ &t->pass, &t->master, &t->best, t->settings.gap }; }

/* ---- the program, and what caches know ---- */

/* Planes from caches pay if they raise the objective at the program's optimum by this share of the gap; from the second C of a
 * path on, where caches know more and passes over all examples are what costs, a smaller one does. */
static const double PAYS = 0.25, PAYS_ALONG_A_PATH = 0.1;

/* The bound is then what is known without asking.  Planes from caches are added as long as they tell the program enough: each
 * spares a round of oracle calls. */
static sos_status solve_program(sos_trainer *t, sos_error *error)
{
    enum { TRIES = 20, TRIES_WIDE = 4 }; /* wide programs cost more than a round of oracle calls may */
    sos_pass *p = &t->pass;
    sos_master *m = &t->master;
    if (t->pending != SOS_ROUND_NEW) return SOS_OK;
    sos_status status = sos_master_solve(m, p, t->round > 0, error);
    const int tries = !p->cache_most || !p->cached || !sos_best_is_known(&t->best) ? 0 : m->stiff ? TRIES_WIDE : TRIES;
    for (int n = 0; !status && n < tries; n++) {
        status = sos_pass_recall(p, m->optimum, error);
        if (!status) status = sos_pass_sum(p, m->optimum, error);
        if (status) return status;
        double slack = 0;
        for (size_t g = 0; g < sos_slacks_active_groups(&p->slacks); g++) slack += sos_pass_slack(p, g);
        const double hinge = slack / (double)sos_slacks_active_examples(&p->slacks);
        const double gap = sos_best_value(&t->best, m, p) - m->dual;
        const double gained = sos_master_objective(m, m->optimum, hinge) - m->dual;
        if (gained < (t->path.point ? PAYS_ALONG_A_PATH : PAYS) * gap) break;
        const size_t before = m->planes.count;
        status = sos_master_add_planes(m, p, error);
        if (!status && m->planes.count == before) break; /* rounding alone sees a violation there */
        if (!status) status = sos_master_solve(m, p, t->round > 0, error);
        if (!status) p->cache_hits += sos_slacks_active_examples(&p->slacks);
    }
    if (status) return status;
    t->round++;
    t->rounds++;
    t->pending = SOS_ROUND_SOLVED;
    return SOS_OK;
}

/* ---- the weights to ask at ---- */

/* The trial, and whom to ask there. */
static sos_status choose(sos_trainer *t, sos_whom *whom, sos_error *error)
{
    const sos_ahead_view view = view_of(t);
    const bool ahead = sos_ahead_pays(&t->ahead, &view, t->round);
    t->ahead.gives_up = false;
    if (ahead && t->pending == SOS_ROUND_SOLVED) {
        const sos_status status = sos_ahead_aim(&t->ahead, &view, error);
        if (status) return status;
        t->pending = SOS_ROUND_AIMED;
    }
    *whom = ahead ? sos_ahead_choose(&t->ahead, &view, t->trial) : SOS_ASK_ALL;
    if (*whom != SOS_ASK_ALL) return SOS_OK;
    if (sos_best_is_known(&t->best) && t->settings.step < 1) {
        sos_master_step(&t->master, t->best.weights, t->master.optimum, t->settings.step, t->trial);
        return SOS_OK;
    }
    const bool given = t->settings.start && t->rounds == 1; /* the first round of all */
    const double *begin = given                                     ? t->settings.start
                          : t->pass.slacks.stage == SOS_STAGE_FIRST ? t->best.weights
                                                                    : t->master.optimum;
    memcpy(t->trial, begin, t->layout->weights * sizeof *t->trial);
    sos_cone_repair(&t->master.cone, t->trial);
    return SOS_OK;
}

/* ---- the oracle, and new planes ---- */

/* The planes of the last answers, of groups from first on, for the program and for the caches. */
static sos_status add_planes(sos_trainer *t, size_t first, sos_whom whom, sos_error *error)
{
    sos_status status = sos_master_add_planes(&t->master, &t->pass, error);
    if (!status) status = sos_pass_keep(&t->pass, first, t->rounds, error);
    return status ? status : sos_pass_note_question(&t->pass, t->trial, whom, error);
}

static void drop_idle(sos_trainer *t)
{
    if (t->settings.idle) sos_planes_drop_idle(&t->master.planes, t->settings.idle);
}

/* The subset alone, ahead of the others. */
static sos_status ask_subset(sos_trainer *t, sos_error *error)
{
    sos_pass *p = &t->pass;
    p->slacks.stage = SOS_STAGE_SUBSET; /* for this question */
    sos_status status = sos_pass_ask(p, t->trial, 0, error);
    if (!status) status = sos_pass_sum(p, t->trial, error);
    if (!status) {
        drop_idle(t);
        sos_ahead_note_subset(&t->ahead, p);
        status = add_planes(t, 0, SOS_ASK_SUBSET, error);
    }
    p->slacks.stage = SOS_STAGE_ALL;
    if (status) return status;
    t->ahead.questions++;
    t->pending = SOS_ROUND_NEW;
    return SOS_OK;
}

/* What asking all has found. */
typedef struct findings {
    double hinge;     /* mean slack of the trial */
    bool better;      /* it is the best so far */
    double shortfall; /* by how much the planes exceed those known before, at most */
} findings;

/* All that take part, or the rest where the subset was asked at the trial before. */
static sos_status ask_all(sos_trainer *t, sos_whom whom, findings *f, sos_error *error)
{
    sos_pass *p = &t->pass;
    sos_master *m = &t->master;
    const bool rest = whom == SOS_ASK_REST;
    const size_t first = rest ? SOS_SLACK_REST : 0;
    sos_status status = sos_pass_ask(p, t->trial, first, error);
    if (!status) status = sos_best_raise(&t->best, p, error);
    if (!status && p->approximate) status = sos_pass_improve(p, t->trial, error);
    if (!status) status = sos_pass_sum(p, t->trial, error);
    if (status) return status;
    if (rest) sos_ahead_add_subset(&t->ahead, p);
    f->hinge = sos_best_trial_hinge(&t->best, m, p, t->trial);
    f->better = sos_best_take(&t->best, m, p, t->trial, f->hinge);
    sos_best_find_out(&t->best, m, p);
    drop_idle(t);
    const size_t known = m->planes.count;
    status = add_planes(t, first, is_on_subset(t) ? SOS_ASK_SUBSET : whom, error);
    if (!status) status = sos_ahead_note_all(&t->ahead, p, t->trial, !rest || f->better, error);
    if (status) return status;
    f->shortfall = sos_master_shortfall(m, t->trial, known);
    t->pending = SOS_ROUND_NEW;
    return SOS_OK;
}

/* ---- what a round reports ---- */

static double elapsed(const sos_trainer *t) { return t->seconds + sos_seconds() - t->began; }

/* The first round that asked all examples: what the time that is left is estimated from. */
typedef struct milestone {
    uint64_t round; /* 0: not passed yet */
    double gap, seconds;
} milestone;

/* The gap shrinks geometrically, more or less: so much longer at this rate. */
static double seconds_left(const sos_trainer *t, double gap, const milestone *first)
{
    const double wanted = t->settings.gap;
    if (!first->round || t->round < first->round + 2 || !(gap > 0) || !(gap < first->gap) || !(wanted > 0)) return -1;
    return gap <= wanted ? 0 : (elapsed(t) - first->seconds) * sos_log(gap / wanted) / sos_log(first->gap / gap);
}

/* loss: the mean of the last answers of all. */
static void report(sos_trainer *t, double hinge, double loss, const milestone *first)
{
    const sos_bounds b = bounds_of(t);
    const double gap = sos_bounds_gap(b);
    const bool all = !is_on_subset(t);
    t->last = (sos_train_round){ .round = (size_t)t->round,
                                 .examples = sos_slacks_active_examples(&t->pass.slacks),
                                 .C = t->master.C,
                                 .primal = all ? b.primal : INFINITY,
                                 .dual = all ? fmin(b.dual, b.primal) : 0,
                                 .gap = all ? gap : 1,
                                 .hinge = hinge,
                                 .loss = loss,
                                 .planes = t->master.planes.count,
                                 .seconds = elapsed(t),
                                 .seconds_qp = t->master.seconds,
                                 .seconds_left = all ? seconds_left(t, gap, first) : -1 };
    sos_pass_report(&t->pass, &t->last);
}

static double mean_loss(const sos_pass *p)
{
    const double examples = (double)sos_slacks_active_examples(&p->slacks);
    double loss = 0;
    for (size_t g = 0; g < sos_slacks_active_groups(&p->slacks); g++) loss += sos_pass_loss(p, g) / examples;
    return loss;
}

static sos_status vote(const sos_trainer *t, sos_votes *v, sos_error *error)
{
    sos_train_round r = t->last;
    r.checkpoint_error = t->checkpoint_error.status ? &t->checkpoint_error : NULL;
    return sos_stopping_vote(&t->stopping, t->pass.share, &r, v, error);
}

/* ---- rounds that come no further ---- */

/* Where more than half of what is left is what the oracle may have missed, further planes cannot close the gap: only an oracle
 * that misses less can. */
static bool refine_oracle(sos_trainer *t)
{
    const sos_bounds b = bounds_of(t);
    if (t->pass.precise || !t->pass.recaller.refine) return false;
    if (sos_stopping_is_near(&t->stopping, b, is_on_subset(t))) return false;
    if (t->master.C * t->best.missed < (b.primal - b.dual) / 2) return false;
    sos_pass_refine(&t->pass);
    return true;
}

static void watch_progress(sos_trainer *t, const findings *f)
{
    const bool found = f->better || f->shortfall > 1e-13 * (1 + t->last.loss), refined = refine_oracle(t);
    if (refined) sos_stopping_hope(&t->stopping);
    sos_stopping_note_round(&t->stopping, bounds_of(t), found || refined);
    if (t->master.stiff || !sos_stopping_is_stuck(&t->stopping)) return;
    t->master.stiff = 1; /* it may be what doubles lose (math.md, 11.6) */
    sos_stopping_hope(&t->stopping);
}

/* From the subset to all examples: their weights are where to begin, their bounds say nothing. */
static void call_all(sos_trainer *t)
{
    t->pass.slacks.stage = SOS_STAGE_FIRST;
    sos_trainer_forget_bounds(t);
    sos_best_forget(&t->best);
    sos_master_set_C(&t->master, t->master.C, &t->pass.slacks);
}

/* ---- a round ---- */

/* The best weights of the last round, or of the C before, may be good enough by what the program and the caches know: then the
 * round asks nothing.  Where the oracle is approximate, only asking shows what it missed. */
static bool needs_no_answers(const sos_trainer *t)
{
    return t->pass.slacks.stage == SOS_STAGE_ALL && !t->pass.approximate &&
           sos_stopping_is_near(&t->stopping, bounds_of(t), false);
}

static sos_status run_round(sos_trainer *t, milestone *first, sos_verdict *end, bool *due, sos_error *error)
{
    sos_whom whom;
    sos_votes v;
    findings f = { 0 };
    sos_status status = solve_program(t, error);
    if (status) return status;
    if (needs_no_answers(t)) {
        t->pending = SOS_ROUND_NEW;
        report(t, t->best.hinge, t->last.loss, first);
        *end = (sos_verdict){ true, SOS_TRAIN_GAP };
        return vote(t, &v, error);
    }
    status = choose(t, &whom, error);
    if (status) return status;
    sos_verdict learned = { 0 };
    const bool ahead = whom == SOS_ASK_SUBSET, on_subset = is_on_subset(t);
    status = ahead ? ask_subset(t, error) : ask_all(t, whom, &f, error);
    if (status) return status;
    if (ahead) {
        report(t, t->best.hinge, t->last.loss, first);
        t->last.examples = sos_slacks_size(&t->pass.slacks, SOS_SLACK_SUBSET);
    } else {
        report(t, f.hinge, mean_loss(&t->pass), first);
        if (!first->round && !on_subset) *first = (milestone){ t->round, t->last.gap, t->last.seconds };
        watch_progress(t, &f);
        learned = sos_stopping_judge(&t->stopping, bounds_of(t), t->master.C, f.shortfall, on_subset);
    }
    status = vote(t, &v, error);
    if (status) return status;
    *due = v.due;
    *end = learned.ended && !on_subset ? learned : sos_stopping_judge_limits(&t->stopping, t->round, &v);
    if (t->pass.slacks.stage == SOS_STAGE_FIRST) t->pass.slacks.stage = SOS_STAGE_ALL;
    if (learned.ended && on_subset) call_all(t);
    return SOS_OK;
}

/* ---- all rounds ---- */

/* Training goes on without a checkpoint, and says so. */
static void save(sos_trainer *t)
{
    const double now = sos_seconds();
    t->seconds += now - t->began;
    t->began = t->stopping.written = now;
    sos_error error = { SOS_OK, "" };
    sos_checkpoint_write(t, t->settings.checkpoint, &error);
    t->checkpoint_error = error;
}

static bool is_before_goal(sos_train_outcome outcome)
{
    return outcome == SOS_TRAIN_ROUNDS || outcome == SOS_TRAIN_SECONDS || outcome == SOS_TRAIN_STOPPED;
}

static void conclude(const sos_trainer *t, sos_train_outcome outcome, sos_train_result *result)
{
    const bool none = sos_master_is_origin(&t->master, t->best.weights);
    result->outcome = outcome;
    result->last = t->last;
    result->approximate = t->pass.approximate;
    result->zero = none && (outcome == SOS_TRAIN_GAP || outcome == SOS_TRAIN_EPSILON);
    result->learned = t->last.round && isfinite(t->last.primal) && (!none || result->zero);
    result->checkpoint_error = t->checkpoint_error;
}

/* An oracle that cancels stops training as the callback does.  Whatever ends it before its goal, the state is kept; and a
 * checkpoint may be from behind the last round that is allowed. */
sos_status sos_trainer_run(sos_trainer *t, sos_train_result *result, sos_error *error)
{
    const bool used_up = t->settings.rounds && t->round >= t->settings.rounds && !t->pending;
    sos_verdict end = { used_up, SOS_TRAIN_ROUNDS };
    milestone first = { 0 };
    sos_status status = SOS_OK;
    while (!status && !end.ended) {
        bool due = false;
        status = run_round(t, &first, &end, &due, error);
        if (!status && !end.ended && due) save(t);
    }
    if (status == SOS_CANCELLED) {
        end = (sos_verdict){ true, SOS_TRAIN_STOPPED };
        status = SOS_OK;
    }
    const bool kept = t->settings.checkpoint && t->rounds > 0 && !t->pass.share->lost;
    if (kept && (status || is_before_goal(end.outcome))) save(t);
    if (!status) conclude(t, end.outcome, result);
    return status;
}
