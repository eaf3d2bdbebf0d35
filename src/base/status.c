/* status.c - the public functions of base/, compiled into libsos only. */
#include <sos/status.h>

#include <string.h>

#include "base/cpu.h"

#if defined(SOS_PROJECT_NUMBER)
_Static_assert(SOS_VERSION_NUMBER == SOS_PROJECT_NUMBER, "include/sos/status.h and CMakeLists.txt name different versions");
#endif

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

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
const char *sos_version(void)
{
    return TEXT(SOS_VERSION_MAJOR) "." TEXT(SOS_VERSION_MINOR) "." TEXT(SOS_VERSION_PATCH) SOS_VERSION_SUFFIX;
}

static bool has_openmp(void)
{
#if defined(_OPENMP)
    return true;
#else
    return false;
#endif
}

static bool has_models(void) { return true; }

static bool has_checks(void)
{
#if defined(SOS_CHECKS)
    return true;
#else
    return false;
#endif
}

static const struct {
    const char *name;
    bool (*is_there)(void);
} FEATURES[] = { { "openmp", has_openmp }, { "models", has_models }, { "avx2", sos_cpu_runs_avx2 }, { "checks", has_checks } };

enum { FEATURE_COUNT = sizeof FEATURES / sizeof *FEATURES };

bool sos_has(const char *feature)
{
    for (size_t i = 0; i < FEATURE_COUNT; i++)
        if (!strcmp(feature, FEATURES[i].name)) return FEATURES[i].is_there();
    return false;
}

const char *sos_feature(size_t number) { return number < FEATURE_COUNT ? FEATURES[number].name : NULL; }
