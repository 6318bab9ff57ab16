"""Where a sentence ends, in English and Chinese, and how word lists are read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsieve.text.sentences import SENTENCE_CUT, find_sentences, split_clauses, split_sentences
from memsieve.text.word_lists import WordFile, load_sections, stop_words


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("The cache is on. It holds 3.14 MB in main.py.", ["The cache is on.", "It holds 3.14 MB in main.py."]),
        ("预算是三百万。会议改到周五！好吗？", ["预算是三百万。", "会议改到周五！", "好吗？"]),
        ("他说“可以。”然后走了", ["他说“可以。”", "然后走了"]),
        ("First line\n\n  second line", ["First line", "second line"]),
        ("Really?! Yes...", ["Really?!", "Yes..."]),
        ("...", []),
    ],
)
def test_a_text_is_split_into_its_sentences(text, sentences):
    assert split_sentences(text) == sentences


@given(st.text())
def test_sentences_are_parts_of_the_text_in_its_order(text):
    at = 0
    for found in find_sentences(text):
        assert found.start() >= at
        at = found.end()


def test_a_text_is_not_cut_within_code_or_a_number():
    assert [found.end() for found in SENTENCE_CUT.finditer("a;b 3.14 x! Then y.")] == [len("a;b 3.14 x!")]


def test_clauses_end_at_marks_and_conjunctions():
    assert split_clauses("it runs, and then it stops") == ["it runs", " ", " it stops"]


def test_a_word_list_has_sections_of_lines_without_comments():
    sections = load_sections("memsieve.claims", "opposites.txt")
    assert "true | false untrue" in sections["states"]
    assert not any(line.startswith("#") or not line for lines in sections.values() for line in lines)
    assert "monday" in WordFile("memsieve.text", "numbers.txt").words("weekdays")


def test_each_set_of_stop_words_has_words():
    names = ["tokens", "tokens.characters", "tokens.pairs", "claims", "claims.characters"]
    for name in [*names, "concepts", "concepts.chinese", "injection", "injection.pairs"]:
        assert len(stop_words(name)) > 10, name
