"""The command `memsieve`: all groups of commands, and the handling of every error."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from memsieve.cli import agents, demo, digest, filtering, kb, keys, maintenance, mcp, review, serve, transfer, worker
from memsieve.cli.output import EXIT_CODES, USAGE, complain, exit_code
from memsieve.errors import MemsieveError


class Commands(TyperGroup):
    """The root command. Every error becomes one line and an exit code."""

    def main(  # type: ignore[override] # the rest of its options pass through
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> Any:
        """Run a command line to its exit code."""
        arguments = sys.argv[1:] if args is None else list(args)
        as_json = "--json" in arguments
        # A terminal that cannot show a character shows another; nothing is lost, for JSON is always UTF-8.
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        try:
            code = super().main(arguments, prog_name, **{**extra, "standalone_mode": False})
        except MemsieveError as exc:
            complain(type(exc).__name__, str(exc), as_json=as_json)
            code = exit_code(exc)
        except typer.TyperException as exc:
            # Without a message the help has been shown instead.
            if exc.format_message():
                complain("UsageError", _usage(exc), as_json=as_json)
            code = USAGE
        except typer.Abort:
            code = 1
        except OSError as exc:
            _discard_output()
            complain("OSError", f"{exc}. Nothing more was written; correct that and try again.", as_json=as_json)
            code = 1
        sys.exit(code)

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override] # typer's own context is not public
        """Run a command; a reader who has seen enough, as in `| head`, is no error."""
        try:
            super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _discard_output()


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog=EXIT_CODES,
)
for part in (demo, serve, mcp, agents, digest, review, filtering, transfer, maintenance, worker):
    app.add_typer(part.commands)
app.add_typer(review.audit, name="audit", rich_help_panel="Review")
app.add_typer(keys.commands, name="keys", rich_help_panel="Data")
knowledge = typer.Typer(
    no_args_is_help=True,
    help="Keep knowledge in Markdown files beside the code: write, refine, check and search it.",
    rich_markup_mode="rich",
)
knowledge.add_typer(kb.commands)
app.add_typer(knowledge, name="kb", rich_help_panel="Knowledge base")


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"memsieve {version('memsieve')}")
        raise typer.Exit


@app.callback()
def memsieve(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Memory purification for AI agents: nothing becomes memory just because an agent said it.

    Agents record and query; people promote, dismiss and retire. Begin with: memsieve demo
    """


def main() -> None:
    """Run the command line."""
    app(prog_name="memsieve")


def _usage(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    path = "memsieve" if context is None else context.command_path
    message = error.format_message()
    if getattr(error, "option_name", None) == "--server":
        message = "This command works on the data itself: run it on the server's machine, with --data."
    return f"{message}{'' if message.endswith(('.', '?')) else '.'} See: {path} --help"


def _discard_output() -> None:
    """Drop unwritten output: the interpreter would try to flush it again at exit, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
