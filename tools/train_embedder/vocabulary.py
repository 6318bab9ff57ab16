"""Choose the Chinese characters and words that get a row, from a dictionary and a corpus."""

from __future__ import annotations

import json
import lzma
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

WORDS = 16_000
LONGEST_WORD = 6
# A character outside the national standard's 6,763 gets a row when the corpus has it this often.
OFTEN = 8
_RUN = re.compile("[\u3400-\u9fff]+")


class Pair(NamedTuple):
    """One line of the corpus: a sentence in both languages."""

    source: str
    english: str
    chinese: str


def read_pairs(folder: Path) -> Iterator[Pair]:
    """Give the parallel corpus."""
    sources = json.loads((folder / "pairs_sources.json").read_text("utf-8"))
    with lzma.open(folder / "pairs.tsv.xz", "rt", encoding="utf-8") as file:
        for line in file:
            source, english, chinese = line.rstrip("\n").split("\t")
            yield Pair(sources[int(source)], english.strip("\ufeff "), chinese)


def read_dictionary(folder: Path) -> dict[str, list[str]]:
    """Return the English glosses of each Chinese word."""
    with lzma.open(folder / "cedict.json.xz", "rt", encoding="utf-8") as file:
        return dict(json.load(file))


def choose(pairs: Iterable[Pair], dictionary: dict[str, list[str]]) -> list[str]:
    """Return characters, then the most frequent words, in an order that depends on the input alone."""
    characters: Counter[str] = Counter()
    words: Counter[str] = Counter()
    known = frozenset(word for word in dictionary if 2 <= len(word) <= LONGEST_WORD and _RUN.fullmatch(word))
    for pair in pairs:
        # Each word of the dictionary is there once, which says nothing about how often it is used.
        if pair.source != "cedict":
            for run in _RUN.findall(pair.chinese):
                characters.update(run)
                words.update(cut(run, known))
    standard = {c for c in map(chr, range(0x4E00, 0xA000)) if _in_standard(c)}
    single = sorted(standard | {c for c, times in characters.items() if times >= OFTEN})
    frequent = sorted(words, key=lambda word: (-words[word], word))[:WORDS]
    return single + frequent


def cut(run: str, known: frozenset[str]) -> Iterator[str]:
    """Give the words of a run, the longest from the left each time, as the tokenizer will."""
    at = 0
    while at < len(run):
        length = next((n for n in range(LONGEST_WORD, 1, -1) if run[at : at + n] in known), 1)
        if length > 1:
            yield run[at : at + length]
        at += length


def _in_standard(character: str) -> bool:
    try:
        return bool(character.encode("gb2312"))
    except UnicodeEncodeError:
        return False


def simplified(folder: Path) -> dict[str, str]:
    """Return the simplified form of each traditional character."""
    forms: dict[str, str] = json.loads((folder / "t2s.json").read_text("utf-8"))
    return dict(sorted(forms.items()))


def main(train: Path, target: Path) -> None:
    """Write words.txt, and simplified.json for `memsieve/text/data`."""
    target.mkdir(parents=True, exist_ok=True)
    words = choose(read_pairs(train), read_dictionary(train))
    (target / "words.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    forms = json.dumps(simplified(train), ensure_ascii=False, separators=(",", ":"))
    (target / "simplified.json").write_text(forms, encoding="utf-8")
    single = sum(len(word) == 1 for word in words)
    print(f"{single} characters and {len(words) - single} words")
