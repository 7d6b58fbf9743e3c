"""Run one function on thousands of jobs: in threads, processes or Dask workers.

``viewer.run.carry`` chooses between them, and has the threads; processes of this machine are in
``processes``, Dask workers in ``cluster``; ``admission`` checks these before the first job.
``isolated`` limits the time of a single call.
"""
