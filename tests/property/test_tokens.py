"""English must be read as the published model reads it: its stored vectors depend on that."""

from hypothesis import given
from hypothesis import strategies as st
from tokenizers import BertWordPieceTokenizer

from memsieve.models import bundled

TOKENS = bundled.tokens()
WORDS = (bundled.FOLDER / "minilm" / "words.txt").read_text("utf-8").removesuffix("\n").split("\n")
PUBLISHED = BertWordPieceTokenizer(vocab={word: number for number, word in enumerate(WORDS)})

# All that stands before the scripts of East Asia: Latin with its accents, Greek, Cyrillic, punctuation, symbols.
WESTERN = st.text(st.characters(max_codepoint=0x2E7F, exclude_categories=["Cs"]), max_size=200)
CHINESE = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=200)


@given(WESTERN)
def test_western_text_gets_the_ids_of_the_published_tokenizer(text):
    assert TOKENS.encode(text, 10_000) == PUBLISHED.encode(text).ids


@given(WESTERN, CHINESE)
def test_chinese_around_it_changes_no_word_of_a_western_text(western, chinese):
    inner = TOKENS.encode(western, 10_000)[1:-1]
    around = TOKENS.encode(f"{chinese} {western} {chinese}", 10_000)[1:-1]
    alone = TOKENS.encode(chinese, 10_000)[1:-1]
    assert around == alone + inner + alone


@given(CHINESE)
def test_every_chinese_character_is_read_or_unknown_by_itself(text):
    ids = TOKENS.encode(text, 10_000)[1:-1]
    assert all(number >= TOKENS.english or number == TOKENS.UNKNOWN for number in ids)
    assert len(ids) >= len(text) / 6


@given(st.lists(st.integers(0, len(TOKENS) - 1), min_size=1, max_size=50))
def test_every_id_has_a_vector(ids):
    vectors = TOKENS.vectors(ids)
    assert vectors.shape == (len(ids), 384)
    assert abs(vectors).max() > 0
