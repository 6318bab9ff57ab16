"""Injection check: planted instructions caught, and clean text refused."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.planting import clean_texts, hosts, notes, orders, own, planted
from benchmarks.report import Column, Curve, Report

from memsieve.ingress.checks.injection.disguise import fold
from memsieve.ingress.checks.injection.find import THRESHOLD, find_injection, heaviest

SHARE = "{:.1%}"
FINE = "{:.2%}"
LANGUAGES = {"en": "English", "zh": "Chinese"}
HALVES = {"develop": "to develop on", "held_out": "held out"}
THRESHOLDS = [round(-2 + step / 4, 2) for step in range(17)]
_HOSTS = 12


def main(data: Path) -> Report:
    """Print what is caught and what is refused, and return it."""
    report = Report("injection")
    texts = clean_texts(data)
    attacks = json.loads((data / "bipia_text_attacks_dev.json").read_text("utf-8"))
    _public(report, attacks, texts["BIPIA e-mails"])
    _own(report, texts)
    _refused(report, texts)
    _curve(report, attacks, texts)
    return report


def _public(report: Report, attacks: Mapping[str, Sequence[str]], emails: Sequence[str]) -> None:
    rows = []
    every: list[float] = []
    for category, instructions in attacks.items():
        report.progress(category)
        shares = [_caught(_everywhere(instruction, emails)) for instruction in instructions]
        every += shares
        rows.append((category, _mean(shares)))
    note = "Each instruction is planted before, within and after each of the 50 e-mails."
    columns = (Column("category"), Column("caught", SHARE))
    report.table("BIPIA instructions planted in e-mails", columns, [*rows, ("all", _mean(every))], note)


def _own(report: Report, texts: Mapping[str, list[str]]) -> None:
    rows = []
    for half, told in HALVES.items():
        for language, name in LANGUAGES.items():
            report.progress(f"our own instructions {told}, {name}")
            around = _unseen_hosts(texts, language)
            sentences = orders(half, language)
            alone = _mean([find_injection(sentence) is not None for sentence in sentences])
            shares = _mean([_caught(_everywhere(sentence, around)) for sentence in sentences])
            rows.append((f"{name}, {told}", len(sentences), shares, alone))
    note = "Written before the rules; of those held out only the shares were seen while the threshold was chosen."
    columns = (Column("instructions"), Column("number"), Column("caught planted", SHARE), Column("caught alone", SHARE))
    report.table("Our own instructions", columns, rows, note)
    kinds = own()["held_out"]["en"]
    around = _unseen_hosts(texts, "en")
    found = [(kind, _mean([_caught(_everywhere(text, around)) for text in given])) for kind, given in kinds.items()]
    report.table("Held out, English, by kind", (Column("kind"), Column("caught planted", SHARE)), found)


def _refused(report: Report, texts: Mapping[str, list[str]]) -> None:
    rows = []
    kept = {f"our own notes, {name}": notes("held_out", language) for language, name in LANGUAGES.items()}
    for name, clean in {**texts, **kept}.items():
        report.progress(name)
        began = time.perf_counter()
        refused = [find_injection(text) is not None for text in clean]
        each = (time.perf_counter() - began) / len(clean) * 1000
        unseen = None if name in kept else _mean(refused[1::2])
        rows.append((name, len(clean), sum(refused), _mean(refused), unseen, each))
    note = (
        "The weights were trained on every second text of the public sets but LoCoMo; the unseen half is the other one."
    )
    columns = (
        *(Column("set"), Column("texts"), Column("refused"), Column("share", FINE)),
        *(Column("unseen half", FINE), Column("mean ms", "{:.2f}")),
    )
    report.table("Clean text refused", columns, rows, note)


def _curve(report: Report, attacks: Mapping[str, Sequence[str]], texts: Mapping[str, list[str]]) -> None:
    report.progress("scores")
    around = _unseen_hosts(texts, "en")
    scores = {
        "caught: BIPIA": _scores(_all(attacks), around),
        "caught: held out, English": _scores(orders("held_out", "en"), around),
        "caught: held out, Chinese": _scores(orders("held_out", "zh"), _unseen_hosts(texts, "zh")),
    }
    scores |= {f"refused: {name}": [_score(text) for text in clean[1::2]] for name, clean in texts.items()}
    scores["refused: our own notes"] = [_score(text) for text in notes("held_out", "en")]
    lines = {
        name: [(at, _mean([score >= at for score in given])) for at in THRESHOLDS] for name, given in scores.items()
    }
    rows = [(at, *(points[number][1] for points in lines.values())) for number, at in enumerate(THRESHOLDS)]
    columns = (Column("threshold"), *(Column(name, FINE) for name in lines))
    report.table(
        "Over the threshold", columns, rows, f"A known phrase is refused at any. The threshold is {THRESHOLD}."
    )
    title = "Instructions caught and clean texts refused over the threshold"
    report.curve(Curve(name="threshold", title=title, x="threshold", y="share", lines=lines))


def _scores(sentences: Iterable[str], around: Sequence[str]) -> list[float]:
    return [_score(text) for sentence in sentences for text in _everywhere(sentence, around)]


def _score(text: str) -> float:
    """Return the weight of the heaviest sentence; what holds a known phrase weighs more than any."""
    found = find_injection(text)
    if found and found.score is None:
        return math.inf
    folded = fold(text)
    weighed = heaviest(text if len(text) == len(folded) else folded, folded)
    return weighed.score if weighed else -math.inf


def _unseen_hosts(texts: Mapping[str, list[str]], language: str) -> list[str]:
    around = hosts({name: clean[1::2] for name, clean in texts.items()}, language)
    return around[:: max(1, len(around) // _HOSTS)][:_HOSTS]


def _everywhere(sentence: str, around: Sequence[str]) -> list[str]:
    return [text for host in around for text in planted(sentence, host)]


def _caught(texts: Sequence[str]) -> float:
    return _mean([find_injection(text) is not None for text in texts])


def _all(kinds: Mapping[str, Sequence[str]]) -> list[str]:
    return [text for texts in kinds.values() for text in texts]


def _mean(shares: Sequence[float]) -> float:
    return sum(shares) / len(shares)
