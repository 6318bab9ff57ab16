"""Write docs/digest-examples.md: the digests of two real weeks, as the command line shows them.

`python -m benchmarks.digest_examples [--data FOLDER]`; recording 20,000 turns takes minutes.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from benchmarks.__main__ import DATA
from benchmarks.weeks import MONDAY, WEEK, Turn, qmsum, recorded, vcsum
from rich.console import Console

from memsieve import Memory
from memsieve.cli import digest_screens
from memsieve.config import Settings
from memsieve.testing import Clock

PAGE = Path(__file__).parents[1] / "docs" / "digest-examples.md"
INTRODUCTION = """\
# Two weeks, digested

This page shows what `memsieve digest` prints for real meetings, with the default settings and no LLM. Every turn was
recorded as an entry, with the meeting as its session and the speaker as its agent, over seven days of one project. The
weights of the digest were chosen by reading these two weeks: yours will look different. Speech is the hard case;
agents that write whole sentences get better insights.

This page is written by `python -m benchmarks.digest_examples`. The quoted turns come from
[QMSum](https://github.com/Yale-LILY/QMSum) (Zhong et al., 2021) and [VCSum](https://github.com/hahahawu/VCSum) (Wu et
al., 2023), both under the MIT licence.
"""


def main() -> None:
    """Make both digests and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with the public evaluation data")
    data = parser.parse_args().data
    weeks = (
        ("35 English meetings", "design-team", qmsum(data)),
        ("Chinese meetings, as their speech was transcribed", "forum", vcsum(data)),
    )
    parts = [f"\n## {title}\n\n```text\n{_digest(name, turns)}\n```\n" for title, name, turns in weeks]
    PAGE.write_text(INTRODUCTION + "".join(parts), "utf-8")


def _digest(project_id: str, turns: Sequence[Turn]) -> str:
    settings = Settings(digest_day="never")
    with tempfile.TemporaryDirectory() as folder:
        recorded(Path(folder), project_id, turns, settings)
        with Memory.open(folder, settings=settings, clock=Clock(MONDAY + WEEK)) as memory:
            digest = memory.project(project_id).review(by="ada@example.org").digest()
    screen = Console(file=StringIO(), width=100)
    screen.print(digest_screens.digest(digest, None))
    return "\n".join(line.rstrip() for line in screen.file.getvalue().rstrip().splitlines())  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
