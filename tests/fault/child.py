"""A process of its own for the fault tests: records in one project and says what was acknowledged.

Usage: child.py FOLDER NAME COUNT [promote]
"""

import sys
from pathlib import Path

import memsieve.services.container
import memsieve.services.embedder
from memsieve.config import FilterSettings, Settings
from memsieve.memory import Memory
from memsieve.testing import WordEmbedder

QUICK = Settings(filter=FilterSettings(disabled_checks=frozenset({"injection", "consistency"})))


def main(folder: str, name: str, count: str, *deeds: str) -> None:
    memsieve.services.embedder.choose_embedder = lambda _settings, _stack: WordEmbedder()
    with Memory.open(Path(folder), settings=QUICK) as memory:
        project = memory.project("apollo")
        for number in range(int(count)):
            text = f"Finding {name}{number} of node {name}x{number} is kept by team {name}y{number} in the log."
            receipt = project.record(text, session_id=name, confidence=0.9)
            print(receipt.entry.id, flush=True)  # noqa: T201 - the test reads it
            if "promote" in deeds and number % 5 == 0:
                project.review(by=name).promote(receipt.entry.id)


if __name__ == "__main__":
    main(*sys.argv[1:])
