"""Read the public data, and cut talk into paragraphs of a given size."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def lines(path: Path) -> list[Any]:
    """Return the records of a file with one on each line."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def grouped(parts: Iterable[str], most: int, glue: str = "") -> Iterator[str]:
    """Join what follows each other to paragraphs of at most so many characters, or of one part."""
    kept = ""
    for part in parts:
        if kept and len(kept) + len(part) > most:
            yield kept
            kept = ""
        kept += (glue if kept else "") + part
    yield kept


def fitting(content: str, most: int) -> list[str]:
    """Return a message, or its paragraphs where it is longer than that."""
    return [content] if len(content) <= most else content.split("\n\n")
