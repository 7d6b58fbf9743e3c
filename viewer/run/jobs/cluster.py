"""Run jobs on the Dask workers of a cluster.

A worker that is killed loses no job: Dask gives its jobs to another worker. If it had several, the
job that killed it is not known, so each of them is run again, alone; a job that kills three workers
is given up.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic

from wheatstone.gpu import Unavailable
from wheatstone.viewer.io.files.journal import whole_program
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.run.jobs.admission import (
    WORKER_WAIT,
    Remote,
    WorkerAdmission,
    admitted_workers,
    run_remotely,
)
from wheatstone.viewer.run.jobs.workers import (
    FinishedJob,
    Job,
    Result,
    SharedFiles,
    WorkerPlace,
    WorkerPool,
)

TRIES = 3  # that kill their worker until a job is given up
AHEAD = 4  # jobs for each thread of the workers that the scheduler knows of
CHECK_EVERY = 1.0  # seconds between two checks of the workers
PAUSE = 0.01  # seconds between two checks for results
CONNECTING = 10  # seconds until a scheduler that does not answer counts as absent
LOST = ("pending", "lost")  # Dask's states of a job that is still to be run, or to be run again
KILLED = f"the process that computed it died {TRIES} times"
NOBODY = "no worker is connected; waiting for one (Ctrl+C stops; finished pairs are kept)"
GONE = "the scheduler is gone; finished pairs are kept, and the same command continues from there"


def by_dask(
    jobs: Sequence[Job], work: Callable[[Job], Result], pool: WorkerPool, shared: SharedFiles
) -> Iterator[FinishedJob[Job, Result]]:
    """Run jobs on Dask workers, and yield each outcome as soon as the job is done.

    Raises:
        Unavailable: the cluster is not available, or a worker cannot run the jobs.
    """
    with ExitStack() as stack:
        client = connected(pool.cluster)
        stack.callback(_close, client)
        admission = stack.enter_context(admitted_workers(client, pool.device, shared))
        yield from ClusterFeeder(client, work, pool.device, admission).run(jobs)


def _close(client: Any) -> None:
    """Close a client. Dask raises ``RuntimeError`` if a connection times out at that moment."""
    with suppress(RuntimeError):
        client.close()


def connected(address: str) -> Any:
    """Connect to a Dask scheduler, and return the client once the scheduler has a worker.

    Raises:
        Unavailable: no scheduler answers, or it has no worker.
        ValueError: the address is not valid.
    """
    from distributed import Client

    for name in list(logging.root.manager.loggerDict):  # each logger has a level of its own
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)  # we print all that matters
    try:
        asyncio.run(_reached(address))  # a client that fails would delay the program's exit
    except (OSError, TimeoutError) as error:
        raise Unavailable(f"{address}: no scheduler answers ({error})") from error
    except (ValueError, TypeError, RuntimeError) as error:
        raise ValueError(f"{address}: no address of a scheduler ({error})") from error
    client = Client(address, timeout=CONNECTING, set_as_default=False)
    try:
        client.wait_for_workers(1, timeout=WORKER_WAIT)
    except TimeoutError as error:
        client.close()
        raise Unavailable(f"{address}: the scheduler has no worker") from error
    return client


def reaches(address: str) -> bool:
    """Return whether a scheduler answers at an address."""
    try:
        asyncio.run(_reached(address))
    except OSError:
        return False
    return True


async def _reached(address: str) -> None:
    """Connect to a scheduler and disconnect again; errors of Dask are raised unchanged."""
    from distributed import Security
    from distributed.comm import connect, normalize_address

    safely = Security().get_connection_args("client")
    comm = await connect(normalize_address(address), timeout=CONNECTING, **safely)
    await comm.close()


@dataclass
class _Try(Generic[Job]):
    """A try to run a job, possibly its second or third one, on the cluster.

    Attributes:
        deaths: number of workers that died while they had it.
        alone: whether the workers have no other job meanwhile.
        workers: addresses of those that may run it.
        stranded: whether all of these were gone when they were last checked.
    """

    job: Job
    deaths: int = 0
    alone: bool = False
    workers: frozenset[str] = frozenset()
    stranded: bool = False


class ClusterFeeder(Generic[Job, Result]):
    """The distribution of jobs to the workers of a cluster, so that all stay busy.

    Args:
        client: of Dask.
        work: a function of a module, which workers find by its name.
        device: kind of device that computes.
        admission: the workers that may run them.
    """

    def __init__(
        self, client: Any, work: Callable[[Job], Result], device: str, admission: WorkerAdmission
    ) -> None:
        self._client, self._admission = client, admission
        self._remote = Remote(work, device, whole_program())
        self._deaths_each = 1 + int(client.run_on_scheduler(_allowed_failures))
        self._running: dict[Any, _Try[Job]] = {}
        self._tries = count()
        self._waiting: deque[_Try[Job]] = deque()
        self._suspects: deque[_Try[Job]] = deque()
        self._checked, self._threads, self._alone = float("-inf"), 0, False

    def run(self, jobs: Sequence[Job]) -> Iterator[FinishedJob[Job, Result]]:
        """Run jobs, and yield their outcomes; cancel the rest if the caller stops early."""
        from distributed import as_completed
        from distributed.comm import CommClosedError

        self._waiting.extend(_Try(job) for job in jobs)
        finished = as_completed(loop=self._client.loop)
        try:
            while self._waiting or self._suspects or self._running:
                yield from self._check_workers()
                self._fill(finished)
                if finished.has_ready():
                    yield from self._results(finished.next_batch(block=False), finished)
                else:
                    time.sleep(PAUSE)
        except CommClosedError as error:
            raise Unavailable(GONE) from error
        finally:
            self._give_up()

    def _fill(self, finished: Any) -> None:
        """Submit jobs until the workers have enough; jobs with which a worker died run last.

        A suspected job is one with which a worker died.
        """
        while self._waiting and len(self._running) < AHEAD * self._threads:
            finished.add(self._submit(self._waiting.popleft()))
        if self._suspects and self._threads and not self._running:
            one = self._suspects.popleft()
            one.alone = True
            finished.add(self._submit(one))

    def _check_workers(self) -> Iterator[FinishedJob[Job, Result]]:
        """Update at intervals which workers may run jobs, and reschedule the jobs of lost workers.

        Yields:
            The jobs that are given up because of this.
        """
        now = time.monotonic()
        if now - self._checked < CHECK_EVERY:
            return
        self._checked = now
        workers = self._ask(lambda: self._client.scheduler_info(n_workers=-1))["workers"]
        self._admission.update(workers)
        admitted = self._admission.admitted
        self._threads = sum(int(workers[place]["nthreads"]) for place in admitted)
        if self._alone != (not admitted):
            self._alone = not admitted
            say(NOBODY if self._alone else "there is a worker again")
        yield from self._take_back(admitted)

    def _take_back(self, admitted: Set[str]) -> Iterator[FinishedJob[Job, Result]]:
        """Resubmit jobs whose permitted workers have all gone; yield those that fail for good."""
        stranded = []
        for future, one in self._running.items():
            gone = future.status in LOST and one.workers.isdisjoint(admitted)
            if gone and one.stranded:  # twice, so that its result had time to arrive
                stranded.append(future)
            one.stranded = gone
        if not stranded:
            return
        keys = [future.key for future in stranded]
        deaths = self._ask(lambda: self._client.run_on_scheduler(_deaths, keys))
        self._client.cancel(stranded, force=True)
        for future in stranded:
            yield from self._try_again(self._running.pop(future), deaths[future.key])

    def _ask(self, ask: Callable[[], Any]) -> Any:
        """Send a request to the scheduler, and repeat it if a worker died meanwhile.

        Raises:
            Unavailable: the scheduler is gone.
        """
        for remaining in reversed(range(TRIES)):
            try:
                return ask()
            except OSError as error:  # which errors of Dask's connections are
                if not remaining or not reaches(self._client.scheduler.addr):
                    raise Unavailable(GONE) from error
        raise AssertionError  # the last try returns or raises

    def _submit(self, one: _Try[Job]) -> Any:
        """Submit a job to the cluster under a new key, and return its future."""
        key = f"wheatstone-{self._client.id}-{next(self._tries)}"
        one.workers, one.stranded = frozenset(self._admission.admitted), False
        future = self._client.submit(
            run_remotely, self._remote, one.job, key=key, workers=[*one.workers], pure=False
        )
        self._running[future] = one
        return future

    def _results(self, batch: Sequence[Any], finished: Any) -> Iterator[FinishedJob[Job, Result]]:
        """Yield the outcomes of finished jobs, except of jobs that failed and are tried again.

        Args:
            batch: futures that were finished when Dask named them. A worker that dies then takes
                its results with it, and Dask runs their jobs again.
            finished: the iterator in which these are waited for again.
        """
        there = {future.key: future for future in batch if future.status == "finished"}
        results = self._ask(lambda: self._gather(there))
        for future in batch:
            if future not in self._running:  # taken back before it was done
                continue
            if result := results.get(future.key):
                one = self._running.pop(future)
                place = WorkerPlace(result.worker, result.device)
                yield FinishedJob(one.job, result.result, "", place)
            elif future.status in ("error", "cancelled"):
                yield from self._after_failure(self._running.pop(future), future)
            else:
                finished.add(future)

    def _gather(self, there: dict[str, Any]) -> dict[str, Any]:
        """Fetch results by key; empty if a worker dies meanwhile and its results are lost."""
        asked = self._client.gather(there, errors="skip", asynchronous=True)
        fetched = asyncio.run_coroutine_threadsafe(asked, self._client.loop.asyncio_loop)
        while not fetched.done():
            if any(future.status in LOST for future in there.values()):
                fetched.cancel()  # it would wait for a worker that may never come
                return {}
            time.sleep(PAUSE)
        gathered: dict[str, Any] = fetched.result()
        return gathered

    def _after_failure(self, one: _Try[Job], future: Any) -> Iterator[FinishedJob[Job, Result]]:
        """Try a job again after its worker died, or yield it as failed after too many tries.

        Raises:
            Unavailable: the scheduler is gone.
        """
        from distributed import KilledWorker

        error = future.exception() if future.status == "error" else None
        if not isinstance(error, KilledWorker):
            raise error or Unavailable(GONE)
        yield from self._try_again(one, self._deaths_each)

    def _try_again(self, one: _Try[Job], deaths: int) -> Iterator[FinishedJob[Job, Result]]:
        """Schedule another try of a job, or yield the job if too many workers died with it."""
        one.deaths += deaths
        if one.alone and one.deaths >= TRIES:
            yield FinishedJob(one.job, None, KILLED)
        elif one.alone or deaths:
            self._suspects.append(one)
        else:
            self._waiting.appendleft(one)

    def _give_up(self) -> None:
        """Cancel all jobs that are not finished."""
        if self._running and self._client.status == "running":
            self._client.cancel([*self._running], force=True)
        self._running.clear()


def _deaths(keys: Sequence[str], dask_scheduler: Any) -> dict[str, int]:
    """Return, by key, how many workers died with a job; runs on the scheduler."""
    tasks = dask_scheduler.tasks
    return {key: int(tasks[key].suspicious) if key in tasks else 0 for key in keys}


def _allowed_failures(dask_scheduler: Any) -> int:
    """Return how many workers may die with a job before it fails; runs on the scheduler."""
    return int(dask_scheduler.allowed_failures)
