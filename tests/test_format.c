/* test_format.c - energies in files: what is written reads back the same, what is wrong is refused with its line, and no
 * damage to a file does anything else. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <dirent.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number.h"
#include "energy/format.h"
#include "scratch.h"
#include "support.h"

static char *file_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = test_room(NULL, 1 << 20, 1);
    *length = fread(text, 1, (1 << 20) - 1, file);
    text[*length] = '\0';
    fclose(file);
    return text;
}

static sos_energy *parse(const char *text, sos_format format)
{
    sos_energy *e = NULL;
    sos_error error;
    check_ok(sos_energy_parse(text, strlen(text), "t", format, &e, &error), error);
    return e;
}

/* Written to a file and read again; the name tells the format where that is AUTO. */
static sos_energy *through_file(const sos_energy *e, const char *name, sos_format format)
{
    sos_energy *again = NULL;
    sos_error error;
    check_ok(sos_energy_write(e, scratch(name), format, &error), error);
    check_ok(sos_energy_read(scratch(name), format, &again, &error), error);
    return again;
}

static double minimum(const sos_energy *e)
{
    const size_t n = sos_energy_variables(e);
    uint8_t *labels = test_room(NULL, n + 1, 1);
    sos_minimize_result result;
    sos_error error;
    check_ok(sos_minimize(e, NULL, labels, &result, &error), error);
    check(result.energy == sos_energy_value(e, labels));
    free(labels);
    return result.energy;
}

/* numbers */

static double number_read(const char *text)
{
    sos_scanner s = { text, text, text + strlen(text), text, 0, "t", true, NULL };
    double x = NAN;
    return sos_scan_real(&s, "a number", &x) ? NAN : x;
}

static void a_written_number_reads_back_the_same(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(20000); c++) {
        sos_random r = test_case_begin(c);
        const uint64_t bits = sos_random_bits(&r);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        const double tries[] = { x,
                                 sos_random_uniform(&r),
                                 (double)(bits >> 11),
                                 -(double)(bits >> 40),
                                 (double)(int64_t)bits,
                                 ldexp((double)(bits >> 60), (int)(bits % 2000) - 1000),
                                 (double)(bits % 1000000) / 1000,
                                 nextafter(0x1p53, c % 2 ? INFINITY : 0),
                                 c % 2 ? 0.0 : -0.0,
                                 c % 2 ? DBL_MAX : DBL_TRUE_MIN,
                                 (double)(bits % 10000) * 1e-9 };
        for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
            char text[SOS_REAL_TEXT];
            sos_number_print(tries[i], text);
            check(same_bits(number_read(text), tries[i]));
            check(strtod(text, NULL) == tries[i]);
        }
    }
    char text[SOS_REAL_TEXT];
    assert_string_equal(sos_number_print(0.1, text), "0.1");
    assert_string_equal(sos_number_print(-1234567, text), "-1234567");
    assert_string_equal(sos_number_print(2.5e-10, text), "2.5e-10");
    assert_string_equal(sos_number_print(1e300, text), "1e300");
    assert_string_equal(sos_number_print(9007199254740992, text), "9007199254740992");
    assert_string_equal(sos_number_print(1.0 / 3, text), "0.3333333333333333");
    assert_string_equal(sos_number_print(INFINITY, text), "inf");
    assert_string_equal(sos_number_print(-INFINITY, text), "-inf");
    assert_string_equal(sos_number_print(NAN, text), "nan");
}

static void numbers_are_read_as_strtod_reads_them(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(20000); c++) {
        sos_random r = test_case_begin(c);
        char text[80];
        size_t at = 0;
        if (sos_random_below(&r, 3) == 0) text[at++] = "+-"[sos_random_below(&r, 2)];
        const size_t whole = sos_random_below(&r, 25), part = whole ? sos_random_below(&r, 25) : 1 + sos_random_below(&r, 25);
        for (size_t i = 0; i < whole; i++) text[at++] = (char)('0' + sos_random_below(&r, 10));
        if (part) text[at++] = '.';
        for (size_t i = 0; i < part; i++) text[at++] = (char)('0' + sos_random_below(&r, 10));
        text[at] = '\0';
        if (sos_random_below(&r, 2)) snprintf(text + at, sizeof text - at, "e%d", (int)sos_random_below(&r, 640) - 330);
        const double wanted = strtod(text, NULL), got = number_read(text);
        check(isfinite(wanted) ? same_bits(wanted, got) : isnan(got));
    }
    static const char *const refused[] = { "",    "-",    ".",     "e5",  "1e",  "1e+", "1.2.3", "0x10",  "nan",
                                           "inf", "-inf", "1e999", "--1", "1,5", "1d5", "12a",   "1e5.0", "infinity" };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) check(isnan(number_read(refused[i])));
    char zeros[900];
    memset(zeros, '0', sizeof zeros);
    zeros[1] = '.';
    memcpy(zeros + 860, "1e860", 6);
    check(number_read(zeros) == 10.0);
}

static void another_locale_changes_nothing(void **state)
{
    (void)state;
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
    bool found = false;
    for (size_t i = 0; i < 4 && !found; i++) found = setlocale(LC_ALL, names[i]) != NULL;
    char text[SOS_REAL_TEXT];
    const double read = number_read("123456789012345678901234567890.5e-20");
    sos_number_print(1.0 / 3, text);
    setlocale(LC_ALL, "C");
    if (!found) skip();
    check(read == 123456789012345678901234567890.5e-20);
    assert_string_equal(text, "0.3333333333333333");
}

/* round trips */

/* The two energies differ by one constant for all labellings, which is returned. */
static double check_same_values(const sos_energy *a, const sos_energy *b, sos_random *r, double tolerance)
{
    const size_t n = sos_energy_variables(a);
    check(n == sos_energy_variables(b));
    uint8_t *labels = test_room(NULL, n + 1, 1);
    double difference = 0;
    for (int t = 0; t < 20; t++) {
        for (size_t i = 0; i < n; i++) labels[i] = t && sos_random_below(r, 2);
        const double here = sos_energy_value(a, labels) - sos_energy_value(b, labels);
        if (!t) difference = here;
        check(fabs(here - difference) <= tolerance);
    }
    free(labels);
    return difference;
}

/* Grids as patches are stored in runs, other cliques as they are. */
static void the_binary_form_holds_grids_in_runs(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(30); c++) {
        sos_random r = test_case_begin(c);
        const size_t width = 2 + sos_random_below(&r, 200), height = 2 + sos_random_below(&r, 200);
        problem p = problem_grid(&r, width, height, c & 1 ? COSTS_INTEGERS : COSTS_REALS);
        double f[16];
        table_random(&r, 4, COSTS_INTEGERS, f);
        problem_add_patches(&p, problem_add_table(&p, 4, f), width, height, 2, 2);
        table_random(&r, 2, COSTS_INTEGERS, f);
        problem_add_patches(&p, problem_add_table(&p, 2, f), width, height, 2, 1);
        problem_add_patches(&p, problem_add_table(&p, 2, f), width, height, 1, 2);
        if (c % 3 == 0) problem_add_random_clique(&r, &p, 4, COSTS_INTEGERS, false);
        sos_energy *e = problem_build(&p), *again = through_file(e, "e.sosb", SOS_FORMAT_AUTO);
        sos_error error;
        char *bytes = NULL;
        size_t length;
        check_same_energy(e, again);
        check_ok(sos_energy_write_memory(e, SOS_FORMAT_BINARY, &bytes, &length, &error), error);
        check(c % 3 == 0 || length < 300 + 100 * height + (c & 1 ? 4 : 16) * p.n + 2 * p.n); /* few runs, one byte a table */
        free(bytes);
        sos_energy_free(e);
        sos_energy_free(again);
        problem_free(&p);
    }
}

/* Cut anywhere it is refused; with any byte changed it is refused or read, never more. */
static void damaged_binary_forms_are_refused(void **state)
{
    (void)state;
    sos_energy *e = parse(
        "sos 4\nvariables 6\ncliques 5\ntables 2\nconcaves 3\nfixed 2\nconstant 1.5\nunary 0 1 2 3 4 5 6 7 8 9 1 1\n"
        "table 2 0 1 1 0\ntable 4 0 3 3 4 3 4 4 3 3 4 4 3 4 3 3 0\nclique 0 1 0 1\nclique 0 1 1 2\nclique 0 2 2 3\n"
        "clique 1 1 0 1 2 3\nclique 1 1 1 2 3 4\nconcave 2 1 0 5 0 1 0\npieces 3 3 1 0 1 2 0 1.5 3 0 1 0\n"
        "amounts 3 3 0.5 0 2 1 1 0 2.5 0 2 3.5 0 1 1\nfix 2 1\nfix 4 0\n",
        SOS_FORMAT_AUTO);
    sos_error error;
    char *bytes = NULL;
    size_t length;
    check_ok(sos_energy_write_memory(e, SOS_FORMAT_BINARY, &bytes, &length, &error), error);
    for (size_t cut = 0; cut < length; cut++) {
        sos_energy *again = NULL;
        char *copy = test_room(NULL, cut + 1, 1);
        memcpy(copy, bytes, cut);
        check_error(sos_energy_parse(copy, cut, "t", SOS_FORMAT_BINARY, &again, &error), SOS_ERR_FORMAT, error, "t: byte");
        check(!again);
        free(copy);
    }
    for (size_t at = 0; at < length; at++)
        for (int bit = 0; bit < 8; bit++) {
            sos_energy *again = NULL;
            bytes[at] = (char)(bytes[at] ^ 1 << bit);
            const sos_status status = sos_energy_parse(bytes, length, "t", SOS_FORMAT_BINARY, &again, &error);
            check((status == SOS_OK) == (again != NULL) && (!status || strstr(error.message, "t: byte")));
            sos_energy_free(again);
            bytes[at] = (char)(bytes[at] ^ 1 << bit);
        }
    char *longer = test_room(NULL, length + 1, 1);
    sos_energy *again = NULL;
    memcpy(longer, bytes, length);
    longer[length] = 0;
    check_error(sos_energy_parse(longer, length + 1, "t", SOS_FORMAT_AUTO, &again, &error), SOS_ERR_FORMAT, error,
                "unexpected bytes");
    free(longer);
    free(bytes);
    sos_energy_free(e);
}

/* Into memory and to a stream go the bytes of the file. */
static void memory_and_streams_get_the_bytes_of_a_file(void **state)
{
    (void)state;
    static const sos_format FORMATS[] = { SOS_FORMAT_AUTO, SOS_FORMAT_SOS, SOS_FORMAT_UAI_ENERGIES, SOS_FORMAT_DIMACS };
    for (uint64_t c = 0; c < test_cases(60); c++) {
        sos_random r = test_case_begin(c);
        const recipe wanted = { COSTS_INTEGERS, 12, 15, 2, 0, c & 1, false };
        problem p = problem_random(&r, &wanted);
        sos_energy *e = problem_build(&p), *again = NULL;
        const sos_format format = FORMATS[c % 4];
        sos_error error;
        size_t length, wanted_length, streamed_length;
        char *text = NULL;
        check_ok(sos_energy_write_memory(e, format, &text, &length, &error), error);
        check_ok(sos_energy_write(e, scratch("e.sos"), format, &error), error);
        FILE *file = fopen(scratch("stream"), "w");
        assert_non_null(file);
        check_ok(sos_energy_write_stream(e, file, format, &error), error);
        check(!fclose(file));
        char *whole = file_text(scratch("e.sos"), &wanted_length), *streamed = file_text(scratch("stream"), &streamed_length);
        check(length == wanted_length && !memcmp(text, whole, length) && !text[length]);
        check(streamed_length == length && !memcmp(text, streamed, length));
        if (format == SOS_FORMAT_AUTO) {
            check_ok(sos_energy_parse(text, length, "memory", format, &again, &error), error);
            check_same_energy(e, again);
        }
        free(text);
        free(whole);
        free(streamed);
        sos_energy_free(again);
        sos_energy_free(e);
        problem_free(&p);
    }
}

static void writing_that_cannot_be_is_refused(void **state)
{
    (void)state;
    sos_energy *e = parse("sos 2\nvariables 1\ncliques 0\ntables 0\nconcaves 0\nfixed 1\nunary 0 1\nfix 0 1\n",
                          SOS_FORMAT_AUTO);
    sos_error error;
    char *text = NULL;
    size_t length = 3;
    FILE *file = fopen(scratch("refused"), "w");
    assert_non_null(file);
    check_error(sos_energy_write_memory(e, SOS_FORMAT_DIMACS, &text, &length, &error), SOS_ERR_ARGUMENT, error, "is fixed");
    check_error(sos_energy_write_memory(e, SOS_FORMAT_MULTI, &text, &length, &error), SOS_ERR_ARGUMENT, error, "two labels");
    check_error(sos_energy_write_memory(e, (sos_format)99, &text, &length, &error), SOS_ERR_ARGUMENT, error, "99");
    check_error(sos_energy_write_memory(NULL, SOS_FORMAT_SOS, &text, &length, &error), SOS_ERR_ARGUMENT, error, "no energy");
    check_error(sos_energy_write_memory(e, SOS_FORMAT_SOS, &text, NULL, &error), SOS_ERR_ARGUMENT, error, "no place");
    check_error(sos_energy_write_stream(e, file, SOS_FORMAT_DIMACS, &error), SOS_ERR_ARGUMENT, error, "is fixed");
    check_error(sos_energy_write_stream(e, NULL, SOS_FORMAT_SOS, &error), SOS_ERR_ARGUMENT, error, "no stream");
    check(!text && length == 3 && ftell(file) == 0);
    fclose(file);
    file = fopen("/dev/full", "w");
    if (file)
        check_error(sos_energy_write_stream(e, file, SOS_FORMAT_SOS, &error), SOS_ERR_IO, error, "cannot write", "stream");
    if (file) fclose(file);
    sos_energy_free(e);
}

static void formats_are_recognised_by_the_first_word(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sos_format format;
    } KNOWN[] = {
        { "sos 1\n", SOS_FORMAT_SOS },
        { "\xef\xbb\xbfsos 1\n", SOS_FORMAT_SOS },
        { "# words\n#\n  sos", SOS_FORMAT_SOS },
        { "sosmulti 1\n", SOS_FORMAT_MULTI },
        { "MARKOV\n", SOS_FORMAT_UAI },
        { "\r\n\tMARKOV 3", SOS_FORMAT_UAI },
        { "p max 2 1", SOS_FORMAT_DIMACS },
        { "c words", SOS_FORMAT_DIMACS },
        { "sosproblem 1\n", SOS_FORMAT_AUTO },
        { "{ }", SOS_FORMAT_AUTO },
        { "MARKOVIAN", SOS_FORMAT_AUTO },
        { "# only words", SOS_FORMAT_AUTO },
        { "", SOS_FORMAT_AUTO },
        { "\xef\xbb", SOS_FORMAT_AUTO },
    };
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
        const size_t length = strlen(KNOWN[i].text);
        char *copy = test_room(NULL, length + 1, 1); /* not terminated */
        memcpy(copy, KNOWN[i].text, length);
        check(sos_format_recognise(copy, length) == KNOWN[i].format);
        free(copy);
    }
}

static void plain_energies_are_written_as_version_1(void **state)
{
    (void)state;
    static const char plain[] = "sos 1\nvariables 2\ncliques 1\ntables 1\nunary\n0 1.5\n-2 3\ntable 2\n0 1 1 0\nclique 0 1 0\n";
    sos_energy *e = parse(plain, SOS_FORMAT_AUTO);
    sos_energy_free(through_file(e, "e.sos", SOS_FORMAT_SOS));
    size_t length;
    char *text = file_text(scratch("e.sos"), &length);
    assert_string_equal(text, plain);
    free(text);
    sos_error error;
    check_ok(sos_energy_add_constant(e, 0.25, &error), error);
    sos_energy_free(through_file(e, "e.sos", SOS_FORMAT_SOS));
    text = file_text(scratch("e.sos"), &length);
    assert_string_equal(text,
                        "sos 2\nvariables 2\ncliques 1\ntables 1\nconcaves 0\nfixed 0\nconstant 0.25\nunary\n0 1.5\n-2 3\n"
                        "table 2\n0 1 1 0\nclique 0 1 1 0\n");
    free(text);
    check_ok(sos_energy_add_concave(e, 2, (uint32_t[]){ 1, 0 }, (double[]){ 0, 1, 1 }, 0.5, &error), error);
    sos_energy_free(through_file(e, "e.sos", SOS_FORMAT_SOS));
    text = file_text(scratch("e.sos"), &length);
    assert_string_equal(text,
                        "sos 3\nvariables 2\ncliques 1\ntables 1\nconcaves 1\nfixed 0\nconstant 0.25\nunary\n0 1.5\n-2 3\n"
                        "table 2\n0 1 1 0\nclique 0 1 1 0\nconcave 2 0.5 0 1 0 1 1\n");
    free(text);
    sos_energy_free(e);
}

static void uai_files_hold_costs(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        const costs kinds[] = { COSTS_SMALL, COSTS_INTEGERS, COSTS_DYADIC, COSTS_REALS };
        const recipe wanted = { kinds[c % 4], 10, 12, 5, c % 3 ? 0 : 2, c % 2, false };
        problem p = problem_random(&r, &wanted);
        sos_energy *e = problem_build(&p), *again = through_file(e, "e.uai", SOS_FORMAT_UAI_ENERGIES);
        const double lost = check_same_values(e, again, &r, 1e-14 * (double)problem_magnitude(&p));
        check(fabs(lost) <= 1e-14 * (double)problem_magnitude(&p));
        check(sos_energy_tables(again) <= sos_energy_cliques(again));
        sos_energy_free(e);
        sos_energy_free(again);
        problem_free(&p);
    }
}

static void dimacs_files_hold_pairs(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        const costs kinds[] = { COSTS_SMALL, COSTS_INTEGERS, COSTS_DYADIC, COSTS_REALS };
        const recipe wanted = { kinds[c % 4], 12, 20, 2, 0, c % 2, false };
        problem p = problem_random(&r, &wanted);
        sos_energy *e = problem_build(&p), *again = through_file(e, "e.max", SOS_FORMAT_AUTO);
        const double tolerance = 1e-13 * (double)problem_magnitude(&p);
        const double lost = check_same_values(e, again, &r, tolerance);
        check(lost <= tolerance); /* only a negative constant is left to the comment */
        sos_energy *third = through_file(again, "e.max", SOS_FORMAT_AUTO);
        check(fabs(check_same_values(again, third, &r, tolerance)) <= tolerance);
        check(sos_energy_cliques(again) == sos_energy_cliques(third));
        sos_energy_free(third);
        sos_energy_free(e);
        sos_energy_free(again);
        problem_free(&p);
    }
}

/* what files mean */

static void in_uai_files_the_last_variable_varies_fastest(void **state)
{
    (void)state;
    sos_energy *e = parse("MARKOV\n3\n2 2 2\n3\n2 0 2\n1 1\n0\n\n4\n 0 5 3 1\n2\n 7 11\n1\n 100\n", SOS_FORMAT_UAI_ENERGIES);
    for (unsigned y = 0; y < 8; y++) {
        const uint8_t labels[3] = { y & 1, y >> 1 & 1, y >> 2 & 1 };
        static const double table[2][2] = { { 0, 5 }, { 3, 1 } }; /* variable 0, then 2 */
        check(sos_energy_value(e, labels) == 100 + table[labels[0]][labels[2]] + (labels[1] ? 11 : 7));
    }
    sos_energy_free(e);
    e = parse("MARKOV\n1\n2\n2\n1 0\n1 0\n2\n0.25 1\n2\n 1 0.5\n", SOS_FORMAT_AUTO);
    double cost0, cost1;
    sos_energy_unary(e, 0, &cost0, &cost1);
    check(cost0 == -log(0.25) && cost1 == -log(0.5));
    sos_energy_free(e);
}

static void equal_uai_tables_are_shared(void **state)
{
    (void)state;
    sos_energy *e = parse("MARKOV\n4\n2 2 2 2\n3\n2 0 1\n2 1 2\n2 2 3\n4\n1 .5 .5 1\n4\n1 .5 .5 1\n4\n1 .25 .5 1\n",
                          SOS_FORMAT_AUTO);
    check(sos_energy_tables(e) == 2 && sos_energy_cliques(e) == 3);
    sos_energy_free(e);
}

/* A product of two factors is modular after the logarithm, up to the rounding of the potentials. */
static void rounding_of_potentials_is_no_violation(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(500); c++) {
        sos_random r = test_case_begin(c);
        double p[3];
        for (int i = 0; i < 3; i++) p[i] = 1 - ldexp(sos_random_uniform(&r), -(int)(c % 50));
        char text[600];
        int at = snprintf(text, sizeof text, "MARKOV\n3\n2 2 2\n1\n3 0 1 2\n8\n");
        for (int S = 0; S < 8; S++) {
            double q = 1;
            for (int i = 0; i < 3; i++) q *= S >> i & 1 ? p[i] : 1;
            at += snprintf(text + at, sizeof text - (size_t)at, "%.17g\n", q);
        }
        sos_energy_free(parse(text, SOS_FORMAT_AUTO));
    }
}

static void dimacs_energy_is_the_cut(void **state)
{
    (void)state;
    /* source 3, sink 1: the variables are nodes 2 and 4 */
    static const char text[] =
        "c a comment\n\np max 4 9\nn 3 s\nc between\nn 1 t\na 3 2 5\na 3 4 2\na 2 4 4\na 4 2 1\na 2 1 3\n"
        "a 4 1 6\na 3 1 10\na 2 2 99\na 1 4 50\nc the end";
    sos_energy *e = parse(text, SOS_FORMAT_AUTO);
    check(sos_energy_variables(e) == 2 && sos_energy_cliques(e) == 2 && sos_energy_tables(e) == 1);
    static const double cuts[4] = { 10 + 5 + 2, 10 + 2 + 4 + 3, 10 + 5 + 1 + 6, 10 + 3 + 6 };
    for (unsigned y = 0; y < 4; y++) check(sos_energy_value(e, (const uint8_t[]){ y & 1, y >> 1 & 1 }) == cuts[y]);
    check(minimum(e) == 17);
    sos_energy_free(e);
    e = parse("p max 2 0\nn 1 s\nn 2 t\n", SOS_FORMAT_DIMACS);
    check(sos_energy_variables(e) == 0 && minimum(e) == 0);
    sos_energy_free(e);
}

static void empty_problems_and_odd_white_space_are_fine(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "sos 1 variables 0 cliques 0 tables 0 unary\n",
        "\xef\xbb\xbf# mark and comment\r\nsos 1\r\nvariables 0\r\ncliques 0\r\ntables 0\r\nunary\r\n",
        "sos 2\nvariables 0 cliques 0 tables 0 concaves 0 fixed 0 constant 0 unary # end",
        "MARKOV 0 0\n",
        "MARKOV 0 1\n0\n1 1\n", /* a factor of no variables before any has one: clang's sanitizer watches the pointers */
        "MARKOV 1 2\n2\n0\n1 0\n1 1\n2 1 1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sos_energy *e = parse(texts[i], SOS_FORMAT_AUTO);
        check(minimum(e) == 0);
        sos_energy_free(e);
    }
}

/* what is wrong */

typedef struct fault {
    sos_format format;
    sos_status status;
    const char *text;
    const char *line, *words;
} fault;

#define V1 "sos 1\nvariables 3\ncliques 1\ntables 1\nunary\n0 1\n2 3\n4 5\n"
#define V2 "sos 2\nvariables 3\ncliques 1\ntables 1\nconcaves 1\nfixed 1\nunary\n0 1\n2 3\n4 5\ntable 1\n0 1\n"
#define V3 "sos 3\nvariables 2\ncliques 0\ntables 0\nconcaves 1\nfixed 0\nunary\n0 1\n2 3\n"
#define V4 "sos 4\nvariables 2\ncliques 0\ntables 0\nconcaves 1\nfixed 0\nunary\n0 1\n2 3\n"
#define DM "p max 3 1\nn 1 s\nn 3 t\n"

static const fault FAULTS[] = {
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "", "t:1:", "found the end of the file" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "\n\nhello\n", "t:3:", "'hello'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "BAYES\n1\n", "t:1:", "'BAYES'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "sos 5\n", "t:1:", "version 5" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "sos one\n", "t:1:", "found 'one'" },
    { SOS_FORMAT_SOS, SOS_ERR_FORMAT, "p max 2 0\n", "t:1:", "expected 'sos'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "sos 1\nvariables -1\n", "t:2:", "the number of variables, found '-1'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "sos 1\nvariables 4000000000\ncliques 0\n", "t:2:", "do not fit into the" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "sos 1\nvariables 99999999999999999999999\n", "t:2:", "too large" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "sos 1\nvariables 0\ncliques 1000\ntables 0\nunary\n", "t:3:", "1000 cliques" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "sos 1\nvariables 0\ncliques 0\ntables 9999999\nunary\n", "t:4:", "9999999 tables" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "sos 1\nvariables 1\ncliques 0\ntables 0\nunary\n1 nan\n", "t:6:", "found 'nan'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "sos 1\nvariables 1\ncliques 0\ntables 0\nunary\n-inf 1\n", "t:6:", "found '-inf'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "sos 1\nvariables 1\ncliques 0\ntables 0\nunary\n1e400 1\n",
      "t:6:", "range of a double" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "sos 1\nvariables 1\ncliques 0\ntables 0\nunary\n1e308 -1e308\n", "t:6:", "not finite" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "sos 1\nvariables 1\ncliques 0\ntables 0\nunary\n1 2", "t:6:", "truncated" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "sos 1\nvariables 1\ncliques 0\ntables 0\nunary\n1 2\n3\n",
      "t:7:", "expected the end of the file, found '3'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "sos 1\nvariables 1\ncliques 1\ntables 0\nunary\n1 2\nclique 0 0\n",
      "t:7:", "no tables" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V1 "table 0\n0\nclique 0 0\n", "t:9:", "at least 1 member" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V1 "table 17\n0\nclique 0 0\n", "t:9:", "the largest is 16" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V1 "table 16\n0\nclique 0 0\n", "t:9:", "65536 costs" },
    { SOS_FORMAT_AUTO, SOS_ERR_NOT_SUBMODULAR, V1 "table 2\n0 0\n0 2.5\nclique 0 0 1\n", "t:9: table 0:", "by 2.5" },
    { SOS_FORMAT_AUTO, SOS_ERR_RANGE, V1 "table 2\n1e308 1e308 1e308 0\nclique 0 0 1\n", "t:9: table 0:", "too large" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V1 "table 2\n0 1 x 0\nclique 0 0 1\n", "t:10:", "found 'x'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V1 "table 2\n0 1 1\nclique 0 0 1\n", "t:11:", "a cost of the table, found 'clique'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V1 "table 2\n0 1 1 0\nclique 1 0 1\n", "t:11:", "the largest is 0" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V1 "table 2\n0 1 1 0\nclique 0 0 3\n", "t:11:", "a variable is 3" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V1 "table 2\n0 1 1 0\nclique 0 2 2\n", "t:11:", "variable 2 twice" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V1 "table 2\n0 1 1 0\nclique 0 0 1\nfix 1 0\n", "t:12:", "found 'fix'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V2 "clique 0 -1 2\nconcave 1 0 1 1\nfix 0 0\n", "t:13:", "not negative" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V2 "clique 0 nan 2\nconcave 1 0 1 1\nfix 0 0\n", "t:13:", "found 'nan'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V2 "clique 0 1 2\nconcave 4 0 1 1\nfix 0 0\n", "t:14:", "the largest is 3" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V2 "clique 0 1 2\nconcave 0 0 1 1\nfix 0 0\n", "t:14:", "at least 1 member" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V2 "clique 0 1 2\nconcave 2 1 1 0 1 0\nfix 0 0\n", "t:14:", "variable 1 twice" },
    { SOS_FORMAT_AUTO, SOS_ERR_NOT_SUBMODULAR, V2 "clique 0 1 2\nconcave 2 0 1 0 0 1\nfix 0 0\n", "t:14:", "not concave" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V2 "clique 0 1 2\nconcave 1 0 1 1\nfix 3 0\n", "t:15:", "a variable is 3" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V2 "clique 0 1 2\nconcave 1 0 1 1\nfix 0 2\n", "t:15:", "a label is 2" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT,
      "sos 2\nvariables 1\ncliques 0\ntables 0\nconcaves 0\nfixed 2\nunary 0 0\nfix 0 1\nfix 0 0\n", "t:9:", "fixed twice" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V3 "concave 1 -1 0 0 0\n", "t:10:", "not negative" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V3 "concave 1 inf 0 0 0\n", "t:10:", "found 'inf'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V3 "concave 1 0 1 1\n", "t:11:", "found the end of the file" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V3 "pieces 2 2 1 0 1 0 2 0 1\n", "t:10:", "'concave', found 'pieces'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "piece 2 2 1 0 1 0 2 0 1\n", "t:10:", "found 'piece'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "pieces 0 2 1 0 1 0 2 0 1\n", "t:10:", "at least 1 member" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "pieces 3 2 1 0 1 0 2 0 1\n", "t:10:", "the largest is 2" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "pieces 2 1 1 0 1 0 2 0 1\n", "t:10:", "1 knots" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "pieces 2 0 1 0 1 0 2 0 1\n", "t:10:", "0 knots" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "pieces 2 4000000000 1 0 1 0 2 0 1\n", "t:10:", "do not fit into the" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "pieces 2 18446744073709551615 1 0 1 0 2 0 1\n",
      "t:10:", SIZE_MAX > UINT32_MAX ? "do not fit into the" : "too large" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "pieces 2 2 -1 0 1 0 2 0 1\n", "t:10:", "not negative" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "pieces 2 2 1 0 0 0 2 0 1\n", "t:10:", "variable 0 twice" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "pieces 2 2 1 0 2 0 2 0 1\n", "t:10:", "a variable is 2" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "pieces 2 2 1 0 1 0 3 0 1\n", "t:10:", "add up to 2" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "pieces 2 2 1 0 1 1 2 0 1\n", "t:10:", "must be at 0" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "pieces 2 3 1 0 1 0 0 2 0 1 1\n", "t:10:", "places must increase" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "pieces 2 3 1 0 1 0 nan 2 0 1 1\n", "t:10:", "found 'nan'" },
    { SOS_FORMAT_AUTO, SOS_ERR_NOT_SUBMODULAR, V4 "pieces 2 3 1 0 1 0 1.5 2 0 1 4\n", "t:10:", "knot 1" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "amounts 2 2 1 0 1 1 -1 0 0 0 1\n", "t:10:", "amount -1" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "amounts 2 2 1 0 1 0 0 0 2 0 1\n", "t:10:", "add up to 0" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, V4 "amounts 2 2 1 0 1 0.5 0.25 0 0.75 0\n", "t:11:", "a value at a knot" },

    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "MARKOV\n2\n2 3\n0\n", "t:3:", "variable 1 has 3 labels" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "MARKOV\n4000000000\n2 2\n", "t:2:", "do not fit into the" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "MARKOV\n1\n2\n4000000000\n1 0\n", "t:4:", "do not fit into the" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "MARKOV\n1\n2\n1\n17 0\n2\n1 1\n", "t:5:", "17 variables; at most 16" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "MARKOV\n2\n2 2\n1\n2 1 1\n4\n1 1 1 1\n", "t:5:", "variable 1 twice" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "MARKOV\n2\n2 2\n1\n2 1 2\n4\n1 1 1 1\n", "t:5:", "a variable is 2" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "MARKOV\n0\n1\n1 0\n2\n1 1\n", "t:4:", "there are none" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "MARKOV\n2\n2 2\n1\n2 0 1\n8\n1 1 1 1\n", "t:6:", "8 entries, expected 4" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 1\n1 0\n", "t:8:", "potential of 0" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 1\n1 -2\n", "t:8:", "not negative, found '-2'" },
    { SOS_FORMAT_AUTO, SOS_ERR_NOT_SUBMODULAR, "MARKOV\n2\n2 2\n1\n2 0 1\n4\n.5 1\n1 .5\n", "t:6: factor 0", "not submodular" },
    { SOS_FORMAT_UAI_ENERGIES, SOS_ERR_NOT_SUBMODULAR, "MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 0\n0 1\n", "t:6:", "by 2" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "MARKOV\n1\n2\n1\n1 0\n2\n1 1\nmore\n", "t:8:", "the end of the file" },

    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "c only a comment\n", "t:2:", "'p max'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "p min 2 0\n", "t:1:", "expected 'max', found 'min'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "p max 1 0\n", "t:1:", "at least 2" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "p max 4000000000 0\nn 1 s\nn 2 t\n", "t:1:", "4000000000 nodes, but" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "p max 2000000 1\nn 1 s\nn 2 t\na 1 2 3\n", "t:1:", "2000000 nodes, but" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "p max 2 4000000000\nn 1 s\nn 2 t\n", "t:1:", "do not fit into the" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "p max 3 1\nn 1 s\na 1 2 3\n", "t:3:", "the source and the sink" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "p max 3 1\nn 1 s\nn 2 s\na 1 2 3\n", "t:3:", "second source" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "p max 3 1\nn 1 s\nn 1 t\na 1 2 3\n", "t:3:", "both source and sink" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, "p max 3 1\nn 1 x\nn 1 t\na 1 2 3\n", "t:2:", "'s' or 't', found 'x'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, DM "a 0 2 3\n", "t:4:", "numbered from 1" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, DM "a 4 2 3\n", "t:4:", "the largest is 3" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, DM "a 1 2 -3\n", "t:4:", "not negative" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, DM "a 1 2 inf\n", "t:4:", "found 'inf'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, DM "x 1 2 3\n", "t:4:", "an 'a' line, found 'x'" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, DM "a 1 2 3", "t:4:", "truncated" },
    { SOS_FORMAT_AUTO, SOS_ERR_FORMAT, DM "a 1 2 3\na 2 3 1\n", "t:5:", "the end of the file" },
};

static void every_fault_is_named_with_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++) {
        const fault *f = &FAULTS[i];
        sos_energy *e = NULL;
        sos_error error = { SOS_OK, "" };
        const sos_status status = sos_energy_parse(f->text, strlen(f->text), "t", f->format, &e, &error);
        if (status != f->status || !strstr(error.message, f->words) || strncmp(error.message, f->line, strlen(f->line)))
            print_message("fault %zu: %s\n", i, error.message);
        check_error(status, f->status, error, f->words);
        check(!strncmp(error.message, f->line, strlen(f->line)));
        check(!e);
        check(sos_energy_parse(f->text, strlen(f->text), "t", f->format, &e, NULL) == f->status);
    }
}

/* One small file of each kind. */
static const struct {
    sos_format format;
    const char *text;
} SAMPLES[] = {
    { SOS_FORMAT_AUTO, "# sample\nsos 1\nvariables 5\ncliques 3\ntables 2\nunary\n1 2.5\n-3 0\n0 7\n12 10\n1e2 99\n"
                       "table 3\n0 2 2 3 2 3 3 0\ntable 2\n0 1 1 0\nclique 0 0 1 2\nclique 1 3 4\nclique 0 4 1 3\n" },
    { SOS_FORMAT_AUTO,
      "sos 2\nvariables 4\ncliques 2\ntables 1\nconcaves 1\nfixed 1\nconstant -12.5\nunary\n1 2\n3 0\n0 7\n12 10\n"
      "table 2\n0 1.5 1.5 0\nclique 0 2.25 0 1\nclique 0 1 3 2\nconcave 3 0 1 3 0 2 2 0\nfix 2 1\n" },
    { SOS_FORMAT_AUTO, "sos 3\nvariables 3\ncliques 0\ntables 0\nconcaves 2\nfixed 0\nunary\n1 2\n3 0\n0 7\n"
                       "concave 3 0.25 0 1 2 0 2 2 0\nconcave 1 12 1 0 1\n" },
    { SOS_FORMAT_AUTO, "sos 4\nvariables 3\ncliques 0\ntables 0\nconcaves 3\nfixed 0\nunary\n1 2\n3 0\n0 7\n"
                       "pieces 3 3 1 0 1 2 0 1.5 3 0 2.5 0.1\nconcave 2 12 1 0 0 1 1\n"
                       "amounts 2 3 0.25 2 0 0.5 1.25 0 0.3 1.75 -1 2 2\n" },
    { SOS_FORMAT_AUTO,
      "MARKOV\n3\n2 2 2\n4\n1 0\n2 0 1\n2 1 2\n0\n\n2\n 0.25 0.75\n4\n 1 0.5 0.5 1\n4\n 1 0.5 0.5 1\n1\n 2.5\n" },
    { SOS_FORMAT_UAI_ENERGIES, "MARKOV\n3\n2 2 2\n3\n1 0\n2 0 1\n3 1 2 0\n\n2\n 5 12\n4\n 0 5 5 0\n8\n 0 2 2 3 2 3 3 0\n" },
    { SOS_FORMAT_AUTO,
      "c sample\np max 5 7\nn 1 s\nn 5 t\na 1 2 10\na 1 3 4\na 2 3 5\na 3 2 5\na 3 4 7.5\na 2 5 3\na 4 5 12\n" },
};
enum { SAMPLE_COUNT = sizeof SAMPLES / sizeof *SAMPLES };

/* Numbers as they were, amounts in the order of the sorted members, and both kinds of cliques in the order added. */
static void pieces_are_written_as_they_were(void **state)
{
    (void)state;
    sos_energy *e, *again;
    sos_error error;
    check_ok(sos_energy_create(3, &e, &error), error);
    check_ok(sos_energy_add_pieces(e, 3, (uint32_t[]){ 2, 0, 1 }, (double[]){ 0.1, 2, 0 }, 3, (double[]){ 0, 1.0 / 3, 2.1 },
                                   (double[]){ -1, 0.5, 0.7 }, 0.3, &error),
             error);
    check_ok(sos_energy_add_concave(e, 1, (uint32_t[]){ 1 }, (double[]){ 0, 4 }, 1, &error), error);
    check_ok(sos_energy_add_pieces(e, 2, (uint32_t[]){ 0, 2 }, NULL, 2, (double[]){ 0, 2 }, (double[]){ 5, 1 }, 1, &error),
             error);
    char *text;
    size_t length;
    check_ok(sos_energy_write_memory(e, SOS_FORMAT_SOS, &text, &length, &error), error);
    assert_string_equal(text, "sos 4\nvariables 3\ncliques 0\ntables 0\nconcaves 3\nfixed 0\nunary\n0 0\n0 0\n0 0\n"
                              "amounts 3 3 0.3 0 1 2 2 0 0.1 0 0.3333333333333333 2.1 -1 0.5 0.7\n"
                              "concave 1 1 1 0 4\npieces 2 2 1 0 2 0 2 5 1\n");
    check_ok(sos_energy_parse(text, length, "t", SOS_FORMAT_AUTO, &again, &error), error);
    check_same_energy(e, again);
    check_error(sos_energy_write(e, scratch("e.max"), SOS_FORMAT_AUTO, &error), SOS_ERR_ARGUMENT, error, "3 concave");
    free(text);
    sos_energy_free(again);
    check_ok(sos_energy_write_memory(e, SOS_FORMAT_UAI_ENERGIES, &text, &length, &error), error);
    check_ok(sos_energy_parse(text, length, "t", SOS_FORMAT_UAI_ENERGIES, &again, &error), error);
    for (unsigned S = 0; S < 8; S++) {
        const uint8_t y[] = { S & 1, S >> 1 & 1, S >> 2 & 1 };
        check(fabs(sos_energy_value(e, y) - sos_energy_value(again, y)) <= 1e-14);
    }
    free(text);
    sos_energy_free(again);
    sos_energy_free(e);
}

static void a_file_cut_anywhere_is_an_error_or_whole(void **state)
{
    (void)state;
    for (size_t s = 0; s < SAMPLE_COUNT; s++) {
        sos_energy *whole = parse(SAMPLES[s].text, SAMPLES[s].format);
        const size_t length = strlen(SAMPLES[s].text);
        for (size_t cut = 0; cut < length; cut++) {
            char *copy = test_room(NULL, cut + (cut == 0), 1); /* exactly so long: a sanitizer sees reads beyond */
            memcpy(copy, SAMPLES[s].text, cut);
            sos_energy *e = NULL;
            sos_error error;
            const sos_status status = sos_energy_parse(copy, cut, "t", SAMPLES[s].format, &e, &error);
            check(status == SOS_ERR_FORMAT && !e && strlen(error.message) > 10);
            free(copy);
        }
        sos_energy_free(whole);
    }
}

/* An error with words, or an energy that can be minimised and written. */
static void check_damaged(const char *text, size_t length, sos_format format)
{
    sos_energy *e = NULL;
    sos_error error = { SOS_OK, "" };
    if (sos_energy_parse(text, length, "t", format, &e, &error)) {
        check(!e && error.status && !strncmp(error.message, "t:", 2));
        return;
    }
    const size_t n = sos_energy_variables(e);
    uint8_t *labels = test_room(NULL, n + 1, 1);
    sos_minimize_result result;
    const sos_status status = sos_minimize(e, NULL, labels, &result, &error);
    if (status)
        check(strlen(error.message) > 5);
    else
        check(result.energy == sos_energy_value(e, labels) &&
              result.lower_bound <= result.energy + 2 * result.rounding + 1e-9 * fabs(result.energy));
    free(labels);
    sos_energy_free(e);
}

static void flipped_bytes_are_an_error_or_an_energy(void **state)
{
    (void)state;
    static const char likely[] = "0123456789-+.eE \n#acnpstxf";
    for (uint64_t c = 0; c < test_cases(20000); c++) {
        sos_random r = test_case_begin(c);
        const size_t s = c % SAMPLE_COUNT, length = strlen(SAMPLES[s].text);
        char *copy = test_room(NULL, length, 1);
        memcpy(copy, SAMPLES[s].text, length);
        const uint64_t flips = 1 + sos_random_below(&r, 3);
        for (uint64_t f = 0; f < flips; f++) {
            const size_t at = sos_random_below(&r, length);
            const char likelier = likely[sos_random_below(&r, sizeof likely - 1)];
            const unsigned flipped = (unsigned char)copy[at] ^ 1U << sos_random_below(&r, 8);
            copy[at] = sos_random_below(&r, 2) ? likelier : (char)flipped;
        }
        check_damaged(copy, length, SAMPLES[s].format);
        free(copy);
    }
}

static void lost_and_doubled_pieces_are_an_error_or_an_energy(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(5000); c++) {
        sos_random r = test_case_begin(c);
        const size_t s = c % SAMPLE_COUNT, length = strlen(SAMPLES[s].text);
        const size_t from = sos_random_below(&r, length), to = from + sos_random_below(&r, length - from);
        const size_t resume = sos_random_below(&r, 2) ? to : from; /* leave [from, to) out, or say it twice */
        const size_t keep = resume == to ? from : to, total = keep + length - resume;
        char *copy = test_room(NULL, total + 1, 1);
        memcpy(copy, SAMPLES[s].text, keep);
        memcpy(copy + keep, SAMPLES[s].text + resume, length - resume);
        check_damaged(copy, total, SAMPLES[s].format);
        free(copy);
    }
}

/* files */

static void unreadable_files_are_io_errors(void **state)
{
    (void)state;
    sos_energy *e = NULL;
    sos_error error;
    check_error(sos_energy_read(scratch("missing.sos"), SOS_FORMAT_AUTO, &e, &error), SOS_ERR_IO, error, "cannot open",
                "missing.sos");
    check_error(sos_energy_read(scratch_folder(), SOS_FORMAT_AUTO, &e, &error), SOS_ERR_IO, error, "cannot read");
    check_error(sos_energy_read("/dev/zero", SOS_FORMAT_AUTO, &e, &error), SOS_ERR_FORMAT, error, "not a text file");
    check_error(sos_energy_read(NULL, SOS_FORMAT_AUTO, &e, &error), SOS_ERR_ARGUMENT, error, "no path");
    check_error(sos_energy_parse(NULL, 0, NULL, SOS_FORMAT_AUTO, &e, &error), SOS_ERR_ARGUMENT, error, "no text");
    check_error(sos_energy_parse("sos", 3, NULL, (sos_format)99, &e, &error), SOS_ERR_ARGUMENT, error, "99");
    check(!e);
}

static void pipes_can_be_read(void **state)
{
    (void)state;
    check(!mkfifo(scratch("fifo"), 0600));
    const pid_t child = fork();
    if (!child) {
        FILE *file = fopen(scratch("fifo"), "w");
        if (file) fputs(SAMPLES[0].text, file);
        _exit(!file || fclose(file));
    }
    sos_energy *e = NULL;
    sos_error error;
    check_ok(sos_energy_read(scratch("fifo"), SOS_FORMAT_AUTO, &e, &error), error);
    int outcome;
    check(waitpid(child, &outcome, 0) == child && outcome == 0);
    sos_energy *same = parse(SAMPLES[0].text, SOS_FORMAT_AUTO);
    check_same_energy(e, same);
    sos_energy_free(e);
    sos_energy_free(same);
    unlink(scratch("fifo"));
}

static void a_failed_write_leaves_the_old_file(void **state)
{
    (void)state;
    scratch_clear();
    sos_energy *e = parse(SAMPLES[0].text, SOS_FORMAT_AUTO), *two = parse(SAMPLES[1].text, SOS_FORMAT_AUTO);
    sos_error error;
    check_ok(sos_energy_write(e, scratch("e.max"), SOS_FORMAT_SOS, &error), error);
    check_error(sos_energy_write(e, scratch("e.max"), SOS_FORMAT_AUTO, &error), SOS_ERR_ARGUMENT, error, "3 members",
                "pairs only");
    check_error(sos_energy_write(two, scratch("e.max"), SOS_FORMAT_AUTO, &error), SOS_ERR_ARGUMENT, error,
                "variable 2 is fixed");
    check_error(sos_energy_write(two, scratch("e.uai"), SOS_FORMAT_AUTO, &error), SOS_ERR_ARGUMENT, error,
                "variable 2 is fixed");
    check_ok(sos_energy_fix(two, 2, SOS_FREE, &error), error);
    check_error(sos_energy_write(two, scratch("e.max"), SOS_FORMAT_AUTO, &error), SOS_ERR_ARGUMENT, error, "1 concave");
    check_error(sos_energy_write(e, scratch("e.txt"), SOS_FORMAT_AUTO, &error), SOS_ERR_ARGUMENT, error,
                "none of the extensions .sos");
    check_error(sos_energy_write(e, scratch("no/e.sos"), SOS_FORMAT_AUTO, &error), SOS_ERR_IO, error, "cannot write");
    check_error(sos_energy_write(e, scratch_folder(), SOS_FORMAT_SOS, &error), SOS_ERR_IO, error, "directory");
    check_error(sos_energy_write(e, scratch("e.sos"), (sos_format)99, &error), SOS_ERR_ARGUMENT, error, "99");
    assert_int_equal(scratch_count(), 1); /* nothing temporary is left */
    sos_energy *again = NULL;
    check_ok(sos_energy_read(scratch("e.max"), SOS_FORMAT_AUTO, &again, &error), error);
    check_same_energy(e, again);
    sos_energy_free(again);
    sos_energy_free(two);
    sos_energy_free(e);
}

static void links_and_permissions_survive_a_write(void **state)
{
    (void)state;
    sos_energy *e = parse(SAMPLES[0].text, SOS_FORMAT_AUTO);
    sos_error error;
    char target[128];
    strcpy(target, scratch("target.sos"));
    check_ok(sos_energy_write(e, target, SOS_FORMAT_SOS, &error), error);
    check(!chmod(target, 0600) && !symlink("target.sos", scratch("link.sos")));
    check_ok(sos_energy_write(e, scratch("link.sos"), SOS_FORMAT_AUTO, &error), error);
    struct stat found;
    check(!lstat(scratch("link.sos"), &found) && S_ISLNK(found.st_mode));
    check(!stat(target, &found) && S_ISREG(found.st_mode) && (found.st_mode & 0777) == 0600);
    check_ok(sos_energy_write(e, "/dev/null", SOS_FORMAT_SOS, &error), error);
    check(!stat("/dev/null", &found) && S_ISCHR(found.st_mode));
    if (!stat("/dev/full", &found))
        check_error(sos_energy_write(e, "/dev/full", SOS_FORMAT_SOS, &error), SOS_ERR_IO, error, "cannot write");
    sos_energy_free(e);
}

static void what_uai_cannot_hold_is_refused(void **state)
{
    (void)state;
    sos_error error;
    sos_energy *e = NULL;
    check_ok(sos_energy_create(20, &e, &error), error);
    check_ok(sos_energy_set_unary(e, 3, 0, 1000, &error), error);
    check_error(sos_energy_write(e, scratch("e.uai"), SOS_FORMAT_UAI, &error), SOS_ERR_ARGUMENT, error, "variable 3",
                "differ by 1000");
    check_ok(sos_energy_write(e, scratch("e.uai"), SOS_FORMAT_UAI_ENERGIES, &error), error);
    uint32_t members[17];
    double g[18] = { 0 };
    for (uint32_t i = 0; i < 17; i++) members[i] = i;
    check_ok(sos_energy_add_concave(e, 17, members, g, 1, &error), error);
    check_error(sos_energy_write(e, scratch("e.uai"), SOS_FORMAT_UAI_ENERGIES, &error), SOS_ERR_ARGUMENT, error, "17 members");
    sos_energy_free(e);
}

static void a_constant_that_potentials_lack_is_a_comment(void **state)
{
    (void)state;
    sos_error error;
    sos_energy *e = NULL;
    check_ok(sos_energy_create(1, &e, &error), error);
    check_ok(sos_energy_set_unary(e, 0, 1000, 1001, &error), error);
    sos_energy *again = through_file(e, "e.uai", SOS_FORMAT_AUTO);
    size_t length;
    char *text = file_text(scratch("e.uai"), &length);
    check(strstr(text, "# constant 1000\n"));
    check(fabs(minimum(again)) < 1e-12);
    free(text);
    sos_energy_free(again);
    check_ok(sos_energy_add_constant(e, -990, &error), error);
    again = through_file(e, "e.uai", SOS_FORMAT_AUTO);
    check(fabs(minimum(again) - 10) < 1e-12);
    sos_energy_free(again);
    check_ok(sos_energy_add_constant(e, -1025, &error), error);
    again = through_file(e, "e.max", SOS_FORMAT_AUTO);
    text = file_text(scratch("e.max"), &length);
    check(strstr(text, "c constant -2015\n") && minimum(again) == 1000);
    free(text);
    sos_energy_free(again);
    sos_energy_free(e);
}

static void shared_instances_have_their_known_minima(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double minimum;
    } known[] = { { "tiny_sqrt4.sos", 9278 },
                  { "tiny_rand50.sos", 6755 },
                  { "tiny_pair4.sos", 7673 },
                  { "tiny_card9.sos", 10409 },
                  { "tiny_rand9.sos", 9423 } };
    const char *shared = getenv("SOS_SHARED_DIR");
    char path[1024];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        snprintf(path, sizeof path, "%s/instances/%s", shared ? shared : "../shared", known[i].name);
        if (access(path, R_OK)) {
            print_message("%s is not there\n", path);
            skip();
        }
        sos_energy *e = NULL;
        sos_error error;
        check_ok(sos_energy_read(path, SOS_FORMAT_AUTO, &e, &error), error);
        check(minimum(e) == known[i].minimum);
        sos_energy *again = through_file(e, "e.uai", SOS_FORMAT_UAI_ENERGIES);
        check(minimum(again) == known[i].minimum);
        sos_energy_free(again);
        sos_energy_free(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_written_number_reads_back_the_same),
        cmocka_unit_test(numbers_are_read_as_strtod_reads_them),
        cmocka_unit_test(another_locale_changes_nothing),
        cmocka_unit_test(the_binary_form_holds_grids_in_runs),
        cmocka_unit_test(damaged_binary_forms_are_refused),
        cmocka_unit_test(memory_and_streams_get_the_bytes_of_a_file),
        cmocka_unit_test(writing_that_cannot_be_is_refused),
        cmocka_unit_test(formats_are_recognised_by_the_first_word),
        cmocka_unit_test(plain_energies_are_written_as_version_1),
        cmocka_unit_test(uai_files_hold_costs),
        cmocka_unit_test(dimacs_files_hold_pairs),
        cmocka_unit_test(in_uai_files_the_last_variable_varies_fastest),
        cmocka_unit_test(equal_uai_tables_are_shared),
        cmocka_unit_test(rounding_of_potentials_is_no_violation),
        cmocka_unit_test(dimacs_energy_is_the_cut),
        cmocka_unit_test(empty_problems_and_odd_white_space_are_fine),
        cmocka_unit_test(every_fault_is_named_with_its_line),
        cmocka_unit_test(pieces_are_written_as_they_were),
        cmocka_unit_test(a_file_cut_anywhere_is_an_error_or_whole),
        cmocka_unit_test(flipped_bytes_are_an_error_or_an_energy),
        cmocka_unit_test(lost_and_doubled_pieces_are_an_error_or_an_energy),
        cmocka_unit_test(unreadable_files_are_io_errors),
        cmocka_unit_test(pipes_can_be_read),
        cmocka_unit_test(a_failed_write_leaves_the_old_file),
        cmocka_unit_test(links_and_permissions_survive_a_write),
        cmocka_unit_test(what_uai_cannot_hold_is_refused),
        cmocka_unit_test(a_constant_that_potentials_lack_is_a_comment),
        cmocka_unit_test(shared_instances_have_their_known_minima),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
