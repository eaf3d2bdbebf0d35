"""What happens while calls run: threads, progress, interruption; and what is left when they are done."""

import _thread
import gc
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import s3svm
from support import generator


def hard_energy(side=300):
    """An energy that takes seconds: a strong square root of the count, which leaves nothing to decide at once."""
    rng = generator(20)
    noisy = rng.random((side, side))
    return s3svm.Energy.grid((noisy, 1 - noisy), table=lambda p: 2.0 * np.sqrt(p.sum() * (4 - p.sum())))


def test_ctrl_c_raises_while_minimising():
    e = hard_energy(700)
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(200):  # however quick the machine is
            s3svm.minimize(e)
    assert time.monotonic() - began < 5
    timer.join()
    assert s3svm.minimize(s3svm.Energy(3)).energy == 0  # and the library works as before
    e.set_unary(0, 1, 2)  # the energy is nobody's


def test_a_real_signal_stops_a_batch():
    energies = [hard_energy(300)] * 200
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        s3svm.minimize_batch(energies)
    timer.join()


def test_progress_is_called_and_can_cancel():
    e = hard_energy(200)
    calls = []
    s3svm.minimize(e, progress=lambda phase, done: calls.append((phase, done)))
    assert calls and calls[0][0] == "minimise" and calls[0][1] == -1
    with pytest.raises(s3svm.Cancelled):
        s3svm.minimize(e, progress=lambda phase, done: False)
    with pytest.raises(ZeroDivisionError):
        s3svm.minimize(e, progress=lambda phase, done: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        s3svm.minimize_batch([e] * 4, n_jobs=2, progress=lambda phase, done: 1 / 0)
    with pytest.raises(s3svm.Cancelled):
        s3svm.minimize_batch([e] * 4, n_jobs=2, progress=lambda phase, done: False)


def test_a_callback_may_use_the_library():
    e = hard_energy(150)
    seen = []
    s3svm.minimize(e, progress=lambda phase, done: seen.append(s3svm.minimize(np.array([[0.0, 1]])).energy))
    assert seen and set(seen) == {0.0}


def test_a_bar_is_a_line(capsys):
    s3svm.minimize(hard_energy(150), progress=True)
    err = capsys.readouterr().err
    assert err.startswith("\rminimise: ") and err.endswith("\n")


def test_bars_know_how_far_they_are(capsys):
    from s3svm._progress import Bar

    bar = Bar()
    bar("reading", 0.5)
    bar.close()
    assert "#" * 15 + "." * 15 in capsys.readouterr().err


def test_other_threads_run_meanwhile():
    e = hard_energy(300)
    ticks = []
    done = threading.Event()

    def minimise():
        s3svm.minimize(e)
        done.set()

    thread = threading.Thread(target=minimise)
    thread.start()
    while not done.is_set() and len(ticks) < 100000:
        ticks.append(time.monotonic())
        time.sleep(0.0005)
    thread.join()
    assert len(ticks) > 20 and np.median(np.diff(ticks)) < 0.05


def test_threads_may_minimise_one_energy_and_none_may_change_it():
    e = hard_energy(250)
    results, errors = [], []
    started = threading.Event()

    def minimise():
        results.append(s3svm.minimize(e, progress=lambda phase, done: started.set()))

    threads = [threading.Thread(target=minimise) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert started.wait(30)
    while any(thread.is_alive() for thread in threads) and not errors:
        try:
            e.set_unary(0, *e.unaries[0, 0])  # the same costs, so that answers stay alike
        except RuntimeError as error:
            errors.append(str(error))
    for thread in threads:
        thread.join()
    assert errors and "another thread" in errors[0]
    assert all(np.array_equal(r.labels, results[0].labels) for r in results)


def test_a_minimizer_is_for_one_thread_at_a_time():
    e = hard_energy(250)
    minimizer = s3svm.Minimizer(e)
    started = threading.Event()
    thread = threading.Thread(target=lambda: minimizer.run(progress=lambda phase, done: started.set()))
    thread.start()
    assert started.wait(30)
    try:
        minimizer.run(warm=False)
        assert not thread.is_alive()
    except RuntimeError as error:
        assert "another thread" in str(error)
    thread.join()


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


CALLS = int(os.environ.get("S3SVM_TEST_CALLS", "100000"))


@pytest.mark.skipif(os.environ.get("SANITIZED") == "1", reason="sanitizers keep freed memory for a while")
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc")
def test_many_calls_keep_memory_steady():
    unary = generator(21).normal(size=(6, 2))
    pairs = s3svm.grid_pairs((6,))
    table = np.array([0.0, 1, 1, 0])

    def once(i):
        e = s3svm.Energy(6)
        e.set_unaries(unary)
        e.add_cliques(table, pairs)
        e.add_concave([0, 1, 2], [0, 1, 1, 0])
        if i % 4 == 0:
            try:
                e.add_cliques(-table, pairs)
            except s3svm.NotSubmodularError:
                pass
        if i % 8 == 0:
            s3svm.minimize_batch([e, e], n_jobs=1)
            s3svm.Minimizer(e).run()
            e.concave(0), e.clique(0), e.table(0), e.unaries, e.fixed, e.copy(), e.to_bytes(), repr(e)
        return s3svm.minimize(e)

    for i in range(2000):
        once(i)
    gc.collect()
    before = resident()
    for i in range(CALLS):
        once(i)
    gc.collect()
    assert resident() - before < 4 << 20  # 40 bytes a call would pass it


def test_reference_counts_stay():
    unary = np.zeros((4, 2))
    cost = np.zeros(4)
    e = s3svm.Energy(4)
    callback = lambda phase, done: None  # noqa: E731

    def counts():
        return [sys.getrefcount(x) for x in (unary, cost, e, e._handle, callback, None)]

    before = counts()
    for _ in range(50):
        s3svm.minimize(unary)
        e.set_unaries(cost, cost)
        e.minimize(progress=callback)
        s3svm.minimize_batch([e, e], progress=callback)
        for wrong in (lambda: e.set_unaries(cost, np.zeros(3)), lambda: e.add_pairs([[0, 9]]), lambda: e.table(3)):
            with pytest.raises((ValueError, IndexError)):
                wrong()
    after = counts()
    assert before[:5] == after[:5] and abs(before[5] - after[5]) < 40
