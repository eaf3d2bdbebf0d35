#include "learn/stopping.h"

#include <math.h>

#include "base/clock.h"

/* How close the examples that go first come, at most: their optimum is not the whole one's. */
static const double SUBSET_GAP = 0.05;

/* Rounds that find neither better weights nor a plane that the program did not know end training: more would be the same.  It
 * happens where the oracle's own bound on what it missed is all that is left of the gap. */
enum { FRUITLESS_STUCK = 4, FRUITLESS_MOST = 8 };

/* The same of bounds that do not move by a thousandth, of themselves or of their distance, for so many rounds.  On all data
 * that were measured, bounds move at least every fourth round. */
enum { STALE_STUCK = 10, STALE_MOST = 25 };
static const double MOVED = 1e-3;

double sos_bounds_gap(sos_bounds b) { return b.primal > 0 ? fmax(0, b.primal - b.dual) / b.primal : 0; }

void sos_stopping_hope(sos_stopping *s) { s->stale = s->fruitless = 0; }

void sos_stopping_forget(sos_stopping *s)
{
    sos_stopping_hope(s);
    s->mark = (sos_bounds){ INFINITY, 0 };
}

bool sos_stopping_is_near(const sos_stopping *s, sos_bounds b, bool on_subset)
{
    const double wanted = s->settings->gap;
    return sos_bounds_gap(b) <= (on_subset ? fmax(SUBSET_GAP, wanted) : wanted);
}

/* Has a bound moved since the mark was set? */
static bool has_moved(const sos_bounds *mark, sos_bounds b)
{
    return b.primal < (1 - MOVED) * mark->primal || b.dual > (1 + MOVED) * mark->dual ||
           b.primal - b.dual < (1 - MOVED) * (mark->primal - mark->dual);
}

void sos_stopping_note_round(sos_stopping *s, sos_bounds b, bool fruitful)
{
    s->fruitless = fruitful ? 0 : s->fruitless + 1;
    if (has_moved(&s->mark, b)) {
        s->stale = 0;
        s->mark = b;
    } else {
        s->stale++;
    }
}

bool sos_stopping_is_stuck(const sos_stopping *s) { return s->stale >= STALE_STUCK || s->fruitless >= FRUITLESS_STUCK; }

sos_verdict sos_stopping_judge(const sos_stopping *s, sos_bounds b, double C, double shortfall, bool on_subset)
{
    const double epsilon = s->settings->epsilon;
    if (sos_stopping_is_near(s, b, on_subset)) return (sos_verdict){ true, SOS_TRAIN_GAP };
    if (epsilon > 0 && shortfall <= epsilon && b.primal - b.dual <= C * epsilon)
        return (sos_verdict){ true, SOS_TRAIN_EPSILON };
    return (sos_verdict){ s->fruitless >= FRUITLESS_MOST || s->stale >= STALE_MOST, SOS_TRAIN_STALLED };
}

static bool goes_on(const sos_train_settings *settings, const sos_train_round *round)
{
    const sos_work *work = &settings->work;
    if (work->progress && !work->progress(work->user, "training", -1)) return false;
    return !settings->watch || settings->watch(work->user, round);
}

sos_status sos_stopping_vote(const sos_stopping *s, sos_share *share, const sos_train_round *round, sos_votes *v,
                             sos_error *error)
{
    const sos_train_settings *settings = s->settings;
    const bool stop = !goes_on(settings, round), clock = sos_share_is_first(share);
    const double now = sos_seconds();
    int64_t words[3] = { stop, clock && settings->seconds > 0 && now - s->called >= settings->seconds,
                         clock && settings->checkpoint && now - s->written >= settings->checkpoint_seconds };
    const sos_status status = sos_share_max(share, 3, words, error);
    *v = (sos_votes){ words[0], words[1], words[2] };
    return status;
}

sos_verdict sos_stopping_judge_limits(const sos_stopping *s, uint64_t round, const sos_votes *v)
{
    if (s->settings->rounds && round >= s->settings->rounds) return (sos_verdict){ true, SOS_TRAIN_ROUNDS };
    if (v->late) return (sos_verdict){ true, SOS_TRAIN_SECONDS };
    return (sos_verdict){ v->stop, SOS_TRAIN_STOPPED };
}
