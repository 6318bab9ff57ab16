"""Every reason has a code, and every code a sentence in both languages."""

import ast
import json
import re
from pathlib import Path

import pytest

import memsieve
from memsieve.ingress.checks.injection.find import BASE, WEIGHTS
from memsieve.ingress.checks.injection.phrases import chinese_phrases, english_phrases, load_marks, load_table
from memsieve.model import Reason, TombstoneKind
from memsieve.model.reasons import templates
from memsieve.text.numbers import QuantityKind
from memsieve.worth.model import Kind

SOURCES = Path(memsieve.__file__).parent
PLACEHOLDER = re.compile(r"\{(\w+)\}")
PHRASES = (*english_phrases(), *chinese_phrases(), *load_marks().marks)
WEIGHED = [load_table(name) for name in ("weigh_en.toml", "weigh_zh.toml")]
# What is told of a weighed sentence: what it orders, and what speaks for that.
SIGNS = {
    *(f"an order {order}" for words in WEIGHED for order in words["verbs"]),
    *(order for words in WEIGHED for order in words["stated"]),
    *("a question", "an order of another kind"),
    *(sign for signs in load_table(WEIGHTS).values() for sign in signs if signs[sign] > 0 and sign != BASE),
}
# What stands behind the codes that are put together of two words.
FAMILIES = {
    "worth.": list(Kind),
    "tombstone.": list(TombstoneKind),
    "difference.": [*QuantityKind, "words", "values", "denial"],
    "injection.": [*{phrase.kind for phrase in PHRASES}, *load_marks().kinds.values(), "hidden text"],
    "sign.": sorted(SIGNS),
    "hidden.": ["tag_characters", "direction_override", "variation_selectors", "zero_width"],
    "disguise.": ["letter spacing", "digits for letters", "rot13", "reversed letters", "hexadecimal", "base64"],
    "refine.duplicate_": ["memory", "atom", "finding"],
    "refine.differs_": ["memory", "atom", "finding"],
    "refine.unit_": ["sessions", "tasks", "runs"],
    "refine.narrow_": ["file", "function", "ticket", "moment"],
    "refine.evidence": ["", "_atom"],
    "refine.ready": ["", "_atom"],
}


def codes():
    """Yield the first argument of every `Reason.of` in the sources: a literal, or the head of an f-string."""
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"Reason.of", "cls.of"}:
                yield node.args[0]


def put_together():
    return {f"{head}{member.replace(' ', '_')}" for head, members in FAMILIES.items() for member in members}


def literals(node):
    return [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]


def test_every_code_that_is_written_down_has_its_sentences():
    written = [node for node in codes() if not isinstance(node, ast.JoinedStr | ast.Name)]
    assert len(written) > 30
    assert {code for node in written for code in literals(node) if "." in code} <= templates().keys()


def test_every_code_that_is_put_together_has_its_sentences():
    for node in codes():
        if isinstance(node, ast.JoinedStr):
            assert literals(node)[0] in FAMILIES
    assert put_together() - templates().keys() == set()


def test_every_code_in_the_table_is_used():
    written = {code for path in SOURCES.rglob("*.py") for code in literals(ast.parse(path.read_text("utf-8")))}
    assert templates().keys() - written - put_together() == set()


@pytest.mark.parametrize("code", templates())
def test_both_languages_say_it_with_the_same_parameters(code):
    sentences = templates()[code]
    assert sentences.keys() == {"en", "zh"}
    assert all(text.strip() for text in sentences.values())
    english, chinese = ({*PLACEHOLDER.findall(sentences[language])} for language in ("en", "zh"))
    # The two sides of some differences are the same word.
    assert english == chinese


@pytest.mark.parametrize(
    "reason",
    [
        Reason.of("length.bytes", bytes=12, minimum=50),
        Reason.of("injection.weighed", kind=Reason.of("injection.task"), signs=(Reason.of("sign.you"), "x")),
        Reason.text("A judge said so."),
        Reason.of("confidence.score", confidence=0.5, minimum=0.8),
    ],
)
def test_a_reason_comes_back_from_json_as_it_was(reason):
    assert Reason.load(json.loads(json.dumps(reason.dump()))) == reason


def test_a_sentence_is_said_in_both_languages_with_its_parameters():
    reason = Reason.of(
        "consistency.contradiction", first="a", second="b", difference=Reason.of("difference.denial", first="c")
    )
    assert reason.sentence("en") == "It says “a” and also “b”: one affirms and the other denies “c”."
    assert reason.sentence("zh") == "先说“a”，又说“b”：一方肯定、一方否定“c”。"
    assert str(reason) == reason.sentence("en")


def test_what_is_quoted_is_never_a_template():
    assert str(Reason.of("duplicate.other_claim", quote="{quote} {similarity}")) == (
        "Close to “{quote} {similarity}”, but it makes another claim."
    )


def test_a_sentence_of_an_earlier_version_is_kept_as_it_is():
    assert str(Reason.load("It was too short.")) == "It was too short."


def test_a_code_of_a_later_version_is_shown_as_it_is():
    assert str(Reason.of("weather.rain", probability=1)) == "weather.rain."
