"""Weigh the signs of an order to the reader: `python -m tools.train_injection [--data FOLDER]`.

What counts as an order are our own sentences (benchmarks/planted.json, the half to develop on), planted into clean text
and alone; what does not are our own notes and every second clean text. Of public data only text is used whose licence
is MIT, and no attack. The weights are those of a logistic regression, rounded; signs that hardly matter are left out.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from benchmarks.planting import clean_texts, hosts, notes, orders, planted

from memsieve.ingress.checks.injection.chinese import CHINESE
from memsieve.ingress.checks.injection.disguise import fold
from memsieve.ingress.checks.injection.english import ENGLISH
from memsieve.ingress.checks.injection.find import BASE, WEIGHTS, weighable
from memsieve.ingress.checks.injection.sentence import Sentence

Weighable = Callable[[str], list[tuple[Sentence, set[str]]]]

DATA = Path(__file__).parents[2] / "shared" / "data"
TABLE = Path(__file__).parents[1] / "src/memsieve/ingress/checks/injection/data" / WEIGHTS
# How much a set counts as a whole, against all orders together.
ENGLISH_SETS = {"BIPIA e-mails": 1.0, "QMSum turns": 1.0, "Who&When agent steps": 2.0, "HaluEval answers": 1.0}
CHINESE_SETS = {"VCSum paragraphs": 4.0}
NOTES = 1.0
ALONE = 0.5
PLACES = 4
RARE = 12
SLIGHT = (0.3, 0.4, 0.45)
DAMPING = 3.0
STEPS = 40


def main() -> None:
    """Train on the data and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    data = parser.parse_args().data
    texts = {name: every[::2] for name, every in clean_texts(data).items()}
    tables = {
        ENGLISH.code: _table("en", texts, ENGLISH_SETS, lambda text: weighable(text, ENGLISH)),
        CHINESE.code: _table("zh", texts, CHINESE_SETS, lambda text: weighable(fold(text), CHINESE)),
    }
    TABLE.write_text(_written(tables), "utf-8")


def _table(
    language: str, texts: Mapping[str, list[str]], shares: Mapping[str, float], weighed: Weighable
) -> dict[str, float]:
    rows, answers, counts = [], [], []
    for order, text in _placed(orders("develop", language), hosts(texts, language)):
        for signs in _of(order, text, weighed)[:1]:
            rows.append(signs)
            answers.append(1.0)
            counts.append(ALONE if order == text else 1.0)
    whole = sum(counts)
    for clean, share in (*((texts[name], shares[name]) for name in shares), (notes("develop", language), NOTES)):
        found = [signs for text in clean for _, signs in weighed(text)]
        rows += found
        answers += [0.0] * len(found)
        counts += [share * whole / len(found)] * len(found)
    print(f"{language}: {int(sum(answers))} orders, {len(rows) - int(sum(answers))} other sentences")
    return _fitted(rows, np.array(answers), np.array(counts) / np.mean(counts))


def _placed(sentences: Iterable[str], around: Sequence[str]) -> Iterable[tuple[str, str]]:
    chance = random.Random(1)  # noqa: S311 - nothing is kept secret by it
    for sentence in sentences:
        yield sentence, sentence
        for host in chance.sample(around, PLACES):
            yield sentence, chance.choice(planted(sentence, host))


def _of(order: str, text: str, weighed: Weighable) -> list[set[str]]:
    """Return the signs of the planted sentence, not of those around it."""
    plain = fold(order)
    return [signs for sentence, signs in weighed(text) if (said := fold(sentence.text)) in plain or plain in said]


def _fitted(rows: Sequence[set[str]], answers: np.ndarray, counts: np.ndarray) -> dict[str, float]:
    names = sorted(sign for sign, times in Counter(sign for row in rows for sign in row).items() if times >= RARE)
    weights = np.zeros(0)
    for slight in (*SLIGHT, None):
        table = np.array([[*(name in row for name in names), True] for row in rows], dtype=float)
        weights = _regressed(table, answers, counts)
        if slight is not None:
            names = [name for name, weight in zip(names, weights[:-1], strict=True) if abs(weight) >= slight]
    return {BASE: round(weights[-1], 2)} | {
        name: round(weight, 2) for name, weight in zip(names, weights[:-1], strict=True)
    }


def _regressed(table: np.ndarray, answers: np.ndarray, counts: np.ndarray) -> np.ndarray:
    weights = np.zeros(table.shape[1])
    damping = np.array([DAMPING] * (table.shape[1] - 1) + [1e-6])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-table @ weights))
        slope = table.T @ (counts * (likely - answers)) + damping * weights
        bend = (table * (counts * likely * (1 - likely))[:, None]).T @ table + np.diag(damping)
        weights -= np.linalg.solve(bend, slope)
    return weights


def _written(tables: Mapping[str, Mapping[str, float]]) -> str:
    parts = ["# What each sign weighs. Written by `python -m tools.train_injection`; do not edit.\n"]
    for name, table in tables.items():
        heaviest = sorted(table.items(), key=lambda item: (item[0] != BASE, -item[1], item[0]))
        lines = "".join(f'"{sign}" = {weight}\n' for sign, weight in heaviest)
        parts.append(f"\n[{name}]\n{lines}")
    return "".join(parts)


if __name__ == "__main__":
    main()
