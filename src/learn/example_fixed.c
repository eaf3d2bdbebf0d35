/* example_fixed.c - variables that have their labels already. */
#include "learn/example.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool is_label(const sos_example *x, int label)
{
    return label == SOS_LABEL_FREE || (label >= 0 && (size_t)label < x->layout->labels);
}

void sos_example_keep_fixed(const sos_example *x, uint8_t labels[])
{
    for (size_t i = 0; x->fixed && i < x->n; i++)
        if (x->fixed[i] != SOS_LABEL_FREE) labels[i] = x->fixed[i];
}

/* The arrays that fixing needs; all variables are free at first. */
static sos_status take_arrays(sos_example *x, sos_error *error)
{
    if (x->fixed) return SOS_OK;
    uint8_t *fixed = malloc(x->n), *reference = NULL;
    if (!fixed || !sos_copy_array(&reference, x->truth, x->n, 1)) {
        free(fixed);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory to fix variables");
    }
    memset(fixed, SOS_LABEL_FREE, x->n);
    x->fixed = fixed;
    x->reference = reference;
    return SOS_OK;
}

/* With two labels the energy knows it too. */
static sos_status fix(sos_example *x, size_t i, uint8_t label, sos_error *error)
{
    if (x->layout->labels == 2) {
        const sos_status status = sos_energy_fix(x->energy, i, label == SOS_LABEL_FREE ? SOS_FREE : label, error);
        if (status) return status;
    }
    x->fixed[i] = label;
    if (x->reference) x->reference[i] = label == SOS_LABEL_FREE ? x->truth[i] : label;
    return SOS_OK;
}

sos_status sos_example_fix(sos_example *x, size_t i, int label, sos_error *error)
{
    if (!x) return sos_fail(error, SOS_ERR_ARGUMENT, "no example was given");
    if (i >= x->n) return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu, but there are %zu", i, x->n);
    if (!is_label(x, label))
        return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu fixed to %d, but there are %zu labels", i, label,
                        x->layout->labels);
    if (label == SOS_LABEL_FREE && !x->fixed) return SOS_OK;
    const sos_status status = take_arrays(x, error);
    return status ? status : fix(x, i, (uint8_t)label, error);
}

/* Only the first variable that is fixed can fail, for want of memory; freeing all needs none. */
sos_status sos_example_fix_all(sos_example *x, const uint8_t labels[], sos_error *error)
{
    if (!x) return sos_fail(error, SOS_ERR_ARGUMENT, "no example was given");
    for (size_t i = 0; labels && i < x->n; i++)
        if (!is_label(x, labels[i]))
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu fixed to %u, but there are %zu labels", i,
                            (unsigned)labels[i], x->layout->labels);
    if (!labels && !x->fixed) return SOS_OK;
    sos_status status = take_arrays(x, error);
    for (size_t i = 0; !status && i < x->n; i++) status = fix(x, i, labels ? labels[i] : SOS_LABEL_FREE, error);
    return status;
}
