"""The knowledge base behind its tools and resources; each call in a thread, for files take their time."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from urllib.parse import quote

from memsieve.errors import InvalidInput, NotFound
from memsieve.kb import document, walk
from memsieve.kb.base import KnowledgeBase
from memsieve.kb.items import TYPES, Item
from memsieve.mcp.results import AtomFound, AtomsFound, ItemWritten, Refined

ATOMS = "kb://atoms"
MOST_LISTED = 1000


def write(base: KnowledgeBase, type_: str, fields: dict[str, str | None], **rest: object) -> ItemWritten:
    """Write an item; what its kind needs and does not have is named."""
    kind = TYPES[type_]
    missing = [name for name in kind.fields if fields.get(name) is None]
    if missing:
        raise InvalidInput(f"{type_} needs {' and '.join(missing)}. Give it as an argument.", field=missing[0])
    item = Item(type=type_, **fields, **rest)  # type: ignore[arg-type] # an item checks each of them
    written = base.write(item)
    return ItemWritten.of(written, base.layout.relative(written.path), finding=kind.is_finding)


def search(base: KnowledgeBase, query: str, limit: int) -> AtomsFound:
    """Find atoms."""
    found = base.search(query, limit)
    return AtomsFound(
        hits=[
            AtomFound(
                path=hit.path,
                uri=uri_of(hit.path),
                title=hit.title,
                score=hit.score,
                line=hit.line,
                excerpt=hit.excerpt,
            )
            for hit in found.hits
        ],
        unread=list(found.unread),
        degraded=list(found.degraded),
    )


def refine(base: KnowledgeBase, task: str | None, *, dry_run: bool) -> Refined:
    """End a task."""
    return Refined.of(base.refine(task=task, dry_run=dry_run))


def index(base: KnowledgeBase) -> str:
    """Return the resources of all atoms, one a line."""
    found = [uri_of(base.layout.relative(path)) for path in walk.atoms(base.layout)]
    more = [f"… and {len(found) - MOST_LISTED} more: kb_search finds them."] if len(found) > MOST_LISTED else []
    return "\n".join([*found[:MOST_LISTED], *more]) or "There are no atoms yet."


def atom(base: KnowledgeBase, path: str) -> str:
    """Return an atom as its file has it; nothing outside `atoms/` and no link is read."""
    place = base.layout.atoms / path
    if not _is_inside(base.layout.atoms, path) or not place.is_file():
        raise NotFound(f"There is no atom {path!r}. {ATOMS} lists all, and kb_search finds them.", subject=path)
    return document.read(place).render()


def uri_of(path: str) -> str:
    """Return the resource of an atom, by its place in the knowledge base."""
    return f"kb://{quote(path)}"


def _is_inside(atoms: Path, path: str) -> bool:
    parts = PurePosixPath(path).parts
    plain = all(part[0] not in "./" and "\\" not in part for part in parts)
    folders = [atoms.joinpath(*parts[:number]) for number in range(1, len(parts) + 1)]
    return bool(parts) and plain and path.lower().endswith(".md") and not any(one.is_symlink() for one in folders)
