"""Chunks: at most 500 characters, verbatim, overlapping, cut where a reader would cut."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsieve.review.chunking import OVERLAP, split

SIZE = 500
texts = st.text(
    st.one_of(st.sampled_from("ab .!?;\n\t。！？；”数据é\U0001f600"), st.characters(codec="utf-8")), max_size=3000
)


def shared(first, second):
    """Return how many characters the end of one chunk and the start of the next have in common."""
    return max((n for n in range(min(len(first), len(second)) + 1) if first[len(first) - n :] == second[:n]), default=0)


def test_a_short_text_is_one_chunk():
    assert split("The ledger runs on PostgreSQL.") == ["The ledger runs on PostgreSQL."]


def test_five_hundred_characters_are_one_chunk_and_one_more_are_two():
    words = "abcd " * 100
    assert len(split(words)) == 1
    assert len(split(words + "e")) == 2


def test_characters_count_not_bytes():
    assert split("数" * SIZE) == ["数" * SIZE]
    assert max(map(len, split("数" * 1200))) == SIZE


def test_a_blank_line_is_the_best_place_to_cut():
    first, second = "One sentence. " * 25, "Another sentence. " * 22
    chunks = split(f"{first.strip()}\n\n{second.strip()}")
    assert chunks[0] == first.strip()
    assert chunks[1].endswith(second.strip())


@pytest.mark.parametrize("end", "。！？；")
def test_chinese_sentences_are_cut_after_their_end(end):
    sentence = "项目最终决定采用微服务架构以提高可扩展性和部署灵活性" + end
    chunks = split(sentence * 40)
    assert len(chunks) > 2
    assert all(chunk.endswith(end) for chunk in chunks)


def test_a_closing_quote_stays_with_its_sentence():
    chunks = split("他说：“我们决定采用新的架构来支撑业务的增长。”" * 40)
    assert all(chunk.endswith("。”") for chunk in chunks)


def test_english_sentences_are_cut_after_their_end_and_not_in_a_number():
    chunks = split("Version 3.14 handles 2.5 requests a second. " * 30)
    assert all(chunk.endswith("second.") for chunk in chunks)


def test_a_word_longer_than_a_chunk_is_cut_anyway():
    chunks = split("x" * 1300)
    assert max(map(len, chunks)) <= SIZE
    assert len(chunks) == 3


def test_neighbours_overlap_by_up_to_fifty_characters():
    text = " ".join(f"word{number}" for number in range(600))
    chunks = split(text)
    assert len(chunks) > 5
    assert all(0 < shared(*pair) <= OVERLAP for pair in pairwise(chunks))


def test_chinese_neighbours_overlap_too():
    text = "".join(chr(0x4E00 + number) for number in range(2000))
    chunks = split(text)
    assert all(0 < shared(*pair) <= OVERLAP for pair in pairwise(chunks))


@given(texts)
def test_no_chunk_is_empty_or_too_long_and_each_is_a_part_of_the_text(text):
    for chunk in split(text) if text else ():
        assert 0 < len(chunk) <= SIZE
        assert chunk in text


@given(texts)
def test_every_character_that_is_no_space_is_in_some_chunk(text):
    position = 0
    for chunk in split(text) if text else ():
        start = text.find(chunk, max(0, position - OVERLAP))
        assert not text[position:start].strip()
        position = start + len(chunk)
    assert not text[position:].strip()


@pytest.mark.parametrize("unit", [".", "!?", "\n", " ", "\n ", "。", "a.", "'", ".)"])
def test_no_text_takes_long_to_split(unit):
    started = time.process_time()
    split("x" + unit * (65536 // len(unit)) + "x")
    assert time.process_time() - started < 2
