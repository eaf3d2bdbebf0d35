/* fuzz_energy.c - any text as an energy, with two labels or several: read or refused.  The first byte chooses the format.  What
 * is read can be written, and reads back as what writes the same bytes. */
#include <string.h>

#include <sos/sos.h>

#include "fuzz.h"

enum { VARIABLES_MAX = 300 }; /* larger ones are read, but no more is done with them */

/* The same in binary form. */
static void binary_try(const sos_energy *e)
{
    sos_energy *again = NULL;
    sos_error error;
    char *first = NULL, *second = NULL;
    size_t first_length = 0, second_length = 0;
    if (sos_energy_variables(e) > VARIABLES_MAX) return;
    fuzz_check(!sos_energy_write_memory(e, SOS_FORMAT_BINARY, &first, &first_length, &error));
    fuzz_check(!sos_energy_parse(first, first_length, "written", SOS_FORMAT_AUTO, &again, &error));
    fuzz_check(!sos_energy_write_memory(again, SOS_FORMAT_BINARY, &second, &second_length, &error));
    fuzz_check(first_length == second_length && !memcmp(first, second, first_length));
    free(first);
    free(second);
    sos_energy_free(again);
}

/* Two labels: written as .sos, read, written again. */
static void energy_try(const char *text, size_t length, sos_format format)
{
    sos_energy *e = NULL, *again = NULL;
    sos_error error;
    if (sos_energy_parse(text, length, "input", format, &e, &error)) {
        fuzz_check(strstr(error.message, "input") && !e);
        return;
    }
    fuzz_accepted++;
    char *first = NULL, *second = NULL;
    size_t first_length = 0, second_length = 0;
    if (sos_energy_variables(e) <= VARIABLES_MAX &&
        !sos_energy_write_memory(e, SOS_FORMAT_SOS, &first, &first_length, &error)) {
        fuzz_check(!sos_energy_parse(first, first_length, "written", SOS_FORMAT_SOS, &again, &error));
        fuzz_check(!sos_energy_write_memory(again, SOS_FORMAT_SOS, &second, &second_length, &error));
        fuzz_check(first_length == second_length && !memcmp(first, second, first_length));
    }
    free(first);
    free(second);
    sos_energy_free(again);
    binary_try(e);
    sos_energy_free(e);
}

static void multi_energy_try(const char *text, size_t length)
{
    sos_multi_energy *e = NULL, *again = NULL;
    sos_error error;
    if (sos_multi_energy_parse(text, length, "input", SOS_FORMAT_MULTI, &e, &error)) {
        fuzz_check(strstr(error.message, "input") && !e);
        return;
    }
    fuzz_accepted++;
    char *first = NULL, *second = NULL;
    size_t first_length = 0, second_length = 0;
    if (sos_multi_energy_variables(e) <= VARIABLES_MAX &&
        !sos_multi_energy_write_memory(e, SOS_FORMAT_MULTI, &first, &first_length, &error)) {
        fuzz_check(!sos_multi_energy_parse(first, first_length, "written", SOS_FORMAT_MULTI, &again, &error));
        fuzz_check(!sos_multi_energy_write_memory(again, SOS_FORMAT_MULTI, &second, &second_length, &error));
        fuzz_check(first_length == second_length && !memcmp(first, second, first_length));
    }
    free(first);
    free(second);
    sos_multi_energy_free(again);
    sos_multi_energy_free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    char *text = fuzz_copy(data + 1, size - 1);
    const sos_format format = (sos_format)(data[0] % (SOS_FORMAT_BINARY + 1));
    if (format == SOS_FORMAT_MULTI)
        multi_energy_try(text, size - 1);
    else
        energy_try(text, size - 1, format);
    free(text);
    return 0;
}

/* The energy of a text in binary form; nothing where there are several labels. */
static bool binary_seed(uint8_t format, const char *text, fuzz_bytes *out)
{
    sos_energy *e = NULL;
    char *bytes = NULL;
    size_t length = 0;
    *out = (fuzz_bytes){ calloc(1, 1), 0 };
    if (format == SOS_FORMAT_MULTI) return true;
    fuzz_check(!sos_energy_parse(text, strlen(text), "seed", (sos_format)format, &e, NULL));
    fuzz_check(!sos_energy_write_memory(e, SOS_FORMAT_BINARY, &bytes, &length, NULL));
    free(out->data);
    *out = fuzz_input(SOS_FORMAT_BINARY, bytes, length);
    free(bytes);
    sos_energy_free(e);
    return true;
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
    static const struct {
        sos_format format;
        const char *text;
    } texts[] = {
        { SOS_FORMAT_SOS,
          "# a chain of three\nsos 1\nvariables 3\ncliques 2\ntables 1\nunary\n0 5\n1 2\n4 0\ntable 2\n0 2 2 0\n"
          "clique 0 0 1\nclique 0 1 2\n" },
        { SOS_FORMAT_AUTO,
          "sos 2\nvariables 3\ncliques 1\ntables 1\nconcaves 1\nfixed 1\nconstant -2.5\nunary\n0 5\n1e-3 2\n4 0\n"
          "table 2 0 1 1 0\nclique 0 0.5 0 1\nconcave 3 0 1 2 0 1 1 0\nfix 2 1\n" },
        { SOS_FORMAT_SOS, "sos 3\nvariables 3\ncliques 0\ntables 0\nconcaves 1\nfixed 0\nunary\n0 0\n0 0\n1 1\n"
                          "concave 3 2 0 1 2 0 1 1 0\n" },
        { SOS_FORMAT_SOS, "sos 4\nvariables 3\ncliques 0\ntables 0\nconcaves 3\nfixed 0\nunary\n0 0\n0 0\n1 1\n"
                          "pieces 3 3 1 0 1 2 0 1.5 3 0 1 0\nconcave 1 2 0 0 1\n"
                          "amounts 3 3 0.5 0 2 1 1 0 2.5 0 2 3.5 0 1 1\n" },
        { SOS_FORMAT_UAI, "MARKOV\n2\n2 2\n2\n1 0\n2 0 1\n\n2\n0.5 0.25\n\n4\n1 0.5 0.5 1\n" },
        { SOS_FORMAT_UAI_ENERGIES, "MARKOV\n2\n2 2\n2\n1 0\n2 0 1\n2\n0 1\n4\n0 1 1 0\n" },
        { SOS_FORMAT_DIMACS, "c small\np max 4 5\nn 1 s\nn 4 t\na 1 2 3\na 1 3 2\na 2 3 1\na 2 4 2\na 3 4 3\n" },
        { SOS_FORMAT_MULTI,
          "sosmulti 1\nlabels 3\nvariables 2\ncliques 1\ntables 1\ncounts 2\nconstant 1\nunary\n0 1 2\n2 1 0\n"
          "tables 2 0 1 1 0 0 1 1 0 0 1 1 0\nclique 0 0.5 0 1\ncounts 2 1 0 1 0 1 0 0 1 0 0 1 0\n"
          "robust 2 1 1 0 3 0 1 2 1 2 1\n" },
        { SOS_FORMAT_MULTI, "sosmulti 2\nlabels 2\nvariables 2\ncliques 0\ntables 0\ncounts 2\nunary\n0 1\n2 1\n"
                            "pieces 2 2 1 0 1 0 2 0 1 1 0\namounts 2 3 2 0 1 1.5 0.5 0 1 2 0 1 1 0 0 0\n" },
    };
    const size_t count = sizeof texts / sizeof *texts;
    if (i < 2 * count && i >= count) return binary_seed((uint8_t)texts[i - count].format, texts[i - count].text, out);
    if (i >= count) return false;
    *out = fuzz_text((uint8_t)texts[i].format, texts[i].text);
    return true;
}
