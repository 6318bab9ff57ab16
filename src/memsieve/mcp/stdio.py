"""Serve one context over standard input and output, until the client hangs up."""

from __future__ import annotations

from memsieve.mcp.context import ToolContext
from memsieve.mcp.server import build


async def serve(context: ToolContext) -> None:
    """Serve until standard input ends."""
    await build(lambda _request: context).run_stdio_async()
