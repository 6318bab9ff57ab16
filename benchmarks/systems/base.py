"""What a benchmark asks of a memory system, ours or another's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

# Of the bundled embedder, whose vectors all systems hold.
DIMENSIONS = 384
# Texts to rows of length one, in float32; a row of zeros for a text that the embedder cannot read.
Embed = Callable[[Sequence[str]], np.ndarray]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One text as an agent or a member of a meeting said it, in its session."""

    text: str
    session: str
    agent: str = "agent"


@dataclass(frozen=True, slots=True)
class Found:
    """One text that a question brought, and whether it was served as verified."""

    text: str
    verified: bool = False


class System(Protocol):
    """A memory system that holds the same vectors as the others, on disk, in a folder of its own."""

    name: str

    def record(self, project: str, said: Sequence[Said]) -> None:
        """Take in texts, in order, as the system is meant to be used without an LLM."""

    def ask(self, project: str, question: str, most: int) -> list[Found]:
        """Return the best texts of one project."""

    def close(self) -> None:
        """Let go of files and memory."""


Factory = Callable[[Path, Embed], System]
