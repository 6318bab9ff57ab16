"""Each check of the filter, at its edges."""

import asyncio
import math
from dataclasses import replace

import numpy as np
import pytest

from memsieve.config import FilterSettings
from memsieve.ingress.checks import confidence, duplicate, echo, length, tombstone
from memsieve.ingress.checks.candidate import Candidate
from memsieve.models.embedders import LocalEmbedder
from memsieve.testing.factories import entry, item
from memsieve.testing.factories import tombstone as grave
from memsieve.text.normalize import normalized
from memsieve.text.tokenize import tokenize

DEFAULTS = FilterSettings()
LEDGER = "The team decided to use PostgreSQL for the ledger because it needs real transactions."
CHINESE = "项目最终决定采用微服务架构，以提高可扩展性和部署灵活性，并由平台组在第三季度完成迁移工作。"


@pytest.fixture(scope="module")
def embed():
    embedder = LocalEmbedder()
    return lambda text: asyncio.run(embedder.embed([text]))[0]


def candidate(content, vector=None, **fields):
    said = {name: fields.pop(name) for name in ("confidence",) if name in fields}
    return Candidate(entry=entry(content, **said), words=tokenize(content), vector=vector, **fields)


def held(content, vector):
    return entry(content, embedding=vector)


@pytest.mark.parametrize(
    ("content", "passed"), [("a" * 49, False), ("a" * 50, True), ("数" * 16, False), ("数" * 17, True)]
)
def test_length_counts_bytes(content, passed):
    check = length.check(candidate(content), DEFAULTS)
    assert check.passed is passed
    assert check.score == len(content.encode())


@pytest.mark.parametrize(("score", "passed"), [(0.8, False), (0.81, True), (0.800001, True), (0.0, False), (1.0, True)])
def test_confidence_must_be_above_the_minimum(score, passed):
    assert confidence.check(candidate("x", confidence=score), DEFAULTS).passed is passed


def test_without_a_confidence_the_others_decide_unless_one_is_required():
    assert confidence.check(candidate("x"), DEFAULTS).passed
    assert not confidence.check(candidate("x"), FilterSettings(require_confidence=True)).passed


def at_similarity(cosine):
    return np.array([cosine, math.sqrt(1 - cosine * cosine)], np.float32)


@pytest.mark.parametrize(("cosine", "passed"), [(0.9, False), (0.91, False), (0.8999, True), (0.0, True)])
def test_a_similarity_of_exactly_the_threshold_is_a_duplicate(cosine, passed):
    new = candidate("Alpha handles billing.", at_similarity(cosine), working=[held("Beta.", at_similarity(1.0))])
    check = duplicate.check(new, DEFAULTS)
    assert check.passed is passed
    assert check.score == pytest.approx(cosine, abs=1e-6)


def test_the_nearest_of_many_entries_counts():
    others = [held(f"Number {at}.", at_similarity(at / 10)) for at in range(10)]
    assert not duplicate.check(candidate("Gamma.", at_similarity(1.0), working=others), DEFAULTS).passed
    assert duplicate.check(candidate("Gamma.", at_similarity(1.0), working=others[:9]), DEFAULTS).passed


def test_a_paraphrase_of_working_memory_is_a_duplicate(embed):
    again = "The team decided to use PostgreSQL for the ledger, because it needs real transactions!"
    check = duplicate.check(candidate(again, embed(again), working=[held(LEDGER, embed(LEDGER))]), DEFAULTS)
    assert not check.passed
    assert "already" in str(check.reason)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The service handles 120 requests a second on node 4.",
            "The service handles 150 requests a second on node 4.",
        ),
        ("The budget of the project is 1.5 million euros.", "The budget of the project is 15 million euros."),
        ("The loan has a rate of 3 percent for ten years.", "The loan has a rate of 4 percent for ten years."),
    ],
)
def test_another_number_is_another_claim(embed, one, other):
    assert duplicate.check(candidate(one, embed(one), working=[held(other, embed(other))]), DEFAULTS).passed


@pytest.mark.parametrize(
    "other", [CHINESE.replace("微服务", "单体式"), CHINESE.replace("第三", "第四"), "预算已经由财务部在三月批准。"]
)
def test_two_different_chinese_sentences_are_no_duplicates(embed, other):
    vectors = embed(CHINESE), embed(other)
    assert duplicate.check(candidate(CHINESE, vectors[0], working=[held(other, vectors[1])]), DEFAULTS).passed
    assert duplicate.check(candidate(CHINESE, working=[held(other, None)]), DEFAULTS).passed


def test_long_chinese_texts_that_differ_in_one_word_are_no_duplicates():
    long = CHINESE * 20 + "负责人是王伟。"
    assert duplicate.check(candidate(long, working=[held(long.replace("王伟", "李娜"), None)]), DEFAULTS).passed


@pytest.mark.parametrize(
    "other",
    [
        CHINESE.replace("，", ", ").replace("。", "."),
        CHINESE.replace("。", "！！"),
        "項目最終決定採用微服務架構，以提高可擴展性和部署靈活性，並由平台組在第三季度完成遷移工作。",
    ],
)
def test_the_same_chinese_sentence_with_other_punctuation_or_characters_is_a_duplicate(embed, other):
    copy = candidate(other, embed(other), working=[held(CHINESE, embed(CHINESE))])
    assert duplicate.check(copy, DEFAULTS).score == 1
    assert not duplicate.check(copy, DEFAULTS).passed
    assert not duplicate.check(candidate(other, working=[held(CHINESE, None)]), DEFAULTS).passed


OPPOSITES = [
    ("我喜欢喝咖啡", "我讨厌喝咖啡"),
    ("我们同意这个方案", "我们不同意这个方案"),
    ("用户更喜欢深色模式", "用户更喜欢浅色模式"),
    ("张伟负责支付模块的开发和测试", "李娜负责支付模块的开发和测试"),
    ("会议定在周四下午三点", "会议定在周五下午三点"),
    ("所有测试都通过了", "所有测试都没有通过"),
    ("该功能默认开启", "该功能默认关闭"),
]


@pytest.mark.parametrize(("one", "other"), OPPOSITES)
def test_the_opposite_in_chinese_is_no_duplicate(embed, one, other):
    assert duplicate.check(candidate(one, embed(one), working=[held(other, embed(other))]), DEFAULTS).passed


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the load is < 5 now", "the load is > 5 now"),
        ("it is written in C", "it is written in C++"),
        ("🎉🎉", "👍👍"),
        ("!!!", "???"),
    ],
)
def test_signs_tell_texts_apart(one, other):
    assert normalized(one) != normalized(other)


@pytest.mark.parametrize(
    "other", ["THE LEDGER RUNS", "the, ledger: “runs”.", "the\nledger   runs", "ｔｈｅ ledger runs"]
)
def test_case_punctuation_width_and_spaces_tell_nothing_apart(other):
    assert normalized("The ledger runs.") == normalized(other)


def test_a_dismissed_text_and_its_paraphrase_do_not_come_back(embed):
    buried = replace(grave(LEDGER), embedding=embed(LEDGER))
    for again in (LEDGER, "PostgreSQL was chosen by the team for the ledger since real transactions are needed."):
        check = tombstone.check(candidate(again, embed(again), tombstones=[buried]), DEFAULTS)
        assert not check.passed
        assert check.reason.params["similarity"] == round(check.score, 2)
        assert "A person dismissed something like it on 2026-03-02" in str(check.reason)
        # Whoever recorded it is not told what was dismissed, by whom or why.
        assert not any(secret in str(check.reason) for secret in (buried.content, buried.by, buried.reason))


def test_a_buried_sentence_within_a_longer_text_is_found(embed):
    buried = replace(grave(LEDGER), embedding=embed(LEDGER))
    wrapped = f"Today we met for an hour and spoke of many things. {LEDGER} Then we had lunch in the garden."
    assert not tombstone.check(candidate(wrapped, embed(wrapped), tombstones=[buried]), DEFAULTS).passed


def test_a_buried_chinese_text_in_other_punctuation_does_not_come_back():
    again = CHINESE.replace("，", " ").replace("。", "！")
    assert not tombstone.check(candidate(again, tombstones=[grave(CHINESE)]), DEFAULTS).passed


@pytest.mark.parametrize("short", ["OK.", "Done", "!!!", "🎉", "好的", "a"])
def test_a_short_dismissed_text_bars_itself_alone(embed, short):
    buried = replace(grave(short), embedding=embed(short))
    other = "Okay tokens are stored in the vault and a note is done daily. 好的开始是成功的一半。"
    assert tombstone.check(candidate(other, embed(other), tombstones=[buried]), DEFAULTS).passed
    assert not tombstone.check(candidate(short, embed(short), tombstones=[buried]), DEFAULTS).passed


def test_what_contradicts_a_buried_text_may_come(embed):
    buried = replace(
        grave("The ledger has 3 replicas in the main hall."),
        embedding=embed("The ledger has 3 replicas in the main hall."),
    )
    new = "The ledger has 5 replicas in the main hall."
    assert tombstone.check(candidate(new, embed(new), tombstones=[buried]), DEFAULTS).passed


def served(content, embed):
    return replace(item("c", content), embedding=embed(content))


@pytest.mark.parametrize(
    "said",
    [
        LEDGER,
        "According to memory, the team decided to use PostgreSQL for the ledger because it needs real transactions.",
        "Use PostgreSQL for the ledger, because it needs real transactions",
    ],
)
def test_what_this_session_was_served_does_not_come_back_as_evidence(embed, said):
    check = echo.check(candidate(said, embed(said), served=[served(LEDGER, embed)]), DEFAULTS)
    assert not check.passed
    assert "was served" in str(check.reason)


def test_an_echo_woven_of_two_served_memories_is_found(embed):
    other = "The reporting service reads nightly copies from the object store in Dublin."
    said = (
        "The team decided to use PostgreSQL for the ledger, and the reporting service reads nightly copies in Dublin."
    )
    check = echo.check(candidate(said, embed(said), served=[served(LEDGER, embed), served(other, embed)]), DEFAULTS)
    assert not check.passed


def test_new_evidence_about_a_served_memory_passes(embed):
    said = "Benchmarks of the ledger on PostgreSQL reached 4,000 writes a second with two replicas on the new disks."
    assert echo.check(candidate(said, embed(said), served=[served(LEDGER, embed)]), DEFAULTS).passed


def test_a_chinese_echo_is_found_and_other_chinese_passes(embed):
    assert not echo.check(candidate(CHINESE, served=[served(CHINESE, embed)]), DEFAULTS).passed
    other = "预算已经由财务部在三月批准，金额比去年增加了百分之二十。"
    assert echo.check(candidate(other, served=[served(CHINESE, embed)]), DEFAULTS).passed


def test_who_was_served_nothing_echoes_nothing(embed):
    assert echo.check(candidate(LEDGER, embed(LEDGER)), DEFAULTS).passed


def test_spaces_around_a_session_do_not_hide_an_echo(memory):
    project = memory.project("apollo")
    project.review(by="ada").promote_text(LEDGER)
    project.retrieve("Which database does the ledger use?", session_id=" s1 ")
    receipt = project.record(LEDGER, session_id="s1", confidence=0.9)
    assert [check.name for check in receipt.admission.checks if not check.passed] == ["echo"]
