/* plugin.h - parts of the command that are loaded when they are needed: an MPI, the experiments. */
#ifndef S3SVM_PLUGIN_H
#define S3SVM_PLUGIN_H

#include <stdbool.h>

enum { PLUGIN_PATH = 4096 };

/* The file of a part, s3svm-NAME.so: beside the command, as in a folder of builds, or where it is installed. */
bool plugin_find(const char *name, char path[PLUGIN_PATH]);

/* Puts what a loaded part calls so, a function or an object, into the pointer at out; false: there is none. */
bool plugin_symbol(void *plugin, const char *name, void *out);

#endif
