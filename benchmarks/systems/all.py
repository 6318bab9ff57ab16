"""The memory systems that can be compared here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from benchmarks.systems.base import Factory
from benchmarks.systems.bm25 import BM25
from benchmarks.systems.dense import Dense
from benchmarks.systems.fusion import Fusion
from benchmarks.systems.memsieve import Memsieve, promoted
from benchmarks.systems.names import PEERS


def systems(peers: bool) -> dict[str, Factory]:
    """Return memsieve in both modes, and, where wanted, the peers that are installed."""
    ours: dict[str, Factory] = {"memsieve, filter alone": Memsieve, "memsieve, promoted": promoted}
    return ours | (installed() if peers else {})


def baselines() -> dict[str, Factory]:
    """Return what anybody could write in an hour."""
    return {kind.name: kind for kind in (BM25, Dense, Fusion)}


def installed(kinds: Mapping[str, str] = PEERS) -> dict[str, Factory]:
    """Return the peers that can be imported, by their names."""
    found = {}
    for name, kind in kinds.items():
        try:
            peer = getattr(import_module(f"benchmarks.systems.{name}"), kind)
            found[peer.name] = peer
        except ImportError as error:
            print(f"{name} is left out: {error}. `make bench-peers` installs it.")
    return found
