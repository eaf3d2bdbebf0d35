#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

sos_status sos_fail(sos_error *error, sos_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

sos_status sos_zeros_check(const char *name, size_t count, const uint64_t reserved[], sos_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (reserved[i])
            return sos_fail(error, SOS_ERR_ARGUMENT,
                            "%s.reserved is not zero: the struct was not set to { 0 }, or was made for a newer version", name);
    return SOS_OK;
}

const char *sos_harmless(const char *text, size_t room, char out[])
{
    size_t n = 0;
    for (; n < room - 1 && text[n]; n++) out[n] = text[n] >= ' ' && text[n] < 127 ? text[n] : '?';
    out[n] = '\0';
    return out;
}
