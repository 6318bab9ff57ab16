"""The command that looks a memory over: doctor."""

from __future__ import annotations

import typer

from memsieve.cli import options
from memsieve.cli.exits import PROBLEM_FOUND
from memsieve.cli.options import examples
from memsieve.cli.output import show
from memsieve.cli.target import Target

commands = typer.Typer()


@commands.command(rich_help_panel="Data", epilog=examples("memsieve doctor", "memsieve doctor --data /srv/memsieve"))
def doctor(data: options.Data = None, as_json: options.Json = False) -> None:
    """Look everything over; say what to do about what is wrong.

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
    show(document, lambda screens: screens.findings(findings), as_json=as_json)
    if not document["healthy"]:
        raise typer.Exit(PROBLEM_FOUND)
