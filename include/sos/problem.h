/* problem.h - learning problems in text files: groups of weights, and examples of any kind (docs/formats.md, "Problem files").
 *
 *     sos_problem_read("train.txt", NULL, &model, &count, &examples, &error);
 *     sos_train(model, count, examples, NULL, NULL, &error);
 *     sos_problem_free(count, examples); */
#ifndef SOS_PROBLEM_H
#define SOS_PROBLEM_H

#include <stdio.h>

#include <sos/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a problem file.  *examples receives an array of *count examples, which the caller frees with sos_problem_free; *model
 * receives a new model with the groups that the file declares and weights 0, which the caller frees with sos_model_free.  model
 * may be NULL if expected is not.
 *
 * expected, if not NULL, is the model that the examples are for, such as a trained one: the file must declare the same labels
 * and groups in the same order, otherwise it is refused.
 *
 * Errors name file, line and example. */
SOS_MUST_USE SOS_API sos_status sos_problem_read(const char *path, const sos_model *expected, sos_model **model, size_t *count,
                                                 sos_example ***examples, sos_error *error);

/* The same from memory; name stands for the path in messages. */
SOS_MUST_USE SOS_API sos_status sos_problem_parse(const char *text, size_t length, const char *name, const sos_model *expected,
                                                  sos_model **model, size_t *count, sos_example ***examples, sos_error *error);

/* Writes a problem: the groups of the model, and examples made for them.  Examples that are read back have the same Psi, losses
 * and energies, bit for bit.  Names of groups must be words of up to 100 plain characters, otherwise SOS_ERR_ARGUMENT.  Files
 * are written to a temporary file and renamed.  In memory, *text, which the caller frees with free(), has *length bytes and a
 * terminating zero. */
SOS_MUST_USE SOS_API sos_status sos_problem_write(const sos_model *m, size_t count, sos_example *const examples[],
                                                  const char *path, sos_error *error);
SOS_MUST_USE SOS_API sos_status sos_problem_write_memory(const sos_model *m, size_t count, sos_example *const examples[],
                                                         char **text, size_t *length, sos_error *error);

/* Frees the examples and their array.  NULL is allowed. */
SOS_API void sos_problem_free(size_t count, sos_example **examples);

#ifdef __cplusplus
}
#endif

#endif
