"""Train the model of worth: `python -m tools.train_worth`, with torch; `--apart` measures it on sources kept apart."""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memsieve.worth.model import MODEL, WorthModel
from tools.train_worth import report
from tools.train_worth.texts import Text, agents, written
from tools.train_worth.train import SEED, samples, train, weights_of


def main() -> None:
    """Train on all sources but those kept apart, and report on these, or else on runs that nobody trained on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--apart", nargs="+", default=[], metavar="SOURCE", help="sources to report on, as pen-01")
    parser.add_argument("--out", type=Path, default=MODEL)
    given = parser.parse_args()
    texts = written()
    model = _trained([*(text for text in texts if text.source not in given.apart), *agents("train")], given.out)
    if given.apart:
        title = f"texts by {len(given.apart)} pens that the model has not read"
        report.show(title, report.judge(model, [text for text in texts if text.source in given.apart]))
    report.show("passages of agent runs that the model has not read", report.judge(model, agents("test")))


def _trained(texts: Sequence[Text], out: Path) -> WorthModel:
    """Train, write the weights as the package keeps them, and return them as the package reads them."""
    weights = weights_of(train(samples(texts, random.Random(SEED))))  # noqa: S311 - nothing is kept secret by it
    out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out, **weights)
    return WorthModel(out)


if __name__ == "__main__":
    main()
