"""The command that serves a memory by HTTP: serve."""

from __future__ import annotations

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
    workers: Annotated[int, typer.Option("--workers", help="Serve with so many processes.", min=1, max=64)] = 1,
    data: options.Data = None,
    as_json: options.Json = False,
) -> None:
    """Serve the memory by HTTP, on this machine alone by default.

    There, callers without a key record and query as agents, in any project they name. A person decides with the token
    in `reviewer.token`, a file in the data folder that the first start writes for this user alone, or with a key.
    Beyond this machine every caller needs a key: memsieve keys make.

    A signal ends it after the requests in hand, a second Ctrl+C at once. It logs to standard error, as JSON unless that
    is a terminal.
    """
    from memsieve.api.serving.server import serve as serve_memory

    serve_memory(options.settings_of(data), host=host, port=port, workers=workers, as_json=as_json)
