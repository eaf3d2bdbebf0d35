/* fuzz_problem.c - any text as a learning problem: read or refused.  A problem that is read is written, and reads back as what
 * writes the same bytes. */
#include <string.h>

#include <sos/sos.h>

#include "fuzz.h"

typedef struct problem {
    sos_model *model;
    size_t count;
    sos_example **examples;
} problem;

static void problem_free(problem *p)
{
    sos_problem_free(p->count, p->examples);
    sos_model_free(p->model);
}

/* False: refused. */
static bool problem_parse(const char *text, size_t length, problem *p, sos_error *error)
{
    *p = (problem){ 0 };
    return !sos_problem_parse(text, length, "input", NULL, &p->model, &p->count, &p->examples, error);
}

static void problem_write(const problem *p, char **text, size_t *length)
{
    sos_error error;
    fuzz_check(!sos_problem_write_memory(p->model, p->count, p->examples, text, length, &error));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_copy(data, size), *first = NULL, *second = NULL;
    size_t first_length = 0, second_length = 0;
    problem p, again;
    sos_error error;
    if (problem_parse(text, size, &p, &error)) {
        fuzz_accepted++;
        problem_write(&p, &first, &first_length);
        fuzz_check(problem_parse(first, first_length, &again, &error));
        problem_write(&again, &second, &second_length);
        fuzz_check(first_length == second_length && !memcmp(first, second, first_length));
        problem_free(&again);
    } else {
        fuzz_check(strstr(error.message, "input") && !p.model && !p.examples);
    }
    problem_free(&p);
    free(text);
    free(first);
    free(second);
    return 0;
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
    static const char *const texts[] = {
        "sosproblem 1\nlabels 3\ngroup a count 3 0 0.25 1 anchored strengths 2\ngroup b table 2 strengths 2 anchored\n"
        "example 3\ncount a 3 0 1 2 1 0.5 amounts 1 0 2\ncount a 2 2 0\nclique b 1 0.5 0 1\nend\n",
        "sosproblem 1\nlabels 2\ngroup a table 2 classes - 1 1 0\ngroup b table 3 reversal stiffness 2\n"
        "group c table 3 counted anchored\nexample 3\nclique a 1 0 1\nclique b 1 0 1 2\nclique c 2 0 1 2\nend\n",
        "sosproblem 1\nlabels 2\ngroup reading free 2\ngroup agree table 3 anchored swap\nexample 3\ntruth 0 0 1?\n"
        "features reading\nfeature 0 0 1 1 0.1\nfeature 1 0 1 1 0.6\nfeature 2 0 1 1 0.4\nclique agree 1 0 1 2\nexample 3\n"
        "truth 1 1 1\nfeatures reading\nfeature 0 0 1 1 0.9\nfeature 2 0 1 1 0.4\nclique agree 0.5 0 1 2\nend\n",
        "# pairs\nsosproblem 1\nlabels 2\ngroup a free 1\ngroup p nonnegative 2\nexample 2\ntruth 1 0\nclass-loss 2 1\nscale "
        "0.5\n"
        "features a\nfeature 0 0 -1e-3\npair p 0 1 0.5 2\nclique-loss 2 0 1 0.1 0 0 0.1\nfix 1 0\nend\n",
        "sosproblem 1\nlabels 3\ngroup a free 1\ngroup p nonnegative 1\ngroup t table 4 patch 2 2\nexample 4\ntruth 0 1 2 ?\n"
        "loss 0 1 1 1 0 1 1 1 0 0 0 0\nfeatures a\nfeature 3 0 7\ncosts p 0 1 2 0 1 2 0 1 2 0 1 2\nregion p 0.25 3 0 1 2 0.5\n"
        "clique t 1 0 1 2 3\nexample 4\nend\n",
    };
    if (i == sizeof texts / sizeof *texts) return false;
    *out = (fuzz_bytes){ fuzz_copy(texts[i], strlen(texts[i])), strlen(texts[i]) };
    return true;
}
