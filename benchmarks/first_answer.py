"""Open one system's folder and ask it once: `python -m benchmarks.first_answer NAME FOLDER PROJECT QUESTION`.

Nothing but that system is imported, vectors cost nothing, and the memory that it then holds is printed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import numpy as np
import psutil
from benchmarks.systems.base import DIMENSIONS
from benchmarks.systems.names import KINDS


def main(name: str, folder: str, project: str, question: str) -> None:
    kind = getattr(import_module(f"benchmarks.systems.{name}"), KINDS[name])
    found = kind(Path(folder), _even).ask(project, question, 5)
    print(json.dumps({"found": len(found), "bytes": psutil.Process().memory_info().rss}))


def _even(texts: Sequence[str]) -> np.ndarray:
    return np.full((len(texts), DIMENSIONS), DIMENSIONS**-0.5, np.float32)


if __name__ == "__main__":
    main(*sys.argv[1:])
