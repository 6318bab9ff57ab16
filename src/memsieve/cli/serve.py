"""Commands that serve a memory: `serve` by HTTP, `mcp` to an MCP client over standard input and output."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memsieve.cli import options
from memsieve.cli.options import examples

commands = typer.Typer()

HOST = "127.0.0.1"
PORT = 8080


@commands.command(
    rich_help_panel="Start here",
    epilog=examples(
        "memsieve serve",
        "memsieve serve --port 9000 --data /srv/memsieve",
        "memsieve serve --host 0.0.0.0 --workers 4   # needs keys: memsieve keys make",
    ),
)
def serve(
    host: Annotated[
        str, typer.Option("--host", help="Listen on this address; beyond this machine every caller needs a key.")
    ] = HOST,
    port: Annotated[int, typer.Option("--port", help="Listen on this port; 0 picks one.", min=0, max=65535)] = PORT,
    workers: Annotated[int, typer.Option("--workers", help="Number of processes.", min=1, max=64)] = 1,
    kb: Annotated[
        list[str] | None,
        typer.Option(
            "--kb",
            help="The knowledge base of a project, for MCP; may be given more than once.",
            metavar="PROJECT=PATH",
            show_default=False,
        ),
    ] = None,
    data: options.Data = None,
    as_json: options.Json = False,
) -> None:
    """Serve the memory by HTTP, on this machine alone by default.

    There, callers without a key record and query as agents, in any project they name. A person decides with the token
    in `reviewer.token`, a file in the data folder that the first start writes for this user alone, or with a key; the
    link that is printed signs in to the console with it.
    Beyond this machine every caller needs a key: memsieve keys make.

    A signal ends it after the requests in hand, a second Ctrl+C at once. It logs to standard error, as JSON unless that
    is a terminal. MCP clients connect to /mcp, if memsieve was installed with `memsieve[mcp]`.
    """
    from memsieve.api.server import serve as serve_memory

    settings, knowledge = options.settings_of(data), dict(map(_base_of_a_project, kb or ()))
    serve_memory(settings, host=host, port=port, workers=workers, knowledge=knowledge, as_json=as_json)


def _base_of_a_project(named: str) -> tuple[str, Path]:
    from memsieve import validate
    from memsieve.kb.base import KnowledgeBase

    project_id, found, path = named.partition("=")
    if not found:
        raise typer.BadParameter(f"--kb is {named!r}; write it as PROJECT=PATH.")
    return validate.project_name(project_id), KnowledgeBase.open(Path(path)).root
