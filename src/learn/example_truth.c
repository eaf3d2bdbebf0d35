/* example_truth.c - the true labels, and what errors cost. */
#include "learn/example.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "energy/submodular.h"

sos_status sos_example_set_truth(sos_example *x, const uint8_t labels[], const uint8_t care[], sos_error *error)
{
    if (!labels) return sos_fail(error, SOS_ERR_ARGUMENT, "no labels were given");
    for (size_t i = 0; i < x->n; i++)
        if (labels[i] >= x->layout->labels)
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu has label %u, but there are %zu", i, (unsigned)labels[i],
                            x->layout->labels);
    uint8_t *truth = NULL, *mask = NULL, *reference = NULL;
    if (!sos_copy_array(&truth, labels, x->n, 1) || !sos_copy_array(&mask, care, x->n, 1) ||
        !sos_copy_array(&reference, x->fixed ? labels : NULL, x->n, 1)) {
        free(truth);
        free(mask);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the true labels");
    }
    free(x->truth);
    free(x->care);
    free(x->reference);
    x->reference = reference;
    if (reference) sos_example_keep_fixed(x, reference);
    free(x->class_loss);
    free(x->loss);
    x->truth = truth;
    x->care = mask;
    x->class_loss = x->loss = NULL;
    for (size_t t = 0; t < x->energy->table_count; t++) /* losses of cliques were against the old truth */
        if (x->uses[t].delta) memset(x->uses[t].delta, 0, sizeof(double) << x->energy->tables[t].k);
    return SOS_OK;
}

static bool counts(const sos_example *x, size_t i) { return !x->care || x->care[i]; }

sos_status sos_example_truth_check(const sos_example *x, sos_error *error)
{
    return x->truth ? SOS_OK : sos_fail(error, SOS_ERR_ARGUMENT, "the example has no true labels yet");
}

sos_status sos_example_lesson_check(const sos_example *x, sos_error *error)
{
    const sos_status status = sos_example_truth_check(x, error);
    if (status || !x->fixed) return status;
    for (size_t i = 0; i < x->n; i++)
        if (counts(x, i) && x->reference[i] != x->truth[i])
            return sos_fail(
                error, SOS_ERR_ARGUMENT,
                "variable %zu is fixed to %u, but its true label is %u, and it counts; nothing can be learned there", i,
                (unsigned)x->fixed[i], (unsigned)x->truth[i]);
    return SOS_OK;
}

sos_status sos_example_set_class_loss(sos_example *x, const double weight[], sos_error *error)
{
    const sos_status status = sos_example_truth_check(x, error);
    if (status) return status;
    if (!weight) return sos_fail(error, SOS_ERR_ARGUMENT, "no weights were given");
    for (size_t l = 0; l < x->layout->labels; l++)
        if (!(weight[l] >= 0 && isfinite(weight[l])))
            return sos_fail(error, SOS_ERR_ARGUMENT, "errors on label %zu cost %g; it must be finite and not negative", l,
                            weight[l]);
    double *copy;
    if (!sos_copy_array(&copy, weight, x->layout->labels, sizeof *weight))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a loss");
    free(x->class_loss);
    free(x->loss);
    x->class_loss = copy;
    x->loss = NULL;
    return SOS_OK;
}

sos_status sos_example_set_loss(sos_example *x, const double loss[], sos_error *error)
{
    const sos_status status = sos_example_truth_check(x, error);
    if (status) return status;
    if (!loss) return sos_fail(error, SOS_ERR_ARGUMENT, "no losses were given");
    const size_t labels = x->layout->labels;
    for (size_t i = 0; i < x->n * labels; i++) {
        const bool is_true = i % labels == x->truth[i / labels];
        if (!(loss[i] >= 0 && isfinite(loss[i])) || (is_true && loss[i] != 0))
            return sos_fail(error, SOS_ERR_ARGUMENT,
                            "variable %zu labelled %zu costs %g; losses are finite, not negative, and 0 "
                            "for the true label",
                            i / labels, i % labels, loss[i]);
    }
    double *copy;
    if (!sos_copy_array(&copy, loss, x->n * labels, sizeof *loss))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a loss");
    free(x->loss);
    x->loss = copy;
    return SOS_OK;
}

static sos_status clique_loss_check(const sos_example *x, size_t k, const uint32_t variables[], const double delta[],
                                    sos_error *error)
{
    const sos_status status = sos_example_truth_check(x, error);
    if (status) return status;
    if (x->layout->labels != 2) return sos_fail(error, SOS_ERR_ARGUMENT, "clique losses are for two labels");
    if (k < 1 || k > SOS_TABLE_MEMBERS_MAX || !variables || !delta)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a clique loss of %zu members; it takes 1 to %d, and their costs", k,
                        SOS_TABLE_MEMBERS_MAX);
    size_t S = 0;
    for (size_t q = 0; q < k; q++) {
        if (variables[q] >= x->n)
            return sos_fail(error, SOS_ERR_ARGUMENT, "a clique loss has variable %u, but there are %zu", (unsigned)variables[q],
                            x->n);
        S |= (size_t)x->truth[variables[q]] << q;
    }
    for (size_t T = 0; T < (size_t)1 << k; T++)
        if (!(delta[T] >= 0) || (T == S && delta[T] != 0))
            return sos_fail(error, SOS_ERR_ARGUMENT, "a clique loss is %g at %zu; it is not negative, and 0 at the true %zu",
                            delta[T], T, S);
    return SOS_OK;
}

sos_status sos_example_add_clique_loss(sos_example *x, size_t k, const uint32_t variables[], const double delta[],
                                       sos_error *error)
{
    sos_status status = clique_loss_check(x, k, variables, delta, error);
    if (status) return status;
    const size_t entries = (size_t)1 << k;
    double *copy = malloc(entries * sizeof *copy);
    if (!copy) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique loss");
    for (size_t S = 0; S < entries; S++) copy[S] = -delta[S];
    sos_error why;
    uint32_t table;
    status = sos_table_check(k, copy, &why);
    if (status)
        sos_fail(error, status, "the loss would make energies lose their submodularity: %.400s", why.message);
    else {
        /* Checked already, so that only memory can be short: a table without cliques does no harm. */
        for (size_t S = 0; S < entries; S++) copy[S] = delta[S];
        status = sos_example_new_table(x, k, NULL, (sos_table_use){ SOS_NO_TABLE, 0, copy }, &table, error);
        if (!status) {
            copy = NULL; /* the table owns it now */
            status = sos_energy_add_cliques(x->energy, table, 1, variables, NULL, error);
        }
    }
    free(copy);
    if (!status) x->clique_losses = true;
    return status;
}

double sos_example_loss_of(const sos_example *x, size_t i, size_t l)
{
    if (!counts(x, i)) return 0;
    if (x->loss) return x->loss[i * x->layout->labels + l];
    if (l == x->truth[i]) return 0;
    return (x->class_loss ? x->class_loss[x->truth[i]] : 1) / (double)x->n;
}

double sos_example_loss(const sos_example *x, const uint8_t labels[])
{
    if (!x->truth) return 0;
    double total = 0;
    size_t wrong = 0;
    if (!x->loss && !x->class_loss) {
        for (size_t i = 0; i < x->n; i++) wrong += counts(x, i) && labels[i] != x->truth[i];
        total = (double)wrong / (double)x->n;
    } else {
        for (size_t i = 0; i < x->n; i++) total += sos_example_loss_of(x, i, labels[i]);
    }
    for (size_t k = 1; x->clique_losses && k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_pool *pool = &x->energy->pools[k];
        for (size_t c = 0; c < pool->count; c++) {
            const double *delta = x->uses[pool->tables[c]].delta;
            if (delta) total += delta[sos_members_on(k, pool->variables + c * k, labels, 1)];
        }
    }
    return total;
}
