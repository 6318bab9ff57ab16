"""How well a model of worth tells statements from noise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from memsieve.worth.model import FIRST_STATEMENT, KINDS, WorthModel
from memsieve.worth.passages import split_passages
from tools.train_worth.texts import KEEP, Text

REFUSED = (0.01, 0.02, 0.03)
NOISE = frozenset(KINDS[:FIRST_STATEMENT])


def judge(model: WorthModel, texts: Iterable[Text]) -> list[tuple[Text, float]]:
    """Return each text with how likely its best passage is a statement."""
    return [(text, _statement(model, text.text)) for text in texts]


def _statement(model: WorthModel, content: str) -> float:
    passages = [passage.text for passage in split_passages(content)]
    return float(model.probabilities(passages)[:, FIRST_STATEMENT:].sum(axis=1).max())


def show(title: str, judged: Sequence[tuple[Text, float]]) -> None:
    """Print the share of noise above the threshold that refuses so many statements, by language and kind."""
    print(f"\n{title}: {len(judged):,}")
    for language in sorted({text.language for text, _ in judged}):
        some = [(text, worth) for text, worth in judged if text.language == language]
        good = np.array([worth for text, worth in some if text.kind not in NOISE])
        bad = np.array([worth for text, worth in some if text.kind in NOISE])
        for refused in REFUSED:
            least = np.quantile(good, refused)
            print(
                f"  {language}: {refused:.0%} of statements below {least:.2f}, {np.mean(bad >= least):.1%} of noise not"
            )
        least = np.quantile(good, REFUSED[-1])
        for kind in (*KINDS, KEEP):
            worths = np.array([worth for text, worth in some if text.kind == kind])
            if len(worths):
                print(f"    {kind}: {np.mean(worths >= least):.1%} of {len(worths)} at or above")
