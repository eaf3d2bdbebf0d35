/* format.c - reading and writing energies: choice of the format, files, streams and memory. */
#include "energy/format.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/path.h"

/* A scanner of a text, behind the mark that some editors put in front of UTF-8. */
static sos_scanner scanner_of(const char *text, size_t length, const char *name, sos_error *error)
{
    sos_scanner s = { text, text, text + length, text, 0, name ? name : "text", true, error };
    if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) s.at += 3;
    return s;
}

/* Takes the first word.  A '#' line can only come before "sos", "sosmulti" or "MARKOV". */
static sos_format first_word(sos_scanner *s)
{
    sos_scan_next(s);
    if (sos_scan_is(s, "sos")) return SOS_FORMAT_SOS;
    if (sos_scan_is(s, "sosmulti")) return SOS_FORMAT_MULTI;
    if (sos_scan_is(s, "MARKOV")) return SOS_FORMAT_UAI;
    return sos_scan_is(s, "p") || (s->length && s->token[0] == 'c') ? SOS_FORMAT_DIMACS : SOS_FORMAT_AUTO;
}

sos_format sos_format_recognise(const char *text, size_t length)
{
    if (sos_format_is_binary(text, length)) return SOS_FORMAT_BINARY;
    sos_scanner s = scanner_of(text, length, NULL, NULL);
    return first_word(&s);
}

/* ---------------------------------------------------------------- reading */

sos_status sos_energy_parse(const char *text, size_t length, const char *name, sos_format format, sos_energy **out,
                            sos_error *error)
{
    if (!text || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no text or no place for the energy was given");
    if (format == SOS_FORMAT_BINARY || (format == SOS_FORMAT_AUTO && sos_format_is_binary(text, length)))
        return sos_format_binary_read(text, length, name ? name : "bytes", out, error);
    sos_scanner s = scanner_of(text, length, name, error), begin = s;
    const sos_format found = first_word(&s);
    if (format == SOS_FORMAT_AUTO) format = found;
    switch (format) {
    case SOS_FORMAT_SOS: return sos_format_sos_read(&begin, out);
    case SOS_FORMAT_UAI: return sos_format_uai_read(&begin, false, out);
    case SOS_FORMAT_UAI_ENERGIES: return sos_format_uai_read(&begin, true, out);
    case SOS_FORMAT_DIMACS: return sos_format_dimacs_read(&begin, out);
    case SOS_FORMAT_AUTO: return sos_scan_expected(&s, "'sos', 'MARKOV' or a DIMACS 'p' or 'c' line");
    case SOS_FORMAT_MULTI: return sos_scan_fail(&s, SOS_ERR_FORMAT, "an energy with several labels; one with two was expected");
    case SOS_FORMAT_BINARY: break;
    }
    return sos_fail(error, SOS_ERR_ARGUMENT, "there is no format number %d", (int)format);
}

static sos_status multi_format_check(sos_format format, sos_error *error)
{
    if (format == SOS_FORMAT_AUTO || format == SOS_FORMAT_MULTI) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "format number %d cannot hold energies with several labels", (int)format);
}

sos_status sos_multi_energy_parse(const char *text, size_t length, const char *name, sos_format format, sos_multi_energy **out,
                                  sos_error *error)
{
    if (!text || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no text or no place for the energy was given");
    const sos_status status = multi_format_check(format, error);
    if (status) return status;
    sos_scanner s = scanner_of(text, length, name, error), begin = s;
    const sos_format found = first_word(&s);
    if (found != SOS_FORMAT_AUTO && found != SOS_FORMAT_MULTI)
        return sos_scan_fail(&s, SOS_ERR_FORMAT, "an energy with two labels; one with several, 'sosmulti', was expected");
    return sos_format_multi_read(&begin, out);
}

sos_status sos_energy_read(const char *path, sos_format format, sos_energy **out, sos_error *error)
{
    if (!path || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no path or no place for the energy was given");
    char *text = NULL;
    size_t length = 0;
    sos_status status = sos_file_read(path, SOS_CONTENT_MARKED, &text, &length, error);
    if (status) return status;
    status = sos_energy_parse(text, length, path, format, out, error);
    free(text);
    return status;
}

sos_status sos_multi_energy_read(const char *path, sos_format format, sos_multi_energy **out, sos_error *error)
{
    if (!path || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no path or no place for the energy was given");
    char *text = NULL;
    size_t length = 0;
    sos_status status = sos_file_read(path, SOS_CONTENT_TEXT, &text, &length, error);
    if (status) return status;
    status = sos_multi_energy_parse(text, length, path, format, out, error);
    free(text);
    return status;
}

/* ---------------------------------------------------------------- writing */

/* Writes an energy of either kind to o. */
typedef sos_status writer(const void *e, sos_format format, sos_output *o);

static sos_status write_energy(const void *e, sos_format format, sos_output *o)
{
    switch (format) {
    case SOS_FORMAT_AUTO:
    case SOS_FORMAT_SOS: return sos_format_sos_write(e, o);
    case SOS_FORMAT_UAI: return sos_format_uai_write(e, false, o);
    case SOS_FORMAT_UAI_ENERGIES: return sos_format_uai_write(e, true, o);
    case SOS_FORMAT_DIMACS: return sos_format_dimacs_write(e, o);
    case SOS_FORMAT_BINARY: return sos_format_binary_write(e, o);
    case SOS_FORMAT_MULTI: return sos_fail(o->error, SOS_ERR_ARGUMENT, "the energy has two labels; the format is for several");
    }
    return sos_fail(o->error, SOS_ERR_ARGUMENT, "there is no format number %d", (int)format);
}

static sos_status write_multi(const void *e, sos_format format, sos_output *o)
{
    const sos_status status = multi_format_check(format, o->error);
    return status ? status : sos_format_multi_write(e, o);
}

static sos_status write_path(const void *e, const char *path, sos_format format, writer *write, sos_error *error)
{
    if (!e || !path) return sos_fail(error, SOS_ERR_ARGUMENT, "no energy or no path was given");
    sos_output o;
    sos_status status = sos_output_open(&o, path, error);
    if (status) return status;
    status = write(e, format, &o);
    if (!status) return sos_output_commit(&o);
    sos_output_abandon(&o);
    return status;
}

static sos_status write_memory(const void *e, sos_format format, writer *write, char **text, size_t *length, sos_error *error)
{
    if (!e || !text || !length) return sos_fail(error, SOS_ERR_ARGUMENT, "no energy or no place for the text was given");
    sos_output o;
    sos_status status = sos_output_open_memory(&o, error);
    if (status) return status;
    status = write(e, format, &o);
    if (!status) return sos_output_take(&o, text, length);
    sos_output_abandon(&o);
    return status;
}

static sos_status format_of_path(const char *path, sos_format *format, sos_error *error)
{
    if (sos_path_ends(path, ".sos"))
        *format = SOS_FORMAT_SOS;
    else if (sos_path_ends(path, ".sosb"))
        *format = SOS_FORMAT_BINARY;
    else if (sos_path_ends(path, ".uai"))
        *format = SOS_FORMAT_UAI;
    else if (sos_path_ends(path, ".max"))
        *format = SOS_FORMAT_DIMACS;
    else
        return sos_fail(error, SOS_ERR_ARGUMENT,
                        "'%.200s' has none of the extensions .sos, .sosb, .uai and .max: specify the format", path);
    return SOS_OK;
}

sos_status sos_energy_write(const sos_energy *e, const char *path, sos_format format, sos_error *error)
{
    const sos_status status = path && format == SOS_FORMAT_AUTO ? format_of_path(path, &format, error) : SOS_OK;
    return status ? status : write_path(e, path, format, write_energy, error);
}

sos_status sos_energy_write_stream(const sos_energy *e, FILE *file, sos_format format, sos_error *error)
{
    if (!e) return sos_fail(error, SOS_ERR_ARGUMENT, "no energy was given");
    sos_output o;
    sos_status status = sos_output_borrow(&o, file, error);
    if (!status) status = write_energy(e, format, &o);
    return status ? status : sos_output_commit(&o);
}

sos_status sos_energy_write_memory(const sos_energy *e, sos_format format, char **text, size_t *length, sos_error *error)
{
    return write_memory(e, format, write_energy, text, length, error);
}

sos_status sos_multi_energy_write(const sos_multi_energy *e, const char *path, sos_format format, sos_error *error)
{
    return write_path(e, path, format, write_multi, error);
}

sos_status sos_multi_energy_write_memory(const sos_multi_energy *e, sos_format format, char **text, size_t *length,
                                         sos_error *error)
{
    return write_memory(e, format, write_multi, text, length, error);
}
