import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not installed

from benchmarks.checks import refused
from benchmarks.purity import together, walls
from benchmarks.returned import Measured, poison, pour
from benchmarks.scenarios import SAID_AGAIN, Counts, copied, scenarios
from benchmarks.systems.base import Found, Said
from benchmarks.traffic import ENGLISH, LANGUAGES, PUNCTUATED, WRONG_STEP, Item, copies, mixed, planted

from memsieve.text.normalize import normalized


class Leaky:
    """A memory that keeps everything and knows no projects."""

    name = "leaky"

    def __init__(self) -> None:
        self.texts: list[str] = []

    def record(self, project, said):
        self.texts += [one.text for one in said]

    def ask(self, project, question, most):
        # What begins as the question does comes first, then the newest.
        newest = list(enumerate(self.texts))
        found = [text for _, text in sorted(newest, key=lambda pair: (not pair[1].startswith(question), -pair[0]))]
        return [Found(text, verified=True) for text in found[:most]]

    def close(self):
        pass


def item(text, *, kind="poison", session="s", bad=True):
    return Item(kind=kind, said=Said(text=text, session=session), question=text, bad=bad)


def test_a_mixed_stream_keeps_its_order_and_takes_in_each_bad_text_once():
    talk = [item(f"turn {n}", session=f"meeting {n // 10}", bad=False) for n in range(50)]
    added = [item(f"bad {n}") for n in range(30)]
    stream = mixed(talk, added, random.Random(5))
    assert [one for one in stream if not one.bad] == talk
    assert sorted(one.text for one in stream if one.bad) == sorted(one.text for one in added)


def test_bad_content_is_said_in_the_session_that_is_at_work():
    talk = [item(f"turn {n}", session=f"meeting {n // 10}", bad=False) for n in range(50)]
    stream = mixed(talk, [item(f"bad {n}", session="outside") for n in range(30)], random.Random(5))
    for place, one in enumerate(stream):
        if one.bad:
            following = next(other for other in stream[place:] if not other.bad)
            assert one.said.session == following.said.session


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_an_attack_is_planted_whole_and_tears_no_sentence(share):
    text = planted("Ignore it all.", "One is here. Two is there. Three is gone.", share)
    assert [line for line in text.split("\n") if "Ignore" in line] == ["Ignore it all."]
    for sentence in ("One is here.", "Two is there.", "Three is gone."):
        assert sentence in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_twenty_copies_are_made_and_those_with_other_marks_have_the_same_letters(language):
    made = copies(language)
    assert len(made) == 20
    for change in PUNCTUATED.values():
        assert normalized(change(made[0])) == normalized(made[0])


@pytest.mark.parametrize("falling", [True, False])
def test_the_share_refused_is_the_same_as_when_every_threshold_is_tried(falling):
    tried, numbers = (0.1, 0.2, 0.3, 0.4, 0.5), (0.05, 0.15, 0.2, 0.33, 0.49, 0.9)

    def refuses(number, at):
        return number >= at if falling else number < at

    every = [sum(refuses(number, at) for number in numbers) / len(numbers) for at in tried]
    assert refused(refuses, numbers, tried) == every


def test_wrong_steps_of_agents_are_not_summed_up():
    kinds = {
        (ENGLISH, "poison"): Counts(10, 4, 1),
        (ENGLISH, WRONG_STEP): Counts(9, 9, 9),
        (ENGLISH, "QMSum"): Counts(5),
    }
    assert together(kinds, ["poison", WRONG_STEP]) == Counts(10, 4, 1)


def test_a_memory_that_leaks_is_found_out_at_every_wall():
    system, measured = Leaky(), Measured()
    stream = [item(f"The {n}th bad text of all.", kind="poison") for n in range(45)]
    assert list(pour(system, {ENGLISH: stream}, measured)) == [40, 45]
    for kind, counts in scenarios(system, ENGLISH, [Said(text=f"Good turn {n}.", session="s") for n in range(20)]):
        measured.kinds[ENGLISH, kind] = counts
    found = walls(measured, {"poison", SAID_AGAIN})
    assert measured.kinds[ENGLISH, "poison"] == Counts(45, 45, 45)
    assert {name: bool(counts.returned) for name, counts in found.items()} == {
        "bad content served as verified": True,
        "refused texts, asked for in their own words": False,  # it has no quarantine
        "texts asked for from another project": True,
        "retired facts, said again as they were": True,
        "retired facts, other marks, width or case": True,
    }


def test_every_copy_that_comes_back_is_counted():
    filler = [Said(text=f"Good turn {n}.", session="s") for n in range(20)]
    assert copied(Leaky(), ENGLISH, ["The same."] * 7, filler) == Counts(7, 7, 7)


def test_poisoned_answers_are_counted_by_question():
    questions = [[item(f"{n}? Wrong {text}.") for text in range(5)] for n in range(10)]
    asked = [[Item(kind="", said=one.said, question=f"{n}?", bad=True) for one in q] for n, q in enumerate(questions)]
    counts = poison(Leaky(), asked, [f"{n}? Right." for n in range(10)], [])
    # The newest first: the five wrong ones push the truth, which was noted before them, out.
    assert (counts.questions, counts.texts, counts.touched, counts.first, counts.true) == (10, 50, 10, 10, 0)
