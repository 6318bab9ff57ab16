"""Two texts side by side: what a person sees as removed [-so-] and as added {+so+}."""

import pytest

from memsieve.digest.diff import word_diff
from memsieve.model import Edit

MARKED = {Edit.SAME: "{}", Edit.REMOVED: "[-{}-]", Edit.ADDED: "{{+{}+}}"}


def shown(old, new):
    return "".join(MARKED[edit].format(text) for edit, text in word_diff(old, new))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("It costs 25 Euro.", "It costs 30 Euro.", "It costs [-25-]{+30+} Euro."),
        ("The limit is 100.", "The daily limit is 100.", "The {+daily +}limit is 100."),
        ("It costs 25", "It costs 25 Euro", "It costs 25{+ Euro+}"),
        ("It costs 25 Euro.", "It costs 25.", "It costs 25[- Euro-]."),
        ("Ask Ada or Eve", "Ask Ada, or Eve", "Ask Ada{+,+} or Eve"),
        ("We don't retry.", "We do retry.", "We [-don't-]{+do+} retry."),
        ("See max_bytes here", "See max_items here", "See max_[-bytes-]{+items+} here"),
        ("Version 3.14 of 2026-03-02", "Version 3.15 of June", "Version [-3.14 of 2026-03-02-]{+3.15 of June+}"),
    ],
)
def test_only_the_words_that_differ_are_marked(old, new, expected):
    assert shown(old, new) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("限额为一百次", "限额为五百次", "限额为[-一百-]{+五百+}次"),
        ("审批流程由财务部负责。", "审核流程由财务部负责。", "[-审批-]{+审核+}流程由财务部负责。"),
        ("審批流程由財務部負責。", "審核流程由財務部負責。", "[-審批-]{+審核+}流程由財務部負責。"),
        ("部署在周五进行，需要审批。", "部署在周五进行。", "部署在周五进行[-，需要审批-]。"),
        ("数据库用 PostgreSQL 15。", "数据库用 PostgreSQL 16。", "数据库用 PostgreSQL [-15-]{+16+}。"),
        ("使用Redis缓存", "使用Valkey缓存", "使用[-Redis-]{+Valkey+}缓存"),
        ("𠮷田负责", "𠮷野负责", "𠮷[-田-]{+野+}负责"),
    ],
)
def test_chinese_is_compared_by_its_words(old, new, expected):
    assert shown(old, new) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("It takes 25 to 30 days.", "It takes 35 to 40 days.", "It takes [-25 to 30-]{+35 to 40+} days."),
        ("红色的汽车停在这里", "蓝色的轮船停在这里", "[-红色的汽车-]{+蓝色的轮船+}停在这里"),
    ],
)
def test_a_lone_stop_word_between_two_replacements_goes_with_them(old, new, expected):
    assert shown(old, new) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Green teams deploy daily.", "Red teams test daily.", "[-Green-]{+Red+} teams [-deploy-]{+test+} daily."),
        ("Ask the team.", "Ask all the whole team.", "Ask {+all +}the {+whole +}team."),
        ("Paris. Rome.", "Oslo. Bern.", "[-Paris-]{+Oslo+}. [-Rome-]{+Bern+}."),
    ],
)
def test_what_carries_meaning_or_stands_by_an_insertion_stays_the_same(old, new, expected):
    assert shown(old, new) == expected


def test_a_letter_is_never_parted_from_its_accent_or_vowel_sign():
    assert shown("cafe\u0301 noir", "cafe\u0300 noir") == "[-cafe\u0301-]{+cafe\u0300+} noir"
    assert shown("ก\u0e34น", "ก\u0e35น") == "[-ก\u0e34-]{+ก\u0e35+}น"


def test_white_space_that_differs_is_no_reason_to_mark_words():
    assert shown("in  the\nhouse", "in the house") == "in[- -] the[-\n-]{+ +}house"


def test_equal_texts_are_one_run_and_empty_ones_are_none():
    assert word_diff("The same. 一样。", "The same. 一样。") == ((Edit.SAME, "The same. 一样。"),)
    assert word_diff("", "") == ()
    assert word_diff("", "new") == ((Edit.ADDED, "new"),)
    assert word_diff("old", "") == ((Edit.REMOVED, "old"),)


def test_large_texts_of_one_word_are_one_change_for_comparing_them_would_take_minutes():
    old, new = "x " + "a " * 30_000 + "y", "z " + "a b " * 15_000 + "w"
    assert word_diff(old, new) == ((Edit.REMOVED, old), (Edit.ADDED, new))


def test_large_texts_that_differ_everywhere_are_compared_in_part_and_the_rest_is_one_change():
    old, new = (" ".join(f"{letter}{n} same{n}" for n in range(5000)) for letter in "ab")
    runs = word_diff(old, new)
    assert 2 < len(runs) < 3 * 5000
    assert "".join(text for edit, text in runs if edit is not Edit.ADDED) == old
    assert "".join(text for edit, text in runs if edit is not Edit.REMOVED) == new


def test_one_changed_word_in_a_large_text_is_still_found():
    words = [f"w{n % 50}" for n in range(16_000)]
    old, new = " ".join([*words, "old", *words]), " ".join([*words, "new", *words])
    same = " ".join(words)
    assert word_diff(old, new) == (
        (Edit.SAME, f"{same} "),
        (Edit.REMOVED, "old"),
        (Edit.ADDED, "new"),
        (Edit.SAME, f" {same}"),
    )
