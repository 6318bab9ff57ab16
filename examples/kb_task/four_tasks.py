"""Four tasks of a coding agent and their ten findings, each refined to its end: `python four_tasks.py [FOLDER]`."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from memsieve.kb.base import KnowledgeBase
from memsieve.kb.items import Item

DATES = "Dates in CSV exports follow the locale of the server, so every import must name the format it expects."
KEYS = "缓存键必须包含租户编号，否则会把别家的数据展示出来。"

TASKS = {
    "import invoices": [
        Item(type="new_trap", description="locale of dates", content=DATES, agent="ada", tags=("csv",)),
        Item(type="new_trap", description="MAGIC.C", content="MAGIC.C 第 42 行的特殊處理", agent="ada"),
        Item(
            type="new_pattern",
            description="缓存键带租户",
            content=KEYS,
            agent="lin",
            evidence="tests/test_tenants.py fails without it",
        ),
    ],
    "export reports": [
        Item(
            type="new_trap",
            description="locale of dates",
            content="Every import must name the date format: dates in CSV exports follow the server's locale.",
            agent="bob",
        ),
        Item(
            type="new_pattern",
            description="快取鍵",
            content="快取鍵必須包含租戶編號，否則會把別家的數據展示出來。",
            agent="lin",
        ),
        Item(
            type="new_pattern",
            description="jitter in retries",
            content="Clients must add jitter to retries, because otherwise all of them come back at the same moment.",
            agent="bob",
        ),
    ],
    "speed up login": [
        Item(type="new_trap", description="locale of dates", content=DATES, agent="lin", tags=("import",)),
        Item(
            type="correction",
            atom_name="缓存键带租户",
            content="缓存键必须包含租户编号和语言，否则会把别家的数据或别的语言展示出来。",
            agent="ada",
        ),
        Item(
            type="new_pattern",
            description="thundering herd",
            content="Retries of clients must have jitter added, because otherwise all clients come back at one moment.",
            agent="ada",
        ),
    ],
    "close the quarter": [
        Item(
            type="new_trap",
            description="no date formats",
            content="Dates in CSV exports never follow the locale of the server, so every import must name the format "
            "it expects.",
            agent="eve",
        ),
    ],
}


def main(folder: Path) -> None:
    """Write what each task found, refine at its end, and print the report that is left."""
    base = KnowledgeBase.init(folder / ".ai-kb")
    (base.root / "workspace" / "staging" / "ideas of mine.txt").write_text("Ask Lin about the cache.\n")
    for task, findings in TASKS.items():
        base.write(Item(type="checkpoint", state="REVIEW", content=f"Before the end of: {task}", task=task))
        for finding in findings:
            base.write(replace(finding, task=task))
        base.refine(task=task)
        print(f"===== {task} =====\n")
        print((base.root / "workspace" / "session" / "staging-report.md").read_text(encoding="utf-8"))
    print("===== what is kept =====\n")
    for atom in sorted((base.root / "atoms").rglob("*.md")):
        print(f"{atom.relative_to(base.root).as_posix()}\n\n{atom.read_text(encoding='utf-8')}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as scratch:
            main(Path(scratch))
