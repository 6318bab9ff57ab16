"""Contradictions within one text, in English and Chinese; the examples stand in `*_contradictions.tsv`.

What is expected of a text: the `rules` find a contradiction, only the `model` does, it is `consistent`, or it is a
`contradiction` that neither finds yet.
"""

from __future__ import annotations

import asyncio
import re

import pytest

from memsieve.claims.contradictions import find_contradiction
from memsieve.models.judges import LocalJudge

LANGUAGES = ["english", "chinese"]
# The share of all contradictions that rules and model find.
RECALL = {"english": 0.93, "chinese": 0.97}


@pytest.fixture(params=LANGUAGES)
def language(request):
    return request.param


@pytest.fixture
def examples(language, cases):
    return cases(f"{language}_contradictions.tsv")


def judged(examples):
    judge = LocalJudge()

    async def judge_all():
        return [await judge.consistent(case.text) for case in examples]

    return list(zip(examples, asyncio.run(judge_all()), strict=True))


def shown(wrong):
    return "\n".join(f"line {case.line}: {case.text} {why}" for case, why in wrong)


def test_the_rules_find_a_plain_contradiction(examples):
    plain = [case for case in examples if case.expected == "rules"]
    missed = [(case, "") for case in plain if find_contradiction(case.text) is None]
    assert len(plain) > 70
    assert not missed, shown(missed)


def test_the_model_finds_and_quotes_a_fact_stated_again_with_another_value(examples):
    restated = [case for case in examples if case.expected == "model"]
    assert restated
    for case, verdict in judged(restated):
        assert not verdict.consistent, case
        assert find_contradiction(case.text) is None, case
        first, *_, second = re.split(r"。|\. ", case.text.removesuffix("。"))
        assert first in str(verdict.reason), case
        assert second in str(verdict.reason), case


def test_claims_about_other_things_times_or_parts_pass(examples):
    careful = [case for case in examples if case.expected == "consistent"]
    refused = [(case, str(verdict.reason)) for case, verdict in judged(careful) if not verdict.consistent]
    assert len(careful) > 100
    assert not refused, shown(refused)


def test_what_is_known_to_be_missed_is_still_missed(examples):
    beyond = [case for case in examples if case.expected == "contradiction"]
    assert beyond
    assert all(case.known_failure for case in beyond)
    found = [
        (case, "is found now: expect it of the rules or the model") for case, v in judged(beyond) if not v.consistent
    ]
    assert not found, shown(found)


def test_nothing_is_refused_wrongly_and_most_contradictions_are_found(examples, language):
    verdicts = judged(examples)
    refused = [case for case, verdict in verdicts if not verdict.consistent]
    contradictory = [case for case in examples if case.expected != "consistent"]
    recall = len(refused) / len(contradictory)
    print(f"{language}: recall {recall:.3f} of {len(contradictory)} contradictions, {len(examples)} texts")  # noqa: T201 - the measure, shown by -s
    assert all(case.expected != "consistent" for case in refused)
    assert recall >= RECALL[language]
