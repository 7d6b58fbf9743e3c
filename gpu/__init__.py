"""What is computed: pipelines, their variants, and the devices they run on.

Nothing heavy is imported here; CuPy and Numba load when a device is opened or a variant prepared.
"""


class Unavailable(RuntimeError):
    """The machine lacks something that was asked for; the message says what, and what mends it."""
