"""Commands that carry a project out and in: export, import."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from memsieve.cli import options
from memsieve.cli.options import examples
from memsieve.cli.output import USAGE, Advance, draw, json_line, note, printable, progress, show
from memsieve.errors import Conflict, InvalidInput

if TYPE_CHECKING:
    from rich.console import RenderableType

commands = typer.Typer()
PANEL = "Data"


@commands.command(
    "export",
    rich_help_panel=PANEL,
    epilog=examples(
        "memsieve export --project apollo apollo.jsonl", "memsieve export --project apollo | gzip > apollo.jsonl.gz"
    ),
)
def export(
    project: options.Project,
    file: Annotated[str, typer.Argument(help="The file to write; - is standard output.", metavar="FILE|-")] = "-",
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    data: options.Data = None,
    as_json: options.Json = False,
) -> None:
    """Write a project as JSON lines: entries, memories, audit log."""
    from memsieve import transfer
    from memsieve.config import login_name
    from memsieve.memory import Memory

    with Memory.open(settings=options.settings_of(data)) as memory:
        chosen = memory.project(project).review(by=login_name())
        stats = chosen.stats()
        lines = transfer.export_lines(chosen)
        with progress("Exporting", stats.recorded + stats.memories) as advance:
            if file == "-":
                _write(sys.stdout.buffer, lines, advance)
                return
            with _replacing(Path(file), force=force) as out:
                written = _write(out, lines, advance)
    counts = ", ".join(f"{name} {count}" for name, count in written.items())
    show({"file": file, **written}, lambda: draw.text(f"Wrote {printable(file)}: {counts}."), as_json=as_json)


@commands.command(
    "import",
    rich_help_panel=PANEL,
    epilog=examples(
        "memsieve import --project apollo --by you@example.org apollo.jsonl",
        'echo \'{"content": "The staging server has 16 GB."}\' | \\',
        "  memsieve import --project apollo -",
    ),
)
def import_(
    file: Annotated[str, typer.Argument(help="The file to read; - is standard input.", metavar="FILE|-")],
    project: options.Project,
    by: Annotated[
        str | None,
        typer.Option("--by", help="Your name, if you approve the memories in it.", metavar="WHO", show_default=False),
    ] = None,
    data: options.Data = None,
    as_json: options.Json = False,
) -> None:
    """Bring JSON lines in; twice adds nothing.

    Entries go through the filter. Memories are promoted in your name, and skipped without --by.
    """
    from memsieve import transfer, validate
    from memsieve.config import login_name
    from memsieve.memory import Memory
    from memsieve.services.stores import utc_now

    settings = options.settings_of(data)
    if by is not None:
        validate.name(by, field="by")
    tally = transfer.Tally()
    with _reading(file) as stream, Memory.open(settings=settings) as memory:
        importer = transfer.Importer(
            maintenance=memory.maintenance(project),
            review=memory.project(project).review(by=by or login_name()),
            clock=utc_now,
            longest=transfer.longest_line(settings.max_content_bytes),
            approves=by is not None,
        )
        with progress("Importing", _size(stream)) as advance:
            for line in importer.run(stream):
                tally.add(line)
                advance(line.end)
                if line.outcome is transfer.LineOutcome.FAILED:
                    note(f"Line {line.number}: {line.reason}")
    for reason, count in tally.skipped_for.items():
        note(f"{count} skipped: {reason}")
    summary = tally.summary()
    show(summary, lambda: _draw_summary(summary), as_json=as_json)
    if tally.counts[transfer.LineOutcome.FAILED]:
        raise typer.Exit(USAGE)


def _write(out: BinaryIO, lines: Iterable[dict[str, Any]], advance: Advance) -> dict[str, int]:
    names = {"entry": "entries", "memory": "memories", "event": "events"}
    written = Counter(dict.fromkeys(names.values(), 0))
    for number, line in enumerate(lines, start=1):
        out.write(json_line(line).encode() + b"\n")
        written[names[line["kind"]]] += 1
        advance(number)
    out.flush()
    return dict(written)


@contextmanager
def _replacing(path: Path, *, force: bool) -> Iterator[BinaryIO]:
    """Yield a file that takes the place of another only when it is complete."""
    import tempfile

    path = path.resolve()
    if path.exists() and not path.is_file():
        raise InvalidInput(f"{path} is no regular file. Name another, or use - and redirect.", field="file")
    if path.exists() and not force:
        raise Conflict(f"{path} exists. Name another file, or overwrite it with --force.")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as exc:
        raise InvalidInput(f"Cannot write {path}: {exc.strerror}. Name another file.", field="file") from exc
    try:
        with os.fdopen(handle, "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        Path(name).replace(path)
    finally:
        with suppress(FileNotFoundError):
            Path(name).unlink()


@contextmanager
def _reading(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = Path(file).open("rb")  # noqa: SIM115 - closed below, once it could be opened
    except OSError as exc:
        raise InvalidInput(f"Cannot read {file}: {exc.strerror}. Name another file, or -.", field="file") from exc
    with stream:
        yield stream


def _size(stream: BinaryIO) -> int | None:
    try:
        return os.fstat(stream.fileno()).st_size or None
    except OSError:
        return None


def _draw_summary(summary: Mapping[str, Any]) -> RenderableType:
    table = draw.grid(2)
    table.add_column(justify="right")
    for name, count in summary.items():
        if name != "errors":
            style = "red" if name == "failed" and count else "" if count else "dim"
            table.add_row(draw.text(str(count), style=style), draw.text(name.replace("_", " "), style=style))
    return table
