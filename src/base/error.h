/* error.h - filling a sos_error. */
#ifndef SOS_BASE_ERROR_H
#define SOS_BASE_ERROR_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

/* Fills error, if not NULL, and returns status, so that a failing function ends with: return sos_fail(...). */
sos_status sos_fail(sos_error *error, sos_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* SOS_ERR_ARGUMENT where the room to grow of a public struct is not zero (status.h); name is the struct's. */
#define sos_reserved_check(name, s, error)                                                                                     \
    sos_zeros_check((name), sizeof(s)->reserved / sizeof *(s)->reserved, (s)->reserved, (error))
sos_status sos_zeros_check(const char *name, size_t count, const uint64_t reserved[], sos_error *error);

/* What the caller of a function without a status must see to: asserted in builds with SOS_CHECKS only. */
#if defined(SOS_CHECKS)
#define sos_expects(condition) assert(condition)
#else
#define sos_expects(condition) ((void)0)
#endif

/* Text of others within a message: on one line, without what a terminal would act on. */
const char *sos_harmless(const char *text, size_t room, char out[]);

#endif
