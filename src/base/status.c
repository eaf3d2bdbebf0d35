/* status.c - the public part of base/, which is in libsos alone. */
#include <sos/status.h>

const char *sos_status_name(sos_status status)
{
    switch (status) {
    case SOS_OK: return "ok";
    case SOS_ERR_ARGUMENT: return "bad argument";
    case SOS_ERR_NOT_SUBMODULAR: return "not submodular";
    case SOS_ERR_RANGE: return "out of range";
    case SOS_ERR_MEMORY: return "out of memory";
    case SOS_ERR_FORMAT: return "bad file content";
    case SOS_ERR_IO: return "input/output error";
    case SOS_CANCELLED: return "cancelled";
    }
    return "unknown status";
}

const char *sos_version(void) { return SOS_VERSION; }
