#include "tasks/lesson_from.h"

#include <string.h>

#include "base/error.h"

sos_status sos_lesson_from_agrees(const char *option, const char *given, const char *has, sos_error *error)
{
    if (!given || !strcmp(given, has)) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "%s %s: the model of --from says %s, and keeps to it", option, given, has);
}

sos_status sos_lesson_from_maps(const sos_model *from, sos_maps_options *maps, sos_error *error)
{
    sos_own_maps own;
    sos_status status = sos_own_maps_read(from, &own, error);
    if (status) return status;
    if (maps->alone) status = sos_fail(error, SOS_ERR_ARGUMENT, "--maps-alone: the model of --from has its features");
    if (!status && maps->kind != SOS_MAPS_NONE)
        status = sos_lesson_from_agrees("--maps", sos_maps_kind_name((sos_maps_kind)maps->kind), sos_maps_kind_name(own.kind),
                                        error);
    maps->kind = (int)own.kind;
    sos_own_maps_free(&own);
    return status;
}
