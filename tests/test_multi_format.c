/* test_multi_format.c - energies with several labels as text: what is written reads back the same, what is wrong is refused
 * with its line, and no damage does anything else. */
#include <stdio.h>

#include "multi_energy_support.h"
#include "scratch.h"

static sos_multi_energy *parse(const char *text)
{
    sos_multi_energy *e = NULL;
    sos_error error;
    check_ok(sos_multi_energy_parse(text, strlen(text), "t", SOS_FORMAT_AUTO, &e, &error), error);
    return e;
}

static char *text_of(const sos_multi_energy *e, size_t *length)
{
    char *text = NULL;
    sos_error error;
    check_ok(sos_multi_energy_write_memory(e, SOS_FORMAT_AUTO, &text, length, &error), error);
    check(text && !text[*length] && strlen(text) == *length);
    return text;
}

static void a_file_holds_every_energy(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(400); c++) {
        sos_random r = test_case_begin(c);
        many p = many_random(&r, (size_t)sos_random_below(&r, 12), 2 + (size_t)sos_random_below(&r, 7), 9, 8,
                             (costs)(c % COSTS_KINDS));
        sos_multi_energy *e = many_build(&p, false), *again = NULL;
        sos_error error;
        const char *path = scratch("e.sos");
        check_ok(sos_multi_energy_write(e, path, c & 1 ? SOS_FORMAT_AUTO : SOS_FORMAT_MULTI, &error), error);
        check_ok(sos_multi_energy_read(path, c & 2 ? SOS_FORMAT_AUTO : SOS_FORMAT_MULTI, &again, &error), error);
        check_same_multi(e, again);
        sos_multi_energy_free(e);
        sos_multi_energy_free(again);
        many_free(&p);
    }
}

static const char SAMPLE[] = "sosmulti 1\nlabels 3\nvariables 4\ncliques 2\ntables 1\ncounts 2\nconstant -1.5\nunary\n"
                             "0 1 2\n2 1 0\n0.5 0 3\n1 1 1\ntables 2\n0 1 1 0 0 2 2 0 0 0.5 0.5 0\n"
                             "clique 0 1 0 1\nclique 0 2.5 2 3\n"
                             "counts 2 1 1 3 0 1 1 0 2 3 0 0 0\nrobust 3 0.75 0 1 2 4 0 1 2 1 2 1\n";

static void a_file_says_what_it_should(void **state)
{
    (void)state;
    sos_multi_energy *e = parse(SAMPLE);
    check(sos_multi_energy_labels(e) == 3 && sos_multi_energy_variables(e) == 4 && sos_multi_energy_constant(e) == -1.5);
    check(sos_multi_energy_sets(e) == 1 && sos_multi_energy_cliques(e) == 2 && sos_multi_energy_count_cliques(e) == 2);
    /* -1.5; 1 + 1 + 0.5 + 1; the pair 0, 1 agrees on label 1; 2, 3 differ: (1 + 2) * 2.5; members 1 and 3 have label 1: g_1(2);
     * of 0, 1, 2 two have label 1 and one has 0: 4 less, of label 1, (4 - 1) (1 - 1/2), three quarters of that. */
    check(sos_multi_energy_value(e, (uint8_t[]){ 1, 1, 0, 1 }) == -1.5 + 3.5 + 0 + 7.5 + 3 + 0.75 * (4 - 1.5));
    size_t length;
    char *text = text_of(e, &length);
    assert_string_equal(text, SAMPLE);
    free(text);
    sos_multi_energy_free(e);
}

typedef struct fault {
    sos_status status;
    const char *text, *line, *words;
} fault;

#define HEAD "sosmulti 1\nlabels 2\nvariables 2\ncliques 1\ntables 1\ncounts 1\nunary\n0 1\n2 3\n"
#define TWO  "sosmulti 2\nlabels 2\nvariables 2\ncliques 0\ntables 0\ncounts 1\nunary\n0 1\n2 3\n"
#define SETS "tables 1\n0 1 0 1\n"

static const fault FAULTS[] = {
    { SOS_ERR_FORMAT, "", "t:1:", "expected 'sosmulti', found the end" },
    { SOS_ERR_FORMAT, "sos 2\n", "t:1:", "with two labels" },
    { SOS_ERR_FORMAT, "MARKOV\n", "t:1:", "with two labels" },
    { SOS_ERR_FORMAT, "sosproblem 1\n", "t:1:", "found 'sosproblem'" },
    { SOS_ERR_FORMAT, "sosmulti 3\n", "t:1:", "version 3" },
    { SOS_ERR_FORMAT, "sosmulti 1\nlabels 1\n", "t:2:", "at least 2 labels" },
    { SOS_ERR_FORMAT, "sosmulti 1\nlabels 256\n", "t:2:", "the largest is 255" },
    { SOS_ERR_FORMAT, "sosmulti 1\nlabels 255\nvariables 4000000000\n", "t:3:", "do not fit into the" },
    { SOS_ERR_FORMAT, "sosmulti 1\nlabels 2\nvariables 0\ncliques 100000000\n", "t:4:", "100000000 cliques" },
    { SOS_ERR_FORMAT, "sosmulti 1\nlabels 2\nvariables 0\ncliques 0\ntables 9999999\n", "t:5:", "9999999 tables" },
    { SOS_ERR_FORMAT, "sosmulti 1\nlabels 2\nvariables 0\ncliques 0\ntables 0\ncounts 99999999\n", "t:6:", "99999999 counts" },
    { SOS_ERR_FORMAT, "sosmulti 1\nlabels 2\nvariables 1\ncliques 0\ntables 0\ncounts 0\nunary\n1 nan\n", "t:8:", "'nan'" },
    { SOS_ERR_FORMAT, "sosmulti 1\nlabels 2\nvariables 1\ncliques 0\ntables 0\ncounts 0\nunary\n1 1e307\n",
      "t:8:", "too large" },
    { SOS_ERR_FORMAT, "sosmulti 1\nlabels 2\nvariables 1\ncliques 0\ntables 0\ncounts 0\nunary\n1 2", "t:8:", "truncated" },
    { SOS_ERR_FORMAT, "sosmulti 1\nlabels 2\nvariables 1\ncliques 0\ntables 0\ncounts 0\nunary\n1 2\n3\n",
      "t:9:", "found '3'" },
    { SOS_ERR_FORMAT, HEAD "tables 0\n0 1\nclique 0 1 0\ncounts 1 1 0 0 0 0 0\n", "t:10:", "at least 1 member" },
    { SOS_ERR_FORMAT, HEAD "tables 17\n0 1\nclique 0 1 0\ncounts 1 1 0 0 0 0 0\n", "t:10:", "the largest is 16" },
    { SOS_ERR_FORMAT, HEAD "tables 16\n0 1\nclique 0 1 0\ncounts 1 1 0 0 0 0 0\n", "t:10:", "do not fit into the" },
    { SOS_ERR_NOT_SUBMODULAR, HEAD "tables 2\n0 0 0 0 0 0 0 1\nclique 0 1 0 1\ncounts 1 1 0 0 0 0 0\n", "t:10: tables 0",
      "label 1: table is not submodular" },
    { SOS_ERR_FORMAT, HEAD SETS "clique 0 -1 0\ncounts 1 1 0 0 0 0 0\n", "t:12:", "not negative" },
    { SOS_ERR_FORMAT, HEAD SETS "clique 1 1 0\ncounts 1 1 0 0 0 0 0\n", "t:12:", "the largest is 0" },
    { SOS_ERR_FORMAT, HEAD SETS "clique 0 1 2\ncounts 1 1 0 0 0 0 0\n", "t:12:", "a variable is 2" },
    { SOS_ERR_FORMAT, HEAD SETS "clique 0 1 0\nconcave 1 1 0 0 0 0 0\n", "t:13:", "'counts' or 'robust', found 'concave'" },
    { SOS_ERR_FORMAT, HEAD SETS "clique 0 1 0\ncounts 0 1 0 0 0 0 0\n", "t:13:", "at least 1 member" },
    { SOS_ERR_FORMAT, HEAD SETS "clique 0 1 0\ncounts 3 1 0 0 0 0 0\n", "t:13:", "the largest is 2" },
    { SOS_ERR_FORMAT, HEAD SETS "clique 0 1 0\ncounts 1 -1 0 0 0 0 0\n", "t:13:", "not negative" },
    { SOS_ERR_FORMAT, HEAD SETS "clique 0 1 0\ncounts 2 1 0 0 0 0 0 0 0 0\n", "t:13:", "variable 0 twice" },
    { SOS_ERR_NOT_SUBMODULAR, HEAD SETS "clique 0 1 0\ncounts 2 1 0 1 0 0 0 1 0 1\n", "t:13:", "label 1: count function" },
    { SOS_ERR_NOT_SUBMODULAR, HEAD SETS "clique 0 1 0\nrobust 2 1 0 1 1 0 2 1 1\n", "t:13:", "label 1: all members" },
    { SOS_ERR_FORMAT, HEAD SETS "clique 0 1 0\nrobust 2 1 0 1 1 0 0 1 0\n", "t:13:", "reach 0" },
    { SOS_ERR_FORMAT, HEAD SETS "clique 0 1 0\npieces 2 2 1 0 1 0 2 0 1 1 0\n", "t:13:", "found 'pieces'" },
    { SOS_ERR_FORMAT, TWO "pieces 2 2 1 0 1 0 2 0 1 1\n", "t:11:", "a value at a knot" },
    { SOS_ERR_FORMAT, TWO "pieces 2 2 1 0 1 0 1 0 1 1 0\n", "t:10:", "add up to 2" },
    { SOS_ERR_FORMAT, TWO "pieces 2 99999999 1 0 1 0 1 0 1 1 0\n", "t:10:", "do not fit into the" },
    { SOS_ERR_NOT_SUBMODULAR, TWO "pieces 2 3 1 0 1 0 1 2 0 1 1 0 1 3\n", "t:10:", "label 1: count function" },
    { SOS_ERR_FORMAT, TWO "amounts 2 2 1 0 1 1 -2 0 1 0 1 1 0\n", "t:10:", "amount -2" },
};

/* Version 2 says what version 1 cannot, and what is read is written. */
static void pieces_are_written_as_they_were(void **state)
{
    (void)state;
    static const char PIECES[] = TWO "amounts 2 3 0.5 0 1 0.75 0.5 0 0.3 1.25 0 1 1.5 2 2 1\n";
    sos_multi_energy *e = NULL;
    sos_error error;
    char *text;
    size_t length;
    check_ok(sos_multi_energy_parse(PIECES, strlen(PIECES), "t", SOS_FORMAT_AUTO, &e, &error), error);
    check_ok(sos_multi_energy_write_memory(e, SOS_FORMAT_MULTI, &text, &length, &error), error);
    assert_string_equal(text, PIECES);
    free(text);
    sos_multi_energy_free(e);
}

static void every_fault_is_named_with_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++) {
        const fault *f = &FAULTS[i];
        sos_multi_energy *e = NULL;
        sos_error error = { SOS_OK, "" };
        const sos_status status = sos_multi_energy_parse(f->text, strlen(f->text), "t", SOS_FORMAT_AUTO, &e, &error);
        if (status != f->status || !strstr(error.message, f->words) || strncmp(error.message, f->line, strlen(f->line)) != 0)
            print_message("fault %zu: %s\n", i, error.message);
        check_error(status, f->status, error, f->words);
        check(!strncmp(error.message, f->line, strlen(f->line)) && !e);
        check(sos_multi_energy_parse(f->text, strlen(f->text), "t", SOS_FORMAT_AUTO, &e, NULL) == f->status);
    }
}

static void what_cannot_be_asked_is_refused(void **state)
{
    (void)state;
    sos_multi_energy *e = parse(SAMPLE), *out = NULL;
    sos_energy *two = NULL;
    sos_error error;
    char *text = NULL;
    size_t length = 7;
    check_error(sos_multi_energy_parse(SAMPLE, sizeof SAMPLE - 1, "t", SOS_FORMAT_UAI, &out, &error), SOS_ERR_ARGUMENT, error,
                "several labels");
    check_error(sos_multi_energy_parse(NULL, 0, "t", SOS_FORMAT_AUTO, &out, &error), SOS_ERR_ARGUMENT, error, "no text");
    check_error(sos_multi_energy_read(NULL, SOS_FORMAT_AUTO, &out, &error), SOS_ERR_ARGUMENT, error, "no path");
    check_error(sos_multi_energy_read(scratch("missing"), SOS_FORMAT_AUTO, &out, &error), SOS_ERR_IO, error, "missing");
    check_error(sos_multi_energy_write(e, scratch("e.uai"), SOS_FORMAT_UAI, &error), SOS_ERR_ARGUMENT, error, "several labels");
    check_error(sos_multi_energy_write(e, NULL, SOS_FORMAT_AUTO, &error), SOS_ERR_ARGUMENT, error, "no path");
    check_error(sos_multi_energy_write_memory(e, SOS_FORMAT_SOS, &text, &length, &error), SOS_ERR_ARGUMENT, error, "several");
    check_error(sos_multi_energy_write_memory(e, SOS_FORMAT_AUTO, NULL, &length, &error), SOS_ERR_ARGUMENT, error, "no place");
    check_error(sos_energy_parse(SAMPLE, sizeof SAMPLE - 1, "t", SOS_FORMAT_AUTO, &two, &error), SOS_ERR_FORMAT, error,
                "t:1:", "several labels");
    check(!out && !two && !text && length == 7);
    sos_multi_energy_free(e);
}

/* ---- damage ---- */

/* An error with words, or an energy that can be lowered, copied and written. */
static void check_damaged(const char *text, size_t length)
{
    sos_multi_energy *e = NULL, *again = NULL;
    sos_error error = { SOS_OK, "" };
    if (sos_multi_energy_parse(text, length, "t", SOS_FORMAT_AUTO, &e, &error)) {
        check(!e && error.status && !strncmp(error.message, "t:", 2));
        return;
    }
    uint8_t *labels = test_room(NULL, sos_multi_energy_variables(e) + 1, 1);
    sos_expand_result result;
    if (sos_expand(e, NULL, labels, &result, &error))
        check(strlen(error.message) > 5);
    else
        check(result.energy <= result.start_energy && result.lower_bound <= result.energy);
    size_t written;
    char *copy = text_of(e, &written);
    check_ok(sos_multi_energy_parse(copy, written, "again", SOS_FORMAT_AUTO, &again, &error), error);
    check_same_multi(e, again);
    free(copy);
    free(labels);
    sos_multi_energy_free(again);
    sos_multi_energy_free(e);
}

static void a_file_cut_anywhere_is_an_error(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < sizeof SAMPLE - 1; cut++) {
        char *copy = test_room(NULL, cut + (cut == 0), 1); /* exactly so long: a sanitizer sees reads beyond */
        memcpy(copy, SAMPLE, cut);
        sos_multi_energy *e = NULL;
        sos_error error;
        check(sos_multi_energy_parse(copy, cut, "t", SOS_FORMAT_AUTO, &e, &error) == SOS_ERR_FORMAT && !e);
        free(copy);
    }
}

static void flipped_bytes_are_an_error_or_an_energy(void **state)
{
    (void)state;
    static const char likely[] = "0123456789-+.eE \n#crt";
    for (uint64_t c = 0; c < test_cases(10000); c++) {
        sos_random r = test_case_begin(c);
        char copy[sizeof SAMPLE];
        memcpy(copy, SAMPLE, sizeof SAMPLE);
        for (uint64_t flips = 1 + sos_random_below(&r, 3); flips; flips--) {
            const size_t at = (size_t)sos_random_below(&r, sizeof SAMPLE - 1);
            const char likelier = likely[sos_random_below(&r, sizeof likely - 1)];
            const unsigned flipped = (unsigned char)copy[at] ^ 1U << sos_random_below(&r, 8);
            copy[at] = sos_random_below(&r, 2) ? likelier : (char)flipped;
        }
        check_damaged(copy, sizeof SAMPLE - 1);
    }
}

static void lost_and_doubled_pieces_are_an_error_or_an_energy(void **state)
{
    (void)state;
    const size_t length = sizeof SAMPLE - 1;
    for (uint64_t c = 0; c < test_cases(5000); c++) {
        sos_random r = test_case_begin(c);
        const size_t from = (size_t)sos_random_below(&r, length), to = from + (size_t)sos_random_below(&r, length - from);
        const size_t resume = sos_random_below(&r, 2) ? to : from; /* leave [from, to) out, or say it twice */
        const size_t keep = resume == to ? from : to, total = keep + length - resume;
        char *copy = test_room(NULL, total + 1, 1);
        memcpy(copy, SAMPLE, keep);
        memcpy(copy + keep, SAMPLE + resume, length - resume);
        check_damaged(copy, total);
        free(copy);
    }
}

/* tests/version-0.2/multi.txt and what 0.2 said of these labellings. */
static void a_file_of_version_0_2_is_read(void **state)
{
    (void)state;
    static const struct {
        uint8_t labels[5];
        double value;
    } then[] = { { { 2, 2, 2, 2, 0 }, 4.5 },
                 { { 0, 0, 0, 0, 0 }, 8.5 },
                 { { 0, 1, 2, 0, 1 }, 18.458333333333336 },
                 { { 2, 1, 0, 2, 1 }, 23.208333333333336 },
                 { { 1, 1, 1, 1, 1 }, 10.875 } };
    const char *source = getenv("SOURCE_DIR");
    if (!source) skip();
    char path[4096], text[4096] = "";
    snprintf(path, sizeof path, "%s/tests/version-0.2/multi.txt", source);
    sos_multi_energy *e = NULL;
    sos_error error;
    check_ok(sos_multi_energy_read(path, SOS_FORMAT_AUTO, &e, &error), error);
    for (size_t i = 0; i < sizeof then / sizeof *then; i++) check(sos_multi_energy_value(e, then[i].labels) == then[i].value);
    FILE *file = fopen(path, "rb");
    check(file && fread(text, 1, sizeof text - 1, file) > 0 && !fclose(file));
    size_t length;
    char *again = text_of(e, &length);
    assert_string_equal(again, text);
    free(again);
    sos_multi_energy_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_holds_every_energy),
        cmocka_unit_test(a_file_says_what_it_should),
        cmocka_unit_test(every_fault_is_named_with_its_line),
        cmocka_unit_test(pieces_are_written_as_they_were),
        cmocka_unit_test(what_cannot_be_asked_is_refused),
        cmocka_unit_test(a_file_cut_anywhere_is_an_error),
        cmocka_unit_test(flipped_bytes_are_an_error_or_an_energy),
        cmocka_unit_test(lost_and_doubled_pieces_are_an_error_or_an_energy),
        cmocka_unit_test(a_file_of_version_0_2_is_read),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
