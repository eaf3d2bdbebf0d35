/* trainer.c - cutting-plane training (the paper's algorithm 1 and its n-slack twin; Joachims, Finley and Yu, 2009): how it
 * begins.
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
#include "learn/dense.h"

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

/* Weights that the caller gives must be in the cone. */
static sos_status given_check(const char *what, const sos_layout *layout, const double w[], sos_error *error)
{
    sos_error why;
    const sos_status status = w ? sos_layout_check(layout, w, &why) : SOS_OK;
    return status ? sos_fail(error, status, "%s: %.400s", what, why.message) : SOS_OK;
}

static sos_status settings_check(const sos_train_settings *s, const sos_layout *layout, const sos_oracle *oracle,
                                 sos_error *error)
{
    sos_status status = sos_reserved_check("sos_train_settings", s, error);
    if (!status) status = sos_reserved_check("sos_oracle", oracle, error);
    if (status) return status;
    if (!(s->C > 0 && isfinite(s->C))) return sos_fail(error, SOS_ERR_ARGUMENT, "C is %g; it must be over 0", s->C);
    if (!(s->gap >= 0) || !(s->epsilon >= 0) || !(s->seconds >= 0) || !(s->checkpoint_seconds >= 0))
        return sos_fail(error, SOS_ERR_ARGUMENT, "gap, epsilon and seconds must not be negative");
    if (!(s->step > 0 && s->step <= 1)) return sos_fail(error, SOS_ERR_ARGUMENT, "step is %g; it must be in (0, 1]", s->step);
    if (!(s->qp_gap > 0)) return sos_fail(error, SOS_ERR_ARGUMENT, "qp_gap is %g; it must be over 0", s->qp_gap);
    if (!oracle->examples) return sos_fail(error, SOS_ERR_ARGUMENT, "there are no examples to train on");
    if (!layout->weights) return sos_fail(error, SOS_ERR_ARGUMENT, "the model has no weights to train");
    status = given_check("the weights to learn away from", layout, s->from, error);
    return status ? status : given_check("the weights to start at", layout, s->start, error);
}

void sos_trainer_free(sos_trainer *t)
{
    sos_lock_release(&t->lock);
    sos_pass_free(&t->pass);
    sos_master_free(&t->master);
    sos_best_free(&t->best);
    sos_ahead_free(&t->ahead);
    free(t->path.points);
    free(t->path.kept);
    free(t->trial);
}

/* What a checkpoint must agree with. */
static uint64_t problem_identity(const sos_trainer *t, uint64_t data)
{
    const size_t d = t->layout->weights, bytes = d * sizeof(double);
    const uint64_t facts[] = { t->layout->identity, d, t->pass.slacks.examples, t->pass.slacks.groups, data };
    uint64_t hash = sos_hash(SOS_HASH_START, facts, sizeof facts);
    if (t->master.stiffness) hash = sos_hash(hash, t->master.stiffness, bytes);
    return t->settings.from ? sos_hash(hash, t->settings.from, bytes) : hash;
}

/* On this process.  Parts that are zeros can be freed. */
static sos_status create_here(sos_trainer *t, sos_share *share, const sos_oracle *oracle, sos_recaller recaller, uint64_t data,
                              sos_error *error)
{
    const sos_layout *layout = t->layout;
    const sos_train_settings *s = &t->settings;
    sos_status status = settings_check(s, layout, oracle, error);
    if (!status) status = sos_pass_create(&t->pass, share, oracle, recaller, layout->weights, s, error);
    if (!status) status = sos_master_create(&t->master, layout, t->pass.slacks.groups, s, error);
    if (!status) status = sos_best_create(&t->best, &t->pass, error);
    if (!status) status = sos_ahead_create(&t->ahead, layout->weights, error);
    if (status) return status;
    t->trial = sos_numbers(layout->weights);
    t->path.kept = sos_numbers(layout->weights);
    if (!t->trial || !t->path.kept) return sos_fail(error, SOS_ERR_MEMORY, "no memory to train %zu weights", layout->weights);
    t->identity = problem_identity(t, data);
    return SOS_OK;
}

sos_status sos_trainer_create(sos_trainer *t, sos_share *share, const sos_layout *layout, const sos_oracle *oracle,
                              sos_recaller recaller, uint64_t data, const sos_train_settings *settings, sos_error *error)
{
    *t = (sos_trainer){ .layout = layout, .settings = settings ? *settings : sos_train_defaults() };
    t->stopping.settings = &t->settings;
    sos_status status = create_here(t, share, oracle, recaller, data, error);
    status = sos_share_agree(share, status, error);
    if (!status) status = sos_pass_check(&t->pass, t->identity, error);
    if (status) sos_trainer_free(t);
    return status;
}

/* Along a path, what can be recalled of all examples says more of the next C than the subset does. */
void sos_trainer_next_C(sos_trainer *t, double C)
{
    const bool subset = t->pass.slacks.subset && !(t->pass.recaller.recall && t->rounds);
    t->pass.slacks.stage = subset ? SOS_STAGE_SUBSET : SOS_STAGE_ALL;
    if (subset) sos_best_forget(&t->best);
    sos_master_set_C(&t->master, C, &t->pass.slacks);
    t->round = t->ahead.questions = 0;
    sos_trainer_forget_bounds(t);
}

void sos_trainer_forget_bounds(sos_trainer *t)
{
    t->master.dual = 0;
    t->best.primal = INFINITY;
    sos_stopping_forget(&t->stopping);
}

/* A place where no checkpoint can be written is better known now than after hours. */
static sos_status checkpoint_take(sos_trainer *t, sos_error *error)
{
    sos_output out;
    const char *path = t->settings.checkpoint;
    const sos_status status = sos_output_open(&out, path, error);
    if (status) return status;
    sos_output_abandon(&out);
    return sos_lock_take(&t->lock, path, error);
}

sos_status sos_trainer_begin(sos_trainer *t, bool *resumed, sos_error *error)
{
    sos_share *share = t->pass.share;
    t->began = t->stopping.written = t->stopping.called = sos_seconds();
    *resumed = false;
    if (!t->settings.checkpoint) return SOS_OK;
    sos_status status = sos_share_is_first(share) ? checkpoint_take(t, error) : SOS_OK;
    status = sos_share_agree(share, status, error);
    if (!status) status = sos_checkpoint_read(t, t->settings.checkpoint, resumed, error);
    if (status || !*resumed) return status;
    sos_master_set_C(&t->master, t->master.C, &t->pass.slacks);
    if (t->pass.precise) sos_pass_refine(&t->pass);
    return sos_pass_replay(&t->pass, error);
}
