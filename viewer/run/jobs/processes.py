"""Run jobs in processes of this machine; a process that dies is replaced.

On Linux, processes are forks of one that has imported what they need, and has neither threads nor
used a GPU: imports, which take longer than a hundred small pairs, are done once, and early.
Every process has its own pipe. One of its threads receives jobs while another job is computed, so
that the process never waits for the next, and ends the process when the parent process is gone.
Processes may share a service, such as a device, which has a process of its own.
"""

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from multiprocessing.resource_tracker import ensure_running
from queue import SimpleQueue
from selectors import EVENT_READ, DefaultSelector
from typing import Any, Generic, Protocol

from wheatstone.gpu import MEMORY_SHARERS, Unavailable
from wheatstone.gpu.host import limit_cores
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.run.jobs.workers import FinishedJob, Job, Result

TRIES = 2  # processes that may die with a job until it is given up
AHEAD = 8  # jobs that a process has at most: the one it computes, and the next ones
STARTS = 3  # processes in a row that may die before they are ready
DIED = f"the process that computed it died {TRIES} times"
NEW: BaseContext = multiprocessing.get_context("spawn")  # a fork may not use CUDA, nor has threads
FORKS = sys.platform == "linux"
WORKER = multiprocessing.get_context("forkserver") if FORKS else NEW


@dataclass
class _Attempt(Generic[Job]):
    """An attempt to compute a job, with the number of processes that died during this job.

    Attributes:
        continues: whether the process that has the job before it also gets this one.
    """

    job: Job
    continues: bool = False
    deaths: int = 0


@dataclass(frozen=True)
class _Outcome:
    """The outcome of a job in a process: a result, or the exception that was raised."""

    result: Any
    error: BaseException | None = None


class Service(Protocol):
    """A service for worker processes, such as computing on a device, in its own process.

    It is sent pickled.
    """

    def __call__(self) -> None:
        """Serve the worker processes until this process is killed."""
        ...

    def connect(self) -> None:
        """Make the calling worker process use the service, which may still be starting."""
        ...


@dataclass(eq=False)
class _ServiceProcess:
    """The process in which a service runs.

    Attributes:
        pipe: ends with the process that has the other end.
    """

    service: Service
    process: BaseProcess
    pipe: "Connection[Any, Any]"


@dataclass(eq=False)
class _PoolProcess(Generic[Job]):
    """A worker process of a pool, with the jobs that it was given.

    Attributes:
        service: what it uses; None: nothing.
        given: its jobs; the first one is being computed.
        next: jobs that continue them, and are given next.
        ready: whether it can compute; until then it has no job.
    """

    process: BaseProcess
    pipe: "Connection[Any, Any]"
    service: Service | None = None
    given: deque[_Attempt[Job]] = field(default_factory=deque)
    next: deque[_Attempt[Job]] = field(default_factory=deque)
    ready: bool = False


def by_processes(
    jobs: Sequence[Job],
    work: Callable[[Job], Result],
    processes: int,
    services: Sequence[Service] = (),
    beginnings: Container[int] | None = None,
) -> Iterator[FinishedJob[Job, Result]]:
    """Run jobs in several processes, and yield each outcome; a process that dies is replaced.

    The job of a process that dies is tried once more.

    Args:
        work: a function of a module, imported by its name; an error that it raises ends all jobs.
        services: each has a process of its own, and its share of the workers.
        beginnings: the places of the jobs that any process may have; the jobs after each, up to
            the next beginning, go to the same process. None: all of them.

    Raises:
        Unavailable: processes die before they can compute anything.
    """
    pool: ProcessPool[Job, Result] = ProcessPool(jobs, work, processes, services, beginnings)
    try:
        yield from pool.results()
    finally:
        pool.end()


def import_ahead(modules: Sequence[str]) -> None:
    """Begin to import modules, in the background, for all processes that are started later.

    Without effect where processes are not forks, or if some have been started before.
    """
    if FORKS:
        multiprocessing.set_forkserver_preload(list(modules))
        with held_interruptions():
            forkserver.ensure_running()


class ProcessPool(Generic[Job, Result]):
    """A pool of processes of this machine that run jobs.

    Args:
        work: a function of a module.
        services, beginnings: as for ``by_processes``.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        work: Callable[[Job], Result],
        processes: int,
        services: Sequence[Service] = (),
        beginnings: Container[int] | None = None,
    ) -> None:
        self._work, self._count = work, processes
        self._waiting = deque(
            _Attempt(job, beginnings is not None and place not in beginnings)
            for place, job in enumerate(jobs)
        )
        self._processes: dict[Any, _PoolProcess[Job]] = {}  # by their pipes
        self._pipes = DefaultSelector()
        self._failed_starts = self._failed_services = 0
        ensure_running()  # which lets Ctrl+C through, so it has to come before the first process
        self._services: dict[Any, _ServiceProcess] = {}  # by their pipes
        for service in services:
            self._serve(service)

    def results(self) -> Iterator[FinishedJob[Job, Result]]:
        """Run all jobs, and yield each outcome as soon as its job is done."""
        while unfinished := self._unfinished:
            while len(self._processes) < min(self._count, unfinished):
                self._start()
            for key, _ in self._pipes.select():
                if key.fileobj in self._services:
                    self._serve_again(self._services.pop(key.fileobj))
                else:
                    yield from self._receive_message(self._processes[key.fileobj])

    def end(self) -> None:
        """Kill all processes, including those that compute; their results are no longer needed."""
        every: list[_PoolProcess[Job] | _ServiceProcess] = [*self._all, *self._services.values()]
        for each in every:
            each.process.kill()  # SIGTERM may be ignored, which processes inherit
        for each in every:
            each.process.join()
            each.pipe.close()
        self._pipes.close()
        self._processes.clear()
        self._services.clear()

    @property
    def _unfinished(self) -> int:
        return len(self._waiting) + sum(len(one.given) + len(one.next) for one in self._all)

    @property
    def _all(self) -> list[_PoolProcess[Job]]:
        return [*self._processes.values()]

    def _start(self) -> None:
        used = Counter(each.service for each in self._all)
        services = [each.service for each in self._services.values()]
        service = min(services, key=lambda each: used[each], default=None)
        facts = dict(os.environ), self._count, service
        process, pipe = self._begun(WORKER, _compute, self._work, *facts)
        self._processes[pipe] = _PoolProcess(process, pipe, service)

    def _serve(self, service: Service) -> None:
        process, pipe = self._begun(NEW, _serve, service)
        self._services[pipe] = _ServiceProcess(service, process, pipe)

    def _begun(
        self, context: BaseContext, target: Callable[..., None], *arguments: Any
    ) -> tuple[BaseProcess, "Connection[Any, Any]"]:
        """Start a process with one end of a new pipe; return the process and the other end."""
        ours, theirs = context.Pipe()
        process: BaseProcess = context.Process(  # type: ignore[attr-defined]
            target=target, args=(theirs, *arguments), daemon=True
        )
        with held_interruptions():
            process.start()
        theirs.close()  # so that the pipe ends with the process
        self._pipes.register(ours, EVENT_READ)
        return process, ours

    def _serve_again(self, ended: _ServiceProcess) -> None:
        """Restart a service, such as a device process, after its process has ended.

        Raises:
            Unavailable: too many ended without a job being finished between them.
        """
        how = self._ending(ended)
        self._failed_services += 1
        if self._failed_services == STARTS:
            raise Unavailable(f"{STARTS} processes that compute on the device ended ({how})")
        say(f"device process {ended.process.pid} ended ({how}); a new one takes its place")
        self._serve(ended.service)

    def _receive_message(self, one: _PoolProcess[Job]) -> Iterator[FinishedJob[Job, Result]]:
        """Handle a message or the death of a process, and send more jobs to the process.

        Yields the outcome of the finished job.
        """
        try:
            outcome: _Outcome | None = one.pipe.recv()
        except (EOFError, OSError):
            yield from self._take_back(one)
            return
        if outcome is None:
            one.ready, self._failed_starts = True, 0
            self._give(one)
        elif outcome.error:
            raise outcome.error
        else:
            job, self._failed_services = one.given.popleft().job, 0
            self._give(one)  # first: whoever takes the result may keep us waiting
            yield FinishedJob(job, outcome.result)

    def _give(self, one: _PoolProcess[Job]) -> None:
        """Send jobs to a process, several at a time while enough remain for the others."""
        remaining = len(self._waiting)
        most = AHEAD if one.next else min(AHEAD, 1 + remaining // (2 * self._count))
        if (remaining or one.next) and len(one.given) <= most // 2:
            given = list(islice(self._taken(one), most - len(one.given)))
            one.given.extend(given)
            with suppress(OSError):  # it has died, which its pipe says next
                one.pipe.send([attempt.job for attempt in given])

    def _taken(self, one: _PoolProcess[Job]) -> Iterator[_Attempt[Job]]:
        """Yield the next jobs for a process; jobs on successive video frames stay together."""
        while one.next or self._waiting:
            if not one.next:
                one.next.append(self._waiting.popleft())
                while self._waiting and self._waiting[0].continues:
                    one.next.append(self._waiting.popleft())
            yield one.next.popleft()

    def _ending(self, ended: "_PoolProcess[Job] | _ServiceProcess") -> str:
        """Wait for the end of a process whose pipe has closed; describe how it ended."""
        self._pipes.unregister(ended.pipe)
        ended.pipe.close()
        ended.process.join()
        return ending_of(ended.process.exitcode or 0)

    def _take_back(self, one: _PoolProcess[Job]) -> Iterator[FinishedJob[Job, Result]]:
        """Requeue the jobs of a dead process, or yield a job with which too many have died.

        Raises:
            Unavailable: too many processes in a row died before they were ready.
        """
        del self._processes[one.pipe]
        how = self._ending(one)
        self._failed_starts += not one.ready
        if self._failed_starts == STARTS:
            raise Unavailable(f"{STARTS} worker processes ended as they started ({how})")
        say(f"worker process {one.process.pid} ended ({how}); a new one takes its place")
        if not one.given:
            return
        lost = one.given.popleft()
        lost.deaths, lost.continues = lost.deaths + 1, False
        rest = [*one.given, *one.next]
        for first in rest[:1]:
            first.continues = False
        self._waiting.extendleft(reversed(rest))
        if lost.deaths < TRIES:
            self._waiting.append(lost)
        for idle in self._all:  # those that found nothing to do before
            if idle.ready and not idle.given:
                self._give(idle)
        if lost.deaths == TRIES:
            yield FinishedJob(lost.job, None, DIED)


def ending_of(code: int) -> str:
    """Return the name of the signal, or else the exit code, with which a process ended."""
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"exit code {code}"


@contextmanager
def held_interruptions() -> Iterator[None]:
    """Block Ctrl+C in the ``with`` block, and in started processes until they can end cleanly."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # which they inherit
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _compute(
    pipe: "Connection[Any, Any]",
    work: Callable[[Any], Any],
    environment: Mapping[str, str],
    processes: int,
    service: Service | None,
) -> None:
    """Compute jobs in a worker process, with its share of the cores, until it is killed.

    Args:
        environment: the variables of the parent process, which may have changed since the first
            process was forked.
    """
    gc.freeze()  # collections need not look at, and so copy, what was imported before the fork
    os.environ.clear()
    os.environ.update(environment)
    take_share(processes)
    _let_interruptions_end_this()
    jobs: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, jobs), daemon=True).start()
    if service:
        service.connect()
    with suppress(OSError):  # the parent process has ended
        pipe.send(None)  # ready
        while True:
            pipe.send(_outcome(work, jobs.get()))


def _serve(pipe: "Connection[Any, Any]", service: Service) -> None:
    """Run a service in this process, until it is killed or the parent process ends."""
    _let_interruptions_end_this()
    threading.Thread(target=_receive, args=(pipe, SimpleQueue()), daemon=True).start()
    service()


def _let_interruptions_end_this() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C ends it without a word
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def _outcome(work: Callable[[Any], Any], job: Any) -> _Outcome:
    try:
        return _Outcome(work(job))
    except Exception as error:
        return _Outcome(None, error)


def _receive(pipe: "Connection[Any, Any]", jobs: "SimpleQueue[Any]") -> None:
    """Receive the jobs of a worker process; end the process when its parent has ended."""
    try:
        while True:
            for job in pipe.recv():
                jobs.put(job)
    except (EOFError, OSError):
        os._exit(1)


def share_of_cores(processes: int) -> int:
    """Return the number of cores that each of several processes may use."""
    if hasattr(os, "sched_getaffinity"):  # which macOS and Windows lack
        return max(1, len(os.sched_getaffinity(0)) // processes)
    return max(1, (os.cpu_count() or 1) // processes)


def take_share(processes: int) -> None:
    """Limit this process to its share of the machine's cores and memory among ``processes``."""
    os.environ.setdefault(MEMORY_SHARERS, str(processes))
    limit_cores(share_of_cores(processes))
