/* format.h - what the readers and writers of energy files share. */
#ifndef SOS_ENERGY_FORMAT_H
#define SOS_ENERGY_FORMAT_H

#include <sos/format.h>

#include "base/output.h"
#include "base/scan.h"

sos_status sos_format_sos_read(sos_scanner *s, sos_energy **out);
sos_status sos_format_uai_read(sos_scanner *s, bool energies, sos_energy **out);
sos_status sos_format_dimacs_read(sos_scanner *s, sos_energy **out);

/* Each checks first whether the format can hold e, then writes all of it to o. */
sos_status sos_format_sos_write(const sos_energy *e, sos_output *o);
sos_status sos_format_uai_write(const sos_energy *e, bool energies, sos_output *o);
sos_status sos_format_dimacs_write(const sos_energy *e, sos_output *o);

#endif
