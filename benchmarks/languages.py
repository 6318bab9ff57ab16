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
from benchmarks.restatements import PARAPHRASES
from rich.console import Console
from rich.progress import track
from rich.table import Table
from tokenizers import BertWordPieceTokenizer

from memsieve import Memory, Project
from memsieve.bundled import models
from memsieve.bundled.simplify import simplified_forms
from memsieve.config import FilterSettings
from memsieve.embedders.local import MAX_TOKENS, LocalEmbedder
from memsieve.ingress import duplicate
from memsieve.ingress.candidate import Candidate
from memsieve.model import Vector
from memsieve.retrieval.words import cut
from memsieve.testing.factories import entry

MEMORIES = 2_000
PAIRS = 500
TEXTS = 200
# All pairs among so many real sentences of each language.
SAMPLE = 400
FIRST = 3
FOLDER = Path(__file__).parent
# The second ask in other words than the answer's. Constants were chosen with both in view: neither is unseen.
CASES = {"plain": "bilingual.json", "in other words": "bilingual_hard.json"}
Embed = Callable[[str], "Vector | None"]


def main(data: Path) -> None:
    """Print the tables."""
    console = Console(width=110)
    embedder = LocalEmbedder()

    def embed(text: str) -> Vector | None:
        return asyncio.run(embedder.embed([text]))[0]

    english, chinese = _english(data), _chinese(data)
    console.print(_across(english, chinese))
    console.print(_duplicates(english[:PAIRS], chinese, embed))
    console.print(_thresholds(english, chinese, embed))
    console.print(_cost(english, chinese, embedder))


def _english(data: Path) -> list[str]:
    turns = (turn["content"] for meeting in lines(data / "qmsum_val.jsonl") for turn in meeting["turns"])
    return [text for text in dict.fromkeys(turns) if 60 <= len(text) <= 400]


def _chinese(data: Path) -> list[str]:
    sentences = (
        sentence for meeting in lines(data / "vcsum_dev.jsonl") for part in meeting["context"] for sentence in part
    )
    return [text for text in dict.fromkeys(sentences) if 20 <= len(text) <= 200]


def _across(english: list[str], chinese: list[str]) -> Table:
    """Ask questions whose answer is in the other language, in one project with everything else."""
    cases = {name: json.loads((FOLDER / file).read_text("utf-8")) for name, file in CASES.items()}
    asked = [case for kind in cases.values() for case in kind]
    half = (MEMORIES - len(asked)) // 2
    pick = random.Random(0)
    others = pick.sample(english, half) + pick.sample(chinese, half)
    table = Table("questions", "asked", "answer first", f"in the first {FIRST}")
    table.title = f"{MEMORIES:,} memories in one project, half of each language"
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder) as memory:
        project = memory.project("mixed")
        for text in track([*others, *(case["memory"] for case in asked)], "Promoting memories", transient=True):
            project.promote_text(text, by="benchmark")
        for name, kind in cases.items():
            for language, han in (("Chinese to English", True), ("English to Chinese", False)):
                wanted = [case for case in kind if bool(re.search("[一-鿿]", case["question"])) == han]
                places = [_place(project, case) for case in wanted]
                counts = (sum(at <= 1 for at in places), sum(at <= FIRST for at in places))
                table.add_row(f"{name}, {language}", str(len(places)), *map(str, counts))
    return table


def _place(project: Project, case: dict[str, str]) -> int:
    found = [item.content for item in project.retrieve(case["question"], max_results=FIRST).items]
    return found.index(case["memory"]) + 1 if case["memory"] in found else FIRST + 1


def _duplicates(english: list[str], chinese: list[str], embed: Embed) -> Table:
    pick = random.Random(1)
    one, other = (pick.sample(chinese, PAIRS) for _ in range(2))
    strangers = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
    table = Table("pairs of sentences", "pairs", "called duplicates", title="Duplicates")
    table.add_row("two different ones, Chinese", *_counted(strangers, embed))
    for name, change in VARIANTS.items():
        changed = [(text, change(text)) for text in one if change(text) != text]
        table.add_row(f"{name}, Chinese", *_counted(changed, embed))
    for language, han in (("Chinese", True), ("English", False)):
        rewritten = [pair for pair in PARAPHRASES if bool(re.search("[一-鿿]", pair[0])) == han]
        table.add_row(f"paraphrases, {language}", *_counted(rewritten, embed))
    for language, texts in (("Chinese", one), ("English", english)):
        table.add_row(f"one value changed, {language}", *_counted(list(_changed(texts)), embed))
    return table


def _thresholds(english: list[str], chinese: list[str], embed: Embed) -> Table:
    """Count strangers and paraphrases above the similarities that the tombstone, echo and duplicate checks use."""
    defaults = FilterSettings()
    marks = (defaults.tombstone_similarity, defaults.echo_similarity, defaults.duplicate_similarity)
    table = Table(
        "pairs", "count", *(f"at {mark:g} or more" for mark in marks), title="Similarities, before claims are compared"
    )
    pick = random.Random(3)
    for language, texts, han in (("Chinese", chinese, True), ("English", english, False)):
        vectors = np.stack([embed(text) for text in pick.sample(texts, SAMPLE)])
        strangers = (vectors @ vectors.T)[np.triu_indices(SAMPLE, 1)]
        table.add_row(
            f"strangers, {language}", f"{len(strangers):,}", *(str(int((strangers >= m).sum())) for m in marks)
        )
        alike = np.array([embed(a) @ embed(b) for a, b in PARAPHRASES if bool(re.search("[一-鿿]", a)) == han])
        table.add_row(f"paraphrases, {language}", str(len(alike)), *(f"{(alike >= mark).mean():.0%}" for mark in marks))
    return table


def _changed(texts: list[str]) -> Iterator[tuple[str, str]]:
    """Give each text that one of the edits fits, with its number, date, negation or opposite changed."""
    pick = random.Random(2)
    for text in texts:
        made = [changed for edit in EDITS.values() if (changed := edit(text, pick))]
        if made:
            yield text, pick.choice(made)


def _counted(pairs: list[tuple[str, str]], embed: Embed) -> tuple[str, str]:
    found = sum(_duplicate(*pair, embed) for pair in pairs)
    return str(len(pairs)), f"{found} ({found / len(pairs):.1%})"


def _duplicate(one: str, other: str, embed: Embed) -> bool:
    held = entry(one, embedding=embed(one))
    candidate = Candidate(entry=entry(other), words=cut(other), vector=embed(other), working=[held])
    return not duplicate.check(candidate, FilterSettings()).passed


def _traditional(text: str) -> str:
    forms = {new: old for old, new in simplified_forms().items()}
    return text.translate({ord(new): old for new, old in forms.items()})


VARIANTS: dict[str, Callable[[str], str]] = {
    "punctuation changed": lambda text: text.translate(str.maketrans("，。！？；：", ",.!?;:")).rstrip(".") + "！",
    "width changed": lambda text: text.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)}),
    "traditional characters": _traditional,
}


def _cost(english: list[str], chinese: list[str], embedder: LocalEmbedder) -> Table:
    """Time the embedder against MiniLM without Chinese: the same encoder, its own tokenizer, its own rows."""
    alone = _minilm()
    ours = embedder._embed  # noqa: SLF001 - without the thread that `embed` asks for
    for embed in (alone, ours):
        embed("Both are loaded before anything is timed.")
    table = Table("texts", "MiniLM alone", "bundled", "ratio", title="Milliseconds a text (medians, in turns)")
    for name, texts in (("English", english[:TEXTS]), ("Chinese", chinese[:TEXTS])):
        both = [[_time(partial(embed, text)) for embed in (alone, ours)] for text in texts]
        first, second = (median(times) for times in zip(*both, strict=True))
        ratio = median(b / a for a, b in both)
        cells = (f"{first:.2f}", f"{second:.2f}", f"{ratio:.2f}") if name == "English" else ("", f"{second:.2f}", "")
        table.add_row(name, *cells)
    table.add_row("loading, in a fresh process", "", f"{1000 * _loading():.0f}", "")
    return table


def _minilm() -> Embed:
    words = (models.FOLDER / "minilm" / "words.txt").read_text("utf-8").removesuffix("\n").split("\n")
    tokenizer = BertWordPieceTokenizer(vocab={word: number for number, word in enumerate(words)})
    tokenizer.enable_truncation(MAX_TOKENS)
    session = models.session(models.FOLDER / "minilm" / "encoder.onnx")
    with np.load(models.FOLDER / "minilm" / "words.npz") as held:
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
        "import asyncio, time; from memsieve.embedders.local import LocalEmbedder; start = time.perf_counter();"
        "asyncio.run(LocalEmbedder().embed(['你好 world'])); print(time.perf_counter() - start)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    return median(float(run.stdout) for run in runs)
