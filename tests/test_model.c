/* test_model.c - groups of weights: what ties them, what cone they are in, what is refused, and the facts beside them. */
#include "learning_support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/ties.h"

static sos_group table_group(const char *name, size_t k, bool anchored, bool swap, size_t width, size_t height)
{
    return (sos_group){ .name = name,
                        .kind = SOS_GROUP_TABLE,
                        .size = k,
                        .anchored = anchored,
                        .swap = swap,
                        .patch_width = width,
                        .patch_height = height };
}

static sos_model *model_of(size_t labels, const sos_group *group)
{
    sos_model *m = NULL;
    sos_error error;
    uint32_t number = 77;
    check_ok(sos_model_create(labels, &m, &error), error);
    check_ok(sos_model_add_group(m, group, &number, &error), error);
    check(number == 0);
    return m;
}

/* ---- ties ---- */

/* Every shape of patch of up to 6 members, tied and not, swapped and not, anchored and not: plan_build compares the ties. */
static void ties_are_the_orbits_of_the_symmetries(void **state)
{
    (void)state;
    for (size_t k = 1; k <= 6; k++)
        for (size_t width = 0; width <= k; width++)
            for (int flags = 0; flags < 4; flags++) {
                if (width && k % width) continue;
                const sos_group g = table_group("t", k, flags & 1, flags & 2, width, width ? k / width : 0);
                plan p = plan_create(2, 1, &g);
                sos_model_free(plan_build(&p));
                plan_free(&p);
            }
}

/* As above; plan_build compares the ties.  A patch with the reversal is what it is without: half a turn is among its
 * symmetries. */
static void lines_are_tied_by_reversal_and_by_counts(void **state)
{
    (void)state;
    for (size_t k = 1; k <= 6; k++)
        for (int flags = 0; flags < 16; flags++) {
            const bool counted = flags & 4, patch = flags & 8;
            if (counted && patch) continue;
            sos_group g = table_group("t", k, flags & 1, flags & 2, patch ? k : 0, patch ? 1 : 0);
            g.counted = counted;
            g.reversal = !counted;
            plan p = plan_create(2, 1, &g);
            sos_model *m = plan_build(&p);
            check(sos_model_group(m, 0)->counted == counted && sos_model_group(m, 0)->reversal == !counted);
            sos_model_free(m);
            plan_free(&p);
        }
}

/* Counted by hand: of 4 members in a line 0 and 4 have no change, 1 and 3 have 1 or 2, 2 have 1, 2 or 3. */
static void counted_lines_have_few_weights(void **state)
{
    (void)state;
    static const struct {
        size_t k;
        bool swap;
        size_t weights;
    } KNOWN[] = { { 1, false, 2 }, { 2, false, 3 }, { 3, false, 6 }, { 4, false, 9 }, { 4, true, 6 }, { 16, false, 129 } };
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
        sos_group g = table_group("t", KNOWN[i].k, false, KNOWN[i].swap, 0, 0);
        g.counted = true;
        sos_model *m = model_of(2, &g);
        if (sos_model_weight_count(m) != KNOWN[i].weights)
            test_fail(__FILE__, __LINE__, "case %zu has %zu weights, not %zu", i, sos_model_weight_count(m), KNOWN[i].weights);
        sos_model_free(m);
    }
}

/* Classes of one's own: entry by entry, in any numbering; by the number of members; anchored in many ways. */
static void classes_of_the_callers_are_taken(void **state)
{
    (void)state;
    uint32_t own[5][16];
    for (uint32_t S = 0; S < 16; S++) {
        const uint32_t ones = (uint32_t)__builtin_popcount(S);
        own[0][S] = 15 - S;
        own[1][S] = ones;
        own[2][S] = ones == 0 ? UINT32_MAX : 4 - ones;
        own[3][S] = ones <= 1 ? UINT32_MAX : ones - 2;              /* members alone cost nothing */
        own[4][S] = ones % 4 == 0 ? UINT32_MAX : ones == 2 ? 1 : 0; /* both ends anchored */
    }
    static const size_t WEIGHTS[] = { 16, 5, 4, 3, 2 };
    for (size_t i = 0; i < 5; i++)
        for (size_t labels = 2; labels <= 3; labels++) {
            sos_random r = test_case_begin(10 * i + labels);
            sos_group g = table_group("t", 4, false, false, 0, 0);
            g.class_of = own[i];
            plan p = plan_create(labels, 1, &g);
            sos_model *m = plan_build(&p), *copy = NULL;
            sos_error error;
            check(sos_model_weight_count(m) == WEIGHTS[i] * (labels > 2 ? labels : 1));
            check(sos_model_group(m, 0)->class_of != own[i]);
            check(!memcmp(sos_model_group(m, 0)->class_of, own[i], sizeof own[i]));
            double w[64];
            plan_weights_random(&r, &p, w);
            check_ok(sos_model_set_weights(m, w, &error), error);
            check_ok(sos_model_copy(m, &copy, &error), error);
            sos_model_free(m);
            check(!memcmp(sos_model_group(copy, 0)->class_of, own[i], sizeof own[i]));
            check(!memcmp(sos_model_weights(copy), w, p.weights * sizeof *w));
            sos_model_free(copy);
            plan_free(&p);
        }
}

/* No submodular table but modular ones depends on the number of changes alone once lines are long; and numbers must be dense.
 */
static void classes_that_leave_no_room_are_refused(void **state)
{
    (void)state;
    uint32_t changes[256], gap[4] = { 0, 1, 3, 0 }, large[4] = { 0, 1, 4, 0 }, fine[4] = { 0, 1, 1, 2 };
    for (uint32_t S = 0; S < 256; S++) changes[S] = (uint32_t)__builtin_popcount((S ^ S >> 1) & 127);
    sos_group lines = table_group("zebra", 8, false, false, 0, 0), pair = table_group("zebra", 2, false, false, 0, 0);
    sos_model *m = NULL;
    sos_error error;
    uint32_t number;
    check_ok(sos_model_create(2, &m, &error), error);
    lines.class_of = changes;
    check_error(sos_model_add_group(m, &lines, &number, &error), SOS_ERR_ARGUMENT, error, "zebra", "sizes");
    pair.class_of = gap;
    check_error(sos_model_add_group(m, &pair, &number, &error), SOS_ERR_ARGUMENT, error, "zebra", "class 2");
    pair.class_of = large;
    check_error(sos_model_add_group(m, &pair, &number, &error), SOS_ERR_ARGUMENT, error, "zebra", "class 4");
    pair.class_of = fine;
    pair.anchored = true;
    check_error(sos_model_add_group(m, &pair, &number, &error), SOS_ERR_ARGUMENT, error, "zebra", "ties");
    pair.anchored = false;
    check_ok(sos_model_add_group(m, &pair, &number, &error), error);
    lines.class_of = NULL;
    lines.counted = lines.reversal = true;
    lines.name = "lines";
    check_error(sos_model_add_group(m, &lines, &number, &error), SOS_ERR_ARGUMENT, error, "lines", "line");
    check(sos_model_groups(m) == 1 && sos_model_weight_count(m) == 3);
    sos_model_free(m);
}

/* Counted by hand, or by Burnside's lemma: (1/8)(2^4 + 2 2^1 + 2^2 + 2 2^2 + 2 2^3) = 6 for the square of 2 x 2. */
static void known_numbers_of_weights(void **state)
{
    (void)state;
    static const struct {
        size_t k, width, height;
        bool anchored, swap;
        size_t weights;
    } KNOWN[] = {
        { 4, 0, 0, false, false, 16 },  { 4, 0, 0, true, false, 15 }, { 4, 2, 2, false, false, 6 },
        { 4, 2, 2, true, false, 5 },    { 4, 2, 2, false, true, 4 },  { 4, 2, 2, true, true, 3 },
        { 9, 3, 3, false, false, 102 }, { 9, 3, 3, true, true, 50 },  { 9, 3, 3, false, true, 51 },
        { 2, 2, 1, false, false, 3 },   { 2, 2, 1, true, true, 1 },   { 2, 0, 0, true, true, 1 },
        { 3, 3, 1, false, false, 6 },   { 3, 1, 3, false, true, 3 },  { 6, 3, 2, false, false, 24 },
        { 1, 1, 1, true, true, 0 },     { 1, 0, 0, false, false, 2 }, { 16, 0, 0, false, false, 65536 },
    };
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
        const sos_group g = table_group("t", KNOWN[i].k, KNOWN[i].anchored, KNOWN[i].swap, KNOWN[i].width, KNOWN[i].height);
        sos_model *m = model_of(2, &g);
        if (sos_model_weight_count(m) != KNOWN[i].weights)
            test_fail(__FILE__, __LINE__, "case %zu has %zu weights, not %zu", i, sos_model_weight_count(m), KNOWN[i].weights);
        sos_model_free(m);
    }
}

/* Groups that are alike share their ties in a model: any difference that ties depend on must count, and names must not. */
static void ties_are_shared_by_groups_that_are_alike_alone(void **state)
{
    (void)state;
    const uint32_t classes[4] = { 0, 1, 1, 2 }, others[4] = { 0, 1, 2, 3 };
    const double halves[3] = { 0, 0.5, 1 }, uneven[3] = { 0, 0.25, 1 }, nearly[3] = { 0, 0.5 + 0.1 / SOS_SHARE_UNIT, 1 };
    const sos_group table = table_group("a", 4, true, true, 2, 2),
                    curve = { .kind = SOS_GROUP_COUNT, .size = 3, .shares = halves };
    const sos_group own = { .kind = SOS_GROUP_TABLE, .size = 2, .class_of = classes };
    sos_group g[11];
    for (size_t i = 0; i < 11; i++) g[i] = i < 7 ? table : i < 9 ? own : curve;
    g[0].kind = SOS_GROUP_COUNT;
    g[1].size = 5;
    g[2].anchored = false;
    g[3].swap = false;
    g[4].patch_width = 4, g[4].patch_height = 1;
    g[5].reversal = true;
    g[6].counted = true;
    g[7].class_of = others;
    g[8].class_of = NULL;
    g[9].shares = uneven;
    g[10].shares = NULL;
    for (size_t i = 0; i < 11; i++) {
        const sos_group *like = i < 7 ? &table : i < 9 ? &own : &curve;
        check(!sos_ties_are_alike(like, &g[i]) && !sos_ties_are_alike(&g[i], like));
        check(sos_ties_are_alike(&g[i], &g[i]));
    }
    sos_group same = curve;
    same.name = "another", same.stiffness = 2, same.shares = nearly;
    check(sos_ties_are_alike(&curve, &same));
}

static void groups_lie_one_after_the_other(void **state)
{
    (void)state;
    for (size_t labels = 2; labels <= 4; labels++) {
        const sos_group groups[] = { { .name = "colour", .kind = SOS_GROUP_FREE, .size = 5 },
                                     table_group("patch", 4, true, false, 2, 2),
                                     { .name = "contrast", .kind = SOS_GROUP_NONNEGATIVE, .size = 3 },
                                     table_group("triple", 3, false, labels == 2, 0, 0),
                                     { .name = "bias", .kind = SOS_GROUP_FREE, .size = 1 } };
        plan p = plan_create(labels, 5, groups);
        sos_model *m = plan_build(&p);
        check(sos_model_labels(m) == labels);
        check(sos_model_groups(m) == 5);
        for (uint32_t g = 0; g < 5; g++) {
            const sos_group *is = sos_model_group(m, g);
            check(is->name != groups[g].name && !strcmp(is->name, groups[g].name));
            check(is->kind == groups[g].kind && is->size == groups[g].size && is->anchored == groups[g].anchored);
            check(is->swap == groups[g].swap && is->patch_width == groups[g].patch_width);
            check(is->patch_height == groups[g].patch_height);
        }
        for (size_t i = 0; i < p.weights; i++) check(sos_model_weights(m)[i] == 0);
        sos_model_free(m);
        plan_free(&p);
    }
}

/* ---- weights ---- */

static void tables_follow_from_weights(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < test_cases(200); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const size_t labels = 2 + c % 3;
        const sos_group groups[] = { table_group("square", 4, c & 1, labels == 2 && (c & 2), 2, 2),
                                     { .name = "u", .kind = SOS_GROUP_FREE, .size = 2 },
                                     table_group("any", 3, c & 4, false, 0, 0),
                                     table_group("row", 3, c & 8, false, 3, 1) };
        plan p = plan_create(labels, 4, groups);
        sos_model *m = plan_build(&p);
        double *w = test_room(NULL, p.weights, sizeof *w), f[16], is[16];
        sos_error error;
        plan_weights_random(&r, &p, w);
        check_ok(sos_model_set_weights(m, w, &error), error);
        check(!memcmp(sos_model_weights(m), w, p.weights * sizeof *w));
        for (uint32_t g = 0; g < 4; g++)
            for (size_t l = 0; p.groups[g].spec.kind == SOS_GROUP_TABLE && l < (labels > 2 ? labels : 1); l++) {
                plan_table(&p, g, l, w, f);
                sos_model_table(m, g, l, is);
                check(!memcmp(f, is, sizeof *f << p.groups[g].spec.size));
                if (p.groups[g].spec.anchored) check(is[0] == 0);
            }
        free(w);
        sos_model_free(m);
        plan_free(&p);
    }
}

static void adding_a_group_keeps_the_weights(void **state)
{
    (void)state;
    const sos_group first = table_group("a", 2, false, false, 0, 0),
                    second = { .name = "b", .kind = SOS_GROUP_FREE, .size = 2 };
    sos_model *m = model_of(2, &first);
    sos_error error;
    uint32_t number;
    check_ok(sos_model_set_weights(m, (double[]){ 1, 4, 5, 6 }, &error), error);
    check_ok(sos_model_add_group(m, &second, &number, &error), error);
    static const double EXPECTED[] = { 1, 4, 5, 6, 0, 0, 0, 0 };
    check(number == 1 && sos_model_weight_count(m) == 8);
    check(!memcmp(sos_model_weights(m), EXPECTED, sizeof EXPECTED));
    sos_model_free(m);
}

/* Random tables, submodular or nearly, against the definition with all pairs of sets; away from the tolerance of rounding. */
static void exactly_the_cone_is_accepted(void **state)
{
    (void)state;
    uint64_t refused = 0;
    for (uint64_t number = 0; number < test_cases(2000); number++) {
        uint64_t c;
        sos_random r = test_shape_begin(number, &c);
        const sos_group groups[] = { table_group("first", 3, false, false, 0, 0),
                                     { .name = "pairs", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 },
                                     table_group("second", 4, c & 1, c & 2, c & 4 ? 2 : 0, c & 4 ? 2 : 0) };
        plan p = plan_create(c & 2 ? 2 : 2 + c % 2, 3, groups);
        sos_model *m = plan_build(&p);
        double *w = test_room(NULL, p.weights, sizeof *w), *before = test_room(NULL, p.weights, sizeof *w);
        sos_error error;
        plan_weights_random(&r, &p, w);
        check_ok(sos_model_set_weights(m, w, &error), error);
        memcpy(before, w, p.weights * sizeof *w);
        w[sos_random_below(&r, p.weights)] += (double)sos_random_below(&r, 17) / 64 - 0.125;
        size_t group;
        const bool holds = plan_holds(&p, w, &group);
        const sos_status status = sos_model_set_weights(m, w, &error);
        if (holds) {
            check_ok(status, error);
        } else {
            refused++;
            check_error(status, group == 1 ? SOS_ERR_ARGUMENT : SOS_ERR_NOT_SUBMODULAR, error, groups[group].name);
            check(!memcmp(sos_model_weights(m), before, p.weights * sizeof *w));
        }
        free(w);
        free(before);
        sos_model_free(m);
        plan_free(&p);
    }
    check(refused > test_cases(2000) / 20);
}

static void weights_that_are_no_numbers_are_refused(void **state)
{
    (void)state;
    const sos_group groups[] = { { .name = "colour", .kind = SOS_GROUP_FREE, .size = 2 },
                                 { .name = "contrast", .kind = SOS_GROUP_NONNEGATIVE, .size = 1 },
                                 table_group("patch", 2, true, false, 0, 0) };
    plan p = plan_create(2, 3, groups);
    sos_model *m = plan_build(&p);
    static const double BAD[] = { NAN, INFINITY, -INFINITY };
    double w[8] = { 0 };
    check(p.weights == 8);
    sos_error error;
    for (size_t i = 0; i < 8; i++)
        for (size_t b = 0; b < 3; b++) {
            w[i] = BAD[b];
            check_error(sos_model_set_weights(m, w, &error), SOS_ERR_ARGUMENT, error, groups[i < 4 ? 0 : i < 5 ? 1 : 2].name);
            w[i] = 0;
        }
    w[4] = -DBL_MIN;
    check_error(sos_model_set_weights(m, w, &error), SOS_ERR_ARGUMENT, error, "contrast");
    w[4] = -0.0;
    check_ok(sos_model_set_weights(m, w, &error), error);
    check_is(sos_model_set_weights(m, NULL, &error), SOS_ERR_ARGUMENT);
    check_is(sos_model_set_weights(NULL, w, NULL), SOS_ERR_ARGUMENT);
    sos_model_free(m);
    plan_free(&p);
}

/* ---- bad input ---- */

static void numbers_of_labels_have_bounds(void **state)
{
    (void)state;
    static const size_t BAD[] = { 0, 1, SOS_LABELS_MAX + 1, SIZE_MAX };
    sos_model *m = NULL;
    sos_error error;
    for (size_t i = 0; i < 4; i++) check_error(sos_model_create(BAD[i], &m, &error), SOS_ERR_ARGUMENT, error, "label");
    check(m == NULL);
    check_is(sos_model_create(2, NULL, &error), SOS_ERR_ARGUMENT);
    check_ok(sos_model_create(SOS_LABELS_MAX, &m, &error), error);
    check(sos_model_labels(m) == SOS_LABELS_MAX && sos_model_groups(m) == 0 && sos_model_weight_count(m) == 0);
    sos_model_free(m);
    sos_model_free(NULL);
}

static void bad_groups_are_refused_by_name(void **state)
{
    (void)state;
    const sos_group bad[] = {
        { .name = "taken", .kind = SOS_GROUP_FREE, .size = 1 },
        { .name = "zebra", .kind = SOS_GROUP_FREE, .size = 0 },
        { .name = "zebra", .kind = SOS_GROUP_NONNEGATIVE, .size = 0 },
        table_group("zebra", 0, false, false, 0, 0),
        table_group("zebra", SOS_TABLE_MEMBERS_MAX + 1, false, false, 0, 0),
        table_group("zebra", SIZE_MAX, false, false, 0, 0),
        table_group("zebra", 4, false, false, 2, 3),
        table_group("zebra", 4, false, false, 3, 2),
        table_group("zebra", 4, false, false, 0, 4),
        table_group("zebra", 4, false, false, 4, 0),
        table_group("zebra", 4, false, false, SIZE_MAX, 4),
        table_group("zebra", 4, false, false, (SIZE_MAX >> 1) + 3, 2), /* 4 modulo the range of size_t */
        { .name = "zebra", .kind = (sos_group_kind)3, .size = 2 },
        { .name = "zebra", .kind = SOS_GROUP_FREE, .size = SIZE_MAX / 2 },
        { .name = "zebra", .kind = SOS_GROUP_FREE, .size = 4, .anchored = true },
        { .name = "zebra", .kind = SOS_GROUP_NONNEGATIVE, .size = 4, .swap = true },
        { .name = "zebra", .kind = SOS_GROUP_FREE, .size = 4, .patch_width = 2, .patch_height = 2 },
        { .name = "zebra", .kind = SOS_GROUP_FREE, .size = 4, .reversal = true },
        { .name = "zebra", .kind = SOS_GROUP_NONNEGATIVE, .size = 4, .counted = true },
        { .name = "zebra", .kind = SOS_GROUP_FREE, .size = 1, .class_of = (uint32_t[]){ 0, 1 } },
    };
    const sos_group taken = { .name = "taken", .kind = SOS_GROUP_NONNEGATIVE, .size = 3 };
    sos_model *m = model_of(2, &taken);
    sos_error error;
    uint32_t number = 5;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_error(sos_model_add_group(m, &bad[i], &number, &error), SOS_ERR_ARGUMENT, error, bad[i].name);
    const sos_group nameless = { .kind = SOS_GROUP_FREE, .size = 1 }, empty = { .name = "", .kind = SOS_GROUP_FREE, .size = 1 };
    check_error(sos_model_add_group(m, &nameless, &number, &error), SOS_ERR_ARGUMENT, error, "name");
    check_error(sos_model_add_group(m, &empty, &number, &error), SOS_ERR_ARGUMENT, error, "name");
    check_is(sos_model_add_group(m, NULL, &number, &error), SOS_ERR_ARGUMENT);
    check_is(sos_model_add_group(NULL, &taken, &number, NULL), SOS_ERR_ARGUMENT);
    check(number == 5 && sos_model_groups(m) == 1 && sos_model_weight_count(m) == 3);
    sos_model_free(m);
}

static void label_swap_needs_two_labels(void **state)
{
    (void)state;
    const sos_group swapped = table_group("mirror", 3, false, true, 0, 0);
    sos_model *m = NULL;
    sos_error error;
    uint32_t number;
    check_ok(sos_model_create(3, &m, &error), error);
    check_error(sos_model_add_group(m, &swapped, &number, &error), SOS_ERR_ARGUMENT, error, "mirror", "label");
    sos_model_free(m);
}

static void names_of_any_length_give_messages_that_end(void **state)
{
    (void)state;
    char name[4096];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    const sos_group g = table_group(name, 2, false, false, 0, 0);
    sos_model *m = model_of(2, &g);
    sos_error error;
    uint32_t number;
    check_error(sos_model_add_group(m, &g, &number, &error), SOS_ERR_ARGUMENT, error, "nnnn");
    check_error(sos_model_set_weights(m, (double[]){ 0, 0, 0, 1 }, &error), SOS_ERR_NOT_SUBMODULAR, error, "nnnn");
    check(!strcmp(sos_model_group(m, 0)->name, name));
    sos_model_free(m);
}

/* ---- facts ---- */

static void facts_are_set_replaced_and_removed(void **state)
{
    (void)state;
    const sos_group g = { .name = "g", .kind = SOS_GROUP_FREE, .size = 1 };
    sos_model *m = model_of(2, &g);
    sos_error error;
    char text[] = "[1, 2.5]";
    check(sos_model_facts(m) == 0 && sos_model_fact(m, "centres") == NULL);
    check_ok(sos_model_set_fact(m, "centres", text, &error), error);
    check_ok(sos_model_set_fact(m, "C", "10", &error), error);
    check_ok(sos_model_set_fact(m, "record", "{\"gap\": 0.001}", &error), error);
    text[1] = 'x'; /* was copied */
    check(!strcmp(sos_model_fact(m, "centres"), "[1, 2.5]"));
    check_ok(sos_model_set_fact(m, "C", "100", &error), error);
    check(sos_model_facts(m) == 3 && !strcmp(sos_model_fact(m, "C"), "100"));
    check_ok(sos_model_set_fact(m, "centres", NULL, &error), error);
    check_ok(sos_model_set_fact(m, "never set", NULL, &error), error);
    check(sos_model_facts(m) == 2 && sos_model_fact(m, "centres") == NULL);
    check(!strcmp(sos_model_fact_key(m, 0), "C") && !strcmp(sos_model_fact_key(m, 1), "record"));
    check_is(sos_model_set_fact(m, NULL, "1", &error), SOS_ERR_ARGUMENT);
    check_is(sos_model_set_fact(m, "", "1", &error), SOS_ERR_ARGUMENT);
    check_is(sos_model_set_fact(NULL, "C", "1", NULL), SOS_ERR_ARGUMENT);
    for (int i = 0; i < 100; i++) {
        char key[16];
        snprintf(key, sizeof key, "key %d", i);
        check_ok(sos_model_set_fact(m, key, "null", &error), error);
    }
    check(sos_model_facts(m) == 102 && !strcmp(sos_model_fact_key(m, 101), "key 99"));
    sos_model_free(m);
}

/* ---- the helpers ---- */

static void the_exact_sign_is_exact(void **state)
{
    (void)state;
    static const struct {
        double x[4];
        int sign;
    } KNOWN[] = {
        { { 0, 0, 0, 0 }, 0 },
        { { 1, -1, 0x1p-1074, 0 }, 1 },
        { { 1, -1, -0x1p-1074, 0 }, -1 },
        { { DBL_MAX, 0x1p-1074, -DBL_MAX, 0 }, 1 },
        { { DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX }, 0 },
        { { DBL_MAX, DBL_MAX, DBL_MAX, -0x1p-1074 }, 1 },
        { { -DBL_MAX, -DBL_MAX, -DBL_MAX, 0x1p-1074 }, -1 },
        { { 0.1, 0.2, -0.3, 0 }, 1 }, /* in doubles: 0.1 + 0.2 > 0.3 */
        { { 0.1, 0.2, -0.30000000000000004, 0 }, -1 },
        { { 0x1p60, 1, -0x1p60, -1 }, 0 },
        { { 0x1.fffffffffffffp31, 0x1p-21, -0x1p32, 0 }, 0 },
        { { 0x1.fffffffffffffp31, 0x1p-22, -0x1p32, 0 }, -1 },
    };
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (exact_sign(4, KNOWN[i].x) != KNOWN[i].sign) test_fail(__FILE__, __LINE__, "case %zu", i);
    for (uint64_t number = 0; number < test_cases(20000); number++) { /* sums of 60 bits, exact in integers */
        sos_random r = test_case_begin(number);
        double x[4];
        int64_t sum = 0;
        for (int i = 0; i < 4; i++) {
            const int64_t part = ((int64_t)sos_random_below(&r, UINT64_C(1) << 53) - (INT64_C(1) << 52)) >>
                                 sos_random_below(&r, 53);
            const int shift = (int)sos_random_below(&r, 8);
            x[i] = ldexp((double)part, shift - 20);
            sum += part * (INT64_C(1) << shift);
        }
        check(exact_sign(4, x) == (sum > 0) - (sum < 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_sign_is_exact),
        cmocka_unit_test(ties_are_the_orbits_of_the_symmetries),
        cmocka_unit_test(known_numbers_of_weights),
        cmocka_unit_test(lines_are_tied_by_reversal_and_by_counts),
        cmocka_unit_test(counted_lines_have_few_weights),
        cmocka_unit_test(classes_of_the_callers_are_taken),
        cmocka_unit_test(classes_that_leave_no_room_are_refused),
        cmocka_unit_test(ties_are_shared_by_groups_that_are_alike_alone),
        cmocka_unit_test(groups_lie_one_after_the_other),
        cmocka_unit_test(tables_follow_from_weights),
        cmocka_unit_test(adding_a_group_keeps_the_weights),
        cmocka_unit_test(exactly_the_cone_is_accepted),
        cmocka_unit_test(weights_that_are_no_numbers_are_refused),
        cmocka_unit_test(numbers_of_labels_have_bounds),
        cmocka_unit_test(bad_groups_are_refused_by_name),
        cmocka_unit_test(label_swap_needs_two_labels),
        cmocka_unit_test(names_of_any_length_give_messages_that_end),
        cmocka_unit_test(facts_are_set_replaced_and_removed),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
