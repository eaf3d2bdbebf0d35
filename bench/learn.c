/* learn.c - training: what each device of the default method saves, and how it uses threads and a path over C. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "task.h"

enum { TASKS_END = 2, GAPS_END = 2 };

static const task TASKS[TASKS_END] = { { "drawings", 400, 200, 10, 1, 0, { 1, 3, 10, 30, 100, 300 } },
                                       { "images", 320, 240, 40, 50, 300, { 1, 3, 10, 30, 100, 300 } } };
static const task SMALL[TASKS_END] = { { "drawings", 120, 60, 4, 1, 0, { 1, 3, 10, 30, 100, 300 } },
                                       { "images", 96, 72, 6, 5, 27, { 1, 3, 10, 30, 100, 300 } } };
static const double GAPS[GAPS_END] = { 1e-2, 1e-3 };

static const task *task_of(const bench *b, size_t number) { return b->quick ? &SMALL[number] : &TASKS[number]; }

/* One training, and when it got where. */

typedef struct mark {
    sos_train_round round;
    double computed, passed; /* seconds; all threads, the wall */
} mark;

typedef struct training {
    double computed, passed; /* when it began */
    mark at[GAPS_END];       /* first round within that gap, or the last */
    mark of[TASK_PATH];      /* last round of every C, in their order */
    size_t values;           /* of C so far */
    sos_train_outcome outcome;
} training;

static bool take_times(void *user, const sos_train_round *round)
{
    training *t = user;
    const mark now = { *round, seconds_computed_by_all() - t->computed, seconds_passed() - t->passed };
    for (size_t g = 0; g < GAPS_END; g++)
        if (!t->at[g].round.round || t->at[g].round.gap > GAPS[g]) t->at[g] = now;
    if (!t->values || t->of[t->values - 1].round.C != round->C) t->values++;
    t->of[t->values - 1] = now;
    return true;
}

static training training_begin(sos_train_settings *s)
{
    s->watch = take_times;
    return (training){ .computed = seconds_computed_by_all(), .passed = seconds_passed() };
}

static training train(const lesson *l, sos_train_settings s)
{
    sos_train_result result;
    sos_error error;
    training t = training_begin(&s);
    s.work.user = &t;
    must(sos_train(l->model, l->count, l->examples, &s, &result, &error), &error);
    t.outcome = result.outcome;
    return t;
}

static training train_path(const lesson *l, const double values[], sos_train_settings s)
{
    sos_error error;
    training t = training_begin(&s);
    s.work.user = &t;
    must(sos_train_path(l->model, l->count, l->examples, 0, NULL, TASK_PATH, values, &s, NULL, NULL, &error), &error);
    return t;
}

static sos_train_settings usual(double gap)
{
    sos_train_settings s = sos_train_defaults();
    s.C = 100;
    s.gap = gap;
    return s;
}

/* The first training builds the energies: it is not timed. */
static lesson lesson_ready(const task *t)
{
    sos_train_settings s = usual(1e-3);
    lesson l = lesson_generate(t, 1);
    s.rounds = 2;
    (void)train(&l, s);
    return l;
}

/* Methods. */

typedef struct method {
    const char *name;
    enum { SLACKS_DEFAULT, SLACKS_ONE, SLACKS_EACH } slacks;
    bool plain, warm;
} method;

static const method METHODS[] = {
    { "plain 1-slack, cold", SLACKS_ONE, true, false },  { "plain 1-slack, warm", SLACKS_ONE, true, true },
    { "step and cache, warm", SLACKS_ONE, false, true }, { "default, cold", SLACKS_DEFAULT, false, false },
    { "default", SLACKS_DEFAULT, false, true },          { "n-slack", SLACKS_EACH, false, true }
};

static sos_train_settings method_settings(const method *m, const lesson *l)
{
    sos_train_settings s = usual(GAPS[GAPS_END - 1]);
    if (m->slacks != SLACKS_DEFAULT) s.slacks = m->slacks == SLACKS_EACH ? l->count : 1;
    s.warm = m->warm;
    if (!m->plain) return s;
    s.step = 1;
    s.cache = 0;
    return s;
}

/* Every method's bounds enclose the one optimum. */
static const char *enclosure(bench *b, const mark *m, double *below, double *above)
{
    *below = fmax(*below, m->round.dual);
    *above = fmin(*above, m->round.primal);
    if (*below <= *above) return "same";
    b->failed = true;
    return "WRONG";
}

static void methods_of(bench *b, const task *t, const lesson *l)
{
    double first[GAPS_END] = { 0 }, below = 0, above = INFINITY;
    for (size_t i = 0; i < LENGTH(METHODS); i++) {
        const training run = train(l, method_settings(&METHODS[i], l));
        for (size_t g = 0; g < GAPS_END; g++) {
            const mark *m = &run.at[g];
            if (!i) first[g] = m->computed;
            report_row(&b->report, (cell[]){ { .text = t->name },
                                             { .text = METHODS[i].name },
                                             { .number = GAPS[g] },
                                             { .number = (double)m->round.round },
                                             { .number = (double)m->round.oracle_calls },
                                             { .number = (double)m->round.cache_hits },
                                             { .number = m->computed },
                                             { .number = first[g] / m->computed },
                                             { .number = m->passed },
                                             { .number = m->round.seconds_oracle },
                                             { .number = m->round.seconds_qp },
                                             { .number = 100 * m->round.seconds_qp / m->round.seconds },
                                             { .text = enclosure(b, m, &below, &above) } });
        }
    }
}

static void methods(bench *b, const lesson lessons[])
{
    static const column COLUMNS[] = {
        { "task", "task", 8, COLUMN_TEXT },
        { "method", "method", 20, COLUMN_TEXT },
        { "gap", "gap", 5, 3 },
        { "rounds", "rounds", 6, 0 },
        { "oracle_calls", "calls", 5, 0 },
        { "cache_hits", "hits", 5, 0 },
        { "seconds_computed", "computed", 8, 2 },
        { "faster", "faster", 6, 2 },
        { "seconds", "wall", 7, 2 },
        { "seconds_oracle", "oracle", 7, 2 },
        { "seconds_program", "program", 7, 3 },
        { "program_share", "program %", 9, 2 },
        { "optimum", "optimum", 7, COLUMN_TEXT },
    };
    report_table(&b->report, "learn", "Training, C = 100, all threads (s; computed: processor time of all threads)",
                 LENGTH(COLUMNS), COLUMNS);
    for (size_t i = 0; i < TASKS_END; i++) methods_of(b, task_of(b, i), &lessons[i]);
    report_table_end(&b->report);
}

/* Threads. */

static void threads_of(bench *b, const task *t, const lesson *l, double gap, size_t runs)
{
    const size_t bytes = sos_model_weight_count(l->model) * sizeof(double);
    series oracle[2] = { 0 };
    double *weights = room(1, bytes);
    bool same = true;
    for (size_t run = 0; run < runs; run++)
        for (int threads = 1; threads <= 2; threads++) {
            sos_train_settings s = usual(gap);
            s.work.threads = threads;
            const training trained = train(l, s);
            series_add(&oracle[threads - 1], trained.of[0].round.seconds_oracle);
            if (!run && threads == 1) memcpy(weights, sos_model_weights(l->model), bytes);
            same = same && !memcmp(weights, sos_model_weights(l->model), bytes);
        }
    b->failed = b->failed || !same;
    const double one = series_least(&oracle[0]), two = series_least(&oracle[1]);
    report_row(&b->report, (cell[]){ { .text = t->name },
                                     { .number = gap },
                                     { .number = (double)runs },
                                     { .number = one },
                                     { .number = two },
                                     { .number = one / two },
                                     { .text = same ? "same" : "WRONG" } });
    free(weights);
}

static void threads(bench *b, const lesson lessons[])
{
    static const column COLUMNS[] = {
        { "task", "task", 8, COLUMN_TEXT },
        { "gap", "gap", 5, 3 },
        { "runs", "runs", 4, 0 },
        { "one_seconds", "1 thread", 8, 2 },
        { "two_seconds", "2 threads", 9, 2 },
        { "speedup", "faster", 6, 2 },
        { "weights", "weights", 7, COLUMN_TEXT },
    };
    report_table(&b->report, "learn_threads", "Oracle part on 1 and 2 threads (s on the wall, fastest runs)", LENGTH(COLUMNS),
                 COLUMNS);
    for (size_t i = 0; i < TASKS_END; i++) threads_of(b, task_of(b, i), &lessons[i], i ? 1e-1 : 1e-3, b->quick || i ? 1 : 2);
    report_table_end(&b->report);
}

/* A path over C.  Each C alone as well, or the largest only. */

static void path_row(bench *b, const task *t, const char *name, double rounds, double calls, double along, double rounds_alone,
                     double calls_alone, double alone)
{
    report_row(&b->report, (cell[]){ { .text = t->name },
                                     { .text = name },
                                     { .number = rounds },
                                     { .number = calls },
                                     { .number = along },
                                     { .number = rounds_alone },
                                     { .number = calls_alone },
                                     { .number = alone },
                                     { .number = along / alone } });
}

static void path_of(bench *b, const task *t, const lesson *l, bool each)
{
    const training path = train_path(l, t->path, usual(1e-3));
    double most = 0, most_calls = 0, rounds = 0, calls = 0, computed = 0;
    for (size_t i = 0; i < TASK_PATH; i++) {
        const mark *m = &path.of[i];
        training alone = { 0 };
        char name[32];
        sos_train_settings s = usual(1e-3);
        s.C = t->path[i];
        const bool compare = each || i + 1 == TASK_PATH;
        if (compare) alone = train(l, s);
        most = fmax(most, alone.of[0].computed);
        most_calls = fmax(most_calls, (double)alone.of[0].round.oracle_calls);
        snprintf(name, sizeof name, "C = %g", t->path[i]);
        path_row(b, t, name, (double)m->round.round, (double)m->round.oracle_calls - calls, m->computed - computed,
                 compare ? (double)alone.of[0].round.round : NAN, compare ? (double)alone.of[0].round.oracle_calls : NAN,
                 compare ? alone.of[0].computed : NAN);
        rounds += (double)m->round.round;
        calls = (double)m->round.oracle_calls;
        computed = m->computed;
    }
    path_row(b, t, "all", rounds, calls, computed, NAN, most_calls, most);
}

static void path_table(bench *b, const char *name, const task *t, const lesson *l, bool each)
{
    static const column COLUMNS[] = {
        { "task", "task", 8, COLUMN_TEXT },
        { "C", "C", 8, COLUMN_TEXT },
        { "rounds", "rounds", 6, 0 },
        { "oracle_calls", "calls", 5, 0 },
        { "seconds_computed", "along the path", 14, 2 },
        { "rounds_alone", "rounds", 6, 0 },
        { "oracle_calls_alone", "calls", 5, 0 },
        { "seconds_computed_alone", "alone", 7, 2 },
        { "ratio", "ratio", 6, 2 },
    };
    report_table(&b->report, name, "A path over C to a gap of 0.001 (s of processor time; last: against the dearest C)",
                 LENGTH(COLUMNS), COLUMNS);
    path_of(b, t, l, each);
    report_table_end(&b->report);
}

static void lessons_make(const bench *b, lesson lessons[TASKS_END])
{
    for (size_t i = 0; i < TASKS_END; i++) lessons[i] = lesson_ready(task_of(b, i));
}

static void lessons_free(lesson lessons[TASKS_END])
{
    for (size_t i = 0; i < TASKS_END; i++) lesson_free(&lessons[i]);
}

void section_learn(bench *b)
{
    lesson lessons[TASKS_END];
    lessons_make(b, lessons);
    methods(b, lessons);
    threads(b, lessons);
    path_table(b, "learn_path", task_of(b, 0), &lessons[0], true);
    lessons_free(lessons);
}

/* The path of the larger task takes some minutes. */
void section_path(bench *b)
{
    const task *t = task_of(b, 1);
    lesson l = lesson_ready(t);
    path_table(b, "path", t, &l, b->quick);
    lesson_free(&l);
}

/* Settings around the default, one at a time. */

typedef struct variant {
    double step;
    size_t cache, idle, slacks;
} variant;

static void variant_row(bench *b, const task *t, const lesson *l, const variant *v)
{
    sos_train_settings s = usual(GAPS[GAPS_END - 1]);
    s.step = v->step;
    s.cache = v->cache;
    s.idle = v->idle;
    s.slacks = v->slacks;
    const training run = train(l, s);
    report_row(&b->report, (cell[]){ { .text = t->name },
                                     { .number = v->step },
                                     { .number = (double)v->cache },
                                     { .number = (double)v->idle },
                                     { .number = (double)v->slacks },
                                     { .number = (double)run.at[0].round.round },
                                     { .number = run.at[0].computed },
                                     { .number = (double)run.at[1].round.round },
                                     { .number = (double)run.at[1].round.cache_hits },
                                     { .number = run.at[1].computed },
                                     { .number = run.at[1].round.seconds_qp },
                                     { .number = (double)run.at[1].round.planes } });
}

void section_tuning(bench *b)
{
    static const column COLUMNS[] = {
        { "task", "task", 8, COLUMN_TEXT },
        { "step", "step", 4, 2 },
        { "cache", "cache", 5, 0 },
        { "idle", "idle", 4, 0 },
        { "slacks", "slacks", 6, 0 },
        { "rounds_coarse", "rounds to 0.01", 14, 0 },
        { "seconds_coarse", "computed", 8, 2 },
        { "rounds", "to 0.001", 8, 0 },
        { "cache_hits", "hits", 5, 0 },
        { "seconds_computed", "computed", 8, 2 },
        { "seconds_program", "program", 7, 3 },
        { "planes", "planes", 6, 0 },
    };
    static const variant VARIANTS[] = { { 1, 8, 12, 0 },   { 0.8, 8, 12, 0 }, { 0.6, 8, 12, 0 }, { 0.45, 8, 12, 0 },
                                        { 0.3, 8, 12, 0 }, { 0.6, 0, 12, 0 }, { 0.6, 8, 4, 0 },  { 0.6, 8, 0, 0 },
                                        { 0.6, 8, 12, 1 }, { 0.6, 8, 12, 2 }, { 0.6, 8, 12, 5 }, { 0.6, 8, 12, 10 } };
    lesson lessons[TASKS_END];
    lessons_make(b, lessons);
    report_table(&b->report, "tuning", "Steps, caches, idle rounds and slacks (s of processor time)", LENGTH(COLUMNS), COLUMNS);
    for (size_t i = 0; i < TASKS_END; i++)
        for (size_t v = 0; v < LENGTH(VARIANTS); v++) variant_row(b, task_of(b, i), &lessons[i], &VARIANTS[v]);
    report_table_end(&b->report);
    lessons_free(lessons);
}
