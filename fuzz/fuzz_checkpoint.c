/* fuzz_checkpoint.c - any bytes as the checkpoint of a small training: it goes on from there or says what is wrong.  The first
 * byte says whether the hash at the end is put right first, since no chance would. */
#include <stdio.h>
#include <string.h>

#include <sos/sos.h>

#include "base/hash.h"
#include "fuzz.h"

static const char PROBLEM[] =
    "sosproblem 1\nlabels 2\ngroup reading free 2\ngroup agree table 3 anchored swap\nexample 3\ntruth 0 0 1\n"
    "features reading\nfeature 0 0 1 1 0.1\nfeature 1 0 1 1 0.6\nfeature 2 0 1 1 0.4\nclique agree 1 0 1 2\nexample 3\n"
    "truth 1 1 0\nfeatures reading\nfeature 0 0 1 1 0.9\nfeature 1 0 1 1 0.8\nclique agree 0.5 0 1 2\nend\n";

/* Trains for a few rounds, from the checkpoint if there is one. */
static sos_status train(const char *path, double C, size_t rounds, sos_error *error)
{
    sos_model *m = NULL;
    sos_example **examples = NULL;
    size_t count = 0;
    sos_status status = sos_problem_parse(PROBLEM, sizeof PROBLEM - 1, "problem", NULL, &m, &count, &examples, error);
    fuzz_check(!status);
    sos_train_settings s = sos_train_defaults();
    s.C = C;
    s.rounds = rounds;
    s.gap = 1e-9;
    s.work.threads = 1;
    s.checkpoint = path;
    s.checkpoint_seconds = 0;
    sos_train_result result;
    status = sos_train(m, count, examples, &s, &result, error);
    if (status == SOS_OK) {
        const double *w = sos_model_weights(m);
        for (size_t i = 0; i < sos_model_weight_count(m); i++) fuzz_check(w[i] - w[i] == 0); /* finite */
    }
    sos_problem_free(count, examples);
    sos_model_free(m);
    return status;
}

static void hash_repair(uint8_t *data, size_t size)
{
    uint64_t hash;
    if (size < sizeof hash) return;
    hash = sos_hash(SOS_HASH_START, data, size - sizeof hash);
    memcpy(data + size - sizeof hash, &hash, sizeof hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    const char *path = fuzz_path(".state");
    uint8_t *copy = fuzz_copy(data + 1, size - 1);
    if (data[0] & 1) hash_repair(copy, size - 1);
    fuzz_file_write(path, copy, size - 1);
    sos_error error = { SOS_OK, "" };
    if (train(path, 10, 6, &error))
        fuzz_check(error.message[0]);
    else
        fuzz_accepted++;
    remove(path);
    free(copy);
    return 0;
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
    if (i == 4) return false;
    const char *path = fuzz_path(".state");
    sos_error error;
    remove(path);
    fuzz_check(!train(path, 10, 1 + 2 * (i / 2), &error));
    const fuzz_bytes state = fuzz_file_read(path);
    remove(path);
    *out = fuzz_input((uint8_t)(i % 2), state.data, state.size);
    free(state.data);
    return true;
}
