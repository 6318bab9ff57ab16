from __future__ import annotations

import json
import lzma
import random
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # tools/ is not installed

from tools.train_judge import bounds, corpus, edits, facts, narrow, numerals, pairs, restate, scope
from tools.train_judge.corpus import Document
from tools.train_judge.names import Names
from tools.train_judge.spans import claims
from tools.train_judge.synonyms import Synonyms

SEEDS = range(12)


def every(table, kind, sentence):
    """Return all that an edit or a rewrite makes of a sentence, over a dozen seeds."""
    return {table[kind](sentence, random.Random(seed)) for seed in SEEDS}


CHANGED = [
    ("number", "We hired 12 people.", r"We hired (?!12 )\d+ people\."),
    ("number", "It takes three hours.", r"It takes (?!three)[\w-]+ hours\."),
    ("number", "A share of 1,250 dollars is paid.", r"A share of (?!1,250 )[\d,]+ dollars is paid\."),
    ("date", "The review is on Monday.", r"The review is on (?!Monday)[A-Z]\w+day\."),
    ("date", "She left in 2019.", r"She left in (?!2019)\d{4}\."),
    ("date", "The bus goes at 14:30.", r"The bus goes at (?!14:30)\d+:\d\d\."),
    ("kind", "The door is red.", r"The door is (?!red)\w+\."),
    ("unit", "The trip takes 3 hours.", r"The trip takes 3 (?!hours)\w+\."),
    ("negation", "The server is ready.", r"The server (is not|isn't|is never) ready\."),
    ("negation", "He doesn't want tea.", r"He wants tea\."),
    ("negation", "They cannot win.", r"They can win\."),
    ("negation", "We need a lawyer.", r"We (do not|don't|never) need a lawyer\."),
    ("antonym", "Prices increased a lot.", r"Prices (decreased|reduced) a lot\."),
    ("status", "The request was approved.", r"The request was (rejected|declined)\."),
    ("quantifier", "She always comes.", r"She (never|rarely|only sometimes|seldom) comes\."),
    ("comparative", "It is larger than before.", r"It is smaller than before\."),
    ("roles", "Tom told Mary.", r"Mary told Tom\."),
    ("number", "公司有两千名员工。", "公司有(?!两千名).+名员工。"),
    ("number", "利润增长了30%。", r"利润增长了(?!30%)\d+%。"),
    ("date", "会议在星期三召开。", "会议在星期[一二四五六]召开。"),
    ("date", "我们9月15日开学。", "我们(?!9月15日).+月.+日开学。"),
    ("kind", "他住在北京。", "他住在(?!北京).+。"),
    ("unit", "路程是5公里。", "路程是5(米|英里)。"),
    ("negation", "他是医生。", "他(不|并不)是医生。"),
    ("negation", "我们没有时间。", "我们有时间。"),
    ("negation", "她买了一本书。", "她(没有|没|并没有|未)买一本书。"),
    ("antonym", "价格上升得很快。", "价格(下降得很快|上升得很慢)。"),
    ("status", "申请已通过。", "申请未通过。"),
    ("quantifier", "他总是迟到。", "他(从不|偶尔|很少|从未)迟到。"),
    ("comparative", "今年比去年高。", "今年比去年低。"),
    ("roles", "你欠我一个人情。", "我欠你一个人情。"),
]


@pytest.mark.parametrize(("kind", "sentence", "pattern"), CHANGED)
def test_an_edit_changes_the_one_value_it_is_named_after(kind, sentence, pattern):
    made = every(edits.by_kind(sentence), kind, sentence)

    assert made
    assert all(again and re.fullmatch(pattern, again) for again in made), made


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("negation", "My job is to wash the island."),
        ("antonym", "The results are not good."),
        ("antonym", "Right, let us go on."),
        ("quantifier", "It is not always necessary."),
        ("negation", "这种办法不仅快，而且省钱。"),
        ("antonym", "他没办法冷静下来。"),
        ("number", "一些人同意。"),
        ("unit", "那是2008年的事。"),
    ],
)
def test_an_edit_leaves_alone_what_only_looks_like_its_value(kind, sentence):
    made = every(edits.by_kind(sentence), kind, sentence)

    assert made <= {None, "My job is not to wash the island.", "My job isn't to wash the island.",
                    "My job is never to wash the island."}  # fmt: skip


@pytest.mark.parametrize(
    "sentence",
    ["Is the server ready?", "If it rains, we stay.", "他来吗？", "如果下雨，我们就不去。", "When it ends, we go."],
)
def test_a_sentence_that_claims_nothing_is_not_edited(sentence):
    assert not claims(sentence)
    assert edits.by_kind(sentence) == {}


def test_an_example_keeps_its_values():
    assert "number" not in edits.by_kind("For example, 5 people may come.")
    assert "negation" in edits.by_kind("For example, 5 people may come.")


SAME = [
    ("opening", "The door is open.", r".+the door is open\."),
    ("contraction", "We don't know.", r"We do not know\."),
    ("number_format", "It has 3000 users.", r"It has (3,000|three thousand|3k|3 thousand) users\."),
    ("date_format", "It opens on May 3, 2021.", r"It opens on (3 May 2021|3 May 2021|May 3, 2021|2021-05-03)\."),
    ("rounding", "We sold 1,024 cups.", r"We sold (about|around|roughly|approximately|some) 1,000 cups\."),
    ("reorder", "In 2019, the firm moved to Oslo.", r"The firm moved to Oslo in 2019\."),
    ("opposite_denied", "The shop is not open.", r"The shop is closed\."),
    ("converse", "Tom is older than Mary.", r"Mary is younger than Tom\."),
    ("voice", "Mary wrote the letter.", r"The letter was written by Mary\.|It was Mary who wrote the letter\."),
    ("pronoun", "Tom is at home.", r"He is at home\."),
    ("bound", "There are 20 chairs.", r"There are (more|over|at|fewer|less|under)( than| least| most)? \d+ chairs\."),
    ("number_format", "他有三万元。", "他有(30000|30,000|3万)元。"),
    ("number_format", "占了30%。", "占了(30％|百分之30|百分之三十|三成)。"),
    ("date_format", "我们星期三见。", "我们(周|礼拜)三见。"),
    ("rounding", "有1523个客户。", "有(约|大约|大概|差不多|将近)1500个客户。"),
    ("reorder", "去年我们去了上海。", "我们去年去了上海。"),
    ("object_first", "我把书放在桌子上了。", "书被我放在桌子上了。"),
    ("particles", "我们的公司很大。", "我们公司很大。"),
    ("converse", "北京比上海大。", "上海比北京小。|上海没有北京大。"),
    ("abbreviation", "他在北京大学读书。", "他在北大读书。"),
    ("opposite_denied", "实验失败了。", "实验没有成功。"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "sentence", "pattern"), SAME)
def test_a_rewrite_keeps_the_claim(kind, sentence, pattern):
    made = every(restate.by_kind(sentence), kind, sentence)

    assert made
    assert all(again and re.fullmatch(pattern, again) for again in made), made


def test_a_bound_holds_for_its_number_and_a_broken_one_does_not():
    for seed in SEEDS:
        kept = bounds.kept("We sold 40 chairs.", random.Random(seed))
        low = any(word in kept for word in ("more", "over", "least"))
        value = int("".join(filter(str.isdigit, kept)))
        assert value < 40 if low else value > 40


def test_every_scope_has_frames_in_both_languages():
    for english, chinese in (("The shop is open.", "商店开着。"),):
        for frame in (*scope.NEUTRAL.values(), *scope.CONTRADICTING.values()):
            first, second = frame(english, "The shop is closed.", random.Random(1))
            assert "shop is open" in first
            assert "shop is closed" in second
            first, second = frame(chinese, "商店关着。", random.Random(1))
            assert "商店开着" in first
            assert "商店关着" in second


@pytest.mark.parametrize("number", [2, 10, 15, 105, 2500, 30_000, 10_050, 1_234_567])
def test_a_chinese_number_reads_as_it_was_written(number):
    assert numerals.read_chinese(numerals.chinese(number)) == number


def test_numbers_are_spelled_in_english():
    assert numerals.english(2512) == "two thousand five hundred and twelve"
    assert numerals.english(45) == "forty-five"


def test_a_name_is_swapped_for_another_of_its_shape_and_source():
    names = Names([Document("a", zh=False, sentences=("See reader.py first.", "Or see writer.py first."))])

    assert names.of("a")("Open reader.py now.", random.Random(0)) == "Open writer.py now."
    assert names.of("b")("Open reader.py now.", random.Random(0)) is None


def test_a_made_up_fact_contradicts_only_the_same_thing_with_another_value():
    made = [facts.pair(zh, random.Random(seed)) for seed in range(200) for zh in (False, True)]

    assert {label for _, _, label, _ in made} == {"consistent", "neutral", "contradiction"}
    assert all(first != second for first, second, _, _ in made)


def test_sentences_leave_out_code_tags_and_fragments():
    text = (
        "I think {disfmarker} this is right .\n```python\nx = 1\n```\n- Dr. Lee agreed with it.\nHeading\nf(a, b) = c."
    )

    assert corpus.sentences(text) == ["I think this is right .", "Dr. Lee agreed with it."]


@pytest.fixture
def train(tmp_path):
    english = [
        "The old mill has 12 wheels.",
        "Tom sold 30 tickets on Monday.",
        "The shop is open in June.",
        "We need more time.",
    ]
    chinese = ["老磨坊有12个轮子。", "汤姆星期一卖了30张票。", "商店六月开放。", "我们需要更多时间。"]
    lines = [f"0\t{one}\t{two}\n" for one, two in zip(english, chinese, strict=True)]
    (tmp_path / "pairs_sources.json").write_text('["tatoeba"]', "utf-8")
    with lzma.open(tmp_path / "pairs.tsv.xz", "wt", encoding="utf-8") as file:
        file.writelines(lines)
    words = [["需要", ["to need; to require"]], ["必需", ["to need", "to require"]], ["时间", ["time"]]]
    with lzma.open(tmp_path / "cedict.json.xz", "wt", encoding="utf-8") as file:
        json.dump(words, file)
    row = {"premise": "A cat sleeps.", "hypothesis": "A cat is awake.", "label": "contradiction", "source": "own"}
    with lzma.open(tmp_path / "nli.jsonl.xz", "wt", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    return tmp_path


@pytest.mark.parametrize("way", narrow.WAYS)
@pytest.mark.parametrize("zh", [False, True])
def test_a_narrower_statement_comes_with_both_labels_and_no_gap(way, zh):
    made = [way(zh, random.Random(seed)) for seed in range(60)]
    assert all(a != b and not re.search("[{}]", a + b) and a[-1] == b[-1] == (".", "。")[zh] for a, b, _, _ in made)
    labels = {label for _, _, label, _ in made}
    assert "contradiction" in labels
    assert len(labels) == 2


def test_words_with_two_senses_in_common_are_put_for_each_other_and_others_are_not(train):
    made = {Synonyms(train).put("我们需要更多时间。", random.Random(seed)) for seed in SEEDS}
    assert made == {"我们必需更多时间。"}
    assert Synonyms(train).put("我们没有时间。", random.Random(1)) is None


def test_pairs_are_the_same_for_the_same_seed_and_balanced(train):
    made = list(pairs.rows(train, 200, seed=3))

    assert made == list(pairs.rows(train, 200, seed=3))
    assert made != list(pairs.rows(train, 200, seed=4))
    assert sum(row["label"] == "contradiction" for row in made) == 80
    assert {row["lang"] for row in made} == {"en", "zh"}
