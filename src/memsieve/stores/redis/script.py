"""The Lua scripts that Redis runs, each of them one deed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Script:
    """A script and the name by which a server remembers it."""

    text: str
    digest: str


@cache
def script(name: str) -> Script:
    """Return a script by its file's name, behind the lines that all of them begin with."""
    folder = resources.files("memsieve.stores.redis").joinpath("scripts")
    text = "\n".join(folder.joinpath(f"{part}.lua").read_text("utf-8") for part in ("living", name))
    return Script(text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())
