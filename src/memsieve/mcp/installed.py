"""Whether the MCP SDK is there: it is an extra."""

from __future__ import annotations

from importlib.util import find_spec

from memsieve.errors import ConfigError


def require_sdk() -> None:
    """Say how to install what is missing."""
    if find_spec("mcp") is None:
        raise ConfigError("MCP needs its SDK, which is not installed: pip install 'memsieve[mcp]'")
