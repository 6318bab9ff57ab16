"""The texts that the model learns from, by their source, and those that are kept apart."""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memsieve.worth.passages import split_passages

DATA = Path(__file__).parent / "data"
SHARED = Path(__file__).parents[3] / "shared"
# A passage of a real run that people would keep, of whatever kind.
KEEP = "keep"
LABELS = "agent_passages.tsv"
_DIGEST = 16


@dataclass(frozen=True, slots=True)
class Text:
    """A text of one kind, and who wrote it."""

    kind: str
    language: str
    text: str
    source: str


def written(folder: Path = DATA) -> list[Text]:
    """Return the texts that were written for this, each file by another pen."""
    return [text for path in sorted(folder.glob("pen-*.tsv")) for text in read(path)]


def read(path: Path) -> Iterator[Text]:
    """Yield the texts of a file, each once: kind, language and text, with tabs between them."""
    seen = set()
    for line in path.read_text("utf-8").splitlines():
        kind, language, escaped = line.split("\t")
        text = escaped.replace("\\n", "\n").replace("\\t", "\t").strip()
        if text and text not in seen:
            seen.add(text)
            yield Text(kind, language, text, path.stem)


def agents(half: str, shared: Path = SHARED) -> list[Text]:
    """Return passages of real agent runs as they were labelled; the labels are kept by digest, not the texts."""
    labels = dict(line.split("\t") for line in (DATA / LABELS).read_text("utf-8").splitlines())
    found: dict[str, Text] = {}
    for source, content in _runs(half, shared):
        for passage in split_passages(content):
            key = digest(passage.text)
            if key in labels:
                found.setdefault(key, Text(labels[key], "en", passage.text, f"{source} ({half})"))
    return list(found.values())


def digest(text: str) -> str:
    """Return the name of a passage in the file of labels."""
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST]


def _runs(half: str, shared: Path) -> Iterator[tuple[str, str]]:
    """Yield the messages of every second run, by source; runs are halved, not messages."""
    with lzma.open(shared / "train" / "agent_traces.jsonl.xz", "rt", encoding="utf-8") as lines:
        traces = [json.loads(line) for line in lines]
    sessions: dict[str, set[str]] = {}
    for trace in traces:
        sessions.setdefault(trace["source"], set()).add(trace["session"])
    chosen = {source: _half(sorted(named), half) for source, named in sessions.items()}
    for trace in traces:
        if trace["session"] in chosen[trace["source"]]:
            yield trace["source"], trace["content"]
    for run in _half(_lines(shared / "data" / "who_and_when_dev.jsonl"), half):
        for message in run["messages"]:
            yield "Who&When", message["content"]


def _half(items: Iterable[Any], half: str) -> list[Any]:
    return [*items][0 if half == "train" else 1 :: 2]


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
