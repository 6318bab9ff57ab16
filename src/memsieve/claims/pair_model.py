"""A small model that reads two sentences together and says whether the second states the first with another value.

The rules explain what they find; this model sees more and explains less. It was trained on sentences with one value
changed, and is weak where a contradiction is put in other words.
"""

from __future__ import annotations

import re
import threading
from difflib import SequenceMatcher
from functools import cache
from typing import Any

import numpy as np

from memsieve.claims.statement import Statement, Value
from memsieve.errors import JudgeError
from memsieve.models import bundled
from memsieve.text.normalize import normalized
from memsieve.text.numbers import QuantityKind
from memsieve.text.scripts import HAN

# Of each of the two sentences.
MOST_TOKENS = 64
# At 0.9 one point more of what is planted is found, and more clean Chinese is refused (0.8 % against 0.5 %).
SURE = 0.95
# A fact stated again shares most of the shorter sentence's words; real neighbours hardly ever do.
MOST_WORDS = 0.75

_A_BIT, _POINTS = re.compile(f"一点儿?(?=[{HAN}])(?![钟半零一二三四五])"), re.compile("[两二三四五六七八九十]点")
_SAME_ORDER = 0.6
_ROUGHLY = frozenset("大约概近")
_PUNCTUATION = ". , ! ? ; : ' \" - ( ) [ ]"
# Pronouns with one meaning: 咱们 is 我们, and 您 is 你.
_PRONOUNS = str.maketrans("咱您", "我你")


class PairModel:
    """A cross-encoder on the embedder's word vectors: how surely two sentences exclude each other."""

    def __init__(self) -> None:
        try:
            self._tokens = bundled.tokens()
            self._session: Any = bundled.session(bundled.FOLDER / "judge" / "judge.onnx")
        except Exception as exc:  # the libraries raise what they like
            raise JudgeError(
                f"The bundled judge could not be loaded: {exc}. Reinstall memsieve.",
                public="The bundled judge could not be loaded.",
            ) from exc

    def score(self, first: str, second: str) -> float:
        """Return the probability of a contradiction, as the model sees it."""
        opening, rest = (self._tokens.encode(text.translate(_PRONOUNS), MOST_TOKENS) for text in (first, second))
        ids = opening + rest[1:]
        marks = np.zeros((1, len(ids), 1), np.float32)
        marks[0, len(opening) :] = 1
        scores = self._session.run(None, {"words": self._tokens.vectors(ids)[None], "second": marks})[0][0]
        shares = np.exp(scores - scores.max())
        return float(shares[-1] / shares.sum())


_loading = threading.Lock()


def pair_model() -> PairModel:
    """Return the model, loaded when the first pair of sentences asks for it."""
    with _loading:
        return _load()


@cache
def _load() -> PairModel:
    return PairModel()


def gives_another_value(a: Statement, b: Statement) -> bool:
    """Say whether the model is sure that two sentences state one fact with two values."""
    if words_shared(token_ids(a.text), token_ids(b.text)) < MOST_WORDS or compatible(a, b):
        return False
    return pair_model().score(a.text, b.text) >= SURE


def token_ids(sentence: str) -> frozenset[int]:
    """Return the words of a sentence as the model sees them."""
    return frozenset(bundled.tokens().encode(sentence.translate(_PRONOUNS), MOST_TOKENS)) - _ignored()


@cache
def _ignored() -> frozenset[int]:
    return frozenset(bundled.tokens().encode(_PUNCTUATION, MOST_TOKENS))


def words_shared(a: frozenset[int], b: frozenset[int]) -> float:
    """Return the share of the shorter sentence's words that both have."""
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def compatible(a: Statement, b: Statement) -> bool:
    """Say whether both sentences may be true by what the rules read, whatever the model says."""
    return a.denials == b.denials and any(
        shows(a, b) for shows in (_repeats, _only_adds, _other_item, _only_bounds, _vague, _is_reversed_comparison)
    )


def _repeats(a: Statement, b: Statement) -> bool:
    """Tell that one repeats the other, with more around it or in another notation: 五百万 is 500万."""
    one, other = (normalized(statement.text.translate(_PRONOUNS)) for statement in (a, b))
    if one in other or other in one:
        return True
    first, second = ([word for word in statement.order if word not in _ROUGHLY] for statement in (a, b))
    return first == second and len(a.values) == len(b.values) and not _unlike(a, b)


def _only_adds(a: Statement, b: Statement) -> bool:
    """Tell that one says all that the other does, in the same order, and more: nothing of it has another value."""
    short, long = sorted((a, b), key=lambda statement: len(statement.order))
    rest = iter(long.order)
    # `order` leaves out small words, which may be what differs: "the same" and "opposite".
    if not all(word in rest for word in short.order) or not token_ids(short.text) <= token_ids(long.text):
        return False
    if long.denied.intersection(short.words) != short.denied:
        return False
    present = {(value.quantity.kind, value.quantity.value) for value in long.values}
    lacking = [value for value in short.values if (value.quantity.kind, value.quantity.value) not in present]
    # More missing values than this are no addition; each is compared with all, so the number is bounded.
    return len(lacking) <= MOST_TOKENS and all(any(_agree(value, other) for other in long.values) for value in lacking)


def _agree(a: Value, b: Value) -> bool:
    return a.quantity.fits(b.quantity) or ((a.rough or b.rough) and a.quantity.near(b.quantity))


def _other_item(a: Statement, b: Statement) -> bool:
    """Tell "version 2 needs 4 GB" from "version 3 needs 8 GB": a label differs, and so does what is said of it."""
    unlike, one, other = _unlike(a, b), set(a.order), set(b.order)
    labelled = any(x.quantity.kind is y.quantity.kind is QuantityKind.LABEL for x, y in unlike)
    return labelled and (len(unlike) > 1 or bool(one - other and other - one))


def _only_bounds(a: Statement, b: Statement) -> bool:
    """Tell that "at most ten" and "six" may both hold: what differs is a limit on one side only."""
    unlike = _unlike(a, b)
    return bool(unlike) and all(x.bound != y.bound for x, y in unlike)


def _unlike(a: Statement, b: Statement) -> list[tuple[Value, Value]]:
    """Return the values that differ, one by one; none where one sentence has more of them."""
    pairs = zip(a.values, b.values, strict=True) if len(a.values) == len(b.values) else ()
    return [(x, y) for x, y in pairs if not _agree(x, y)]


def _is_reversed_comparison(a: Statement, b: Statement) -> bool:
    """Tell that "A is larger than B" and "B is smaller than A" agree: the model cannot, where the order changes."""
    # No more than the model reads: the work grows with the square of it.
    read = a.order[:MOST_TOKENS], b.order[:MOST_TOKENS]
    one, other = ([word for word in x if word in y] for x, y in (read, read[::-1]))
    return SequenceMatcher(None, one, other, autojunk=False).ratio() < _SAME_ORDER


def _vague(a: Statement, b: Statement) -> bool:
    """Tell that 一点意见 is some opinion, and no first of 两点意见."""
    return any(_A_BIT.search(x.text) and _POINTS.search(y.text) for x, y in ((a, b), (b, a)))
