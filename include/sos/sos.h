/* sos.h - all of libsos. */
#ifndef SOS_SOS_H
#define SOS_SOS_H

#include <sos/communicator.h>
#include <sos/energy.h>
#include <sos/expand.h>
#include <sos/format.h>
#include <sos/hinge.h>
#include <sos/learn.h>
#include <sos/marginals.h>
#include <sos/minimize.h>
#include <sos/model.h>
#include <sos/multi_energy.h>
#include <sos/problem.h>
#include <sos/relax.h>
#include <sos/status.h>
#include <sos/work.h>

#endif
