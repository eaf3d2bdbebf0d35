#include "learn/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* The exponent of a sum without terms, or with zeros only. */
static const int64_t NONE = -100000;

/* The exponent of a sum with a term that is no finite number. */
static const int64_t BEYOND = 100000;

static const double DIGIT = 0x1p32;

static void exponent_note(sos_sums *s, size_t j, double x)
{
    int e;
    if (x == 0) return;
    (void)frexp(x, &e);
    const int64_t exponent = isfinite(x) ? e : BEYOND;
    if (exponent > s->exponent[j]) s->exponent[j] = exponent;
}

/* y is in (-1, 1); each digit has the sign of y, and what is left behind it is exact. */
static void digits_add(sos_sums *s, size_t j, double x)
{
    double y = x * s->scale[j] * s->shift[j];
    int64_t *digit = s->digits + 3 * j;
    for (int i = 0; i < 3; i++) {
        y *= DIGIT;
        const int64_t whole = (int64_t)y;
        digit[i] += whole;
        y -= (double)whole;
    }
}

void sos_sums_term(sos_sums *s, size_t j, double x)
{
    if (!s->adding)
        exponent_note(s, j, x);
    else if (x != 0)
        digits_add(s, j, x);
}

void sos_sums_terms(sos_sums *s, size_t j, size_t count, const double x[])
{
    for (size_t i = 0; i < count; i++) sos_sums_term(s, j + i, x[i]);
}

/* 2^-E is beyond doubles where E is near their ends: two factors are not. */
static void scales_set(sos_sums *s)
{
    for (size_t j = 0; j < s->count; j++) {
        const int e = s->exponent[j] == NONE ? 0 : (int)s->exponent[j];
        s->scale[j] = ldexp(1, -(e / 2));
        s->shift[j] = ldexp(1, -(e - e / 2));
    }
}

/* Digits with a carry, so that the upper one has the sign and the others are in [0, 2^32). */
static double value_of(const sos_sums *s, size_t j)
{
    if (s->exponent[j] == NONE) return 0;
    int64_t digit[3];
    memcpy(digit, s->digits + 3 * j, sizeof digit);
    for (int i = 2; i > 0; i--) {
        const int64_t low = digit[i] & INT64_C(0xffffffff), carry = (digit[i] - low) / (INT64_C(1) << 32);
        digit[i] = low;
        digit[i - 1] += carry;
    }
    const double lower = ldexp((double)digit[1], -64) + ldexp((double)digit[2], -96);
    return ldexp(ldexp((double)digit[0], -32) + lower, (int)s->exponent[j]);
}

static sos_status sums_run(sos_share *c, sos_sums *s, sos_sums_list *list, const void *from, double out[], sos_error *error)
{
    for (size_t j = 0; j < s->count; j++) s->exponent[j] = NONE;
    list(from, s);
    sos_status status = sos_share_max(c, s->count, s->exponent, error);
    if (status) return status;
    for (size_t j = 0; j < s->count; j++)
        if (s->exponent[j] == BEYOND)
            return sos_fail(error, SOS_ERR_ARGUMENT,
                            "what examples cost is beyond all numbers: features or weights are too large");
    scales_set(s);
    s->adding = true;
    list(from, s);
    status = sos_share_sum(c, 3 * s->count, s->digits, error);
    for (size_t j = 0; !status && j < s->count; j++) out[j] = value_of(s, j);
    return status;
}

sos_status sos_sums_take(sos_share *c, size_t count, sos_sums_list *list, const void *from, double out[], sos_error *error)
{
    sos_sums s = { .count = count };
    const size_t room = count ? count : 1;
    s.exponent = malloc(room * sizeof *s.exponent);
    s.scale = malloc(room * sizeof *s.scale);
    s.shift = malloc(room * sizeof *s.shift);
    s.digits = calloc(3 * room, sizeof *s.digits);
    sos_status status = s.exponent && s.scale && s.shift && s.digits
                            ? SOS_OK
                            : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu sums", count);
    status = sos_share_agree(c, status, error);
    if (!status) status = sums_run(c, &s, list, from, out, error);
    free(s.exponent);
    free(s.scale);
    free(s.shift);
    free(s.digits);
    return status;
}
