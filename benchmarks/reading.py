"""Read the public data, and cut talk into paragraphs of a given size."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def lines(path: Path) -> list[Any]:
    """Return the records of a file with one on each line; what is none is left out, and counted on standard error."""
    found, broken = list[Any](), 0
    for line in path.read_text("utf-8", "replace").split("\n"):
        record = _record(line)
        found += [record] if record else []
        broken += bool(line.strip()) and not record
    if broken:
        print(f"{path.name}: {broken} lines are no JSON objects and were left out.", file=sys.stderr)
    return found


def _record(line: str) -> dict[str, Any] | None:
    try:
        read = json.loads(line)
    except ValueError:
        return None
    return read if isinstance(read, dict) else None


def grouped(parts: Iterable[str], most: int, glue: str = "") -> Iterator[str]:
    """Join what follows each other to paragraphs of at most so many characters, or of one part."""
    kept = ""
    for part in parts:
        if kept and len(kept) + len(part) > most:
            yield kept
            kept = ""
        kept += (glue if kept else "") + part
    if kept.strip():
        yield kept


def fitting(content: str, most: int) -> list[str]:
    """Return a message, or its paragraphs where it is longer than that."""
    return [content] if len(content) <= most else content.split("\n\n")
