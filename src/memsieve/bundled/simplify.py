"""Traditional Chinese characters as simplified ones, so that both are the same words."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path


@cache
def simplified_forms() -> dict[int, str]:
    """Return the simplified form of each traditional character, for `str.translate`."""
    path = Path(__file__).parent / "chinese" / "simplified.json"
    return {ord(old): new for old, new in json.loads(path.read_text("utf-8")).items()}
