"""A Dask cluster on this machine: a scheduler in this process, and workers that are restarted."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from wheatstone.gpu import MEMORY_SHARERS
from wheatstone.viewer.run.jobs.processes import share_of_cores

HOST = "127.0.0.1"
NEVER = "10000 days"


@contextmanager
def local_cluster(environments: Sequence[Mapping[str, str]], threads: int) -> Iterator[Any]:
    """Start a worker for each environment and restart those that die; stop all at the end.

    Args:
        environments: environment variables for each worker.
        threads: number of jobs that a worker runs at the same time.

    Yields:
        The cluster, which is reachable from this machine only.
    """
    import dask
    from distributed import Nanny, Scheduler, SpecCluster

    share = str(share_of_cores(len(environments)))
    common = {"NUMBA_NUM_THREADS": os.environ.get("NUMBA_NUM_THREADS", share)}
    common[MEMORY_SHARERS] = str(len(environments))
    workers = {
        f"{HOST}-{number}": {
            "cls": Nanny,
            "options": {
                "nthreads": threads,
                "env": {**common, **environment},
                "host": HOST,
                "dashboard": False,
                "silence_logs": 50,
            },
        }
        for number, environment in enumerate(environments)
    }
    settings = {
        "distributed.scheduler.allowed-failures": 0,  # the program finds jobs that kill workers
        "distributed.deploy.lost-worker-timeout": NEVER,  # lost workers are not replaced
        "distributed.worker.daemon": True,
        "distributed.worker.memory.terminate": False,
        "distributed.worker.memory.pause": False,
    }
    places = {"host": HOST, "port": 0, "dashboard": False, "dashboard_address": f"{HOST}:0"}
    scheduler = {"cls": Scheduler, "options": places}
    with dask.config.set(settings):
        cluster = SpecCluster(scheduler=scheduler, workers=workers, silence_logs=50)
        try:
            yield cluster
        finally:
            cluster.close()
