"""One name for one thing: a class name stands for two things only where this file gives the reason."""

import ast
from collections import defaultdict
from pathlib import Path

import memsieve

SOURCE = Path(memsieve.__file__).parent

# A document has the name of the record it is made from: one is the JSON of the other.
RECORDS = ("model", "ingress.replay", "jobs.weekly")
REASONS = {
    "Database": "the same role of two engines, SQLite and PostgreSQL",
    "CachedEntries": "what the working memory of each engine caches, SQLite and Redis",
}


def _module(file: Path) -> str:
    return ".".join(file.relative_to(SOURCE).with_suffix("").parts)


def _modules_by_class() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(_module(file))
    return found


def _are_record_and_document(modules: list[str]) -> bool:
    document, *record = sorted(modules, key=lambda one: not one.startswith("documents."))
    return document.startswith("documents.") and len(record) == 1 and record[0].startswith(RECORDS)


def test_a_class_name_stands_for_one_thing_unless_the_reason_is_given_here():
    twice = {name: modules for name, modules in _modules_by_class().items() if len(modules) > 1}
    unexplained = {name: modules for name, modules in twice.items() if not _are_record_and_document(modules)}
    assert unexplained.keys() == REASONS.keys(), {name: unexplained.get(name) for name in unexplained.keys() ^ REASONS}
