"""Where the links in a Markdown text lead, and on which line each stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE = re.compile(r"`[^`]*`")
# [text](target "title"), ![picture](target), [text](<target with spaces>)
_INLINE = re.compile(r"\]\(\s*(?:<([^<>]*)>|((?:[^()\s<>]|\([^()\s]*\))+))")
# [name]: target
_REFERENCE = re.compile(r" {0,3}\[[^\[\]]+\]:\s*(?:<([^<>]*)>|(\S+))")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/\\#]|$")


def relative_links(text: str) -> Iterator[tuple[int, str]]:
    """Yield each relative link with its line from 0; links in code, to the web and within the page are left out."""
    fence = ""
    for number, line in enumerate(text.split("\n")):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        else:
            yield from ((number, target) for target in _targets(line))


def _targets(line: str) -> Iterator[str]:
    plain = _CODE.sub("", line)
    found = [*_INLINE.finditer(plain), *_REFERENCE.finditer(plain, 0, len(plain))]
    for match in found:
        target = match[1] if match[1] is not None else match[2]
        if not _ELSEWHERE.match(target):
            yield unquote(re.split("[#?]", target, maxsplit=1)[0])
