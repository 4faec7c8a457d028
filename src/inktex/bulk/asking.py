"""How the recogniser is asked in a run over many inks; travels to where they are read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Asking:
    """How the recogniser is asked."""

    beam: int = 10
    top: int = 5
    symbols: str | None = None
    timeout: float | None = 10.0  # seconds per ink
