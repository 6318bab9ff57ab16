"""Texts of two languages in one ranking."""

from datetime import UTC, datetime

import numpy as np
import pytest

from memsieve.retrieval.fusion import fused
from memsieve.retrieval.index import Index, Row, expected_word_scores
from memsieve.text.tokenize import is_chinese, tokenize

NOW = datetime(2026, 11, 16, tzinfo=UTC)
QUESTION = np.array([1, 0, 0], np.float32)


def near(cosine):
    return np.array([cosine, np.sqrt(1 - cosine * cosine), 0], np.float32)


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("服务器昨晚宕机了", True),
        ("API 的速率限制是多少？", True),
        ("我們決定延後發布", True),
        ("The server went down last night.", False),
        ("Wang Jianguo (王建国) approved the budget on Monday.", False),
        ("Сервер упал", False),
        ("12:30", False),
        ("", False),
    ],
)
def test_a_text_is_chinese_if_most_of_its_words_are(text, chinese):
    assert is_chinese(tokenize(text)) is chinese


def test_the_more_similar_the_more_words_are_thought_to_be_shared():
    shares = expected_word_scores(np.array([-1, 0.25, 0.525, 0.8, 1], np.float32))
    assert shares.tolist() == pytest.approx([0, 0, 0.5, 1, 1], abs=1e-6)


def ranked(rows, words, limit=3):
    index = Index(Row(words=tokenize(text), vector=vector, at=NOW) for text, vector in rows)
    matches = sorted(index.search(QUESTION, tokenize(words), limit), key=fused, reverse=True)
    return [rows[match.position][0] for match in matches]


def test_a_translation_goes_before_what_only_shares_a_word_with_the_question():
    rows = [("How long does the film last?", near(0.2)), ("所有设备的保修期是三年。", near(0.6))]
    assert ranked(rows, "How long does the warranty last?") == [rows[1][0], rows[0][0]]


def test_an_answer_in_the_question_s_own_language_goes_before_a_stranger_in_the_other():
    rows = [("The warranty lasts three years.", near(0.6)), ("猫在屋顶上睡觉。", near(0.35))]
    assert ranked(rows, "How long does the warranty last?")[0] == rows[0][0]


def test_the_best_of_the_other_language_is_among_the_found_however_many_are_nearer():
    rows = [(f"warranty note {n}", near(0.7)) for n in range(50)] + [("所有设备的保修期是三年。", near(0.6))]
    assert rows[-1][0] in ranked(rows, "warranty")


def test_a_text_without_a_vector_gets_no_words_as_a_gift():
    rows = [("保修期三年", None), ("The warranty lasts three years.", near(0.5))]
    assert ranked(rows, "warranty") == [rows[1][0]]
