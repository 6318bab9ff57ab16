"""Frameworks are not installed with memsieve: say how to get one that is missing."""

from __future__ import annotations

from importlib.util import find_spec


def require(extra: str, *modules: str) -> None:
    """Say what to install if a module is missing that an integration needs."""
    for name in modules:
        if find_spec(name) is None:
            raise ModuleNotFoundError(
                f"memsieve's integration needs {name}, which is not installed: pip install 'memsieve[{extra}]'",
                name=name,
            )
