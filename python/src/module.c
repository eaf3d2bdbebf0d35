/* module.c - the extension module _s3svm. */
#include "binding.h"

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_s3svm",
    .m_doc = "libsos and libs3svm, as the package s3svm uses them.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit__s3svm(void);

PyMODINIT_FUNC PyInit__s3svm(void)
{
    PyMethodDef *const parts[] = { failure_methods, energy_methods,  minimize_methods, multi_energy_methods,
                                   model_methods,   example_methods, train_methods,    picture_methods,
                                   task_methods,    lesson_methods,  segment_methods,  hinge_methods };
    PyObject *module = PyModule_Create(&definition);
    for (size_t i = 0; module && i < sizeof parts / sizeof *parts; i++)
        if (PyModule_AddFunctions(module, parts[i])) Py_CLEAR(module);
    return module;
}
