/* pieces.c - concave functions of an amount, linear between knots: values, checks, what rounding does to slopes. */
#include "energy/pieces.h"

#include "base/exact.h"
#include "energy/submodular.h"

/* The knot that ends the piece an amount lies on: the first one whose place is not below, or the last. */
static size_t knot_behind(const sos_count_function *f, double amount)
{
    size_t low = 1, high = f->knots - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (f->place[middle] < amount)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double sos_count_value(const sos_count_function *f, double amount)
{
    if (!f->place) return f->value[(size_t)amount];
    const size_t j = knot_behind(f, amount);
    if (amount == f->place[j]) return f->value[j];
    return f->value[j - 1] + (amount - f->place[j - 1]) * sos_count_slope(f, j);
}

/* Sums of amounts depend on their order; shares of them are rounded once more. */
static const double PLACE_TOLERANCE = 0x1p-40;

sos_status sos_count_places_check(const sos_count_function *f, double total, bool exactly, sos_error *error)
{
    if (f->knots < 2) return sos_fail(error, SOS_ERR_ARGUMENT, "a count function has %zu knots; it needs at least 2", f->knots);
    if (f->place[0] != 0) return sos_fail(error, SOS_ERR_ARGUMENT, "knot 0 is at %g; it must be at 0", f->place[0]);
    for (size_t j = 1; j < f->knots; j++)
        if (!(f->place[j] > f->place[j - 1]) || !isfinite(f->place[j]))
            return sos_fail(error, SOS_ERR_ARGUMENT, "knot %zu is at %g, after knot %zu at %g: places must increase", j,
                            f->place[j], j - 1, f->place[j - 1]);
    const double last = f->place[f->knots - 1];
    if (!(fabs(last - total) <= (exactly ? 0 : PLACE_TOLERANCE * total)))
        return sos_fail(error, SOS_ERR_ARGUMENT, "the last knot is at %.17g, but the amounts add up to %.17g", last, total);
    return SOS_OK;
}

sos_status sos_count_values_check(const sos_count_function *f, sos_error *error)
{
    double largest;
    const sos_status status = sos_costs_check(f->knots, f->value, f->place ? "value at knot" : "cost of count", &largest,
                                              error);
    if (status) return status;
    for (size_t j = 1; j + 1 < f->knots; j++) {
        const double before = sos_count_slope(f, j), behind = sos_count_slope(f, j + 1);
        const double amount = (behind - before) * sos_count_gap(f, j);
        if (!isfinite(before) || !isfinite(behind) || !isfinite(amount))
            return sos_fail(error, SOS_ERR_RANGE, "the slope at knot %zu is not a number", j);
        if (amount <= sos_violation_tolerance(largest)) continue;
        if (f->place)
            return sos_fail(error, SOS_ERR_NOT_SUBMODULAR,
                            "count function is not concave: at knot %zu its slope rises from %g to %g", j, before, behind);
        return sos_fail(error, SOS_ERR_NOT_SUBMODULAR,
                        "count function is not concave: at m = %zu, 2 g(m) is less than g(m-1) + g(m+1) by %g", j, amount);
    }
    return isfinite(sos_count_slope(f, 1)) ? SOS_OK : sos_fail(error, SOS_ERR_RANGE, "the slope at knot 0 is not a number");
}

/* q = n / d stands for (n + x) / (d + y): it is off by (q d - n + q y - x) / (d + y). */
double sos_count_slope_off(const sos_count_function *f, size_t j)
{
    const double n = f->value[j] - f->value[j - 1], n_off = sos_difference_off(f->value[j], f->value[j - 1]);
    if (!f->place) return n_off;
    const double d = f->place[j] - f->place[j - 1], d_off = sos_difference_off(f->place[j], f->place[j - 1]), q = n / d;
    double off = fabs(fma(q, d, -n)) + fabs(q) * d_off + n_off;
    if (n != 0 && fabs(n) < 0x1p-900) off += DBL_TRUE_MIN; /* the remainder may be too small for a double */
    return off > 0 ? sos_rounded_up(off / (d - d_off)) + DBL_TRUE_MIN : 0;
}

double sos_count_hull_add(size_t *knots, double place[], double value[], double at, double cost)
{
    double raised = 0;
    size_t n = *knots;
    while (n >= 2) {
        const double before = (value[n - 1] - value[n - 2]) / (place[n - 1] - place[n - 2]);
        const double behind = (cost - value[n - 1]) / (at - place[n - 1]);
        if (before > behind) break;
        const double chord = value[n - 2] + (place[n - 1] - place[n - 2]) * ((cost - value[n - 2]) / (at - place[n - 2]));
        raised = fmax(raised, chord - value[n - 1]);
        n--;
    }
    place[n] = at;
    value[n] = cost;
    *knots = n + 1;
    return raised;
}
