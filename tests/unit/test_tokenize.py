"""The words of a text, in every language."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsieve.text.stems import snowball_stem
from memsieve.text.tokenize import shared_terms, tokenize


def test_english_words_are_folded_and_stemmed_and_stop_words_go():
    assert tokenize("The databases WERE running") == ("databas", "run")


def test_chinese_is_cut_into_characters_and_pairs():
    assert tokenize("微服务") == ("微", "服", "务", "微服", "服务")


def test_words_that_carry_nothing_are_left_out_of_chinese():
    assert "的" not in tokenize("项目的架构")
    assert "什么" not in tokenize("架构是什么")


def test_mixed_text_gives_both_kinds_of_words():
    words = tokenize("使用PostgreSQL数据库")
    assert "postgresql" in words
    assert "数据" in words


@pytest.mark.parametrize(("one", "other"), [("ＡＢＣ　１２", "abc 12"), ("CAFE\u0301", "café"), ("STRASSE", "straße")])
def test_width_case_and_encoding_make_no_difference(one, other):
    assert tokenize(one) == tokenize(other)


@pytest.mark.parametrize("number", ["3.14", "2026-03-02", "10:30", "1,000"])
def test_a_number_is_one_word(number):
    assert number in tokenize(f"it was {number} then")


@pytest.mark.parametrize("text", ["", "   ", "!!! ...", "的", "the of and"])
def test_some_texts_have_no_words(text):
    assert tokenize(text) == ()


@given(st.text(max_size=200))
def test_no_word_is_empty_or_holds_a_space(text):
    assert all(word and not any(map(str.isspace, word)) for word in tokenize(text))


def test_words_are_cut_the_same_in_many_threads_at_once():
    texts = [
        f"{stem}{letter}ing the deployments{letter} of decisions{letter}"
        for stem in "abcdefgh"
        for letter in "klmnopqr"
    ]
    alone = [tokenize(text) for text in texts]
    snowball_stem.cache_clear()
    with ThreadPoolExecutor(8) as threads:
        assert [*threads.map(tokenize, texts * 20)] == alone * 20


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("Which databases did they decide on?", "The team Decided on a database.", ("decided", "database")),
        ("the ledger", "The Ledger; the ledger's LEDGER.", ("ledger",)),
        ("is it the same?", "It is the same.", ()),
        ("version 3.14", "Version 3.14 is not 3.15.", ("version", "3.14")),
        ("数据库用什么", "瓶颈是数据库连接池，数据也用它。", ("数据库", "数据", "用")),
        ("數據庫", "数据库很快。", ("数据库",)),
        ("ＬＥＤＧＥＲ", "the ledger", ("ledger",)),
        ("anything", "", ()),
        ("???", "the ledger", ()),
    ],
)
def test_the_words_that_two_texts_share_are_told_as_the_second_has_them(query, text, found):
    assert shared_terms(query, text) == found
