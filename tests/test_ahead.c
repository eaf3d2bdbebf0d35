/* test_ahead.c - the training subset, asked ahead of the others: what is asked, that bounds stay bounds, breaks at any moment.
 */
#include <math.h>
#include <string.h>

#include "album.h"
#include "learn/example_oracle.h"
#include "learn/trainer.h"
#include "scratch.h"
#include "support.h"

enum { PICTURES = 10, SUBSET = 2 };

/* What the rounds of a training said. */
typedef struct course {
    double optimum[2]; /* the least objective lies between these, or NaN: not known */
    size_t calls;      /* so far, of all C, */
    double C;          /* the last of which this is */
    size_t ahead, rest;
    size_t rounds;    /* since all were asked for the first time, */
    bool at_once;     /* after which the subset went ahead */
    bool last_ahead;  /* the round before asked the subset alone */
    const char *what; /* is wrong */
} course;

static bool watch(void *user, const sos_train_round *r)
{
    course *c = user;
    const size_t asked = r->oracle_calls - c->calls;
    c->calls = r->oracle_calls;
    c->C = r->C;
    if (!isfinite(r->primal)) {
        if (asked != SUBSET || r->examples != SUBSET) c->what = "the subset does not begin alone";
        return true;
    }
    const bool ahead = asked == SUBSET, rest = asked == PICTURES - SUBSET;
    if (!ahead && !rest && asked != PICTURES && asked) c->what = "others than the subset, the rest or all were asked";
    if (ahead != (r->examples == SUBSET)) c->what = "who was asked is not told";
    if (rest && !c->last_ahead) c->what = "the rest was asked without the subset";
    if (!(r->primal >= r->dual)) c->what = "bounds have passed each other";
    if (!(r->primal >= c->optimum[0])) c->what = "the objective is below the optimum";
    if (!(r->dual <= c->optimum[1])) c->what = "the bound is above the optimum";
    c->ahead += ahead;
    c->at_once |= ahead && c->rounds == 1;
    c->rounds++;
    c->rest += rest;
    c->last_ahead = ahead;
    return true;
}

static void check_course(const course *c)
{
    if (c->what) test_fail(__FILE__, __LINE__, "%s", c->what);
}

/* Against training with a slack per example, which has no training subset. */
static void expectations_are_in_no_bound(void **state)
{
    (void)state;
    album a = album_create(PICTURES, 0);
    static const double C[] = { 30, 1000, 30000 };
    bool at_once = false;
    for (size_t i = 0; i < sizeof C / sizeof *C; i++) {
        double w[ALBUM_WEIGHTS];
        sos_train_settings s = album_settings();
        s.C = C[i];
        s.gap = 1e-5;
        s.slacks = PICTURES;
        const sos_train_result plain = album_train(&a, &s, w);
        course c = { .optimum = { plain.last.dual * (1 - 1e-9), plain.last.primal * (1 + 1e-9) }, .C = C[i] };
        s.gap = 1e-3;
        s.slacks = 0;
        s.watch = watch;
        s.work.user = &c;
        const sos_train_result r = album_train(&a, &s, w);
        check_course(&c);
        check(plain.outcome == SOS_TRAIN_GAP && r.outcome == SOS_TRAIN_GAP && c.ahead && c.rest);
        at_once |= c.at_once;
        check(r.last.oracle_calls < plain.last.oracle_calls && r.last.gap <= 1e-3);
    }
    check(at_once);
    album_free(&a);
}

/* A subset that has nothing in common with the rest says nothing of it. */
static void odd_subsets_are_not_trusted(void **state)
{
    (void)state;
    album a = album_create(PICTURES, PICTURES / SUBSET);
    double w[ALBUM_WEIGHTS];
    sos_train_settings s = album_settings();
    course c = { .optimum = { 0, INFINITY }, .C = s.C };
    s.watch = watch;
    s.work.user = &c;
    const sos_train_result r = album_train(&a, &s, w);
    check_course(&c);
    check(r.outcome == SOS_TRAIN_GAP && !c.at_once);
    album_free(&a);
}

static void paths_look_ahead_at_every_C(void **state)
{
    (void)state;
    album a = album_create(PICTURES, 0);
    static const double values[] = { 30, 300, 3000 };
    sos_train_settings s = album_settings();
    sos_path_point path[3];
    sos_error error;
    course c = { .optimum = { 0, INFINITY }, .C = 30 };
    s.watch = watch;
    s.work.user = &c;
    check_ok(sos_train_path(a.model, a.count, a.examples, 0, NULL, 3, values, &s, path, NULL, &error), error);
    check_course(&c);
    check(c.ahead && c.rest);
    for (size_t i = 0; i < 3; i++) {
        double w[ALBUM_WEIGHTS];
        sos_train_settings alone = album_settings();
        alone.C = values[i];
        const sos_train_result r = album_train(&a, &alone, w);
        check(path[i].result.outcome == SOS_TRAIN_GAP && path[i].result.last.gap <= s.gap);
        check(r.last.dual <= path[i].result.last.primal && path[i].result.last.dual <= r.last.primal);
    }
    album_free(&a);
}

/* An oracle of the album that is stopped at a call. */
typedef struct stopping {
    sos_oracle inner;
    size_t calls, stop_at; /* 0: never */
} stopping;

static sos_status violate_or_stop(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                                  sos_error *error)
{
    stopping *s = user;
    if (++s->calls == s->stop_at) return sos_fail(error, SOS_CANCELLED, "stopped");
    return s->inner.violate(s->inner.user, i, w, difference, loss, missed, error);
}

/* Trains from the checkpoint, if there is one, up to a call; the calls that were made. */
static size_t train_up_to(album *a, const sos_train_settings *settings, size_t stop_at, sos_train_result *r)
{
    sos_share share;
    sos_error error;
    sos_example_oracle o;
    check_ok(sos_share_join(&share, NULL, &error), error);
    check_ok(sos_example_oracle_create(&o, &share, a->count, a->examples, settings, &error), error);
    stopping s = { .inner = sos_example_oracle_interface(&o), .stop_at = stop_at };
    sos_oracle stopped = s.inner;
    stopped.user = &s;
    stopped.violate = violate_or_stop;
    stopped.prepare = NULL; /* it would take s for the oracle inside */
    const sos_status status = sos_train_with(a->model, &share, &stopped, sos_example_oracle_recaller(&o, a->model), o.hash,
                                             settings, r, &error);
    check(status == SOS_OK || (stop_at && status == SOS_CANCELLED));
    sos_example_oracle_free(&o);
    return s.calls;
}

/* In the middle of what is asked of the subset, of the rest or of all: many calls. */
static void any_call_can_be_the_last_one_before_a_break(void **state)
{
    (void)state;
    album a = album_create(PICTURES, 0);
    const size_t bytes = sos_model_weight_count(a.model) * sizeof(double);
    const char *path = scratch("ahead.state");
    sos_train_settings s = album_settings();
    double whole[ALBUM_WEIGHTS];
    s.work.threads = 1;
    s.checkpoint = path;
    sos_train_result unbroken, r;
    const size_t calls = train_up_to(&a, &s, 0, &unbroken);
    check(unbroken.outcome == SOS_TRAIN_GAP && calls == unbroken.last.oracle_calls);
    memcpy(whole, sos_model_weights(a.model), bytes);
    for (size_t stop = SUBSET + 1; stop <= calls; stop += 1 + stop % 3) {
        (void)train_up_to(&a, &s, stop, &r);
        (void)train_up_to(&a, &s, 0, &r);
        if (!r.resumed || memcmp(whole, sos_model_weights(a.model), bytes) != 0 || r.last.round != unbroken.last.round ||
            r.last.planes != unbroken.last.planes)
            test_fail(__FILE__, __LINE__, "stopped at call %zu: %zu rounds, %zu planes; unbroken %zu, %zu", stop, r.last.round,
                      r.last.planes, unbroken.last.round, unbroken.last.planes);
        check(!remove(path));
    }
    album_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expectations_are_in_no_bound),
        cmocka_unit_test(odd_subsets_are_not_trusted),
        cmocka_unit_test(paths_look_ahead_at_every_C),
        cmocka_unit_test(any_call_can_be_the_last_one_before_a_break),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
