#include <stdlib.h>

#include <s3svm/task.h>

static void examples_free(size_t count, sos_example **examples)
{
    for (size_t i = 0; examples && i < count; i++) sos_example_free(examples[i]);
    free(examples);
}

void sos_lesson_free(sos_lesson *l)
{
    sos_model_free(l->model);
    examples_free(l->count, l->examples);
    examples_free(l->validation_count, l->validation);
    if (l->rest_free) l->rest_free(l->rest);
    *l = (sos_lesson){ 0 };
}
