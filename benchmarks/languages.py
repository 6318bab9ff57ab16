"""English and Chinese in one memory: questions across languages, duplicates in Chinese, and what reading both costs."""

from __future__ import annotations

import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from benchmarks.consistency import EDITS
from benchmarks.reading import lines
from benchmarks.report import Column, Report, Value
from benchmarks.restatements import PARAPHRASES
from tokenizers import BertWordPieceTokenizer

from memsieve import Memory, Project
from memsieve.config import FilterSettings
from memsieve.ingress.checks import duplicate
from memsieve.ingress.checks.candidate import Candidate
from memsieve.model import Vector
from memsieve.models import bundled
from memsieve.models.embedders import LOCAL_MAX_TOKENS, LocalEmbedder
from memsieve.testing.factories import entry
from memsieve.text.normalize import simplified_forms
from memsieve.text.tokenize import tokenize

MEMORIES = 2_000
PAIRS = 500
TEXTS = 200
# All pairs among so many real sentences of each language.
SAMPLE = 400
FIRST = 3
# Whether it is written in Chinese characters.
LANGUAGES = {"Chinese": True, "English": False}
FOLDER = Path(__file__).parent
# The second ask in other words than the answer's. Constants were chosen with both in view: neither is unseen.
CASES = {"plain": "bilingual.json", "in other words": "bilingual_hard.json"}
COUNT = "{:,}"
Embed = Callable[[str], "Vector | None"]
Row = tuple[Value, ...]


def main(data: Path) -> Report:
    """Print the tables."""
    report, embedder = Report("languages"), LocalEmbedder()

    def embed(text: str) -> Vector | None:
        return asyncio.run(embedder.embed([text]))[0]

    english, chinese = _english(data), _chinese(data)
    _across(report, english, chinese)
    _duplicates(report, english[:PAIRS], chinese, embed)
    _thresholds(report, english, chinese, embed)
    _cost(report, english, chinese, embedder)
    return report


def _english(data: Path) -> list[str]:
    turns = (turn["content"] for meeting in lines(data / "qmsum_val.jsonl") for turn in meeting["turns"])
    return [text for text in dict.fromkeys(turns) if 60 <= len(text) <= 400]


def _chinese(data: Path) -> list[str]:
    sentences = (
        sentence for meeting in lines(data / "vcsum_dev.jsonl") for part in meeting["context"] for sentence in part
    )
    return [text for text in dict.fromkeys(sentences) if 20 <= len(text) <= 200]


def _across(report: Report, english: list[str], chinese: list[str]) -> None:
    """Ask questions whose answer is in the other language, in one project with everything else."""
    cases = {name: json.loads((FOLDER / file).read_text("utf-8")) for name, file in CASES.items()}
    asked = [case for kind in cases.values() for case in kind]
    half = (MEMORIES - len(asked)) // 2
    pick = random.Random(0)
    others = pick.sample(english, half) + pick.sample(chinese, half)
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder) as memory:
        project = memory.project("mixed")
        _promote(report, project, [*others, *(case["memory"] for case in asked)])
        rows = [row for name, kind in cases.items() for row in _answered(project, name, kind)]
    columns = [Column("questions"), Column("asked"), Column("answer first"), Column(f"in the first {FIRST}")]
    report.table(f"{MEMORIES:,} memories in one project, half of each language", columns, rows)


def _promote(report: Report, project: Project, texts: list[str]) -> None:
    for number, text in enumerate(texts, 1):
        report.progress(f"promoting memory {number:,} of {len(texts):,}")
        project.review(by="benchmark").promote_text(text)


def _answered(project: Project, name: str, cases: list[dict[str, str]]) -> Iterator[Row]:
    for language, han in (("Chinese to English", True), ("English to Chinese", False)):
        places = [_place(project, case) for case in cases if _is_chinese(case["question"]) == han]
        counts = (sum(at <= 1 for at in places), sum(at <= FIRST for at in places))
        yield f"{name}, {language}", len(places), *counts


def _is_chinese(text: str) -> bool:
    return bool(re.search("[一-鿿]", text))


def _place(project: Project, case: dict[str, str]) -> int:
    found = [item.content for item in project.retrieve(case["question"], max_results=FIRST).items]
    return found.index(case["memory"]) + 1 if case["memory"] in found else FIRST + 1


def _duplicates(report: Report, english: list[str], chinese: list[str], embed: Embed) -> None:
    pick = random.Random(1)
    one, other = (pick.sample(chinese, PAIRS) for _ in range(2))
    pairs = {"two different ones, Chinese": [(a, b) for a, b in zip(one, other, strict=True) if a != b]}
    for name, change in VARIANTS.items():
        pairs[f"{name}, Chinese"] = [(text, change(text)) for text in one if change(text) != text]
    for language, han in LANGUAGES.items():
        pairs[f"paraphrases, {language}"] = _paraphrases(han=han)
    for language, texts in (("Chinese", one), ("English", english)):
        pairs[f"one value changed, {language}"] = list(_changed(texts))
    report.progress("duplicates")
    columns = (Column("pairs of sentences"), Column("pairs"), Column("called duplicates"), Column("share", "{:.1%}"))
    report.table("Duplicates", columns, [(name, *_counted(given, embed)) for name, given in pairs.items()])


def _paraphrases(*, han: bool) -> list[tuple[str, str]]:
    return [pair for pair in PARAPHRASES if _is_chinese(pair[0]) == han]


def _thresholds(report: Report, english: list[str], chinese: list[str], embed: Embed) -> None:
    """Count strangers and paraphrases above the similarities that the tombstone, echo and duplicate checks use."""
    defaults = FilterSettings()
    marks = (defaults.tombstone_similarity, defaults.echo_similarity, defaults.duplicate_similarity)
    pick, rows = random.Random(3), []
    report.progress("similarities")
    for language, texts in (("Chinese", chinese), ("English", english)):
        vectors = np.stack([embed(text) for text in pick.sample(texts, SAMPLE)])
        strangers = (vectors @ vectors.T)[np.triu_indices(SAMPLE, 1)]
        alike = np.array([embed(a) @ embed(b) for a, b in _paraphrases(han=LANGUAGES[language])])
        rows.append((f"strangers, {language}", *_above(strangers, marks)))
        rows.append((f"paraphrases, {language}", *_above(alike, marks)))
    above = [column for mark in marks for column in (Column(f"at {mark:g} or more", COUNT), Column("share", "{:.2%}"))]
    report.table("Similarities, before claims are compared", [Column("pairs"), Column("count", COUNT), *above], rows)


def _above(similarities: np.ndarray, marks: tuple[float, ...]) -> Iterator[float]:
    """Give how many there are, and how many and what share of them reach each mark."""
    yield len(similarities)
    for mark in marks:
        reached = int((similarities >= mark).sum())
        yield from (reached, reached / len(similarities))


def _changed(texts: list[str]) -> Iterator[tuple[str, str]]:
    """Give each text that one of the edits fits, with its number, date, negation or opposite changed."""
    pick = random.Random(2)
    for text in texts:
        made = [changed for edit in EDITS.values() if (changed := edit(text, pick))]
        if made:
            yield text, pick.choice(made)


def _counted(pairs: list[tuple[str, str]], embed: Embed) -> tuple[int, int, float]:
    found = sum(_duplicate(*pair, embed) for pair in pairs)
    return len(pairs), found, found / len(pairs)


def _duplicate(one: str, other: str, embed: Embed) -> bool:
    held = entry(one, embedding=embed(one))
    candidate = Candidate(entry=entry(other), words=tokenize(other), vector=embed(other), working=[held])
    return not duplicate.check(candidate, FilterSettings()).passed


def _traditional(text: str) -> str:
    forms = {new: old for old, new in simplified_forms().items()}
    return text.translate({ord(new): old for new, old in forms.items()})


VARIANTS: dict[str, Callable[[str], str]] = {
    "punctuation changed": lambda text: text.translate(str.maketrans("，。！？；：", ",.!?;:")).rstrip(".") + "！",
    "width changed": lambda text: text.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)}),
    "traditional characters": _traditional,
}


def _cost(report: Report, english: list[str], chinese: list[str], embedder: LocalEmbedder) -> None:
    """Time the embedder against MiniLM without Chinese: the same encoder, its own tokenizer, its own rows."""
    alone = _minilm()
    ours = embedder._embed  # noqa: SLF001 - without the thread that `embed` asks for
    for embed in (alone, ours):
        embed("Both are loaded before anything is timed.")
    report.progress("embedding")
    first, second, ratio = _compared(alone, ours, english[:TEXTS])
    rows = [
        ("English", first, second, ratio),
        ("Chinese", None, _compared(alone, ours, chinese[:TEXTS])[1], None),
        ("loading, in a fresh process", None, 1000 * _loading(), None),
    ]
    columns = [Column("texts"), *(Column(name, "{:.2f}") for name in ("MiniLM alone", "bundled", "ratio"))]
    report.table("Milliseconds a text (medians, in turns)", columns, rows)


def _compared(alone: Embed, ours: Embed, texts: list[str]) -> tuple[float, float, float]:
    both = [[_time(partial(embed, text)) for embed in (alone, ours)] for text in texts]
    first, second = (median(times) for times in zip(*both, strict=True))
    return first, second, median(b / a for a, b in both)


def _minilm() -> Embed:
    words = (bundled.FOLDER / "minilm" / "words.txt").read_text("utf-8").removesuffix("\n").split("\n")
    tokenizer = BertWordPieceTokenizer(vocab={word: number for number, word in enumerate(words)})
    tokenizer.enable_truncation(LOCAL_MAX_TOKENS)
    session = bundled.session(bundled.FOLDER / "minilm" / "encoder.onnx")
    with np.load(bundled.FOLDER / "minilm" / "words.npz") as held:
        values, zero, scale = held["values"], held["zero"], held["scale"]

    def embed(text: str) -> Vector:
        rows = (values[tokenizer.encode(text).ids].astype(np.float32) - zero) * scale
        vector: Vector = session.run(None, {"words": rows[None]})[0][0]
        return vector

    return embed


def _time(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def _loading() -> float:
    code = (
        "import asyncio, time; from memsieve.models.embedders import LocalEmbedder; start = time.perf_counter();"
        "asyncio.run(LocalEmbedder().embed(['你好 world'])); print(time.perf_counter() - start)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    return median(float(run.stdout) for run in runs)
