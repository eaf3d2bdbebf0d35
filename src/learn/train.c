/* train.c - training for one C: by an oracle of one's own, or on examples. */
#include "learn/trainer.h"

#include <string.h>

#include "learn/example_oracle.h"

sos_status sos_train_status(const sos_train_result *r, sos_error *error)
{
    if (r->outcome != SOS_TRAIN_STOPPED) return SOS_OK;
    return sos_fail(error, SOS_CANCELLED, "training was stopped in round %zu of C = %g", r->last.round, r->last.C);
}

sos_status sos_train_with(sos_model *m, sos_share *share, const sos_oracle *oracle, sos_recaller recaller, uint64_t data,
                          const sos_train_settings *settings, sos_train_result *result, sos_error *error)
{
    sos_trainer t;
    sos_train_result r = { 0 };
    sos_status status = sos_trainer_create(&t, share, m->layout, oracle, recaller, data, settings, error);
    if (status) return status;
    status = sos_trainer_begin(&t, &r.resumed, error);
    if (!status && !r.resumed) sos_trainer_next_C(&t, t.settings.C);
    if (!status && r.resumed && t.master.C != t.settings.C)
        status = sos_fail(error, SOS_ERR_ARGUMENT, "the checkpoint is of C = %g, not %g", t.master.C, t.settings.C);
    if (!status) status = sos_trainer_run(&t, &r, error);
    if (!status) memcpy(m->weights, t.best.weights, m->layout->weights * sizeof *m->weights);
    if (!status && result) *result = r;
    sos_trainer_free(&t);
    return status ? status : sos_train_status(&r, error);
}

sos_status sos_train_oracle(sos_model *m, const sos_oracle *oracle, const sos_train_settings *settings,
                            sos_train_result *result, sos_error *error)
{
    if (!m || !oracle || !oracle->violate) return sos_fail(error, SOS_ERR_ARGUMENT, "no model or no oracle was given");
    sos_share share;
    const sos_status status = sos_share_join(&share, settings ? settings->work.communicator : NULL, error);
    return status ? status : sos_train_with(m, &share, oracle, (sos_recaller){ 0 }, 0, settings, result, error);
}

sos_status sos_train(sos_model *m, size_t count, sos_example *const examples[], const sos_train_settings *settings,
                     sos_train_result *result, sos_error *error)
{
    const sos_train_settings s = settings ? *settings : sos_train_defaults();
    sos_share share;
    sos_status status = sos_share_join(&share, s.work.communicator, error);
    if (!status) status = sos_examples_check(&share, m, count, examples, SOS_EXAMPLES_LEARN, error);
    if (status) return status;
    sos_example_oracle o;
    status = sos_example_oracle_create(&o, &share, count, examples, &s, error);
    if (status) return status;
    const sos_oracle oracle = sos_example_oracle_interface(&o);
    status = sos_train_with(m, &share, &oracle, sos_example_oracle_recaller(&o, m), o.hash, &s, result, error);
    sos_example_oracle_free(&o);
    return status;
}
