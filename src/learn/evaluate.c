/* evaluate.c - how well a model predicts examples. */
#include <sos/learn.h>

#include <stdlib.h>

#include "base/error.h"
#include "base/threads.h"
#include "learn/example_oracle.h"
#include "learn/sums.h"

/* The losses of the examples that this process has. */
static sos_status own_losses(const sos_model *m, size_t count, sos_example *const examples[], uint8_t *const labels[],
                             int threads, double loss[], size_t *failed, sos_error *error)
{
    sos_failure failure = { 0 };
    const int workers = sos_thread_count(threads);
    (void)workers;
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
    for (size_t i = 0; i < count; i++) {
        if (!examples[i]) continue;
        sos_error mine = { SOS_OK, "" };
        const sos_status one = sos_model_predict(m, examples[i], NULL, labels[i], NULL, &mine);
        if (!one) loss[i] = sos_example_loss(examples[i], labels[i]);
        sos_failure_note(&failure, i, one, &mine);
    }
    *failed = failure.number;
    return sos_failure_status(&failure, "example", error);
}

typedef struct losses_of {
    size_t count;
    const double *loss;
} losses_of;

static void losses_list(const void *from, sos_sums *s)
{
    const losses_of *l = from;
    for (size_t i = 0; i < l->count; i++) sos_sums_term(s, 0, l->loss[i]);
}

sos_status sos_examples_evaluate(sos_share *share, const sos_model *m, size_t count, sos_example *const examples[], int threads,
                                 double losses[], double *mean, sos_error *error)
{
    sos_status status = sos_examples_check(share, m, count, examples, SOS_EXAMPLES_PREDICT, error);
    if (status) return status;
    uint8_t **labels = sos_label_arrays_create(count, examples);
    double *loss = calloc(count ? count : 1, sizeof *loss), sum = 0;
    size_t failed = 0;
    status = labels && loss ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
    if (!status) status = own_losses(m, count, examples, labels, threads, loss, &failed, error);
    status = sos_share_agree_by(share, failed, status, error);
    const losses_of all = { count, loss };
    if (!status) status = sos_sums_take(share, 1, losses_list, &all, &sum, error);
    for (size_t i = 0; !status && losses && i < count; i++) losses[i] = loss[i];
    if (!status && mean) *mean = count ? sum / (double)count : 0;
    free(loss);
    sos_label_arrays_free(count, labels);
    return status;
}

sos_status sos_evaluate(const sos_model *m, size_t count, sos_example *const examples[], const sos_work *work, double losses[],
                        double *mean, sos_error *error)
{
    const sos_work w = work ? *work : (sos_work){ 0 };
    sos_share share;
    sos_status status = sos_reserved_check("sos_work", &w, error);
    if (!status) status = sos_share_join(&share, w.communicator, error);
    return status ? status : sos_examples_evaluate(&share, m, count, examples, w.threads, losses, mean, error);
}
