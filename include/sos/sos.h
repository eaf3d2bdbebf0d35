/* sos.h - all of libsos. */
#ifndef SOS_SOS_H
#define SOS_SOS_H

#include <sos/energy.h>
#include <sos/format.h>
#include <sos/minimize.h>
#include <sos/status.h>

#endif
