"""Put a finding into words: a model's where one is configured, else real sentences of the sources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memsieve.digest.weigh import Finding, Spoken, borne_out, nearness
from memsieve.digest.window import Window
from memsieve.errors import JudgeError
from memsieve.model import Insight, Reason
from memsieve.ports import Summariser
from memsieve.text.scripts import HAN

_MOST_SENTENCES = 3
_MOST_CHARACTERS = 400
# A further sentence is clear, and so much of what its words tell is not said yet.
_CLEAR = 0.6
_NEW = 0.45
_SAID_AGAIN = 0.58
_BORNE_OUT = 0.7
# What a model is shown of an insight: the sources nearest to it.
_MOST_SHOWN = 20

_UNSPACED_END = re.compile(f"[\u3000-\u303f\uff00-\uffef{HAN}]$")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LETTERS = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary, who made it, and a note where it is not what was asked for."""

    text: str
    by: str = Insight.EXTRACT
    note: Reason | None = None


def extract(finding: Finding, window: Window) -> str:
    """Return the lead and further sentences of the sources, word for word: central ones that add something.

    What only one session says is not added: those who say the lead would seem to say it as well.
    """
    chosen = [finding.lead]
    for one in finding.support:
        clear = one.saying.statement.clarity >= _CLEAR and window.counts(one.saying)
        fits = clear and one.chinese == finding.lead.chinese and _fits(chosen, one)
        if fits and _adds(chosen, one) and (borne_out(one, finding.support, window) or 0.0) >= _BORNE_OUT:
            chosen.append(one)
    return joined([window.quote(one.saying) for one in chosen])


def joined(sentences: Sequence[str]) -> str:
    """Join sentences to a text, with spaces where their script has them."""
    text = ""
    for sentence in sentences:
        text += sentence if not text or _UNSPACED_END.search(text) else f" {sentence}"
    return text


async def summarised(summariser: Summariser, finding: Finding, window: Window) -> Summary:
    """Ask a model; where it fails, or says what no source says, the sources speak for themselves."""
    said = (*finding.support, *finding.against)
    shown = [window.quote(one.saying) for one in said if window.counts(one.saying)][:_MOST_SHOWN]
    try:
        text = await summariser.summarise(shown)
    except JudgeError as error:
        note = Reason.of("note.summary_failed", model=summariser.name, error=str(error))
        return Summary(extract(finding, window), note=note)
    fault = _fault(summariser.name, text, shown)
    if fault is not None:
        return Summary(extract(finding, window), note=fault)
    return Summary(text, summariser.name)


def _fault(model: str, text: str, shown: Sequence[str]) -> Reason | None:
    """Return what makes a model's summary unfit to be decided on, or None."""
    from memsieve.ingress.checks.injection.find import find_injection

    injection = find_injection(text)
    if injection is not None:
        return Reason.of("note.summary_order", model=model, quote=injection.quote)
    known = {number for quote in shown for number in _NUMBER.findall(quote)}
    invented = [number for number in _NUMBER.findall(text) if number not in known]
    # Sources may spell a number out, and the model write it in digits.
    if invented and (known or not any(map(_spells_out, shown))):
        return Reason.of("note.summary_number", model=model, number=invented[0])
    return None


def _spells_out(text: str) -> bool:
    """Say whether a text may hold a number in words."""
    # Imported on first use: the rules of claims take their time to load.
    from memsieve.text.numbers import HAN_DIGITS, NUMBER_WORDS

    return not NUMBER_WORDS.isdisjoint(_LETTERS.findall(text.lower())) or not set(HAN_DIGITS).isdisjoint(text)


def _fits(chosen: Sequence[Spoken], one: Spoken) -> bool:
    return len(chosen) < _MOST_SENTENCES and sum(len(each.text) for each in (*chosen, one)) <= _MOST_CHARACTERS


def _adds(chosen: Sequence[Spoken], one: Spoken) -> bool:
    if nearness([*chosen, one])[-1, :-1].max() >= _SAID_AGAIN:
        return False
    said = {word for each in chosen for word in each.bag}
    return sum(weight * weight for word, weight in one.bag.items() if word not in said) >= _NEW
