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
