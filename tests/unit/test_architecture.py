"""The page on the architecture names files that exist, and every room of the code."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
# `stores/rows.py` is below src/memsieve, `tests/…`, `console/…` and `tools/` below the root.
PATHS = sorted({path for path in re.findall(r"`([\w./-]+(?:\.py|\.ts|\.json|\.toml|/))`", PAGE) if "/" in path})
ROOMS = sorted(path.parent.name for path in (ROOT / "src/memsieve").glob("*/__init__.py"))


def exists(path: str) -> bool:
    folders = [ROOT, ROOT / "src/memsieve", *(ROOT / "src/memsieve").iterdir()]
    return any((folder / path).exists() for folder in folders)


@pytest.mark.parametrize("path", PATHS)
def test_a_file_that_the_page_names_exists(path):
    assert exists(path), f"docs/architecture.md names {path}"


@pytest.mark.parametrize("room", ROOMS)
def test_the_page_names_every_room(room):
    assert f"`{room}/`" in PAGE


def test_the_page_can_be_read_in_ten_minutes():
    words = re.sub(r"```.*?```|\|[-| ]+\|", "", PAGE, flags=re.DOTALL).split()
    assert len(words) < 3000
