#include "base/threads.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

/* OpenMP ends the program where the system has no room for so many. */
enum { MOST = 256, MOST_OF_CORE = 4 };

int sos_thread_count(int threads)
{
#if defined(_OPENMP)
    const int cores = omp_get_num_procs(), most = MOST_OF_CORE * cores > MOST ? MOST_OF_CORE * cores : MOST;
    return threads <= 0 ? cores : threads < most ? threads : most;
#else
    (void)threads;
    return 1;
#endif
}

int sos_thread_team(int threads)
{
#if defined(_OPENMP)
    if (omp_in_parallel()) return 1;
#endif
    return sos_thread_count(threads);
}

int sos_thread_number(void)
{
#if defined(_OPENMP)
    return omp_get_thread_num();
#else
    return 0;
#endif
}

void sos_failure_note(sos_failure *f, size_t number, sos_status status, const sos_error *why)
{
    if (!status) return;
#pragma omp critical(sos_failure_note)
    if (!f->error.status || number < f->number) {
        f->number = number;
        f->error = *why;
        f->error.status = status;
    }
}

sos_status sos_failure_status(const sos_failure *f, const char *piece, sos_error *error)
{
    if (!f->error.status) return SOS_OK;
    return sos_fail(error, f->error.status, "%s %zu: %.460s", piece, f->number, f->error.message);
}

bool sos_shared_go_on(void *user, const char *phase, double done)
{
    sos_shared_progress *p = user;
#pragma omp critical(sos_shared_go_on)
    if (!atomic_load(&p->stopped) && !p->progress(p->user, phase, done)) atomic_store(&p->stopped, true);
    return !atomic_load(&p->stopped);
}
