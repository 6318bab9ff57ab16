"""Read the texts that sentences are taken from, as documents of neighbouring sentences."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.train_judge.spans import is_chinese

# Glosses, headings and verses are no sentences of the kind that is judged.
_SKIPPED = ("cedict", "react_h", "vue_h", "mdn_h", "bible")
# Every other piece of these is enough.
_PLENTY = ("python", "k8s", "mdn", "godot")
_CHUNK = 16
_TAG = re.compile(r"\{[a-z]{3,20}\}")
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_END = re.compile(
    r"(?<=[.!?])(?<!Mr\.)(?<!Dr\.)(?<!Ms\.)(?<!Mrs\.)(?<!St\.)(?<!No\.)(?<!vs\.)(?<!e\.g\.)"
    r"(?<!i\.e\.)(?<!Jr\.)(?<!Prof\.)(?<!\b[A-Z]\.)[\"”’)]?\s+(?=[A-Z\"“'(\d])|"
    r"(?<=[。！？!?])|(?<=[.!?])\s+(?=[㐀-鿿])"
)
_ITEM = re.compile(r"^\s*(?:[-*•>#|]+|\(?\d{1,2}[.)])\s*")
_CODE = re.compile(r"[{}=<>\\|`]|^\W?\w[\w:.-]*\": |\]\(|https?:|\w\(\w*,|::|\.\.\.|…|__|@")
_LETTERS = re.compile(r"[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Document:
    """Sentences that stand together in one text of one language."""

    source: str
    zh: bool
    sentences: tuple[str, ...]


def documents(train: Path) -> Iterator[Document]:
    """Give the parallel texts, each side by itself, in pieces of neighbouring sentences."""
    names = json.loads((train / "pairs_sources.json").read_text("utf-8"))
    rows: tuple[list[str], list[str]] = ([], [])
    current, chunk = "", 0
    with lzma.open(train / "pairs.tsv.xz", "rt", encoding="utf-8") as file:
        for line in file:
            number, english, chinese = line.rstrip("\n").split("\t")
            name = names[int(number)]
            if current and (name != current or len(rows[0]) >= _CHUNK):
                chunk += 1
                if chunk % 2 or current not in _PLENTY:
                    yield from _two(current, rows)
                rows = ([], [])
            current = name
            rows[0].append(english)
            rows[1].append(chinese)
    yield from _two(current, rows)


def _two(name: str, rows: tuple[list[str], list[str]]) -> Iterator[Document]:
    if name in _SKIPPED:
        return
    for zh, texts in enumerate(rows):
        kept = [sentence for text in texts for sentence in sentences(text) if is_chinese(sentence) == bool(zh)]
        if kept:
            yield Document(name.removesuffix("_para"), bool(zh), tuple(kept))


def sentences(text: str) -> list[str]:
    """Return the sentences of a text that are long enough to claim something and short enough to read."""
    cleaned = _FENCE.sub("\n", _TAG.sub(" ", text))
    found = []
    for line in cleaned.splitlines():
        body = _ITEM.sub("", line).replace("**", "")
        found += [part for piece in _END.split(body) if (part := re.sub(r"\s+", " ", piece).strip()) and _fits(part)]
    return found


def _fits(sentence: str) -> bool:
    if sentence[-1] not in ".!?。！？" or _CODE.search(sentence):
        return False
    if is_chinese(sentence):
        han = len(re.findall(r"[㐀-鿿]", sentence))
        return 6 <= len(sentence) <= 120 and han >= 0.4 * len(sentence)
    words = sentence.split()
    return 4 <= len(words) <= 60 and len(sentence) <= 400 and len(_LETTERS.findall(sentence)) >= 0.6 * len(sentence)


def labelled(train: Path) -> Iterator[dict[str, str]]:
    """Give the pairs that people labelled."""
    names = {"entailment": "consistent", "neutral": "neutral", "contradiction": "contradiction"}
    with lzma.open(train / "nli.jsonl.xz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    rows = [(row["premise"], row["hypothesis"], row["label"], row["source"]) for row in rows]
    for first, second, label, source in rows:
        lang = "zh" if is_chinese(first + second) else "en"
        yield {
            "a": first.strip(),
            "b": second.strip(),
            "label": names[label],
            "kind": "nli",
            "lang": lang,
            "source": source,
        }
