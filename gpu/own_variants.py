"""List the variants that the user brings: kernels, models and programs, by pipeline and name."""

from typing import Protocol

TIME_LIMIT = 600.0
"""The default time limit of a program for one pair, in seconds."""


class OwnVariant(Protocol):
    """A variant of the user's own, which can be pickled and sent to another process."""

    @property
    def pipeline(self) -> str:
        """Name of its pipeline."""
        ...

    @property
    def variant(self) -> str:
        """Name of the variant."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 digest of everything that determines the results."""
        ...

    def declare(self) -> None:
        """Add the variant to its pipeline, or replace the one of its name."""
        ...


_declared: dict[tuple[str, str], OwnVariant] = {}


def own_variant(pipeline: str, variant: str) -> OwnVariant | None:
    """Return the user's own variant of a name; None for any other variant."""
    return _declared.get((pipeline, variant))


def note_declared(own: OwnVariant) -> None:
    """Remember a variant of the user's own."""
    _declared[own.pipeline, own.variant] = own


def declare_again(own: OwnVariant) -> None:
    """Add a variant that another process declared, if this one does not have it."""
    if own_variant(own.pipeline, own.variant) != own:
        own.declare()


def any_declared() -> bool:
    """Return whether there is a variant of the user's own."""
    return bool(_declared)
