"""The command that brings a database's schema up to date: migrate."""

from __future__ import annotations

from typing import Annotated

import typer

from memsieve.cli import options
from memsieve.cli.exits import PROBLEM_FOUND
from memsieve.cli.options import examples
from memsieve.cli.output import show

commands = typer.Typer()


@commands.command(rich_help_panel="Data", epilog=examples("memsieve migrate --check", "memsieve migrate"))
def migrate(
    check: Annotated[
        bool, typer.Option("--check", help="Only say what is missing; exit code 8 if anything is.")
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
    show(document, lambda screens: screens.migrations(names, checked=check), as_json=as_json)
    if check and names:
        raise typer.Exit(PROBLEM_FOUND)
