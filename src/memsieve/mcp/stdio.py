"""Serve one desk over standard input and output, until the client hangs up."""

from __future__ import annotations

from memsieve.mcp.desk import Desk
from memsieve.mcp.server import build


async def serve(desk: Desk) -> None:
    """Serve until standard input ends."""
    await build(lambda _request: desk).run_stdio_async()
