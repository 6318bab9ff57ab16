"""From a text to token ids, and from ids to word vectors: MiniLM's own for English, trained ones for Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from memsieve.text.normalize import simplified_forms
from memsieve.text.scripts import HAN, is_han

if TYPE_CHECKING:
    from tokenizers import Tokenizer


# A longer run is cut: the search for the longest word in it would grow with the square of its length.
_LONGEST_RUN = 40
# Stands for each Chinese character without a row; left as it is, one would make its whole run unknown.
_RARE = "\u3013"
_COMMON_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
# What the tokenizer cuts words at, and what is left to it alone: letters and signs that it changes or drops.
_WORDS = re.compile(rf"[A-Za-z0-9]+|[{_COMMON_HAN}{_RARE}]{{1,{_LONGEST_RUN}}}|[^\sA-Za-z0-9]")
_UNUSUAL = re.compile(rf"[^\t\n\r -~“”‘’…—·{_COMMON_HAN}{_RARE}]")
_PUNCTUATION = str.maketrans("。、「」『』《》〈〉【】〔〕〖〗〜\u3000￥", '.,""""""""[][][]~ ¥')
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


class Rows(NamedTuple):
    """Word vectors as 8-bit integers: (row - zero) · scale."""

    values: npt.NDArray[np.uint8 | np.int8]
    zero: npt.NDArray[np.uint8 | np.int8]
    scale: npt.NDArray[np.float32]

    def at(self, ids: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
        scale = self.scale if self.scale.ndim == 0 else self.scale[ids, None]
        vectors: npt.NDArray[np.float32] = (self.values[ids].astype(np.float32) - self.zero) * scale
        return vectors


class Tokens:
    """Reads the files of the package when made; one is enough for all models of a process."""

    UNKNOWN, BEGINNING, END = 100, 101, 102

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._words = _lines(folder / "minilm" / "words.txt")
        self.english = len(self._words)
        self.chinese = _lines(folder / "chinese" / "words.txt")

    def __len__(self) -> int:
        return self.english + len(self.chinese)

    @cached_property
    def _plain(self) -> Tokenizer:
        return _tokenizer(self._words, [])

    @cached_property
    def _full(self) -> Tokenizer:
        return _tokenizer(self._words, self.chinese)

    @cached_property
    def _fold(self) -> _Fold:
        return _Fold(self.chinese)

    def encode(self, text: str, most: int) -> list[int]:
        """Return the ids of a text, between the two tokens that mark its beginning and end."""
        return self.encode_all([text], most)[0]

    def encode_all(self, texts: Sequence[str], most: int) -> list[list[int]]:
        """Return the ids of many texts."""
        return [_limited(self._ids(self._folded(text), plain=text.isascii()), most) for text in texts]

    def _ids(self, text: str, *, plain: bool) -> list[int]:
        # Both give the same ids for plain text; loading the Chinese words is put off until a text needs them.
        if _UNUSUAL.search(text):
            tokenizer = self._plain if plain else self._full
            # A lone surrogate is no character; the tokenizer refuses the whole text for it.
            ids: list[int] = tokenizer.encode(text.encode(errors="replace").decode()).ids
            return ids
        known = self._pieces
        return [self.BEGINNING, *(one for word in _WORDS.findall(text.lower()) for one in known[word]), self.END]

    @cached_property
    def _pieces(self) -> _Pieces:
        return _Pieces(self)

    def _folded(self, text: str) -> str:
        return text if text.isascii() else text.translate(self._fold)

    def vectors(self, ids: Sequence[int] | npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
        """Return one word vector for each id."""
        at = np.asarray(ids, np.intp)
        foreign = at >= self.english
        found = self._minilm.at(np.where(foreign, self.UNKNOWN, at))
        if foreign.any():
            found[foreign] = self._chinese.at(at[foreign] - self.english)
        return found

    @cached_property
    def _minilm(self) -> Rows:
        return _rows(self._folder / "minilm" / "words.npz")

    @cached_property
    def _chinese(self) -> Rows:
        return _rows(self._folder / "chinese" / "words.npz")


def _limited(ids: list[int], most: int) -> list[int]:
    return ids if len(ids) <= most else [*ids[: most - 1], ids[-1]]


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").removesuffix("\n").split("\n")


def _tokenizer(english: list[str], chinese: list[str]) -> Tokenizer:
    from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers, processors
    from tokenizers.models import WordPiece

    vocabulary = {word: number for number, word in enumerate(english)}
    for number, word in enumerate(chinese, len(english)):
        # A Chinese word has one vector, at the start of its run or within it.
        vocabulary[word] = vocabulary["##" + word] = number
    vocabulary[_RARE] = vocabulary["##" + _RARE] = Tokens.UNKNOWN
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token=english[Tokens.UNKNOWN], max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(handle_chinese_chars=False)
    run = Regex(f"[{HAN}{_RARE}]{{1,{_LONGEST_RUN}}}")
    split = pre_tokenizers.Split(run, behavior="isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.BertPreTokenizer()])
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", Tokens.END), ("[CLS]", Tokens.BEGINNING))
    return tokenizer


def _rows(path: Path) -> Rows:
    with np.load(path) as rows:
        return Rows(rows["values"], rows["zero"], rows["scale"])


class _Pieces(dict[str, tuple[int, ...]]):
    """The ids of words, signs and runs of Chinese as the tokenizer makes them; words are kept, runs seldom return."""

    _MOST = 50_000

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._tokens = tokens

    def __missing__(self, word: str) -> tuple[int, ...]:
        if is_han(word[0]) or word[0] == _RARE:
            return tuple(self._cut(word))
        found = tuple(self._tokens._plain.encode(word).ids[1:-1])  # noqa: SLF001 - the two are one thing
        if len(self) >= self._MOST:
            self.clear()
        self[word] = found
        return found

    def _cut(self, run: str) -> Iterator[int]:
        """Yield the ids of the longest words of a run, from its beginning on."""
        known, longest, start = self._chinese, self._longest, 0
        while start < len(run):
            end = start + longest.get(run[start : start + 2], 1)
            while (found := known.get(run[start:end])) is None and end > start + 1:
                end -= 1
            yield Tokens.UNKNOWN if found is None else found
            start = end

    @cached_property
    def _chinese(self) -> dict[str, int]:
        known = {word: number for number, word in enumerate(self._tokens.chinese, self._tokens.english)}
        return {**known, _RARE: Tokens.UNKNOWN}

    @cached_property
    def _longest(self) -> dict[str, int]:
        """The length of the longest word that begins with two characters."""
        longest: dict[str, int] = {}
        for word in self._tokens.chinese:
            if len(word) > 1:
                longest[word[:2]] = max(len(word), longest.get(word[:2], 0))
        return longest


class _Fold(dict[int, int | str]):
    """Maps traditional characters to simplified ones, full width to half, and what has no row to one character."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(_FULL_WIDTH)
        self.update(_PUNCTUATION)
        self._known = {word for word in words if len(word) == 1}
        self.update((old, new if new in self._known else _RARE) for old, new in simplified_forms().items())

    def __missing__(self, code: int) -> int | str:
        rare = is_han(chr(code)) and chr(code) not in self._known
        self[code] = _RARE if rare else code
        return self[code]
