"""Which texts are about one spot or one moment only; the examples stand in `narrow.tsv`."""

import pytest

from memsieve.refine.narrow import why_narrow


@pytest.fixture(scope="module")
def examples(cases):
    return cases("narrow.tsv")


@pytest.fixture(scope="module")
def narrow(examples):
    return [case for case in examples if case.expected == "narrow" and not case.known_failure]


def shown(wrong):
    return "\n".join(f"line {case.line}: {case.text} {why_narrow(case.text) or ''}" for case in wrong)


def test_one_spot_or_one_moment_is_narrow(narrow):
    missed = [case for case in narrow if why_narrow(case.text) is None]
    assert len(narrow) >= 100
    assert not missed, shown(missed)


def test_rules_decisions_and_facts_are_not_narrow(examples):
    general = [case for case in examples if case.expected == "general"]
    wrong = [case for case in general if why_narrow(case.text) is not None]
    assert len(general) >= 130
    assert not wrong, shown(wrong)


def test_a_narrow_text_that_is_known_to_get_through_still_does(examples):
    known = [case for case in examples if case.known_failure]
    found = [case for case in known if why_narrow(case.text) is not None]
    assert known
    assert not found, f"expect these to be narrow from now on:\n{shown(found)}"


def test_what_is_called_narrow_is_narrow_and_most_narrow_texts_are_found(examples):
    found = [case for case in examples if why_narrow(case.text)]
    expected = [case for case in examples if case.expected == "narrow"]
    right = [case for case in found if case.expected == "narrow"]
    precision, recall = len(right) / len(found), len(right) / len(expected)
    print(f"narrow: precision {precision:.3f}, recall {recall:.3f} of {len(examples)} texts")  # noqa: T201 - the measure, shown by -s
    assert precision == 1
    assert recall >= 0.93


@pytest.mark.parametrize("rule", ["This must be so in every service. ", "所有服务都必须这样。"])
def test_a_rule_beside_it_makes_any_text_general(narrow, rule):
    wrong = [case for case in narrow if why_narrow(rule + case.text) is not None]
    assert not wrong, shown(wrong)


@pytest.mark.parametrize(
    "fact",
    ["The Pro plan includes weekly billing reports for 25 % of teams. ", "专业版套餐里百分之二十五的团队有账单报表。"],
)
def test_a_fact_beside_it_makes_any_text_general(narrow, fact):
    wrong = [case for case in narrow if why_narrow(fact + case.text) is not None]
    assert not wrong, shown(wrong)


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("MAGIC.C 第 42 行的特殊處理", "one file (MAGIC.C, 第 42 行)"),
        ("There is a typo in the docstring of parse_config().", "one function (parse_config)"),
        ("Ticket BILL-482 is assigned to Dana.", "one ticket or change ("),
        ("Okay, let me check the logs.", "one person's moment (“let me check”)"),
        ("我现在去看一下", "one person's moment (“我现在去看”)"),
    ],
)
def test_the_reason_names_what_it_rests_on(text, anchor):
    assert anchor in str(why_narrow(text))


def test_two_files_are_more_than_one_spot():
    assert why_narrow("Fixed a typo in reader.py.")
    assert why_narrow("Fixed a typo in reader.py and in writer.py.") is None


def test_a_function_in_its_file_is_one_spot():
    assert why_narrow("Fixed a typo in parse_config() in src/reader.py, line 7.")


@pytest.mark.parametrize("text", ["", " ", "...", "ok", "嗯", "\n\n"])
def test_a_text_that_says_nothing_is_not_narrow(text):
    assert why_narrow(text) is None
