"""Work beside the display."""

import gc
import threading
import weakref
from functools import partial

import pytest

from wheatstone.viewer.display.frames.worker import Cancelled, Task, Worker


def test_jobs_run_in_turn_in_the_background() -> None:
    worker, order = Worker(), []
    threads = set()

    def job(number: int, task: Task[int]) -> int:
        threads.add(threading.current_thread())
        order.append(number)
        return number * number

    tasks = [worker.submit("square", partial(job, n)) for n in range(5)]
    assert [task.result(5) for task in tasks] == [0, 1, 4, 9, 16]
    assert order == list(range(5))
    assert len(threads) == 1 and threading.current_thread() not in threads
    worker.close()


def test_a_job_tells_how_far_it_is_and_can_be_ended() -> None:
    worker, text, go_on = Worker(), threading.Event(), threading.Event()

    def job(task: Task[None]) -> None:
        task.report(0.5, "half of it")
        text.set()
        go_on.wait(5)
        task.report(0.75, "never said")

    first, second = worker.submit("first", job), worker.submit("second", job)
    assert text.wait(5)
    assert (first.progress, first.step, first.done) == (0.5, "half of it", False)
    first.cancel()
    second.cancel()
    go_on.set()
    for task in (first, second):
        with pytest.raises(Cancelled):
            task.result(5)
    assert second.step == ""  # it never began
    worker.close()


def test_what_a_job_raises_reaches_who_asks() -> None:
    worker = Worker()

    def job(task: Task[None]) -> None:
        raise ValueError("no such image")

    task = worker.submit("fail", job)
    with pytest.raises(ValueError, match="no such image"):
        task.result(5)
    worker.close()


def test_closing_ends_what_runs_and_what_waits() -> None:
    worker, began = Worker(), threading.Event()

    def job(task: Task[None]) -> None:
        began.set()
        while True:
            task.report(0.1)

    tasks = [worker.submit("endless", job) for _ in range(2)]
    assert began.wait(5)
    worker.close()
    assert [task.done and task.cancelled for task in tasks] == [True, True]
    with pytest.raises(RuntimeError):
        worker.submit("late", job)


def test_the_job_that_runs_can_be_asked_after() -> None:
    worker, began, go_on = Worker(), threading.Event(), threading.Event()
    assert worker.running is None

    def job(task: Task[None]) -> None:
        began.set()
        go_on.wait(5)

    first, second = worker.submit("first", job), worker.submit("second", job)
    assert began.wait(5) and worker.running is first
    assert not second.wait(0.01)
    go_on.set()
    assert first.wait(5) and second.wait(5)
    worker.close()
    assert worker.running is None


class Large:
    """Something that shall not outlive its job."""


@pytest.mark.parametrize("fails", [False, True])
def test_what_a_job_held_goes_with_it(fails: bool) -> None:
    worker = Worker()
    held: list[weakref.ref[Large]] = []

    def job(given: Large, task: Task[Large]) -> Large:
        made = Large()
        held.extend(weakref.ref(each) for each in (given, made))
        if fails:
            raise ValueError
        return made

    gc.disable()  # the arrays of a frame must not wait for it
    try:
        task = worker.submit("hold", partial(job, Large()))
        assert task.wait(5)
        if fails:
            assert [each() for each in held] == [None, None]
        else:
            assert held[0]() is None and task.result() is held[1]()
        del task
        worker.submit("wait", lambda task: None).result(5)
        assert [each() for each in held] == [None, None]
    finally:
        gc.enable()
    worker.close()
