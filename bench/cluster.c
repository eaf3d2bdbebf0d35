/* cluster.c - a model of training on many ranks: what each oracle call of a training took is measured, and dealt out to as many
 * ranks as one likes; the program and the messages of a round come on top (docs/cluster.md).
 *
 * Times are of the processor, on one thread, so that others on the machine matter little.  Further images are drawn from those
 * that were measured. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/task.h>

#include "base/random.h"
#include "base/share.h"
#include "learn/example_oracle.h"
#include "plot.h"
#include "task.h"

/* A network of gigabit class behind a switch, MPI over TCP: one message from rank to rank. */
static const double LATENCY = 30e-6, BANDWIDTH = 1e9;

enum { ROUNDS_MAX = 400 };

/* ---- what is measured ---- */

/* One round. */
typedef struct turn {
    double alone;                  /* seconds of what one rank does for all: the program, and small things */
    size_t asked;                  /* examples */
    size_t programs, planes, hits; /* so far for hits */
} turn;

typedef struct trace {
    sos_oracle inner;
    size_t count, rounds, weights;
    double *oracle; /* [ROUNDS_MAX * count] seconds; 0: not asked */
    turn turns[ROUNDS_MAX];
    double last; /* seconds computed when the last round ended */
} trace;

static sos_status violate_timed(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                                sos_error *error)
{
    trace *t = user;
    const double began = seconds_computed();
    const sos_status status = t->inner.violate(t->inner.user, i, w, difference, loss, missed, error);
    if (t->rounds < ROUNDS_MAX) t->oracle[t->rounds * t->count + i] = seconds_computed() - began;
    return status;
}

static bool round_note(void *user, const sos_train_round *r)
{
    trace *t = user;
    const double now = seconds_computed();
    double oracle = 0;
    for (size_t i = 0; i < t->count; i++) oracle += t->oracle[t->rounds * t->count + i];
    const size_t before = t->rounds ? t->turns[t->rounds - 1].hits : 0;
    t->turns[t->rounds] = (turn){ .alone = now - t->last - oracle,
                                  .asked = r->examples,
                                  .programs = 1 + (r->cache_hits - before) / r->examples,
                                  .planes = r->planes,
                                  .hits = r->cache_hits };
    t->last = now;
    return ++t->rounds < ROUNDS_MAX;
}

/* Trains on one thread. */
static void trace_take(trace *t, sos_model *m, size_t count, sos_example *const examples[], sos_train_settings s)
{
    sos_share share;
    sos_example_oracle o;
    sos_error error;
    must(sos_share_join(&share, NULL, &error), &error);
    must(sos_example_oracle_create(&o, &share, count, examples, &s, &error), &error);
    *t = (trace){ .inner = sos_example_oracle_interface(&o), .count = count, .weights = sos_model_weight_count(m) };
    t->oracle = room(ROUNDS_MAX * count, sizeof *t->oracle);
    memset(t->oracle, 0, ROUNDS_MAX * count * sizeof *t->oracle);
    sos_oracle timed = t->inner;
    timed.user = t;
    timed.violate = violate_timed;
    timed.has = NULL;
    s.work.threads = 1;
    s.watch = round_note;
    s.work.user = t;
    t->last = seconds_computed();
    const sos_status status = sos_train_oracle(m, &timed, &s, NULL, &error);
    if (status != SOS_CANCELLED) must(status, &error);
    sos_example_oracle_free(&o);
}

/* ---- the model ---- */

/* Messages of one round on so many ranks: a sum or a maximum goes up and down a tree. */
typedef struct traffic {
    double operations, bytes;
} traffic;

static traffic traffic_of(const trace *t, const turn *u)
{
    const double groups = u->asked < t->count ? 1 : 2, d = (double)t->weights;
    const double programs = (double)u->programs, sums = programs; /* of the oracle, and of each further program */
    return (traffic){ .operations = 3 * programs + 4 * sums + 8,
                      .bytes = sums * 32 * groups * (d + 3) + programs * 8 * (1 + d + (double)u->planes) + 100 };
}

static double messages_seconds(const trace *t, const turn *u, size_t ranks)
{
    const traffic x = traffic_of(t, u);
    return 2 * ceil(log2((double)ranks)) * (x.operations * LATENCY + x.bytes / BANDWIDTH);
}

/* Which measured example stands for image i of many: one of those that are asked first stands for one of those. */
static void images_draw(const trace *t, size_t images, size_t of[])
{
    sos_random r = sos_random_seeded(1);
    const size_t first = (t->count + SOS_SUBSET_EVERY - 1) / SOS_SUBSET_EVERY;
    for (size_t i = 0; i < images; i++) {
        const bool in_subset = i % SOS_SUBSET_EVERY == 0;
        if (images == t->count || t->count < SOS_SUBSET_EVERY)
            of[i] = i % t->count;
        else if (in_subset)
            of[i] = SOS_SUBSET_EVERY * (size_t)sos_random_below(&r, first);
        else
            do of[i] = (size_t)sos_random_below(&r, t->count);
            while (of[i] % SOS_SUBSET_EVERY == 0);
    }
}

/* All images have the same size, so that they are dealt out in turn: those that are asked first, then the others. */
static void images_deal(size_t images, size_t ranks, size_t owner[])
{
    size_t next = 0;
    for (size_t i = 0; i < images; i += SOS_SUBSET_EVERY) owner[i] = next++ % ranks;
    for (size_t i = 0; i < images; i++)
        if (i % SOS_SUBSET_EVERY) owner[i] = next++ % ranks;
}

typedef struct forecast {
    double round;    /* seconds, the mean of all rounds */
    double oracle;   /* of which the slowest rank asks its oracle */
    double idle;     /* share of the ranks' oracle time that is waiting */
    double messages; /* seconds of a round */
    double bytes;    /* a rank sends in a round */
} forecast;

static forecast predict(const trace *t, size_t images, size_t ranks)
{
    size_t *of = room(images, sizeof *of), *owner = room(images, sizeof *owner);
    double *load = room(ranks, sizeof *load), busy = 0, span = 0;
    forecast f = { 0 };
    images_draw(t, images, of);
    images_deal(images, ranks, owner);
    for (size_t k = 0; k < t->rounds; k++) {
        double most = 0, sum = 0;
        memset(load, 0, ranks * sizeof *load);
        for (size_t i = 0; i < images; i++) load[owner[i]] += t->oracle[k * t->count + of[i]];
        for (size_t r = 0; r < ranks; r++) {
            most = fmax(most, load[r]);
            sum += load[r];
        }
        busy += sum;
        span += most * (double)ranks;
        f.oracle += most / (double)t->rounds;
        f.messages += messages_seconds(t, &t->turns[k], ranks) / (double)t->rounds;
        f.bytes += traffic_of(t, &t->turns[k]).bytes / (double)t->rounds;
        f.round += t->turns[k].alone / (double)t->rounds;
    }
    f.round += f.oracle + f.messages;
    f.idle = 1 - busy / span;
    free(of);
    free(owner);
    free(load);
    return f;
}

/* ---- the section ---- */

static const size_t IMAGES[] = { 75, 1000, 10000 };
enum { IMAGES_END = sizeof IMAGES / sizeof *IMAGES, RANKS_END = 11 }; /* 1, 2, 4, ... 1024 */

static void table(bench *b, const trace *t, curve curves[])
{
    static const column COLUMNS[] = {
        { "images", "images", 6, 0 },
        { "ranks", "ranks", 5, 0 },
        { "round", "s a round", 9, 4 },
        { "speedup", "faster", 6, 1 },
        { "oracle", "slowest oracle, s", 17, 4 },
        { "idle", "idle, %", 7, 1 },
        { "messages", "messages, ms", 12, 2 },
        { "bytes", "kB a rank", 9, 1 },
    };
    report_table(&b->report, "cluster", "Training on ranks of one thread, predicted", LENGTH(COLUMNS), COLUMNS);
    for (size_t n = 0; n < IMAGES_END; n++) {
        double alone = 0;
        for (size_t k = 0; k < RANKS_END; k++) {
            const size_t ranks = (size_t)1 << k;
            const forecast f = predict(t, IMAGES[n], ranks);
            if (!k) alone = f.round;
            curves[n].x[k] = (double)ranks;
            curves[n].y[k] = f.round;
            curves[n].count = k + 1;
            report_row(&b->report, (cell[]){ { .number = (double)IMAGES[n] },
                                             { .number = (double)ranks },
                                             { .number = f.round },
                                             { .number = alone / f.round },
                                             { .number = f.oracle },
                                             { .number = 100 * f.idle },
                                             { .number = 1e3 * f.messages },
                                             { .number = 1e-3 * f.bytes } });
        }
    }
    report_table_end(&b->report);
}

static void option_set(const s3svm_form *form, void *settings, const char *name, const char *value)
{
    sos_error error;
    must(s3svm_option_set(s3svm_option_find(form->options, name), settings, value, &error), &error);
}

/* The pictures of a folder, as `s3svm train denoise --model paper --noise plain --sigma 0.7` sees them. */
static s3svm_lesson folder_lesson(const char *folder)
{
    s3svm_lesson l = { 0 };
    sos_error error;
    const s3svm_task *denoise = s3svm_task_find("denoise");
    void *settings = s3svm_form_create(denoise->form);
    const s3svm_lesson_data data = { .folders = { .count = 1, .values = { folder } } };
    const sos_work work = { .threads = 1 };
    option_set(denoise->form, settings, "model", "paper");
    option_set(denoise->form, settings, "noise", "plain");
    option_set(denoise->form, settings, "sigma", "0.7");
    must(s3svm_lesson_make(denoise, settings, NULL, &data, NULL, &work, &l, &error), &error);
    free(settings);
    return l;
}

void section_cluster(bench *b)
{
    static const task GENERATED = { "drawings", 200, 100, 25, 1, 0, { 0 } };
    static const task SMALL = { "drawings", 60, 40, 10, 1, 0, { 0 } };
    const char *folder = getenv("SOS_CLUSTER_DATA");
    curve curves[IMAGES_END] = { { .name = "75 images" }, { .name = "1,000" }, { .name = "10,000" } };
    trace t;
    if (folder) {
        s3svm_lesson l = folder_lesson(folder);
        trace_take(&t, l.model, l.count, l.examples, l.training);
        s3svm_lesson_free(&l);
    } else {
        lesson l = lesson_generate(b->quick ? &SMALL : &GENERATED, 1);
        sos_train_settings s = sos_train_defaults();
        s.C = 100;
        s.gap = 0.01;
        trace_take(&t, l.model, l.count, l.examples, s);
        lesson_free(&l);
    }
    double oracle = 0, alone = 0;
    for (size_t i = 0; i < t.rounds * t.count; i++) oracle += t.oracle[i];
    for (size_t k = 0; k < t.rounds; k++) alone += t.turns[k].alone;
    printf("\nmeasured: %zu images, %zu rounds, %zu weights; %.2f s in oracles, %.2f s of what one rank does\n", t.count,
           t.rounds, t.weights, oracle, alone);
    for (size_t ranks = 1; ranks <= 4; ranks++) {
        const forecast f = predict(&t, t.count, ranks);
        printf("these on %zu ranks: %.2f s, oracle %.2f s on the slowest, idle %.1f %%, %.1f kB a round\n", ranks,
               f.round * (double)t.rounds, f.oracle * (double)t.rounds, 100 * f.idle, 1e-3 * f.bytes);
    }
    table(b, &t, curves);
    if (b->plot)
        plot_write(&(plot){ .title = "Training on ranks of one thread, predicted",
                            .x_label = "ranks",
                            .y_label = "seconds a round",
                            .count = IMAGES_END,
                            .curves = curves,
                            .falling = true },
                   b->plot);
    free(t.oracle);
}
