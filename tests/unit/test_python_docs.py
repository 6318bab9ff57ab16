"""The page on Python: it names every method of a project, a review, maintenance and a memory, and no other."""

import re
from pathlib import Path

import pytest

from memsieve import Memory

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (\w+): the methods .*?\n(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL))
OPENERS = {"open", "close", "project", "review", "maintenance"}


def named(section: str) -> set[str]:
    cells = re.findall(r"^\| (`.*?) \|", SECTIONS[section], re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`(\w+)\(", cell)}


@pytest.mark.parametrize("section", ["Project", "Review", "Maintenance", "Memory"])
def test_a_table_names_every_method(section, tmp_path):
    with Memory.open(tmp_path) as memory:
        project = memory.project("apollo")
        face = {
            "Project": project,
            "Review": project.review(by="you@example.org"),
            "Maintenance": memory.maintenance("apollo"),
            "Memory": memory,
        }[section]
        methods = {name for name in dir(face) if not name.startswith("_") and callable(getattr(face, name))}
    assert named(section) == methods - OPENERS
