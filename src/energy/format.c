/* format.c - reading and writing energies: which format, and the bytes of the file. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "energy/format.h"
#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The format by the first word.  A '#' line can only come before "sos" or "MARKOV". */
static sos_status format_detect(sos_scanner s, sos_format *format)
{
    s.comments = true;
    sos_scan_next(&s);
    if (sos_scan_is(&s, "sos"))
        *format = SOS_FORMAT_SOS;
    else if (sos_scan_is(&s, "MARKOV"))
        *format = SOS_FORMAT_UAI;
    else if (sos_scan_is(&s, "p") || (s.length && s.token[0] == 'c'))
        *format = SOS_FORMAT_DIMACS;
    else
        return sos_scan_expected(&s, "'sos', 'MARKOV' or a DIMACS 'p' or 'c' line");
    return SOS_OK;
}

sos_status sos_energy_parse(const char *text, size_t length, const char *name, sos_format format, sos_energy **out,
                            sos_error *error)
{
    if (!text || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no text or no place for the energy was given");
    sos_scanner s = { text, text, text + length, text, 0, name ? name : "text", true, error };
    if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) s.at += 3; /* the mark some editors put in front of UTF-8 */
    if (format == SOS_FORMAT_AUTO) {
        const sos_status status = format_detect(s, &format);
        if (status) return status;
    }
    switch (format) {
    case SOS_FORMAT_SOS: return sos_format_sos_read(&s, out);
    case SOS_FORMAT_UAI: return sos_format_uai_read(&s, false, out);
    case SOS_FORMAT_UAI_ENERGIES: return sos_format_uai_read(&s, true, out);
    case SOS_FORMAT_DIMACS: return sos_format_dimacs_read(&s, out);
    case SOS_FORMAT_AUTO: break;
    }
    return sos_fail(error, SOS_ERR_ARGUMENT, "there is no format number %d", (int)format);
}

sos_status sos_energy_read(const char *path, sos_format format, sos_energy **out, sos_error *error)
{
    if (!path || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no path or no place for the energy was given");
    char *text = NULL;
    size_t length = 0;
    sos_status status = sos_file_read(path, SOS_CONTENT_TEXT, &text, &length, error);
    if (status) return status;
    status = sos_energy_parse(text, length, path, format, out, error);
    free(text);
    return status;
}

static bool ends_with(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return length > tail && !strcmp(path + length - tail, ending);
}

static sos_status format_of_path(const char *path, sos_format *format, sos_error *error)
{
    if (ends_with(path, ".sos"))
        *format = SOS_FORMAT_SOS;
    else if (ends_with(path, ".uai"))
        *format = SOS_FORMAT_UAI;
    else if (ends_with(path, ".max"))
        *format = SOS_FORMAT_DIMACS;
    else
        return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' does not end in .sos, .uai or .max: say which format to write",
                        path);
    return SOS_OK;
}

static sos_status write_as(const sos_energy *e, sos_format format, sos_output *o)
{
    switch (format) {
    case SOS_FORMAT_SOS: return sos_format_sos_write(e, o);
    case SOS_FORMAT_UAI: return sos_format_uai_write(e, false, o);
    case SOS_FORMAT_UAI_ENERGIES: return sos_format_uai_write(e, true, o);
    case SOS_FORMAT_DIMACS: return sos_format_dimacs_write(e, o);
    case SOS_FORMAT_AUTO: break;
    }
    return sos_fail(o->error, SOS_ERR_ARGUMENT, "there is no format number %d", (int)format);
}

sos_status sos_energy_write(const sos_energy *e, const char *path, sos_format format, sos_error *error)
{
    if (!e || !path) return sos_fail(error, SOS_ERR_ARGUMENT, "no energy or no path was given");
    sos_status status = format == SOS_FORMAT_AUTO ? format_of_path(path, &format, error) : SOS_OK;
    if (status) return status;
    sos_output o;
    status = sos_output_open(&o, path, error);
    if (status) return status;
    status = write_as(e, format, &o);
    if (!status) return sos_output_commit(&o);
    sos_output_abandon(&o);
    return status;
}
