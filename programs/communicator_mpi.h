/* communicator_mpi.h - the communicator by MPI, in a plug-in: s3svm itself links no MPI, and loads this only where it was
 * started as one of several processes.  The same source is compiled for each MPI that the build finds. */
#ifndef S3SVM_COMMUNICATOR_MPI_H
#define S3SVM_COMMUNICATOR_MPI_H

#include <sos/communicator.h>

/* The names by which the plug-in is asked. */
#define S3SVM_MPI_OPEN  "s3svm_mpi_open"
#define S3SVM_MPI_CLOSE "s3svm_mpi_close"

/* Starts MPI and fills *out. */
typedef sos_status s3svm_mpi_opener(sos_communicator *out, sos_error *error);
/* Ends it: all ranks must come here.  Where an operation failed before, it ends all processes of the job at once, with this
 * code: others may wait for ever. */
typedef void s3svm_mpi_closer(int code);

#endif
