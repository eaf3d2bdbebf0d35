/* test_work.c - fixed work: the same energies and problems take the same steps, and as much memory, as when tests/work.txt was
 * recorded.
 *
 * Whether answers are right, other tests know.  This one notices what they cannot: that something takes more steps, more
 * memory or another way.  All of it is the same for every compiler, machine and number of threads, but bytes, which only those
 * of 64 bits agree on, and what numbers of 113 bits learn, which 32-bit arm has not.  Who changes it on purpose runs RECORD=1
 * ctest -R test_work, and looks at what git shows. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn/model.h"
#include "learn/qp.h"
#include "minimize/minimizer.h"
#include "minimize/regions.h"

/* ---- what is said, line by line: recorded, or compared with what was ---- */

enum { DIFFERENCES = 5 }; /* and no more is compared */

static FILE *record;
static char *recorded; /* what follows in the file */
static size_t differences;

/* Numbers of 113 bits, which problems called stiff need (qp_wide.c). */
static bool has_wide(void)
{
#if defined(__SIZEOF_FLOAT128__)
    return true;
#else
    return LDBL_MANT_DIG == 113;
#endif
}

/* The next line of the file that machines like this one say; of the heading of another part: NULL. */
static const char *recorded_next(void)
{
    while (*recorded && *recorded != '#') {
        char *line = recorded, *end = strchr(line, '\n');
        recorded = end ? end + 1 : line + strlen(line);
        if (end) *end = 0;
        if ((sizeof(size_t) == 8 || !strstr(line, " bytes ")) && (has_wide() || strncmp(line, "stiff", 5))) return line;
    }
    return NULL;
}

static void differ(const char *was, const char *now)
{
    print_error("recorded: %s\nnow:      %s\n", was ? was : "nothing", now ? now : "nothing");
    if (++differences == DIFFERENCES) test_fail(__FILE__, __LINE__, "if that is meant: RECORD=1 ctest -R test_work");
}

/* A line. */
static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    check(length > 0 && (size_t)length < sizeof line);
    if (record) {
        fprintf(record, "%s\n", line);
        return;
    }
    const char *was = recorded_next();
    if (!was || strcmp(was, line)) differ(was, line);
}

static void say_bytes(const char *name, const char *run, size_t bytes)
{
    if (sizeof(size_t) == 8) say("%s %s bytes %zu", name, run, bytes);
}

static const uint64_t BASIS = UINT64_C(0xcbf29ce484222325);

static uint64_t mix(uint64_t hash, uint64_t bits)
{
    for (int byte = 0; byte < 8; byte++) hash = (hash ^ (bits >> 8 * byte & 255)) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t mix_real(uint64_t hash, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return mix(hash, bits);
}

static uint64_t mix_reals(uint64_t hash, size_t count, const double x[])
{
    for (size_t i = 0; i < count; i++) hash = mix_real(hash, x[i]);
    return hash;
}

static uint64_t mix_labels(uint64_t hash, size_t count, const uint8_t y[])
{
    for (size_t i = 0; i < count; i++) hash = mix(hash, y[i]);
    return hash;
}

/* ---- random parts: one draw a statement, so that compilers agree on the order ---- */

static double draw(sos_random *r, bool whole, double most)
{
    const double u = sos_random_uniform(r);
    return whole ? (double)(int64_t)(u * (most + 1)) : u * most;
}

static double *room(size_t count) { return test_room(NULL, count, sizeof(double)); }

/* Linear costs, cuts between all members, and a function of the count that likes members to agree. */
static void table_draw(sos_random *r, size_t k, bool whole, double most, double f[])
{
    double alone[SOS_TABLE_MEMBERS_MAX], cut[SOS_TABLE_MEMBERS_MAX][SOS_TABLE_MEMBERS_MAX];
    for (size_t a = 0; a < k; a++) {
        alone[a] = draw(r, whole, most / 4);
        alone[a] -= draw(r, whole, most / 4);
        for (size_t b = 0; b < k; b++) cut[a][b] = draw(r, whole, most / (double)k);
    }
    const double step = draw(r, whole, most);
    const int limit = 1 + (int)sos_random_below(r, k);
    for (size_t S = 0; S < (size_t)1 << k; S++) {
        const int ones = __builtin_popcountll(S), rest = (int)k - ones;
        f[S] = step * (ones < limit ? ones : limit);
        f[S] += step * (rest < limit ? rest : limit);
        for (size_t a = 0; a < k; a++) {
            if (S >> a & 1) f[S] += alone[a];
            for (size_t b = 0; b < k; b++)
                if ((S >> a & 1) && !(S >> b & 1)) f[S] += cut[a][b];
        }
    }
}

/* Slopes that fall, kinks of them at random places. */
static void concave_draw(sos_random *r, size_t k, size_t kinks, bool whole, double steep, double g[])
{
    double slope = steep + draw(r, whole, 2), at = 0;
    g[0] = 0;
    for (size_t m = 0; m < k; m++) {
        g[m + 1] = at += slope;
        if (sos_random_below(r, k) < kinks) slope -= draw(r, whole, 4 * steep / (double)kinks);
    }
}

static void pairs_draw(sos_random *r, uint32_t v[], double weight[], size_t *count, uint32_t a, uint32_t b)
{
    v[2 * *count] = a;
    v[2 * *count + 1] = b;
    weight[(*count)++] = draw(r, false, 2);
}

/* ---- energies ---- */

typedef struct shape {
    const char *name;
    size_t width, height;
    bool whole;
    double noise;             /* unary costs go up to this */
    size_t patch;             /* members of a side; 0: none */
    int neighbours;           /* 4, 8 or 0 */
    size_t cliques, members;  /* of sizes up to members, with tables of their own */
    size_t concaves, counted; /* cliques of so many members */
    size_t kinks;
    bool amounts, weights, fixed;
} shape;

static const shape SHAPES[] = {
    { .name = "patches", .width = 24, .height = 17, .whole = true, .noise = 30, .patch = 2 },
    { .name = "patches-real", .width = 19, .height = 15, .noise = 6, .patch = 2, .weights = true },
    { .name = "nines", .width = 12, .height = 11, .whole = true, .noise = 60, .patch = 3 },
    { .name = "pairs", .width = 25, .height = 20, .noise = 3, .neighbours = 4 },
    { .name = "eight", .width = 16, .height = 14, .whole = true, .noise = 9, .neighbours = 8, .fixed = true },
    { .name = "mixed", .width = 60, .height = 1, .noise = 9, .cliques = 70, .members = 6, .weights = true, .fixed = true },
    { .name = "mixed-whole",
      .width = 90,
      .height = 1,
      .whole = true,
      .noise = 40,
      .cliques = 80,
      .members = 4,
      .neighbours = 4 },
    { .name = "large", .width = 40, .height = 1, .whole = true, .noise = 80, .cliques = 12, .members = 10 },
    { .name = "few",
      .width = 70,
      .height = 1,
      .noise = 20,
      .cliques = 20,
      .members = 3,
      .concaves = 12,
      .counted = 7,
      .kinks = 2 },
    { .name = "lists",
      .width = 16,
      .height = 16,
      .whole = true,
      .noise = 20,
      .neighbours = 4,
      .concaves = 14,
      .counted = 30,
      .kinks = 3 },
    { .name = "lists-real",
      .width = 16,
      .height = 12,
      .noise = 20,
      .neighbours = 8,
      .concaves = 9,
      .counted = 40,
      .kinks = 4,
      .amounts = true },
    { .name = "knots",
      .width = 18,
      .height = 16,
      .whole = true,
      .noise = 80,
      .neighbours = 4,
      .concaves = 4,
      .counted = 120,
      .kinks = 120 },
    { .name = "knots-real",
      .width = 150,
      .height = 1,
      .noise = 20,
      .concaves = 5,
      .counted = 100,
      .kinks = 90,
      .weights = true },
    { .name = "knots-pairs",
      .width = 120,
      .height = 1,
      .noise = 15,
      .cliques = 30,
      .members = 3,
      .concaves = 3,
      .counted = 80,
      .kinks = 70 },
};

static void unaries_draw(sos_random *r, const shape *s, sos_energy *e)
{
    const size_t n = s->width * s->height;
    sos_error error;
    for (size_t i = 0; i < n; i++) {
        const double zero = draw(r, s->whole, s->noise), one = draw(r, s->whole, s->noise);
        check_ok(sos_energy_set_unary(e, i, zero, one, &error), error);
    }
}

static void add_patches(sos_random *r, const shape *s, sos_energy *e)
{
    const size_t k = s->patch * s->patch, count = (s->width - s->patch + 1) * (s->height - s->patch + 1);
    double *f = room((size_t)1 << k), *weight = room(count);
    sos_error error;
    uint32_t t;
    table_draw(r, k, s->whole, 12, f);
    for (size_t c = 0; c < count; c++) weight[c] = draw(r, false, 2);
    check_ok(sos_energy_add_table(e, k, f, &t, &error), error);
    check_ok(sos_energy_add_patches(e, t, s->width, s->height, s->patch, s->patch, s->weights ? weight : NULL, &error), error);
    free(f);
    free(weight);
}

static void add_neighbours(sos_random *r, const shape *s, sos_energy *e)
{
    static const double APART[] = { 0, 1, 1, 0 }, ARC[] = { 0, 3, 1, 0 };
    const size_t n = s->width * s->height;
    uint32_t *v = test_room(NULL, 8 * n, sizeof *v), t;
    double *weight = room(4 * n);
    size_t count = 0;
    sos_error error;
    for (size_t y = 0; y < s->height; y++)
        for (size_t x = 0; x < s->width; x++) {
            const uint32_t i = (uint32_t)(y * s->width + x), below = i + (uint32_t)s->width;
            if (x + 1 < s->width) pairs_draw(r, v, weight, &count, i, i + 1);
            if (y + 1 < s->height) pairs_draw(r, v, weight, &count, i, below);
            if (s->neighbours == 8 && x + 1 < s->width && y + 1 < s->height) pairs_draw(r, v, weight, &count, i, below + 1);
            if (s->neighbours == 8 && x && y + 1 < s->height) pairs_draw(r, v, weight, &count, below - 1, i);
        }
    check_ok(sos_energy_add_table(e, 2, s->fixed ? ARC : APART, &t, &error), error);
    check_ok(sos_energy_add_cliques(e, t, count, v, s->whole ? NULL : weight, &error), error);
    free(v);
    free(weight);
}

static void add_tables(sos_random *r, const shape *s, sos_energy *e)
{
    double *f = room((size_t)1 << s->members);
    for (size_t c = 0; c < s->cliques; c++) {
        uint32_t v[SOS_TABLE_MEMBERS_MAX], t;
        sos_error error;
        const size_t k = 1 + (size_t)sos_random_below(r, s->members);
        const double weight = draw(r, s->whole, 2);
        table_draw(r, k, s->whole, 20, f);
        members_random(r, s->width * s->height, k, v);
        check_ok(sos_energy_add_table(e, k, f, &t, &error), error);
        check_ok(sos_energy_add_cliques(e, t, 1, v, s->weights ? &weight : NULL, &error), error);
    }
    free(f);
}

/* Amounts are whole; places are at some of the sums. */
static void add_concaves(sos_random *r, const shape *s, sos_energy *e)
{
    const size_t n = s->width * s->height;
    uint32_t *v = test_room(NULL, s->counted, sizeof *v);
    double *g = room(4 * s->counted + 1), *amount = room(s->counted), *place = room(4 * s->counted + 1);
    for (size_t c = 0; c < s->concaves; c++) {
        const size_t k = s->counted - (size_t)sos_random_below(r, s->counted / 4 + 1);
        const double weight = s->weights ? draw(r, false, 2) : 1;
        size_t total = 0;
        sos_error error;
        members_random(r, n, k, v);
        for (size_t i = 0; i < k; i++) total += (size_t)(amount[i] = (double)(1 + sos_random_below(r, 3)));
        for (size_t m = 0; m <= total; m++) place[m] = (double)m;
        concave_draw(r, s->amounts ? total : k, s->kinks, s->whole, s->noise / 4, g);
        if (s->amounts)
            check_ok(sos_energy_add_pieces(e, k, v, amount, total + 1, place, g, weight, &error), error);
        else
            check_ok(sos_energy_add_concave(e, k, v, g, weight, &error), error);
    }
    free(v);
    free(g);
    free(amount);
    free(place);
}

static sos_energy *energy_draw(sos_random *r, const shape *s)
{
    sos_energy *e;
    sos_error error;
    check_ok(sos_energy_create(s->width * s->height, &e, &error), error);
    check_ok(sos_energy_add_constant(e, 7, &error), error);
    unaries_draw(r, s, e);
    if (s->patch) add_patches(r, s, e);
    if (s->neighbours) add_neighbours(r, s, e);
    if (s->cliques) add_tables(r, s, e);
    if (s->concaves) add_concaves(r, s, e);
    for (size_t i = 0; s->fixed && i < s->width * s->height; i += 11)
        check_ok(sos_energy_fix(e, i, (int)(i & 1), &error), error);
    return e;
}

/* ---- minimising ---- */

static void say_result(const char *name, const char *run, size_t n, const uint8_t y[], const sos_minimize_result *x)
{
    say("%s %s: energy %a, bound %a, rounding %a, %d bits, %s, %" PRIu64 " fixed, %" PRIu64 " augmentations, %" PRIu64
        " pushes, %" PRIu64 " adoptions, %" PRIu64 " growths, labels %016" PRIx64 "",
        name, run, x->energy, x->lower_bound, x->rounding, x->bits, x->warm ? "warm" : "cold", x->fixed, x->augmentations,
        x->pushes, x->adoptions, x->growths, mix_labels(BASIS, n, y));
    say_bytes(name, run, x->bytes);
}

static void run(sos_minimizer *m, const char *name, const char *how, const sos_energy *e, sos_minimize_settings s, uint8_t y[])
{
    sos_minimize_result result;
    sos_error error;
    s.work.threads = 1;
    s.device = SOS_DEVICE_CPU;
    check_ok(sos_minimizer_run(m, e, &s, y, &result, &error), error);
    say_result(name, how, sos_energy_variables(e), y, &result);
}

static sos_minimizer *minimizer(void)
{
    sos_minimizer *m;
    sos_error error;
    check_ok(sos_minimizer_create(&m, &error), error);
    return m;
}

/* With a minimizer of its own. */
static void run_new(const char *name, const char *how, const sos_energy *e, sos_minimize_settings s, uint8_t y[], size_t cut,
                    bool pairs)
{
    sos_minimizer *m = minimizer();
    if (cut) sos_minimizer_cut(m, cut);
    if (pairs) sos_minimizer_pair(m, true);
    run(m, name, how, e, s, y);
    sos_minimizer_free(m);
}

/* The least limit on memory that suffices. */
static void say_limit(const char *name, const sos_energy *e, uint8_t y[])
{
    size_t low = 0, high = (size_t)1 << 30;
    while (high - low > 1) {
        sos_minimize_settings s = sos_minimize_defaults();
        s.memory_limit = low + (high - low) / 2;
        s.work.threads = 1;
        s.device = SOS_DEVICE_CPU;
        const sos_status status = sos_minimize(e, &s, y, NULL, NULL);
        check(!status || status == SOS_ERR_MEMORY);
        *(status ? &low : &high) = s.memory_limit;
    }
    say_bytes(name, "limit", high);
}

/* Some costs change, then others: what is kept serves or not. */
static void change_unaries(sos_random *r, const shape *s, sos_energy *e)
{
    for (size_t i = 0; i < s->width * s->height; i += 7) {
        const double zero = draw(r, s->whole, s->noise), one = draw(r, s->whole, s->noise);
        sos_error error;
        check_ok(sos_energy_set_unary(e, i, zero, one, &error), error);
    }
}

static void change_tables(sos_random *r, const shape *s, sos_energy *e)
{
    double *f = room((size_t)1 << SOS_TABLE_MEMBERS_MAX);
    sos_error error;
    for (uint32_t t = 0; t < sos_energy_tables(e); t += 3) {
        size_t k;
        sos_energy_table(e, t, &k);
        table_draw(r, k, s->whole, 9, f);
        check_ok(sos_energy_set_table(e, t, f, &error), error);
    }
    for (size_t c = 0; c < sos_energy_concaves(e); c += 2) {
        const double weight = s->whole ? 2 : draw(r, false, 1);
        check_ok(sos_energy_set_concave_weights(e, c, 1, &weight, &error), error);
    }
    free(f);
}

static void minimise(const shape *s)
{
    const size_t n = s->width * s->height;
    sos_random r = sos_random_seeded(s->width * 1000 + s->height);
    sos_energy *e = energy_draw(&r, s);
    uint8_t *y = test_room(NULL, n, 1);
    sos_minimize_settings defaults = sos_minimize_defaults(), x = defaults;
    sos_error error;
    x.maximal = true;
    run_new(s->name, "largest", e, x, y, 0, false);
    x = defaults;
    x.reduce = false;
    run_new(s->name, "unreduced", e, x, y, 0, false);
    x = defaults;
    x.bits = 32;
    run_new(s->name, "narrow", e, x, y, 0, false);
    run_new(s->name, "regions", e, defaults, y, 32, false);
    if (s->concaves) run_new(s->name, "as pairs", e, defaults, y, 0, true);
    say_limit(s->name, e, y);

    sos_minimizer *m = minimizer();
    run(m, s->name, "first", e, defaults, y);
    x.bits = 0;
    x.start = SOS_START_FLOW;
    run(m, s->name, "again", e, x, y);
    change_unaries(&r, s, e);
    run(m, s->name, "other unaries", e, x, y);
    say_bytes(s->name, "packed", sos_minimizer_pack(m, e));
    change_unaries(&r, s, e);
    run(m, s->name, "unpacked", e, x, y);
    change_tables(&r, s, e);
    run(m, s->name, "other tables", e, x, y);
    check_ok(sos_energy_fix(e, n / 2, !y[n / 2], &error), error);
    run(m, s->name, "fixed", e, x, y);
    x.start = SOS_START_LABELS;
    change_unaries(&r, s, e);
    run(m, s->name, "from labels", e, x, y);
    sos_minimizer_free(m);
    sos_energy_free(e);
    free(y);
}

/* From so many variables on costs that are noise are cut into regions, and from more on all are. */
static void minimise_many(void)
{
    static const shape MANY[] = {
        { .name = "noise", .width = 380, .height = 350, .whole = true, .noise = 5, .neighbours = 4 },
        { .name = "many", .width = 530, .height = 500, .whole = true, .noise = 40, .patch = 2 },
    };
    for (size_t i = 0; i < 2; i++) {
        const size_t n = MANY[i].width * MANY[i].height;
        sos_random r = sos_random_seeded(i);
        sos_energy *e = energy_draw(&r, &MANY[i]);
        uint8_t *y = test_room(NULL, n, 1);
        run_new(MANY[i].name, "first", e, sos_minimize_defaults(), y, 0, false);
        sos_energy_free(e);
        free(y);
    }
}

static void say_marginals(const shape *s)
{
    const size_t n = s->width * s->height;
    sos_random r = sos_random_seeded(n);
    sos_energy *e = energy_draw(&r, s);
    uint8_t *y = test_room(NULL, n, 1);
    double *rise = room(2 * n), *most = room(n);
    sos_marginals_settings settings = sos_marginals_defaults();
    sos_marginals_result result;
    sos_error error;
    settings.work.threads = 1;
    check_ok(sos_min_marginals(e, n, NULL, NULL, &settings, y, rise, most, &result, &error), error);
    say("%s marginals: energy %a, bound %a, doubt %a, %" PRIu64 " flows, rises %016" PRIx64 ", at most %016" PRIx64 "", s->name,
        result.energy, result.lower_bound, result.doubt, result.flows, mix_reals(BASIS, 2 * n, rise),
        mix_reals(BASIS, n, most));
    say_bytes(s->name, "marginals", result.bytes);
    sos_energy_free(e);
    free(y);
    free(rise);
    free(most);
}

static void part_minimise(void)
{
    enum { COUNT = sizeof SHAPES / sizeof *SHAPES };
    for (size_t i = 0; i < COUNT; i++) minimise(&SHAPES[i]);
    for (size_t i = 0; i < COUNT; i++) say_marginals(&SHAPES[i]);
    minimise_many();
}

/* ---- several labels ---- */

typedef struct labelled {
    const char *name;
    size_t n, labels, terms, members;
    bool whole;
} labelled;

static const labelled LABELLED[] = {
    { "three", 60, 3, 60, 4, true },
    { "five", 80, 5, 90, 6, false },
    { "two", 50, 2, 30, 5, false },
};

static void term_add(sos_random *r, const labelled *s, size_t kind, sos_multi_energy *e)
{
    const size_t L = s->labels, k = kind == 1 ? 2 : 2 + (size_t)sos_random_below(r, s->members - 1), most = 3 * s->members;
    double *g = room((L << k) + L * (most + 1)), reach[8], agree[8];
    uint32_t *v = test_room(NULL, most, sizeof *v), set;
    sos_error error;
    const double weight = draw(r, s->whole, kind == 1 ? 6 : 2);
    members_random(r, s->n, kind > 1 ? most : k, v);
    for (size_t l = 0; l < L; l++) {
        agree[l] = draw(r, s->whole, 4);
        reach[l] = (double)(1 + sos_random_below(r, most / 2));
        if (kind == 0) table_draw(r, k, s->whole, 5, g + (l << k));
        if (kind == 2) concave_draw(r, most, 4, s->whole, 4, g + l * (most + 1));
    }
    if (kind == 0) {
        check_ok(sos_multi_energy_add_tables(e, k, g, &set, &error), error);
        check_ok(sos_multi_energy_add_cliques(e, set, 1, v, &weight, &error), error);
    } else if (kind == 1) {
        check_ok(sos_multi_energy_add_potts(e, 1, v, &weight, &error), error);
    } else if (kind == 2) {
        check_ok(sos_multi_energy_add_counts(e, most, v, g, 0.25, &error), error);
    } else {
        check_ok(sos_multi_energy_add_robust(e, most, v, agree, kind == 3 ? reach : NULL, 9, weight, &error), error);
    }
    free(g);
    free(v);
}

static sos_multi_energy *labelled_draw(sos_random *r, const labelled *s)
{
    sos_multi_energy *e;
    sos_error error;
    check_ok(sos_multi_energy_create(s->n, s->labels, &e, &error), error);
    for (size_t i = 0; i < s->n; i++) {
        double cost[8];
        for (size_t l = 0; l < s->labels; l++) cost[l] = draw(r, s->whole, 25);
        check_ok(sos_multi_energy_set_unary(e, i, cost, &error), error);
    }
    for (size_t t = 0; t < s->terms; t++) term_add(r, s, t % 12 < 9 ? t % 2 : 2 + t % 3, e);
    return e;
}

static void say_moves(const labelled *s, const char *how, const sos_multi_energy *e, sos_expand_settings settings, uint8_t y[])
{
    sos_expand_result x;
    sos_error error;
    settings.work.threads = 1;
    check_ok(sos_expand(e, &settings, y, &x, &error), error);
    say("%s %s: energy %a from %a, bound %a, factor %a, rounding %a, %s, %s, %" PRIu64 " sweeps, %" PRIu64 " moves, %" PRIu64
        " successes, %" PRIu64 " skipped, %" PRIu64 " variables, labels %016" PRIx64 "",
        s->name, how, x.energy, x.start_energy, x.lower_bound, x.factor, x.rounding, x.converged ? "converged" : "stopped",
        x.exact ? "exact" : "local", x.sweeps, x.moves, x.successes, x.skipped, x.variables, mix_labels(BASIS, s->n, y));
    say_bytes(s->name, how, x.bytes);
}

static void move(const labelled *s)
{
    sos_random r = sos_random_seeded(s->n);
    sos_multi_energy *e = labelled_draw(&r, s);
    uint8_t *y = test_room(NULL, s->n, 1), order[8];
    sos_expand_settings x = sos_expand_defaults();
    sos_relax_settings bound = sos_relax_defaults();
    sos_relax_result result;
    sos_error error;
    say_moves(s, "moves", e, x, y);
    x.reduce = false;
    say_moves(s, "unreduced", e, x, y);
    x.reduce = true;
    x.shuffle = true;
    x.seed = 3;
    for (size_t i = 0; i < s->n; i++) y[i] = (uint8_t)sos_random_below(&r, s->labels);
    x.start = SOS_EXPAND_LABELS;
    say_moves(s, "shuffled", e, x, y);
    x = sos_expand_defaults();
    for (size_t l = 0; l < s->labels; l++) order[l] = (uint8_t)(s->labels - 1 - l);
    x.order = order;
    x.sweeps = 1;
    say_moves(s, "backwards", e, x, y);
    bound.rounds = 25;
    bound.work.threads = 1;
    check_ok(sos_relax(e, &bound, y, &result, &error), error);
    say("%s relaxed: energy %a, bound %a, %s, %zu rounds, labels %016" PRIx64 "", s->name, result.energy, result.lower_bound,
        result.exact ? "exact" : "open", result.rounds, mix_labels(BASIS, s->n, y));
    say_bytes(s->name, "relaxed", result.bytes);
    sos_multi_energy_free(e);
    free(y);
}

static void part_labels(void)
{
    for (size_t i = 0; i < sizeof LABELLED / sizeof *LABELLED; i++) move(&LABELLED[i]);
}

/* ---- learning ---- */

static const double THIRDS[] = { 0, 1.0 / 3, 2.0 / 3, 1 };
static const sos_group COLOUR = { .name = "colour", .kind = SOS_GROUP_FREE, .size = 3 },
                       GUESS = { .name = "guess", .kind = SOS_GROUP_NONNEGATIVE, .size = 1, .stiffness = 0.5 },
                       CONTRAST = { .name = "contrast", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 },
                       REGION = { .name = "region", .kind = SOS_GROUP_NONNEGATIVE, .size = 1 },
                       PATCH = { .name = "patch",
                                 .kind = SOS_GROUP_TABLE,
                                 .size = 4,
                                 .anchored = true,
                                 .patch_width = 2,
                                 .patch_height = 2 },
                       LINE = { .name = "line", .kind = SOS_GROUP_TABLE, .size = 3, .reversal = true, .strengths = 2 },
                       COUNT = { .name = "count", .kind = SOS_GROUP_COUNT, .size = 4, .shares = THIRDS, .anchored = true };

enum { WIDTH = 6, HEIGHT = 5, PIXELS = WIDTH * HEIGHT, MEMBERS = 8, LESSONS_MAX = 12 };

typedef struct lesson {
    const char *name;
    const sos_group *groups[4];
    size_t labels, examples;
    double C;
    bool losses, scaled, fixed;
    sos_train_settings settings; /* what is not 0 in it is not the default */
    bool plain;                  /* neither warm nor with caches */
} lesson;

static const lesson LESSONS[] = {
    { .name = "patch", .groups = { &COLOUR, &PATCH }, .labels = 2, .examples = 12, .C = 30 },
    { .name = "patch-plain",
      .groups = { &COLOUR, &PATCH },
      .labels = 2,
      .examples = 4,
      .C = 10,
      .plain = true,
      .settings = { .slacks = 1, .step = 1 } },
    { .name = "pairs", .groups = { &COLOUR, &CONTRAST, &REGION }, .labels = 2, .examples = 10, .C = 100, .losses = true },
    { .name = "counts", .groups = { &COLOUR, &COUNT, &CONTRAST }, .labels = 2, .examples = 8, .C = 50, .fixed = true },
    { .name = "lines",
      .groups = { &COLOUR, &LINE, &GUESS },
      .labels = 2,
      .examples = 7,
      .C = 20,
      .losses = true,
      .scaled = true,
      .settings = { .slacks = 3, .idle = 2, .memory = 20000 } },
    { .name = "stiff",
      .groups = { &COLOUR, &PATCH, &CONTRAST },
      .labels = 2,
      .examples = 3,
      .C = 1e9,
      .settings = { .rounds = 60 } },
    { .name = "three",
      .groups = { &COLOUR, &PATCH, &CONTRAST },
      .labels = 3,
      .examples = 6,
      .C = 30,
      .settings = { .searches = 5 } },
    { .name = "stiff-counts",
      .groups = { &GUESS, &COUNT, &REGION },
      .labels = 3,
      .examples = 6,
      .C = 60,
      .fixed = true,
      .settings = { .slacks = 1, .relax = 4, .rounds = 40 } },
};

/* Labels in blobs, and features that tell them with noise. */
static void truth_draw(sos_random *r, size_t labels, uint8_t truth[])
{
    const double x0 = draw(r, true, WIDTH - 1), y0 = draw(r, true, HEIGHT - 1), size = 4 + draw(r, true, 6);
    for (size_t i = 0; i < PIXELS; i++) {
        const double x = (double)(i % WIDTH) - x0, y = (double)(i / WIDTH) - y0, away = x * x + y * y;
        truth[i] = (uint8_t)(away < size ? 1 : labels > 2 && away > 2 * size ? 2 : 0);
    }
}

static void add_group(sos_random *r, const lesson *l, uint32_t number, const uint8_t truth[], sos_example *x)
{
    const sos_group *g = l->groups[number];
    double value[4 * PIXELS * 3], amount[PIXELS];
    uint32_t member[PIXELS];
    size_t start[] = { 0, MEMBERS, 2 * MEMBERS, PIXELS };
    sos_error error;
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) value[i] = draw(r, false, 1);
    for (uint32_t i = 0; i < PIXELS; i++) {
        member[i] = i;
        amount[i] = (double)(1 + sos_random_below(r, 3));
    }
    if (g == &COLOUR) {
        for (size_t i = 0; i < PIXELS; i++) value[3 * i] += 0.6 * truth[i];
        check_ok(sos_example_set_dense_features(x, number, value, 3, 1, &error), error);
    } else if (g == &GUESS) {
        for (size_t i = 0; i < PIXELS; i++) value[i * l->labels + truth[i]] *= 0.5;
        check_ok(sos_example_set_costs(x, number, value, &error), error);
    } else if (g == &CONTRAST) {
        check_ok(sos_example_add_grid_pairs(x, number, WIDTH, HEIGHT, 8, value, &error), error);
    } else if (g == &REGION) {
        check_ok(sos_example_add_regions(x, number, 3, start, member, 0.3, value, &error), error);
    } else if (g == &PATCH) {
        check_ok(sos_example_add_patches(x, number, WIDTH, HEIGHT, 2, 2, NULL, &error), error);
    } else if (g == &LINE) {
        check_ok(sos_example_add_patches(x, number, WIDTH, HEIGHT, 3, 1, value, &error), error);
    } else {
        check_ok(sos_example_add_counts(x, number, 3, start, member, amount, value, &error), error);
    }
}

static sos_example *example_draw(sos_random *r, const lesson *l, const sos_model *m)
{
    static const double BY_CLASS[] = { 1, 3, 2 }, DELTA[] = { 2, 1, 1, 0 };
    uint8_t truth[PIXELS], care[PIXELS];
    uint32_t pair[2] = { 0, 1 };
    sos_example *x;
    sos_error error;
    truth_draw(r, l->labels, truth);
    for (size_t i = 0; i < PIXELS; i++) care[i] = sos_random_below(r, 6) != 0;
    check_ok(sos_example_create(m, PIXELS, &x, &error), error);
    for (uint32_t g = 0; g < 4 && l->groups[g]; g++) add_group(r, l, g, truth, x);
    if (l->scaled) check_ok(sos_example_set_scale(x, 0.25, &error), error);
    check_ok(sos_example_set_truth(x, truth, l->losses ? care : NULL, &error), error);
    if (l->losses) check_ok(sos_example_set_class_loss(x, BY_CLASS, &error), error);
    for (size_t i = 0; l->losses && l->labels == 2 && i + 1 < PIXELS; i++) {
        if (!truth[i] || !truth[i + 1]) continue;
        pair[0] = (uint32_t)i;
        pair[1] = (uint32_t)i + 1;
        check_ok(sos_example_add_clique_loss(x, 2, pair, DELTA, &error), error);
        break;
    }
    for (size_t i = 0; l->fixed && i < PIXELS; i += 7) check_ok(sos_example_fix(x, i, truth[i], &error), error);
    return x;
}

static sos_train_settings settings_of(const lesson *l)
{
    sos_train_settings s = sos_train_defaults();
    const sos_train_settings *x = &l->settings;
    s.C = l->C;
    s.work.threads = 1;
    s.device = SOS_DEVICE_CPU;
    if (x->slacks) s.slacks = x->slacks;
    if (x->step > 0) s.step = x->step;
    if (x->idle) s.idle = x->idle;
    if (x->memory) s.memory = x->memory;
    if (x->rounds) s.rounds = x->rounds;
    if (x->searches) s.searches = x->searches;
    s.relax = x->relax;
    if (l->plain) {
        s.cache = 0;
        s.warm = false;
    }
    return s;
}

static bool hear(void *user, const sos_train_round *r)
{
    uint64_t *hash = user;
    const double numbers[] = { r->C, r->primal, r->dual, r->gap, r->hinge, r->loss };
    const uint64_t counts[] = { r->round, r->examples, r->planes, r->oracle_calls, r->cache_hits, r->approximate, r->beaten };
    *hash = mix_reals(*hash, sizeof numbers / sizeof *numbers, numbers);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) *hash = mix(*hash, counts[i]);
    return true;
}

static void say_training(const char *name, const char *how, const sos_model *m, const sos_train_result *x, uint64_t rounds)
{
    static const char *const ENDS[] = { "gap", "epsilon", "rounds", "seconds", "stopped", "stalled" };
    say("%s %s: C %g, by %s%s%s%s, %zu rounds, %zu calls, %zu from caches, %zu planes, %zu beaten, primal %a, dual %a, "
        "hinge %a, loss %a, rounds %016" PRIx64 ", weights %016" PRIx64 "",
        name, how, x->last.C, ENDS[x->outcome], x->approximate ? ", approximate" : "", x->learned ? "" : ", not learned",
        x->zero ? ", zero" : "", x->last.round, x->last.oracle_calls, x->last.cache_hits, x->last.planes, x->last.beaten,
        x->last.primal, x->last.dual, x->last.hinge, x->last.loss, rounds,
        m ? mix_reals(BASIS, sos_model_weight_count(m), sos_model_weights(m)) : 0);
}

static sos_model *model_of(const lesson *l)
{
    sos_model *m;
    uint32_t number;
    sos_error error;
    check_ok(sos_model_create(l->labels, &m, &error), error);
    for (size_t g = 0; g < 4 && l->groups[g]; g++) check_ok(sos_model_add_group(m, l->groups[g], &number, &error), error);
    return m;
}

static void say_predictions(const lesson *l, const sos_model *m, sos_example *examples[])
{
    double losses[LESSONS_MAX], mean;
    const sos_work one = { .threads = 1 };
    size_t bytes = 0;
    sos_error error;
    check_ok(sos_evaluate(m, l->examples, examples, &one, losses, &mean, &error), error);
    for (size_t i = 0; i < l->examples; i++) bytes += sos_example_bytes(examples[i]);
    say("%s predicts: loss %a, losses %016" PRIx64 "", l->name, mean, mix_reals(BASIS, l->examples, losses));
    say_bytes(l->name, "examples", bytes);
}

static void say_files(const lesson *l, const sos_model *m, sos_example *examples[])
{
    char *model = NULL, *task = NULL;
    size_t length = 0, much = 0;
    sos_error error;
    check_ok(sos_model_write_memory(m, &model, &length, &error), error);
    check_ok(sos_problem_write_memory(m, l->examples, examples, &task, &much, &error), error);
    say("%s files: model of %zu, %016" PRIx64 ", problem of %zu, %016" PRIx64 "", l->name, length,
        mix_labels(BASIS, length, (const uint8_t *)model), much, mix_labels(BASIS, much, (const uint8_t *)task));
    free(model);
    free(task);
}

/* The first of them, that it may not take long. */
static void learn_paths(const lesson *l, sos_model *m, sos_example *examples[])
{
    static const double VALUES[] = { 1, 8, 40 };
    sos_path_point path[3];
    double losses[3];
    size_t best;
    uint64_t rounds = 0;
    sos_error error;
    sos_train_settings s = settings_of(l);
    s.watch = hear;
    s.work.user = &rounds;
    check_ok(sos_train_path(m, l->examples - 3, examples, 3, examples + l->examples - 3, 3, VALUES, &s, path, &best, &error),
             error);
    for (size_t i = 0; i < 3; i++)
        say_training(l->name, "path", NULL, &path[i].result, mix_real(BASIS, path[i].validation_loss));
    say_training(l->name, "chosen", m, &path[best].result, rounds);
    check_ok(sos_train_folds(m, l->examples, examples, 3, 3, VALUES, &s, losses, &best, &error), error);
    say("%s folds: %016" PRIx64 ", %016" PRIx64 ", best %zu", l->name, mix_reals(BASIS, 3, losses), rounds, best);
}

static void learn(const lesson *l)
{
    sos_random r = sos_random_seeded(l->examples * 100 + l->labels);
    sos_model *m = model_of(l);
    sos_example *examples[LESSONS_MAX];
    sos_train_settings s = settings_of(l);
    sos_train_result result;
    uint64_t rounds = 0;
    sos_error error;
    for (size_t i = 0; i < l->examples; i++) examples[i] = example_draw(&r, l, m);
    s.watch = hear;
    s.work.user = &rounds;
    check_ok(sos_train(m, l->examples, examples, &s, &result, &error), error);
    say_training(l->name, "trained", m, &result, rounds);
    say_predictions(l, m, examples);
    say_files(l, m, examples);
    const size_t d = sos_model_weight_count(m);
    double *known = room(d);
    memcpy(known, sos_model_weights(m), d * sizeof *known);
    s.from = known;
    s.C /= 8;
    check_ok(sos_train(m, l->examples, examples, &s, &result, &error), error);
    say_training(l->name, "from", m, &result, rounds);
    s.from = NULL;
    s.start = known;
    check_ok(sos_train(m, l->examples, examples, &s, &result, &error), error);
    say_training(l->name, "started", m, &result, rounds);
    if (l->examples >= 8) learn_paths(l, m, examples);
    for (size_t i = 0; i < l->examples; i++) sos_example_free(examples[i]);
    sos_model_free(m);
    free(known);
}

/* How many planes a program may have that is solved in wide numbers, by its weights and by a table of some of them. */
static void say_wide(void)
{
    static const size_t WEIGHTS[] = { 1, 8, 100 }, SIZES[] = { 0, 5, 90 };
    for (size_t i = 0; i < 9; i++) {
        const sos_cone_pattern pattern = { .size = SIZES[i / 3] };
        sos_cone_block block = { .pattern = &pattern };
        const sos_cone cone = { .weights = WEIGHTS[i % 3], .block_count = pattern.size > 0, .blocks = &block };
        const sos_qp qp = { .cone = &cone };
        size_t most = 0;
        while (sos_qp_has_wide(&qp, most)) most++;
        say("stiff programs: %zu weights, tables of %zu: %zu planes", WEIGHTS[i % 3], SIZES[i / 3], most);
    }
}

/* A program, and one that differs a little from where that ended. */
static void say_programs(const lesson *l, bool wide)
{
    enum { PLANES = 14 };
    static const double COST[] = { 3, 5 };
    sos_random r = sos_random_seeded(l->examples);
    sos_model *m = model_of(l);
    const size_t d = sos_model_weight_count(m);
    sos_cone cone;
    sos_error error;
    check_ok(sos_cone_create(m->layout, &cone, &error), error);
    double *a = room(PLANES * d), *w = room(d), *multiplier = room(cone.row_count);
    sos_qp_plane planes[PLANES];
    for (size_t i = 0; i < PLANES * d; i++) a[i] = draw(&r, false, 2) - 1;
    for (size_t i = 0; i < PLANES; i++) planes[i] = (sos_qp_plane){ .a = a + i * d, .b = draw(&r, false, 3), .group = i % 2 };
    for (size_t i = 0; i < d; i++) w[i] = 0;
    for (size_t i = 0; i < cone.row_count; i++) multiplier[i] = 0;
    sos_qp qp = { .cone = &cone, .groups = 2, .cost = COST, .gap = 1e-9, .threads = 1, .w = w, .cone_multiplier = multiplier };
    qp.wide = wide;
    for (int turn = 0; turn < 3; turn++, qp.warm = true) {
        for (size_t i = 0; turn && i < PLANES; i++) planes[i].b += 0.1 * draw(&r, false, 1);
        check_ok(sos_qp_solve(&qp, PLANES, planes, &error), error);
        say("%s program of %s%s: %zu iterations, primal %a, dual %a, weights %016" PRIx64, wide ? "stiff" : "plain", l->name,
            turn ? ", again" : "", qp.iterations, qp.primal, qp.dual, mix_reals(BASIS, d, w));
    }
    sos_cone_free(&cone);
    sos_model_free(m);
    free(a);
    free(w);
    free(multiplier);
}

static void part_learn(void)
{
    for (size_t i = 0; i < sizeof LESSONS / sizeof *LESSONS; i++)
        for (int wide = 0; wide <= has_wide(); wide++) say_programs(&LESSONS[i], wide);
    if (has_wide()) say_wide();
    for (size_t i = 0; i < sizeof LESSONS / sizeof *LESSONS; i++)
        if (has_wide() || strncmp(LESSONS[i].name, "stiff", 5)) learn(&LESSONS[i]);
}

/* ---- a layer that learns what stands below the energy ---- */

static void part_hinge(void)
{
    enum { ITEMS = 3 };
    static const size_t WHICH[] = { 0, 3, 5, 8, 9 };
    for (size_t i = 0; i < sizeof WHICH / sizeof *WHICH; i++) {
        const shape *s = &SHAPES[WHICH[i]];
        const size_t n = s->width * s->height;
        sos_random r = sos_random_seeded(i + 1);
        sos_energy *e = energy_draw(&r, s);
        uint8_t *truth = test_room(NULL, n * ITEMS, 1), *y = test_room(NULL, n * ITEMS, 1);
        double *unary = room(n * ITEMS), *slope = room(n * ITEMS);
        sos_hinge_settings settings = sos_hinge_defaults();
        sos_hinge *h;
        sos_error error;
        settings.work.threads = 1;
        check_ok(sos_hinge_create(e, &h, &error), error);
        for (int turn = 0; turn < 3; turn++) {
            sos_hinge_item item[ITEMS];
            for (size_t j = 0; j < n * ITEMS; j++) {
                const int fixed = sos_energy_fixed(e, j % n);
                truth[j] = (uint8_t)sos_random_below(&r, 2);
                if (fixed != SOS_FREE) truth[j] = (uint8_t)fixed;
                unary[j] = draw(&r, s->whole, s->noise) - s->noise / 2;
            }
            for (size_t b = 0; b < ITEMS; b++)
                item[b] = (sos_hinge_item){ .unary = unary + b * n,
                                            .truth = b < 2 ? truth + b * n : NULL,
                                            .keep = b,
                                            .labels = y + b * n,
                                            .to_unary = slope + b * n };
            check_ok(sos_hinge_run(h, ITEMS, item, &settings, &error), error);
            for (size_t b = 0; b < ITEMS; b++)
                say("%s hinge: %a, gap %a, %s, labels %016" PRIx64 ", slopes %016" PRIx64 "", s->name, item[b].value,
                    item[b].gap, item[b].warm ? "warm" : "cold", mix_labels(BASIS, n, item[b].labels),
                    mix_reals(BASIS, n, item[b].to_unary));
        }
        say_bytes(s->name, "hinge", sos_hinge_bytes(h));
        sos_hinge_free(h);
        sos_energy_free(e);
        free(truth);
        free(y);
        free(unary);
        free(slope);
    }
}

/* ---- networks cut into regions ---- */

/* Cliques of k nodes apart from each other; every so many nodes begins one, and some are long. */
typedef struct strip {
    const char *name;
    uint32_t nodes, k, apart, every, longer;
    size_t forced;
} strip;

static void say_regions(const strip *s, const char *how, const sos_network *net, size_t limit)
{
    sos_regions r = { 0 };
    uint64_t hash = BASIS;
    sos_regions_find(&r, net, s->forced, limit, 1);
    for (uint32_t m = 0; r.count && m <= r.merges; m++) hash = mix(hash, r.first[m]);
    for (uint32_t i = 0; r.count && i < r.first[r.merges]; i++) hash = mix(hash, r.crossing[i]);
    say("%s %s: %u regions of %u, %u levels, %u merges, %u across, %016" PRIx64, s->name, how, r.count, r.count ? r.nodes : 0,
        r.count ? r.levels : 0, r.count ? r.merges : 0, r.count ? r.first[r.merges] : 0, hash);
    say_bytes(s->name, how, r.bytes);
    if (!limit && r.bytes) {
        say_regions(s, "with enough", net, r.bytes);
        say_regions(s, "with less", net, r.bytes - 1);
    }
    sos_regions_free(&r);
}

static void part_regions(void)
{
    static const strip STRIPS[] = {
        { "fives", 1 << 18, 5, 1, 4, 0, 0 },        { "too few fives", (1 << 18) - 1, 5, 1, 4, 0, 0 },
        { "fours", 1 << 16, 4, 1, 2, 0, 0 },        { "rows", 1 << 17, 2, 512, 1, 0, 0 },
        { "wide rows", 1 << 17, 2, 3000, 1, 0, 0 }, { "too wide rows", 1 << 17, 2, 5000, 1, 0, 0 },
        { "long", 1 << 17, 2, 1, 1, 20000, 0 },     { "forced", 3001, 3, 7, 2, 1000, 100 },
        { "forced pairs", 900, 2, 1, 1, 5, 64 },
    };
    for (size_t i = 0; i < sizeof STRIPS / sizeof *STRIPS; i++) {
        const strip *s = &STRIPS[i];
        const uint32_t count = (s->nodes - s->k * s->apart) / s->every;
        uint32_t *member = test_room(NULL, (size_t)count * s->k, sizeof *member);
        for (uint32_t c = 0; c < count; c++)
            for (uint32_t q = 0; q < s->k; q++) {
                const uint32_t v = c * s->every + q * s->apart, far = v + (q && c % 9 == 0 ? s->longer : 0);
                member[c * s->k + q] = far < s->nodes ? far : v;
            }
        const sos_network net = { .threads = 1,
                                  .variables = s->nodes,
                                  .nodes = s->nodes,
                                  .cliques = count,
                                  .table_cliques = count,
                                  .slots = count * s->k,
                                  .k = s->k,
                                  .member = member };
        say_regions(s, "cut", &net, 0);
        free(member);
    }
}

/* ---- all parts ---- */

typedef struct part {
    const char *name;
    void (*say)(void);
} part;

static const part PARTS[] = {
    { "regions", part_regions }, { "hinge", part_hinge },         { "several labels", part_labels },
    { "learning", part_learn },  { "minimising", part_minimise },
};
enum { COUNT_OF_PARTS = sizeof PARTS / sizeof *PARTS };

static void path_of(char path[], size_t size)
{
    const char *source = getenv("SOURCE_DIR");
    snprintf(path, size, "%s/tests/work.txt", source ? source : ".");
}

static char *file_read(void)
{
    char path[4096], *text = NULL;
    size_t length = 0, taken = 0;
    path_of(path, sizeof path);
    FILE *file = fopen(path, "r");
    if (!file) test_fail(__FILE__, __LINE__, "there is no %s", path);
    do {
        text = test_room(text, taken = 2 * taken + 65536, 1);
        length += fread(text + length, 1, taken - length, file);
    } while (length == taken);
    text[length] = 0;
    fclose(file);
    return text;
}

static void check_part(void **state)
{
    const part *p = *state;
    char heading[80];
    snprintf(heading, sizeof heading, "# %s\n", p->name);
    if (differences) skip(); /* what is other in one is so in more */
    if (record) {
        fputs(heading, record);
        p->say();
        return;
    }
    char *text = file_read(), *begin = strstr(text, heading);
    if (!begin) test_fail(__FILE__, __LINE__, "tests/work.txt has nothing of %s", p->name);
    recorded = begin + strlen(heading);
    p->say();
    for (const char *was; (was = recorded_next());) differ(was, NULL);
    free(text);
    if (differences) test_fail(__FILE__, __LINE__, "if that is meant: RECORD=1 ctest -R test_work");
}

static int record_begin(void **state)
{
    (void)state;
    char path[4096];
    path_of(path, sizeof path);
    record = getenv("RECORD") ? fopen(path, "w") : NULL;
    if (record) fputs("What test_work.c said when RECORD=1 ctest -R test_work was run last.\n", record);
    return getenv("RECORD") && !record;
}

static int record_end(void **state)
{
    (void)state;
    return record ? fclose(record) : 0;
}

int main(void)
{
    struct CMUnitTest tests[COUNT_OF_PARTS];
    for (size_t i = 0; i < COUNT_OF_PARTS; i++)
        tests[i] = (struct CMUnitTest){ .name = PARTS[i].name,
                                        .test_func = check_part,
                                        .initial_state = (void *)(uintptr_t)&PARTS[i] };
    return cmocka_run_group_tests_name("work", tests, record_begin, record_end);
}
