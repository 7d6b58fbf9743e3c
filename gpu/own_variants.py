"""The registry of variants that users add: kernels, models and programs."""

from typing import Protocol

TIME_LIMIT = 600.0
"""The default time limit of a program for one pair, in seconds."""


class OwnVariant(Protocol):
    """A pipeline's variant that the user added; it can be pickled and sent to another process."""

    @property
    def pipeline(self) -> str:
        """Name of the pipeline to which the variant belongs."""
        ...

    @property
    def variant(self) -> str:
        """Name of the variant in its pipeline."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 digest of everything that determines the results."""
        ...

    def declare(self) -> None:
        """Add the variant to its pipeline, or replace the variant of the same name."""
        ...


_declared: dict[tuple[str, str], OwnVariant] = {}


def own_variant(pipeline: str, variant: str) -> OwnVariant | None:
    """Return the user's variant of this name; None if the variant is not the user's."""
    return _declared.get((pipeline, variant))


def note_declared(own: OwnVariant) -> None:
    """Register a variant that the user added, such as kernels or a network."""
    _declared[own.pipeline, own.variant] = own


def declare_again(own: OwnVariant) -> None:
    """Add a variant that another process declared, unless this process has the same one."""
    if own_variant(own.pipeline, own.variant) != own:
        own.declare()


def any_declared() -> bool:
    """Return whether the user has added any variant."""
    return bool(_declared)
