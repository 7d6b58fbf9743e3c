"""Jobs done here, by processes and by workers of Dask; what kills a worker, and what is asked."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.dask_jobs import (
    Toy,
    among_three,
    cluster_program,
    deadly,
    deadly_last,
    squared,
    with_other_program,
)
from tests.patience import PATIENCE, wait_until
from tests.programs import environment
from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import open_device
from wheatstone.viewer import VERSION
from wheatstone.viewer.io.files.journal import whole_program
from wheatstone.viewer.run.carry import run_jobs
from wheatstone.viewer.run.jobs.admission import Needs, WorkerAdmission, complaint
from wheatstone.viewer.run.jobs.cluster import AHEAD
from wheatstone.viewer.run.jobs.processes import DIED, by_processes
from wheatstone.viewer.run.jobs.workers import NOTHING_SHARED, SharedFiles, WorkerPool

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster of two workers, each with a nanny, which see no GPU."""
    with cluster_program(2, CUDA_VISIBLE_DEVICES="") as (address, _):
        yield address


@pytest.fixture
def client(address: str) -> Iterator[Any]:
    with distributed.Client(address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=PATIENCE)
        yield client


def toys(folder: Path, count: int, seconds: float = 0.0) -> list[Toy]:
    return [Toy(number, folder, seconds) for number in range(count)]


def done(jobs: list[Toy], pool: WorkerPool, shared: SharedFiles = NOTHING_SHARED) -> dict[int, Any]:
    by_key = {}
    for each in run_jobs(jobs, squared, pool, shared):
        assert each.job.number not in by_key
        by_key[each.job.number] = each.result
    return by_key


@pytest.mark.parametrize("how", ["one", "threads", "processes", "cluster"])
def test_whoever_does_them_every_job_is_done_once(tmp_path: Path, how: str, address: str) -> None:
    pools = {
        "one": WorkerPool(),
        "threads": WorkerPool(threads=3),
        "processes": WorkerPool(2),
        "cluster": WorkerPool(cluster=address),
    }
    assert done(toys(tmp_path, 20), pools[how]) == {n: n * n for n in range(20)}
    assert {len(trace.read_text().split()) for trace in tmp_path.iterdir()} == {1}
    assert done([], pools[how]) == {}


def test_threads_do_no_more_jobs_than_are_waited_for(tmp_path: Path) -> None:
    results = run_jobs(toys(tmp_path, 50), squared, WorkerPool(threads=2))
    next(results)
    time.sleep(0.2)
    assert len(list(tmp_path.iterdir())) <= 4
    results.close()


def test_workers_are_named(tmp_path: Path, address: str) -> None:
    results = run_jobs(toys(tmp_path, 8, 0.05), squared, WorkerPool(cluster=address))
    places = [each.place for each in results]
    assert {place.worker for place in places} == {"127.0.0.1-0", "127.0.0.1-1"}
    assert {place.device for place in places} == {open_device("cpu").name}


def test_a_killed_worker_loses_no_job(tmp_path: Path, address: str, client: Any) -> None:
    victim = sorted(client.run(os.getpid).values())[0]
    by_key = {}
    for each in run_jobs(toys(tmp_path, 16, 0.1), squared, WorkerPool(cluster=address)):
        by_key[each.job.number] = each.result
        if len(by_key) == 4:
            os.kill(victim, signal.SIGKILL)
    assert by_key == {n: n * n for n in range(16)}
    again = [trace.name for trace in tmp_path.iterdir() if len(trace.read_text().split()) > 1]
    assert len(again) <= 2  # what it had


def test_a_worker_is_begun_again_however_long_it_was_away() -> None:
    variables = {"DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT": "0 s"}
    with (
        cluster_program(1, CUDA_VISIBLE_DEVICES="", **variables) as (address, _),
        distributed.Client(address, set_as_default=False) as client,
    ):
        client.wait_for_workers(1, timeout=PATIENCE)
        before = client.run(os.getpid)
        _kill(before.values(), signal.SIGKILL)
        wait_until(lambda: set(client.run_on_scheduler(_addresses)) - set(before))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("when", ["before they are fetched", "meanwhile"])
def test_results_that_die_with_their_worker_are_computed_again(
    tmp_path: Path, address: str, client: Any, when: str
) -> None:
    jobs = [Toy(number, tmp_path, 0.3 * (number > 0)) for number in range(5)]
    results = run_jobs(jobs, squared, WorkerPool(cluster=address))
    listed = [next(results)]
    wait_until(lambda: client.run_on_scheduler(_unfinished) == 0)
    before = client.run(os.getpid)
    if when == "meanwhile":
        _kill(before.values(), signal.SIGSTOP)  # of which nobody knows
        threading.Timer(1.0, _kill, (before.values(), signal.SIGKILL)).start()
    else:
        _kill(before.values(), signal.SIGKILL)
        wait_until(lambda: not set(client.run_on_scheduler(_addresses)) & set(before))
    assert {each.job.number: each.result for each in (*listed, *results)} == {
        job.number: job.number**2 for job in jobs
    }
    client.wait_for_workers(2, timeout=PATIENCE)


def _kill(processes: Iterable[int], number: int) -> None:
    for process in processes:
        os.kill(process, number)


def _unfinished(dask_scheduler: Any) -> int:
    return sum(task.state != "memory" for task in dask_scheduler.tasks.values())


def _addresses(dask_scheduler: Any) -> list[str]:
    return list(dask_scheduler.workers)


def test_a_job_that_kills_its_worker_is_given_up_after_three(tmp_path: Path, address: str) -> None:
    results = list(run_jobs(toys(tmp_path, 12), deadly, WorkerPool(cluster=address)))
    why = {each.job.number: each.why for each in results if each.why}
    assert why == {7: "the process that computed it died 3 times"}
    assert Counter(each.job.number for each in results) == dict.fromkeys(range(12), 1)
    assert len((tmp_path / "7").read_text().split()) == 3


def test_a_job_that_kills_its_process_is_tried_once_more_and_given_up(tmp_path: Path) -> None:
    jobs = toys(tmp_path, 12)
    by_key = {each.job.number: each for each in run_jobs(jobs, deadly, WorkerPool(2))}
    assert (by_key[7].result, by_key[7].why) == (None, DIED)
    assert {n: each.result for n, each in by_key.items() if n != 7} == {
        n: n * n for n in range(12) if n != 7
    }
    assert [len(pids(tmp_path, n)) for n in range(12)] == [1 + (n == 7) for n in range(12)]


def test_an_idle_process_takes_the_job_of_one_that_dies(tmp_path: Path) -> None:
    jobs = [Toy(7, tmp_path), Toy(1, tmp_path)]
    by_key = {each.job.number: each for each in by_processes(jobs, deadly_last, 2)}
    assert (by_key[1].result, by_key[7].why) == (1, DIED)
    assert len(pids(tmp_path, 7)) == 2


def test_a_killed_process_is_replaced_and_the_others_go_on(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    count, victim, by_key = 24, 0, dict[int, Any]()
    for each in run_jobs(toys(tmp_path, count, 0.05), among_three, WorkerPool(2)):
        by_key[each.job.number] = each.result
        if not victim:
            victim = pids(tmp_path, each.job.number)[0]
            os.kill(victim, signal.SIGKILL)
    assert by_key == {n: n * n for n in range(count)}
    by_job = [pids(tmp_path, n) for n in range(count)]
    tried_again = [tries for tries in by_job if len(tries) > 1]
    assert len(tried_again) <= 1 and all(tries[0] == victim for tries in tried_again)
    shares = Counter(pid for tries in by_job for pid in tries)
    assert len(shares) == 3  # no process of its own for each job that remained
    assert all(shares[pid] > 2 for pid in shares if pid != victim)
    assert capfd.readouterr().err.count("(SIGKILL); a new one takes its place") == 1


def test_jobs_that_continue_others_go_to_one_process(tmp_path: Path) -> None:
    jobs, begin = toys(tmp_path, 60, 0.01), {0, 20, 40}
    results = list(by_processes(jobs, squared, 2, beginnings=begin))
    assert {each.job.number: each.result for each in results} == {n: n * n for n in range(60)}
    assert len(results) == 60
    by_job = [pids(tmp_path, n) for n in range(60)]
    assert all(len({pid for (pid,) in by_job[n : n + 20]}) == 1 for n in begin)


def test_jobs_of_a_process_that_dies_are_continued_by_another(tmp_path: Path) -> None:
    done = {
        each.job.number: each.result
        for each in by_processes(toys(tmp_path, 24), deadly, 2, beginnings={0, 12})
    }
    assert done == {n: n * n if n != 7 else None for n in range(24)}


def test_processes_that_die_as_they_start_are_not_started_forever(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"ended as they started \(exit code 5\)"):
        list(by_processes([1, 2], Unreadable(), 2))


class Unreadable:
    def __call__(self, number: int) -> int:
        return number

    def __reduce__(self) -> tuple[object, ...]:
        return os._exit, (5,)


def test_what_the_work_raises_ends_all(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(run_jobs(toys(tmp_path / "absent", 4), squared, WorkerPool(2)))
    assert not multiprocessing.active_children()


def pids(folder: Path, number: int) -> list[int]:
    return [int(word) for word in (folder / str(number)).read_text().split()]


MAIN = """\
import os
import signal
from wheatstone.viewer.run.jobs.processes import by_processes
if __name__ == "__main__":
    print(*sorted(done.result for done in by_processes([-1, -2], abs, 2)))
else:
    blocked = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    os.write(1, b"blocked\\n" if blocked else b"open\\n")  # whole, whatever others write
"""


def test_an_interruption_waits_until_new_processes_can_end_without_a_word(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(MAIN)
    command = [sys.executable, str(tmp_path / "main.py")]
    ended = subprocess.run(command, env=environment(), capture_output=True, text=True)
    assert set(ended.stdout.split("\n")) == {"blocked", "1 2", ""}, ended


def test_workers_are_asked_before_the_first_job(
    tmp_path: Path, address: str, client: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    pool = WorkerPool(cluster=address)
    (tmp_path / "there").write_text("x")
    (tmp_path / "out").mkdir()
    shared = SharedFiles((tmp_path / "there",), tmp_path / "out")
    assert done(toys(tmp_path, 1), pool, shared) == {0: 0}
    assert not list((tmp_path / "out").iterdir())
    with pytest.raises(Unavailable, match="2 of 2 workers cannot compute these pairs"):
        done(toys(tmp_path, 1), WorkerPool(cluster=address, device="cuda"))
    errors = capfd.readouterr().err
    assert errors.count("wheatstone: worker 127.0.0.1-") == 2


def test_what_a_worker_cannot_do_is_reported(tmp_path: Path) -> None:
    file, out = tmp_path / "there", tmp_path / "out"
    out.mkdir()
    file.write_text("x")
    (out / "token").write_text("")
    read = ((str(file), sha256(b"x").hexdigest()),)
    whole = Needs(VERSION, whole_program(), "cpu", read, str(out / "token"))
    assert complaint(whole) == ""
    absent, other = ((str(tmp_path / "absent"), ""),), ((str(file), "0"),)
    assert "has wheatstone" in complaint(replace(whole, version="0"))
    assert "another state" in complaint(replace(whole, program="0"))
    assert "absent (No such file" in complaint(replace(whole, digests=absent))
    assert complaint(replace(whole, digests=other)) == f"{file} is another file there"
    assert "no shared folder" in complaint(replace(whole, token=str(out / "none")))


def test_a_worker_with_another_version_is_named(
    tmp_path: Path, address: str, client: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    workers = client.scheduler_info()["workers"]
    one = next(place for place, about in workers.items() if about["name"] == "127.0.0.1-1")
    client.run(with_other_program, workers=[one])
    with pytest.raises(Unavailable, match="1 of 2 workers"):
        done(toys(tmp_path, 1), WorkerPool(cluster=address))
    errors = capfd.readouterr().err
    assert f"worker 127.0.0.1-1 at {one}: has wheatstone 0.0.1, not " in errors
    client.restart_workers([one], timeout=PATIENCE)
    assert done(toys(tmp_path, 1), WorkerPool(cluster=address)) == {0: 0}


def test_a_worker_that_comes_later_is_asked_and_left_out_if_it_cannot(
    client: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    workers = client.scheduler_info()["workers"]
    strange = next(place for place, about in workers.items() if about["name"] == "127.0.0.1-0")
    client.run(with_other_program, workers=[strange])
    ours = WorkerAdmission(client, Needs(VERSION, whole_program(), "cpu", (), ""), [])

    def asked() -> set[str]:
        workers = client.scheduler_info()["workers"]
        ours.update(workers)
        return set(workers)

    message = (
        f"worker 127.0.0.1-0 at {strange}: has wheatstone 0.0.1, not {VERSION}; it is not used"
    )
    wait_until(lambda: asked() and message in capfd.readouterr().err)
    wait_until(lambda: asked() - ours.admitted == {strange})
    client.restart_workers([strange], timeout=PATIENCE)
    wait_until(lambda: asked() == ours.admitted and len(ours.admitted) == 2)


def test_leaving_early_leaves_the_cluster_as_it_was(
    tmp_path: Path, address: str, client: Any
) -> None:
    results = run_jobs(toys(tmp_path, 100, 0.05), squared, WorkerPool(cluster=address))
    next(results)
    results.close()
    deadline = time.monotonic() + 10
    while client.run_on_scheduler(_tasks) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert client.run_on_scheduler(_tasks) == 0
    assert len(client.scheduler_info()["workers"]) == 2
    assert len(list(tmp_path.iterdir())) < 20


def _tasks(dask_scheduler: Any) -> int:
    return len(dask_scheduler.tasks)


def test_no_more_jobs_are_given_to_the_scheduler_than_it_needs(
    tmp_path: Path, address: str, client: Any
) -> None:
    most = 0
    for each in run_jobs(toys(tmp_path, 200), squared, WorkerPool(cluster=address)):
        if each.job.number % 20 == 0:
            most = max(most, client.run_on_scheduler(_tasks))
    assert 0 < most <= 2 * 2 * AHEAD  # some are done, and not forgotten yet


@pytest.mark.timeout(120)
def test_a_scheduler_that_is_gone_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wheatstone.viewer.run.jobs.cluster.CONNECTING", 2)
    with cluster_program(1) as (address, program):
        results = run_jobs(toys(tmp_path, 50, 0.1), squared, WorkerPool(cluster=address))
        next(results)
        threading.Timer(0.2, program.kill).start()
        with pytest.raises(Unavailable, match="the scheduler is gone"):
            list(results)
    with pytest.raises(Unavailable, match="no scheduler answers"):
        done(toys(tmp_path, 1), WorkerPool(cluster=address))
