"""Commands that keep a memory's data in order: doctor, migrate, reembed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from memsieve.cli import options
from memsieve.cli.options import Target, examples
from memsieve.cli.output import PROBLEM_FOUND, draw, printable, progress, show

if TYPE_CHECKING:
    from rich.console import RenderableType

    from memsieve.doctor import Finding
    from memsieve.jobs.reembed import Reembedding

commands = typer.Typer()


@commands.command(rich_help_panel="Data", epilog=examples("memsieve doctor", "memsieve doctor --data /srv/memsieve"))
def doctor(data: options.Data = None, as_json: options.Json = False) -> None:
    """Check everything a memory needs; advise on what is wrong.

    Exit code 8 if anything is.
    """
    import asyncio

    from memsieve.doctor import Health, diagnose

    Target.of(data, None).require_data("`doctor`")
    findings = asyncio.run(diagnose(data))
    document = {
        "healthy": all(finding.health is not Health.FAIL for finding in findings),
        "findings": [
            {"name": one.name, "health": str(one.health), "message": one.message, "advice": one.advice or None}
            for one in findings
        ],
    }
    show(document, lambda: _draw_findings(findings), as_json=as_json)
    if not document["healthy"]:
        raise typer.Exit(PROBLEM_FOUND)


@commands.command(rich_help_panel="Data", epilog=examples("memsieve migrate --check", "memsieve migrate"))
def migrate(
    check: Annotated[
        bool, typer.Option("--check", help="Only list what is missing; exit code 8 if anything is.")
    ] = False,
    data: options.Data = None,
    as_json: options.Json = False,
) -> None:
    """Bring the PostgreSQL database up to date with this version.

    Needs a user who may create roles and the extension vector. A SQLite file is brought up to date when it is opened.
    """
    import asyncio

    from memsieve.services import stores

    settings = options.settings_of(data)
    names = asyncio.run(stores.outstanding(settings) if check else stores.migrate(settings))
    document = {"missing" if check else "applied": names}
    show(document, lambda: _draw_migrations(names, checked=check), as_json=as_json)
    if check and names:
        raise typer.Exit(PROBLEM_FOUND)


Forget = Annotated[
    str | None,
    typer.Option(
        "--forget", help="Drop the vectors that this former embedder left.", metavar="EMBEDDER", show_default=False
    ),
]


@commands.command(
    rich_help_panel="Data",
    epilog=examples("memsieve reembed", "memsieve reembed --data /srv/memsieve", "memsieve reembed --forget old-model"),
)
def reembed(forget: Forget = None, data: options.Data = None, as_json: options.Json = False) -> None:
    """Make the vectors of a former embedder again, in all projects.

    A memory that stays open does it by itself, slowly. It may be interrupted: the next run continues from there.
    On PostgreSQL the former vectors stay for programs that still ask by them; when none does, --forget drops them.
    """
    if forget is not None:
        with options.open_data(data) as memory:
            dropped = memory.forget_vectors(forget)
        document = {"embedder": forget, "dropped": dropped}
        show(
            document,
            lambda: draw.text(f"Dropped {draw.count(range(dropped), 'vector')} of {printable(forget)}."),
            as_json=as_json,
        )
        return
    with options.open_data(data) as memory, progress("Embedding") as advance:
        done = memory.reembed(advance)
    document = {"embedder": done.embedder, "embedded": done.embedded, "unreadable": done.unreadable}
    show(document, lambda: _draw_reembedding(done), as_json=as_json)


def _draw_findings(records: Sequence[Finding]) -> RenderableType:
    from memsieve.doctor import Health

    signs = {Health.OK: draw.PASSED, Health.WARN: draw.DOUBTFUL, Health.FAIL: draw.FAILED}
    table = draw.grid()
    for one in records:
        sign, style = signs[one.health]
        text = draw.text(printable(one.message))
        if one.advice:
            text.append(f"\n→ {printable(one.advice)}", style=style)
        table.add_row(draw.text(sign, style=f"bold {style}"), draw.text(printable(one.name), style="bold"), text)
    worst = max((one.health for one in records), key=list(Health).index)
    verdict = {
        Health.OK: "All is well.",
        Health.WARN: "It works; see the warnings.",
        Health.FAIL: "Something is wrong.",
    }
    return draw.stack(table, draw.text(), draw.text(verdict[worst], style=f"bold {signs[worst][1]}"))


def _draw_migrations(names: Sequence[str], *, checked: bool) -> RenderableType:
    if not names:
        return draw.text("Nothing to do: the database is up to date.")
    lines = [draw.text(f"{'missing' if checked else 'applied'}  {printable(name)}") for name in names]
    return draw.stack(*lines, draw.text("Apply them: memsieve migrate", style="dim")) if checked else draw.stack(*lines)


def _draw_reembedding(record: Reembedding) -> RenderableType:
    name = printable(record.embedder)
    if not record.embedded + record.unreadable:
        return draw.text(f"Nothing to do: every vector is of {name}.")
    done = draw.text(f"Made {draw.count(range(record.embedded), 'vector')} with {name}.")
    if record.unreadable:
        unread = draw.count(range(record.unreadable), "text")
        done.append(f"\n{unread} that it cannot read: found by words alone.", style="dim")
    return done
