/* evaluate.c - how well a model predicts examples. */
#include <sos/learn.h>

#include <stdlib.h>

#include "base/threads.h"
#include "learn/example_oracle.h"

sos_status sos_evaluate(const sos_model *m, size_t count, sos_example *const examples[], int threads, double losses[],
                        double *mean, sos_error *error)
{
    sos_status status = sos_examples_check(m, count, examples, SOS_EXAMPLES_PREDICT, error);
    if (status) return status;
    uint8_t **labels = sos_label_arrays_create(count, examples);
    double *loss = calloc(count ? count : 1, sizeof *loss);
    if (!labels || !loss) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
    sos_failure failure = { 0 };
    const int workers = sos_thread_count(threads);
    (void)workers;
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
    for (size_t i = 0; i < (status ? 0 : count); i++) {
        sos_error mine = { SOS_OK, "" };
        const sos_status one = sos_model_predict(m, examples[i], NULL, labels[i], NULL, &mine);
        if (!one) loss[i] = sos_example_loss(examples[i], labels[i]);
        sos_failure_note(&failure, i, one, &mine);
    }
    if (!status) status = sos_failure_status(&failure, "example", error);
    double sum = 0;
    for (size_t i = 0; !status && i < count; i++) {
        sum += loss[i];
        if (losses) losses[i] = loss[i];
    }
    if (!status && mean) *mean = count ? sum / (double)count : 0;
    free(loss);
    sos_label_arrays_free(count, labels);
    return status;
}
