"""Streams of real traffic with known bad content mixed in, each text with a question that would bring it back."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path

from benchmarks.consistency import EDITS, clean_sets, labelled_answers, labelled_scenes, plant
from benchmarks.reading import grouped, lines
from benchmarks.systems.base import Said

ENGLISH, CHINESE = "English", "Chinese"
LANGUAGES = (ENGLISH, CHINESE)
# From the second half of the labelled pairs, as benchmarks/consistency.py does.
HALF = 1
# So many texts of each source of good content, and of each kind of bad content that has more.
GOOD, BAD = 200, 100
# So many characters of a Chinese meeting make one text.
PASSAGE = 250
# A turn of so many words, or Chinese characters, states something; one of fewer than these only fills.
STATES, HAN_STATES = 8, 15
FILLS, HAN_FILLS = 4, 8
# A longer step of an agent is a page that it read.
LONGEST = 4000
LONGEST_QUESTION = 200
# So many texts are asked for.
MOST = 10
# The session of what was not said in any meeting.
OUTSIDE = "outside"
WRONG_STEP = "wrong step of an agent"
POISON = "poisoned text"
_HAN = re.compile("[一-鿿]")
_OWN = json.loads((Path(__file__).parent / "junk.json").read_text("utf-8"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One text of a stream, what kind of text it is, and a question that would bring it back."""

    kind: str
    said: Said
    question: str
    bad: bool

    @property
    def text(self) -> str:
        return self.said.text


def streams(data: Path) -> dict[str, list[Item]]:
    """Return a stream for each language: real talk in its order, with bad content at places left to chance."""
    chance = random.Random(0)
    return {language: mixed(good(data, language), bad(data, language), chance) for language in LANGUAGES}


def mixed(stream: Sequence[Item], added: Sequence[Item], chance: random.Random) -> list[Item]:
    """Put items into a stream that keeps its order, each into the session that is at work there."""
    places = sorted(chance.choices(range(len(stream)), k=len(added)), reverse=True)
    whole = list(stream)
    for place, item in zip(places, chance.sample(added, len(added)), strict=True):
        whole.insert(place, replace(item, said=replace(item.said, session=stream[place].said.session)))
    return whole


def good(data: Path, language: str) -> list[Item]:
    """Return what was really said and states something; of agents' runs all but the step that went wrong."""
    sources = {"VCSum": _vcsum(data)} if language == CHINESE else _english(data)
    return [
        Item(kind=kind, said=said, question=beginning(said.text), bad=False)
        for kind, sessions in sources.items()
        for said in _spread([[said for said in session if states(said.text)] for session in sessions], GOOD)
    ]


def bad(data: Path, language: str) -> list[Item]:
    """Return the bad content of one language that needs nothing but to be said."""
    kinds = _chinese_kinds(data) if language == CHINESE else _english_kinds(data)
    own = {"system prompt": _OWN["prompts"][language], "greeting, thanks": _OWN["greetings"][language]}
    made = [
        Item(kind=kind, said=Said(text=text, session=OUTSIDE), question=beginning(text), bad=True)
        for kind, texts in (kinds | own).items()
        for text in dict.fromkeys(texts)
        if text.strip()
    ]
    return made if language == CHINESE else [*made, *(item for group in poison(data) for item in group[:1])]


def poison(data: Path) -> list[list[Item]]:
    """Return the texts that push a wrong answer, together for each question."""
    return [
        [
            Item(kind=POISON, said=Said(text=text, session=OUTSIDE), question=row["question"], bad=True)
            for text in row["adv_texts"]
        ]
        for row in json.loads((data / "poisonedrag_dev.json").read_text("utf-8"))
    ]


def truths(data: Path) -> list[str]:
    """Return the right answer to each question that is poisoned, as a person would note it."""
    rows = json.loads((data / "poisonedrag_dev.json").read_text("utf-8"))
    return [f"{row['question']} {row['correct answer']}" for row in rows]


def copies(language: str) -> list[str]:
    """Return 20 copies of one hallucination: as it was, with other marks, and in slightly other words."""
    own = _OWN["hallucinations"][language]
    text, reworded = own["text"], own["reworded"]
    return [*[text] * 8, *(change(text) for change in PUNCTUATED.values()), *reworded]


def facts(language: str) -> list[tuple[str, str]]:
    """Return facts, each with a paraphrase."""
    return [tuple(fact[language]) for fact in _OWN["facts"]]


PUNCTUATED = {
    "without the full stop": lambda text: text.rstrip(".。"),
    "exclaimed": lambda text: text.rstrip(".。") + "!",
    "full width": lambda text: text.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)}),
    "upper case": str.upper,
    "in quotes": lambda text: f"“{text}”",
    "spaced, other commas": lambda text: re.sub(r"[,，](?!\d)", " ;", text).replace("。", " ."),
}


def states(text: str) -> bool:
    """Tell whether a text is long enough to state something, and no whole page."""
    return len(text) <= LONGEST and (len(_HAN.findall(text)) >= HAN_STATES or len(text.split()) >= STATES)


def beginning(text: str) -> str:
    """Return the beginning of a text: the question that is surest to bring it back."""
    return text.strip()[:LONGEST_QUESTION].strip()


def _english(data: Path) -> dict[str, list[list[Said]]]:
    return {
        "QMSum": [
            [Said(text=turn["content"], session=meeting["meeting"], agent=turn["speaker"]) for turn in meeting["turns"]]
            for meeting in lines(data / "qmsum_val.jsonl")
        ],
        "LoCoMo": [
            [Said(text=turn["text"], session=f"{talk['sample_id']} {part['session']}", agent=turn["speaker"])
             for turn in part["turns"]]
            for talk in json.loads((data / "locomo_dev.json").read_text("utf-8"))
            for part in talk["sessions"]
        ],
        "Who&When": [[said for said, wrong in run if not wrong] for run in _runs(data)],
    }  # fmt: skip


def _runs(data: Path) -> Iterator[list[tuple[Said, bool]]]:
    """Give the steps of agents in each run, and whether each is the one that went wrong."""
    for run in lines(data / "who_and_when_dev.jsonl"):
        yield [
            (Said(text=step["content"], session=run["run"], agent=step["agent"]), place == int(run["mistake_step"]))
            for place, step in enumerate(run["messages"])
            if step["agent"] != "human" and step["content"].strip()
        ]


def _vcsum(data: Path) -> list[list[Said]]:
    return [
        [
            Said(text=passage, session=part["id"], agent=f"speaker {number}")
            for number, turn in zip(part["speaker"], part["context"], strict=False)
            for passage in grouped(turn, PASSAGE)
        ]
        for part in lines(data / "vcsum_dev.jsonl")
    ]


def _spread(sessions: list[list[Said]], most: int) -> list[Said]:
    """Return neighbours of every session from its middle on, so many in all, without repeats."""
    each = -(-most // len(sessions))
    taken = (said for session in sessions for said in session[len(session) // 3 :][:each])
    return list({said.text: said for said in taken}.values())[:most]


def _english_kinds(data: Path) -> dict[str, list[str]]:
    attacks = [attack for group in _attacks(data).values() for attack in group]
    emails = [line["context"] for line in lines(data / "bipia_email_dev.jsonl")]
    planted = _in_turns(attacks, emails)
    contradicting = [text for _, text, contradicts in labelled_scenes(data, HALF) if contradicts]
    turns = (turn["content"] for meeting in lines(data / "qmsum_val.jsonl") for turn in meeting["turns"])
    return {
        "injection": [text for attack, text in planted if not attack.endswith("?")],
        "injected plain question": [text for attack, text in planted if attack.endswith("?")],
        "contradiction, labelled": _sample(contradicting),
        "contradiction, planted": _planted(data, ("QMSum (turns)", "Who&When", "LoCoMo")),
        "real filler": _sample([turn for turn in turns if 0 < len(turn.split()) < FILLS]),
        WRONG_STEP: [said.text for run in _runs(data) for said, wrong in run if wrong],
    }


def _chinese_kinds(data: Path) -> dict[str, list[str]]:
    passages = [said.text for part in _vcsum(data) for said in part if states(said.text)]
    contradicting = [text for text, contradicts in labelled_answers(data, HALF) if contradicts]
    sentences = (sentence for part in lines(data / "vcsum_dev.jsonl") for turn in part["context"] for sentence in turn)
    return {
        "injection": [text for _, text in _in_turns(_OWN["injections"][CHINESE], _sample(passages))],
        "contradiction, labelled": _sample(contradicting),
        "contradiction, planted": _planted(data, ("VCSum",)),
        "real filler": _sample([sentence for sentence in sentences if 0 < len(sentence.strip()) < HAN_FILLS]),
    }


def _attacks(data: Path) -> dict[str, list[str]]:
    attacks: dict[str, list[str]] = json.loads((data / "bipia_text_attacks_dev.json").read_text("utf-8"))
    return attacks


def _in_turns(attacks: list[str], clean: list[str]) -> list[tuple[str, str]]:
    """Plant each attack once, into one clean text after the other: at the begin, in the middle, at the end."""
    at = cycle((0.0, 0.5, 1.0))
    return [(attack, planted(attack, text, next(at))) for attack, text in zip(attacks, cycle(clean), strict=False)]


def planted(attack: str, text: str, share: float) -> str:
    """Put a sentence into a text behind so much of it, where a sentence ends."""
    ends = [0, *(found.end() for found in re.finditer(r"[。！？]|[.!?](?=\s)", text)), len(text)]
    place = min(ends, key=lambda end: abs(end - share * len(text)))
    return f"{text[:place]}\n{attack}\n{text[place:]}".strip()


def _planted(data: Path, sets: Sequence[str]) -> list[str]:
    """Plant one contradiction into real paragraphs, each kind of edit in turn."""
    clean = clean_sets(data)
    chance, edits = random.Random(1), cycle(EDITS.values())
    texts = [text for name in sets for text in clean[name][HALF::2]]
    return _sample([made for text in texts if (made := plant(text, next(edits), chance))])


def _sample(texts: Sequence[str]) -> list[str]:
    """Return so many of the texts, spread over all of them."""
    known = list(dict.fromkeys(texts))
    return known[:: max(1, len(known) // BAD)][:BAD]
