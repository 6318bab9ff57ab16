"""How long `memsieve kb refine` takes with more and more atoms, and where the time goes."""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from benchmarks.invented import VOCABULARY, Inventor
from benchmarks.report import Column, Report
from benchmarks.scores import exponent

from memsieve.kb.base import KnowledgeBase
from memsieve.kb.files.document import MarkdownDocument
from memsieve.kb.items import Item
from memsieve.models import bundled

SIZES = (100, 1_000, 10_000)
FINDINGS = 200
# A base of atoms in which every third is Chinese, of three sentences each.
CHINESE = 3
SENTENCES = 3
WORDS_IN_A_CHINESE_SENTENCE = 14
# Atoms as young as this are not kept in the cache.
SETTLING = 2.5
SECONDS, GROWTH = "{:.1f} s", "n^{:.2f}"
COLUMNS = (
    *(Column("atoms", "{:,}"), Column("findings")),
    *(Column("first run", SECONDS), Column("growth", GROWTH), Column("processor", SECONDS)),
    *(Column("next run", SECONDS), Column("growth", GROWTH), Column("processor", SECONDS)),
    Column("aim"),
)


def main(_: Path) -> Report:
    """Print one table of all sizes."""
    report, rows, before = Report("kb"), [], None
    for size in SIZES:
        report.progress(f"refining {size:,} atoms")
        runs = _measured(size)
        figures = [figure for run, last in zip(runs, before or runs, strict=True) for figure in run.figures(last)]
        rows.append((size, FINDINGS, *figures, "< 20 s" if size == SIZES[-1] else ""))
        before = runs
    title = "memsieve kb refine in a process of its own, without a cache of concepts and with one"
    report.table(title, COLUMNS, rows)
    return report


@dataclass(frozen=True)
class Took:
    """The seconds of one run with so many atoms, and those of them that the processor worked for it."""

    atoms: int
    seconds: float
    processor: float

    def figures(self, before: Took) -> tuple[float, float | None, float]:
        """Return the seconds, the power of the atoms that they grew by since a smaller run, and the processor's."""
        return self.seconds, exponent([(before.atoms, before.seconds), (self.atoms, self.seconds)]), self.processor


def _measured(size: int) -> tuple[Took, Took]:
    """Return what a first run took, and a second one with as many new findings."""
    with tempfile.TemporaryDirectory() as folder:
        base = KnowledgeBase.init(Path(folder) / ".ai-kb")
        made = Texts(size)
        atoms = made.atoms(base.root / "atoms", size)
        time.sleep(SETTLING)
        first = _refine(base, made, atoms, "first")
        for path in (base.root / "workspace" / "staging").iterdir():
            path.unlink()
        return first, _refine(base, made, atoms, "second")


def _refine(base: KnowledgeBase, made: Texts, atoms: list[str], name: str) -> Took:
    for item in made.findings(atoms, name):
        base.write(item)
    command = [sys.executable, "-m", "memsieve", "kb", "refine", "--kb", str(base.root), "--json"]
    began, worked = time.perf_counter(), _processor()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    took = Took(len(atoms), time.perf_counter() - began, _processor() - worked)
    counts = json.loads(done.stdout)["counts"]
    # A fifth of each fate, or it is not refine that was measured.
    assert all(
        counts[fate] >= FINDINGS / 6 for fate in ("promoted", "corrected", "observing", "duplicate", "too_narrow")
    )
    return took


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Texts:
    """Makes up atoms and findings, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._english = [text.content for text in Inventor(seed).texts(4_000)]
        words = [word for word in bundled.tokens().chinese if len(word) > 1][:VOCABULARY]
        self._chinese, self._reach = words, list(accumulate(1 / (rank + 20) for rank in range(len(words))))

    def atoms(self, folder: Path, count: int) -> list[str]:
        """Write atoms, a hundred a folder; return what they say."""
        texts = [self._text(number) for number in range(count)]
        for number, text in enumerate(texts):
            path = folder / f"area-{number // 100}" / f"atom-{number}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            fields = {"id": f"atom-{number}", "type": "pattern", "title": f"Atom {number}", "tags": ["made up"]}
            path.write_text(MarkdownDocument.of(fields, f"# Atom {number}\n\n{text}").render())
        return texts

    def findings(self, atoms: list[str], name: str) -> Iterator[Item]:
        """Yield findings of every fate: known, narrow, new, borne out, and corrections."""
        # What one half says is found again; the other half is corrected.
        half = len(atoms) // 2
        for number in range(FINDINGS):
            kind, called = ("new_trap", "new_pattern")[number % 2], f"{name} {number}"
            match number % 5:
                case 0:
                    known = self._chance.choice(atoms[:half]).split("\n")
                    yield Item(type=kind, description=called, content="\n".join(known[::-1]))
                case 1:
                    text = f"A typo in parser_{name}_{number}.c, line {number}."
                    yield Item(type=kind, description=called, content=text)
                case 2:
                    text = f"It must always be so: {self._text(number)}"
                    yield Item(type=kind, description=called, content=text)
                case 3:
                    yield Item(type=kind, description=called, content=self._text(number), evidence="a test")
                case _:
                    target = f"atom-{self._chance.randrange(half, len(atoms))}"
                    yield Item(type="correction", atom_name=target, content=self._text(number))

    def _text(self, number: int) -> str:
        sentence = self._chinese_sentence if number % CHINESE == 0 else self._english_sentence
        return "\n".join(sentence() for _ in range(SENTENCES))

    def _english_sentence(self) -> str:
        first, second = (self._chance.choice(self._english).rstrip(".").split() for _ in range(2))
        half = len(first) // 2
        return f"{' '.join([*first[:half], *second[half:]])}."

    def _chinese_sentence(self) -> str:
        words = self._chance.choices(self._chinese, cum_weights=self._reach, k=WORDS_IN_A_CHINESE_SENTENCE)
        return f"{''.join(words)}。"
