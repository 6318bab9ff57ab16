"""The knowledge base behind its tools and resources; each call in a thread, for files take their time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from memsieve.errors import InvalidInput, NotFound
from memsieve.kb.base import KnowledgeBase
from memsieve.kb.files import document
from memsieve.kb.files.tree import atom_files
from memsieve.kb.items import TYPES, Item
from memsieve.mcp.results import AtomFound, AtomsFound, ItemWritten, Refined
from memsieve.model import Refinement

ATOMS = "kb://atoms"
MOST_LISTED = 1000
# No system takes a longer one, and each of its folders is looked at.
MOST_PATH_BYTES = 4096
MOST_NAME_BYTES = 255


def write(base: KnowledgeBase, type_: str, fields: dict[str, str | None], **rest: object) -> ItemWritten:
    """Write an item; what its kind needs and does not have is named."""
    kind = TYPES[type_]
    missing = [name for name in kind.fields if fields.get(name) is None]
    if missing:
        raise InvalidInput(f"{type_} needs {' and '.join(missing)}. Give it as an argument.", field=missing[0])
    item = Item(type=type_, **fields, **rest)  # type: ignore[arg-type] # an item checks each of them
    if kind.is_finding:
        _refuse_orders({**fields, **rest})
    written = base.write(item)
    return ItemWritten.of(
        written, file=base.layout.relative(written.path), needed=Refinement.NEEDED if kind.is_finding else None
    )


def _refuse_orders(given: Mapping[str, object]) -> None:
    """Refuse a finding that gives its reader an order: as an atom it would be read by every agent."""
    # Imported on first use: the rules take their time to load.
    from memsieve.ingress.checks.injection.find import find_injection

    for name, value in given.items():
        if isinstance(value, str) and find_injection(value) is not None:
            raise InvalidInput(f"{name} gives its reader an order. Say what was found instead.", field=name)


def search(base: KnowledgeBase, query: str, limit: int) -> AtomsFound:
    """Find atoms."""
    found = base.search(query, limit)
    return AtomsFound.of(found, hits=[AtomFound.of(hit, uri=uri_of(hit.path)) for hit in found.hits])


def refine(base: KnowledgeBase, task: str | None, *, dry_run: bool) -> Refined:
    """End a task."""
    return Refined.of(base.refine(task=task, dry_run=dry_run))


def index(base: KnowledgeBase) -> str:
    """Return the resources of all atoms, one a line."""
    found = [uri_of(base.layout.relative(path)) for path in atom_files(base.layout)]
    more = [f"… and {len(found) - MOST_LISTED} more: kb_search finds them."] if len(found) > MOST_LISTED else []
    return "\n".join([*found[:MOST_LISTED], *more]) or "There are no atoms yet."


def atom(base: KnowledgeBase, path: str) -> str:
    """Return an atom as its file has it; nothing outside `atoms/` and no link is read."""
    if not _is_inside(base.layout.atoms, path):
        named = path if len(path) <= MOST_NAME_BYTES else f"{path[:MOST_NAME_BYTES]}…"
        raise NotFound(f"There is no atom {named!r}. {ATOMS} lists all, and kb_search finds them.", subject=named)
    return document.read(base.layout.atoms / path).render()


def uri_of(path: str) -> str:
    """Return the resource of an atom, by its place in the knowledge base."""
    return f"kb://{quote(path)}"


def _is_inside(atoms: Path, path: str) -> bool:
    parts = PurePosixPath(path).parts if len(path.encode(errors="replace")) <= MOST_PATH_BYTES else ()
    plain = path.lower().endswith(".md") and all(map(_is_plain, parts))
    return bool(parts) and plain and not _leads_away(atoms, parts) and atoms.joinpath(*parts).is_file()


def _is_plain(part: str) -> bool:
    return part[0] not in "./" and "\\" not in part and len(part.encode(errors="replace")) <= MOST_NAME_BYTES


def _leads_away(atoms: Path, parts: tuple[str, ...]) -> bool:
    """Tell whether a file or a folder above it is a link."""
    place = atoms
    for part in parts:
        place /= part
        if place.is_symlink():
            return True
        if not place.exists():
            return False
    return False
