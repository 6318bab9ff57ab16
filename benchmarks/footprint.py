"""How many bytes things take: packages as installed here, and folders."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterable
from pathlib import Path

from packaging.requirements import Requirement

_SOURCE = Path(__file__).parents[1] / "src" / "memsieve"


def installed_bytes(names: Iterable[str]) -> int:
    """Add up the files of packages and all they need, as installed here."""
    waiting, seen, total = list(names), set(), 0
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        distribution = importlib.metadata.distribution(name)
        needed = map(Requirement, distribution.requires or [])
        waiting += [need.name for need in needed if need.marker is None or need.marker.evaluate({"extra": ""})]
        files = (Path(str(distribution.locate_file(file))) for file in distribution.files or [])
        total += sum(file.stat().st_size for file in files if file.exists())
    # Here it is installed in place, and no file of it counts as the package's.
    return total + (folder_bytes(_SOURCE) if "memsieve" in seen else 0)


def folder_bytes(folder: Path) -> int:
    """Add up all files below a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
