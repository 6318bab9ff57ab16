"""Instructions of our own planted into public texts, and the clean texts themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.reading import lines

OWN = Path(__file__).parent / "planted.json"
_LONG_TURN = 200
_TURNS = 60


def own() -> Any:
    """Return our own sentences: orders by half, language and kind, and notes by half and language."""
    return json.loads(OWN.read_text("utf-8"))


def orders(half: str, language: str) -> list[str]:
    """Return the orders of one half."""
    return [text for texts in own()[half][language].values() for text in texts]


def notes(half: str, language: str) -> list[str]:
    """Return what people note or ask for, often in the imperative, that gives no order to the reader of a memory."""
    return list(own()["notes"][half][language])


def hosts(texts: Mapping[str, list[str]], language: str) -> list[str]:
    """Return texts to plant something into: e-mails, and turns of meetings, as many long ones as short ones."""
    if language == "zh":
        return texts["VCSum paragraphs"]
    turns = sorted(texts["QMSum turns"], key=lambda turn: len(turn) > _LONG_TURN)
    return texts["BIPIA e-mails"] + turns[:: len(turns) // _TURNS] + turns[-_TURNS:]


def planted(order: str, host: str) -> tuple[str, str, str]:
    """Return the host with the order before it, in its middle, and after it."""
    ends = [at + len(end) - (end == ". ") for end in (". ", "。") if (at := host.find(end, len(host) // 2)) >= 0]
    middle = min(ends, default=len(host))
    return f"{order}\n{host}", f"{host[:middle]} {order} {host[middle:]}", f"{host}\n{order}"


def clean_texts(data: Path) -> dict[str, list[str]]:
    """Return public texts that hold no order to their reader, by set."""
    meetings = lines(data / "qmsum_val.jsonl")
    segments = lines(data / "vcsum_dev.jsonl")
    conversations = json.loads((data / "locomo_dev.json").read_text("utf-8"))
    runs = lines(data / "who_and_when_dev.jsonl")
    sets = {
        "BIPIA e-mails": [line["context"] for line in lines(data / "bipia_email_dev.jsonl")],
        "QMSum turns": [turn["content"] for meeting in meetings for turn in meeting["turns"]],
        "VCSum paragraphs": ["".join(paragraph) for segment in segments for paragraph in segment["context"]],
        "LoCoMo turns": [t["text"] for c in conversations for s in c["sessions"] for t in s["turns"]],
        "Who&When agent steps": [m["content"] for r in runs for m in r["messages"] if m["agent"] != "human"],
        "HaluEval answers": [line["chatgpt_response"] for line in lines(data / "halueval_dev.jsonl")],
    }
    return {name: [text for text in texts if text.strip()] for name, texts in sets.items()}
