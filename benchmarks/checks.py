"""Each check of the ingress filter by itself: what it catches of its kind, what good it refuses, and its threshold."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from benchmarks import traffic
from benchmarks.consistency import EDITS
from benchmarks.report import Column, Curve, Report, Value
from benchmarks.restatements import PARAPHRASES, reworded
from benchmarks.systems.base import Embed

from memsieve.claims.contradictions import find_contradiction, likely_pairs
from memsieve.claims.pair_model import SURE, pair_model
from memsieve.config import FilterSettings
from memsieve.ingress.checks import duplicate, echo, length, tombstone
from memsieve.ingress.checks.candidate import Candidate, CheckFunction
from memsieve.ingress.checks.injection.find import find_injection
from memsieve.ingress.recheck import NEAREST_TOMBSTONES
from memsieve.model import Vector
from memsieve.testing.factories import entry, item
from memsieve.testing.factories import tombstone as buried
from memsieve.text.tokenize import tokenize

# Says of a text whether a check refuses it at a threshold.
Refuses = Callable[[Candidate, float], bool]
# Real turns that are restated, or held against others.
TURNS = 100
SIMILARITIES = (0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98)
LENGTHS = (10, 20, 30, 40, 50, 60, 80, 100, 150, 200)
CERTAINTIES = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99)
REFUSED, PASSED = "refused", "let pass"
COLUMNS = (
    Column("check"),
    Column("texts"),
    Column("should be"),
    Column("English", "{:,}"),
    Column("refused", "{:.1%}"),
    Column("Chinese", "{:,}"),
    Column("refused ", "{:.1%}"),
)


@dataclass(frozen=True, slots=True)
class Threshold:
    """The number that a check goes by, its default, and others to try."""

    name: str
    default: float
    tried: Sequence[float]


NO_THRESHOLD = Threshold("", 0.0, (0.0,))


@dataclass(frozen=True, slots=True)
class Line:
    """How many texts of one kind there are, and the share that is refused at each threshold."""

    texts: int
    shares: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One check with what it should refuse and what it should let pass, by language and kind."""

    check: str
    refuses: Refuses
    threshold: Threshold
    bad: Mapping[str, Mapping[str, Sequence[Candidate]]]
    good: Mapping[str, Mapping[str, Sequence[Candidate]]]


def fill(report: Report, streams: Mapping[str, Sequence[traffic.Item]], embed: Embed) -> None:
    """Add the table of all checks, and the curve of each that has a threshold."""
    rows: list[list[Value]] = []
    for trial in _trials(streams, embed):
        report.progress(f"{trial.check} by itself")
        shares = {
            (should, kind, language): Line(len(found), refused(trial.refuses, found, trial.threshold.tried))
            for should, sets in ((REFUSED, trial.bad), (PASSED, trial.good))
            for language, kinds in sets.items()
            for kind, found in kinds.items()
        }
        place = trial.threshold.tried.index(trial.threshold.default)
        for should, kind in dict.fromkeys((should, kind) for should, kind, _ in shares):
            both = [shares.get((should, kind, language)) for language in traffic.LANGUAGES]
            cells = [cell for line in both for cell in ((line.texts, line.shares[place]) if line else (None, None))]
            rows.append([trial.check, kind, should, *cells])
        if len(trial.threshold.tried) > 1:
            _curve(report, trial, {key: line.shares for key, line in shares.items()})
    report.table("Each check by itself, at its default", COLUMNS, rows, NOTE)


NOTE = (
    "The other checks are off here, length included. “Nearest” are the ten most similar of all other turns, as a "
    "session is served them or a person rejected them. Confidence has no row: it is the agent's own word."
)


def refused(refuses: Refuses, candidates: Sequence[Candidate], tried: Sequence[float]) -> list[float]:
    """Return the share that is refused at each of the thresholds, which rise."""
    verdicts = [_verdicts(partial(refuses, candidate), tried) for candidate in candidates]
    return [sum(at) / len(verdicts) for at in zip(*verdicts, strict=True)]


def _verdicts(refuses: Callable[[float], bool], tried: Sequence[float]) -> list[bool]:
    """Return the verdict at each threshold, of a check that changes its mind at most once on the way up."""
    first, last = refuses(tried[0]), refuses(tried[-1])
    if first == last:
        return [first] * len(tried)
    changed = bisect_left(tried, True, key=lambda at: refuses(at) == last)
    return [first] * changed + [last] * (len(tried) - changed)


def _curve(report: Report, trial: Trial, shares: Mapping[tuple[str, str, str], Sequence[float]]) -> None:
    """Show how the shares change with the threshold; what is the same everywhere is left out."""
    threshold = trial.threshold
    lines = {
        f"{'caught' if should == REFUSED else 'good refused'}: {kind}, {language}": list(
            zip(threshold.tried, found, strict=True)
        )
        for (should, kind, language), found in shares.items()
        if len(set(found)) > 1
    }
    title = f"{trial.check}: share refused over {threshold.name} (default {threshold.default:g})"
    report.curve(Curve(name=trial.check, title=title, x=threshold.name, y="share refused", lines=lines))
    columns = [Column("refused at"), *(Column(f"{at:g}", "{:.1%}") for at in threshold.tried)]
    report.table(title, columns, [[name, *(share for _, share in line)] for name, line in lines.items()])


def _trials(streams: Mapping[str, Sequence[traffic.Item]], embed: Embed) -> Iterable[Trial]:
    """Give all checks but confidence, which no text can tell."""
    defaults = FilterSettings()
    sets = {language: _Texts(language, stream, embed) for language, stream in streams.items()}
    again = {language: texts.said_again() for language, texts in sets.items()}
    plain = {language: {"good turns": texts.good} for language, texts in sets.items()}
    yield Trial(
        check="length",
        refuses=_by(length.check, "min_length"),
        threshold=Threshold("least bytes", defaults.min_length, LENGTHS),
        bad={name: texts.of("greeting, thanks", "real filler") for name, texts in sets.items()},
        good=plain,
    )
    kinds = ("injection", "injected plain question", "system prompt")
    yield Trial(
        check="injection",
        refuses=lambda candidate, _: find_injection(candidate.entry.content) is not None,
        threshold=NO_THRESHOLD,
        bad={name: texts.of(*kinds) for name, texts in sets.items()},
        good=plain,
    )
    for check, run, surround in (
        ("tombstone", tombstone.check, _rejected),
        ("echo", echo.check, _served),
        ("duplicate", duplicate.check, _working),
    ):
        setting = f"{check}_similarity"
        yield Trial(
            check=check,
            refuses=_by(run, setting),
            threshold=Threshold("similarity", getattr(defaults, setting), SIMILARITIES),
            bad={name: _surrounded(kinds, surround, embed) for name, kinds in again.items()},
            good={name: _surrounded(texts.others(), surround, embed) for name, texts in sets.items()},
        )
    yield Trial(
        check="consistency",
        refuses=_inconsistent,
        threshold=Threshold("certainty of the model", SURE, CERTAINTIES),
        bad={name: texts.of("contradiction, labelled", "contradiction, planted") for name, texts in sets.items()},
        good=plain,
    )


def _by(check: CheckFunction, setting: str) -> Refuses:
    """Run a check with one setting changed."""

    def refuses(candidate: Candidate, threshold: float) -> bool:
        return not check(candidate, replace(FilterSettings(), **{setting: threshold})).passed

    return refuses


_certainties: dict[str, float] = {}


def _inconsistent(candidate: Candidate, threshold: float) -> bool:
    """Judge as the local judge does, with another certainty asked of its model."""
    text = candidate.entry.content
    if text not in _certainties:
        sure = 1.0 if find_contradiction(text) else 0.0
        _certainties[text] = sure or max((pair_model().score(*pair) for pair in likely_pairs(text)), default=0.0)
    return _certainties[text] >= threshold


# A text, and the texts that surround it: what it repeats, or what is only near to it.
Pair = tuple[str, Sequence[str]]


class _Texts:
    """The texts of one language, as candidates of the checks."""

    def __init__(self, language: str, stream: Sequence[traffic.Item], embed: Embed) -> None:
        self.language = language
        self.good = [_candidate(item.text, None) for item in stream if not item.bad]
        self._stream = stream
        self._embed = embed
        turns = [item.text for item in stream if not item.bad]
        self._turns = turns[:: max(1, len(turns) // TURNS)][:TURNS]

    def of(self, *kinds: str) -> dict[str, list[Candidate]]:
        """Return the bad texts of these kinds."""
        found = {kind: [_candidate(item.text, None) for item in self._stream if item.kind == kind] for kind in kinds}
        return {kind: texts for kind, texts in found.items() if texts}

    def said_again(self) -> dict[str, list[Pair]]:
        """Return texts that say what another said: in the same words or in others."""
        facts = traffic.facts(self.language)
        other = next(language for language in traffic.LANGUAGES if language != self.language)
        chance = random.Random(2)
        han = self.language == traffic.CHINESE
        punctuated = [change(turn) for turn, change in zip(self._turns, _in_turns(), strict=False)]
        changed = [(turn, reworded(turn, chance)) for turn in self._turns]
        return {
            "the same": [(turn, [turn]) for turn in self._turns],
            "other marks, width or case": [*zip(punctuated, ([turn] for turn in self._turns), strict=True)],
            "a few words exchanged": [(text, [turn]) for turn, text in changed if text],
            "paraphrased": [(paraphrase, [fact]) for fact, paraphrase in facts],
            "paraphrased, short": [(b, [a]) for a, b in PARAPHRASES if (not a.isascii()) == han],
            "in the other language": [
                (fact, [known]) for (fact, _), (known, _) in zip(facts, traffic.facts(other), strict=True)
            ],
        }

    def others(self) -> dict[str, list[Pair]]:
        """Return texts that are new beside what is near to them, and such that have one value changed."""
        vectors = self._embed(self._turns)
        near = vectors @ vectors.T
        np.fill_diagonal(near, -1)
        nearest = np.argsort(-near)[:, :NEAREST_TOMBSTONES]
        chance = random.Random(3)
        edits = [(turn, [made for edit in EDITS.values() if (made := edit(turn, chance))]) for turn in self._turns]
        return {
            "good turns, beside the nearest": [
                (turn, [self._turns[place] for place in places])
                for turn, places in zip(self._turns, nearest, strict=True)
            ],
            "one value changed": [(chance.choice(made), [turn]) for turn, made in edits if made],
        }


def _in_turns() -> Iterable[Callable[[str], str]]:
    while True:
        yield from traffic.PUNCTUATED.values()


def _surrounded(
    kinds: Mapping[str, Sequence[Pair]], surround: Callable[[Candidate, str, Embed], Candidate], embed: Embed
) -> dict[str, list[Candidate]]:
    """Make candidates among the texts that surround each."""
    made: dict[str, list[Candidate]] = {}
    for kind, pairs in kinds.items():
        made[kind] = []
        for text, others in pairs:
            candidate = _candidate(text, _vector(text, embed))
            for other in others:
                candidate = surround(candidate, other, embed)
            made[kind].append(candidate)
    return made


def _vector(text: str, embed: Embed) -> Vector | None:
    [row] = embed([text])
    return row if row.any() else None


def _candidate(text: str, vector: Vector | None) -> Candidate:
    return Candidate(entry=entry(text, embedding=vector), words=tokenize(text), vector=vector)


def _rejected(candidate: Candidate, other: str, embed: Embed) -> Candidate:
    stone = replace(buried(other), embedding=_vector(other, embed))
    return replace(candidate, tombstones=[*candidate.tombstones, stone])


def _served(candidate: Candidate, other: str, embed: Embed) -> Candidate:
    served = replace(item(str(len(candidate.served)), other), embedding=_vector(other, embed))
    return replace(candidate, served=[*candidate.served, served])


def _working(candidate: Candidate, other: str, embed: Embed) -> Candidate:
    return replace(candidate, working=[*candidate.working, entry(other, embedding=_vector(other, embed))])
