"""The model of worth learns from labelled texts, and from none that it is measured on."""

import json
import sys
from pathlib import Path

from memsieve.text.normalize import normalized
from memsieve.worth.model import KINDS

sys.path.insert(0, str(Path(__file__).parents[2]))  # tools/ is not installed

from tools.train_worth.texts import DATA, KEEP, LABELS, written

FILES = [Path(__file__).parents[2] / "benchmarks" / name for name in ("pollution.jsonl", "unread.jsonl")]


def test_every_text_and_passage_has_a_kind_that_the_model_knows():
    texts = written()
    assert len(texts) > 10_000
    assert {text.kind for text in texts} == set(KINDS)
    assert {text.language for text in texts} == {"en", "zh"}
    labels = [line.split("\t")[1] for line in (DATA / LABELS).read_text("utf-8").splitlines()]
    assert set(labels) <= {*KINDS, KEEP}


def test_nothing_that_the_model_is_measured_on_is_learnt():
    rows = [json.loads(line) for path in FILES for line in path.read_text("utf-8").splitlines()]
    measured = {normalized(row.get("text") or row["finding"]) for row in rows}
    assert len(measured) == len(rows)
    assert measured.isdisjoint(normalized(text.text) for text in written())
