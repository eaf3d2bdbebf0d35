/* test_npy.c - arrays of NumPy's format: what NumPy writes is read as it is, in every order, and what is damaged is refused
 * with the reason; what we write is read by NumPy. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "scratch.h"
#include "support.h"
#include "vision/npy.h"

/* ---- files put together by hand ---- */

typedef struct bytes {
    unsigned char data[1 << 12];
    size_t length;
} bytes;

static void put(bytes *b, const void *data, size_t length)
{
    assert_true(b->length + length <= sizeof b->data);
    memcpy(b->data + b->length, data, length);
    b->length += length;
}

/* The header of a file of version 1 or 2. */
static bytes headed(int version, const char *dictionary)
{
    bytes b = { .length = 0 };
    const size_t length = strlen(dictionary);
    put(&b, "\x93NUMPY", 6);
    put(&b, (const unsigned char[]){ (unsigned char)version, 0 }, 2);
    put(&b, (const unsigned char[]){ (unsigned char)length, (unsigned char)(length >> 8), 0, 0 }, version == 1 ? 2 : 4);
    put(&b, dictionary, length);
    return b;
}

static void put_number(bytes *b, double x, size_t size, bool big)
{
    unsigned char raw[8];
    const float f = (float)x;
    memcpy(raw, size == 4 ? (const void *)&f : (const void *)&x, size);
    const bool turned = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__); /* not the order of this machine */
    for (size_t i = 0; i < size; i++) put(b, &raw[turned ? size - 1 - i : i], 1);
}

/* The number that channel c of pixel (x, y) has in the tests. */
static double wanted(size_t x, size_t y, size_t c) { return (double)(100 * c + 10 * y + x) - 0.5; }

static void check_maps(const s3svm_maps *m, size_t width, size_t height, size_t channels)
{
    assert_int_equal(m->width, width);
    assert_int_equal(m->height, height);
    assert_int_equal(m->channels, channels);
    for (size_t c = 0; c < channels; c++)
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++) check((double)m->values[(c * height + y) * width + x] == wanted(x, y, c));
}

static void test_every_type_and_order_is_read(void **state)
{
    (void)state;
    for (int which = 0; which < 16; which++) {
        const bool big = which & 1, fortran = which & 2;
        const size_t size = which & 4 ? 8 : 4;
        char text[128];
        snprintf(text, sizeof text, "{'descr': '%cf%zu', 'fortran_order': %s, 'shape': (2, 3, 4), }   \n", big ? '>' : '<',
                 size, fortran ? "True" : "False");
        bytes b = headed(which & 8 ? 2 : 1, text);
        for (size_t i = 0; i < 24; i++)
            put_number(&b, fortran ? wanted(i / 2 % 3, i % 2, i / 6) : wanted(i / 4 % 3, i / 12, i % 4), size, big);
        s3svm_maps m;
        sos_error error;
        check_ok(s3svm_npy_parse(b.data, b.length, "test", &m, &error), error);
        check_maps(&m, 3, 2, 4);
        s3svm_maps_free(&m);
        assert_null(m.values);
        s3svm_maps_free(&m);
    }
}

static void test_two_axes_are_one_channel(void **state)
{
    (void)state;
    static const char *const shapes[] = { "(2, 3)", "(2, 3,)", "(2,3)", "(2, 3, 1)" };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        char text[128];
        s3svm_maps m;
        sos_error error;
        snprintf(text, sizeof text, "{'shape': %s, 'fortran_order': False, 'descr': '<f4'}\n", shapes[k]);
        bytes b = headed(1, text);
        for (size_t i = 0; i < 6; i++) put_number(&b, wanted(i % 3, i / 3, 0), 4, false);
        check_ok(s3svm_npy_parse(b.data, b.length, "test", &m, &error), error);
        check_maps(&m, 3, 2, 1);
        s3svm_maps_free(&m);
    }
}

static void test_other_headers_are_refused_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        const char *header, *word;
    } cases[] = {
        { "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }", "float32" },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }", "float32" },
        { "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }", "float32" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", "shape" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 2, 3), }", "shape" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3), }", "shape" },
        { "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3), }", "fortran_order" },
        { "{'descr': '<f4', 'shape': (2, 3), }", "lacks" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'more': 1}", "not known" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} 1", "follows" },
        { "['descr']", "no dictionary" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }", "0 pixels" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 99999), }", "99999 channels" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999, 3), }", "shape" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (60000, 60000), }", "60000" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }", "24 bytes" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        s3svm_maps m = { 0 };
        sos_error error;
        bytes b = headed(1, cases[k].header);
        for (size_t i = 0; i < 6; i++) put_number(&b, 1, 4, false);
        check(s3svm_npy_parse(b.data, b.length, "name.npy", &m, &error) != SOS_OK);
        if (!strstr(error.message, cases[k].word) || !strstr(error.message, "name.npy"))
            test_fail(__FILE__, __LINE__, "'%s' is refused with: %s", cases[k].header, error.message);
        assert_null(m.values);
    }
}

static void test_every_cut_and_every_changed_byte_is_refused_or_read(void **state)
{
    (void)state;
    bytes whole = headed(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 2), }\n");
    for (size_t i = 0; i < 12; i++) put_number(&whole, (double)i, 8, false);
    sos_error error;
    for (size_t length = 0; length < whole.length; length++) {
        unsigned char *cut = malloc(length + 1); /* of its own size, so that reading behind it is seen */
        s3svm_maps m = { 0 };
        assert_non_null(cut);
        memcpy(cut, whole.data, length);
        check(s3svm_npy_parse(cut, length, "cut", &m, &error) != SOS_OK);
        free(cut);
    }
    for (uint64_t c = 0; c < test_cases(2000); c++) {
        sos_random r = test_case_begin(c);
        bytes b = whole;
        s3svm_maps m = { 0 };
        b.data[sos_random_below(&r, b.length)] = (unsigned char)sos_random_below(&r, 256);
        if (s3svm_npy_parse(b.data, b.length, "changed", &m, &error) == SOS_OK) {
            check(m.width * m.height * m.channels == 12);
            for (size_t i = 0; i < 12; i++) check(isfinite(m.values[i]));
        }
        s3svm_maps_free(&m);
    }
}

static void test_numbers_that_are_not_finite_are_named(void **state)
{
    (void)state;
    const double bad[] = { NAN, INFINITY, -INFINITY, 1e300 };
    for (size_t k = 0; k < 4; k++) {
        bytes b = headed(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 2), }\n");
        for (size_t i = 0; i < 12; i++) put_number(&b, i == 9 ? bad[k] : 0, 8, false);
        s3svm_maps m = { 0 };
        sos_error error;
        check_error(s3svm_npy_parse(b.data, b.length, "test", &m, &error), SOS_ERR_FORMAT, error, "channel 1", "(1, 1)");
    }
}

static void test_what_is_written_reads_back_and_its_header_can_be_probed(void **state)
{
    (void)state;
    s3svm_maps m, back;
    sos_error error;
    size_t width, height, channels;
    check_ok(s3svm_maps_create(5, 4, 3, &m, &error), error);
    for (size_t c = 0; c < 3; c++)
        for (size_t y = 0; y < 4; y++)
            for (size_t x = 0; x < 5; x++) m.values[(c * 4 + y) * 5 + x] = (float)wanted(x, y, c);
    check_ok(s3svm_npy_write(&m, scratch("maps.npy"), &error), error);
    check_ok(s3svm_npy_probe(scratch("maps.npy"), &width, &height, &channels, &error), error);
    check(width == 5 && height == 4 && channels == 3);
    check_ok(s3svm_npy_read(scratch("maps.npy"), &back, &error), error);
    check_maps(&back, 5, 4, 3);
    s3svm_maps_free(&back);
    s3svm_maps_free(&m);
    check_error(s3svm_npy_read(scratch("nowhere.npy"), &back, &error), SOS_ERR_IO, error, "nowhere.npy");
    check_error(s3svm_npy_probe(scratch("nowhere.npy"), &width, &height, &channels, &error), SOS_ERR_IO, error, "nowhere.npy");
}

/* NumPy itself reads what we wrote and writes it again in other ways. */
static void test_numpy_and_we_read_each_other(void **state)
{
    (void)state;
    static const char *const kinds[] = { "a", "a.astype('>f8')", "numpy.asfortranarray(a)", "a[:, :, 0]" };
    const char *python = getenv("SOS_PYTHON");
    char command[1024];
    s3svm_maps m;
    sos_error error;
    check_ok(s3svm_maps_create(5, 4, 3, &m, &error), error);
    for (size_t i = 0; i < 60; i++) m.values[i] = (float)wanted(i % 5, i / 5 % 4, i / 20);
    check_ok(s3svm_npy_write(&m, scratch("ours.npy"), &error), error);
    s3svm_maps_free(&m);
    for (size_t k = 0; k < 4; k++) {
        snprintf(command, sizeof command,
                 "%s -c \"import sys\ntry: import numpy\nexcept ImportError: sys.exit(77)\na = numpy.load('%s')\n"
                 "assert a.shape == (4, 5, 3) and a[2, 3, 1] == 122.5\nnumpy.save('%s', %s)\"",
                 python && *python ? python : "/usr/bin/python3", scratch("ours.npy"), scratch("theirs.npy"), kinds[k]);
        const int status = system(command); /* NOLINT: the names are our own */
        if (WIFEXITED(status) && (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)) skip();
        assert_int_equal(status, 0);
        check_ok(s3svm_npy_read(scratch("theirs.npy"), &m, &error), error);
        check_maps(&m, 5, 4, k == 3 ? 1 : 3);
        s3svm_maps_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_and_order_is_read),
        cmocka_unit_test(test_two_axes_are_one_channel),
        cmocka_unit_test(test_other_headers_are_refused_with_the_reason),
        cmocka_unit_test(test_every_cut_and_every_changed_byte_is_refused_or_read),
        cmocka_unit_test(test_numbers_that_are_not_finite_are_named),
        cmocka_unit_test(test_what_is_written_reads_back_and_its_header_can_be_probed),
        cmocka_unit_test(test_numpy_and_we_read_each_other),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
