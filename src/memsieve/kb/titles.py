"""What an atom is called."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from memsieve.kb.document import Document

_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)


def title_of(path: str, found: Document) -> str:
    """Return an atom's title: the one in its front matter, or else its first heading, or else its file's name."""
    if given := found.value("title"):
        return given
    heading = _HEADING.search(found.body)
    return heading[1] if heading else PurePosixPath(path).stem
