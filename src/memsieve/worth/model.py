"""The model that says what passages are: a small convolutional network over the word vectors of the bundled embedder.

A convolution of word vectors is a sum of one product for each word and place, so each word's products are made once
and kept; to judge a passage is then to look up rows, add them and take the largest. It is judged by itself first, and
then again with what its neighbours are. All products are small: BLAS would give larger ones to threads, which wait for
each other while another process keeps a core busy.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memsieve.models import bundled
from memsieve.worth.surface import Numbers, surface

MODEL = bundled.FOLDER / "worth" / "worth.npz"
# Of a longer passage only the beginning is read.
MAX_TOKENS = 128
# The windows of the convolutions.
WIDTHS = (1, 2, 3, 4)
# Rows of zeros behind each passage, so that no window reaches into the next.
GAP = WIDTHS[-1] - 1
# How far a surface feature may lie from its mean, in deviations.
CLIP = 4.0
# How many passages before and after it a passage is judged with.
NEIGHBOURS = 4
# BLAS keeps products of less than about this many multiplications to one thread.
_MOST_MULTIPLIED = 200_000


class Kind(StrEnum):
    """What a passage is: kinds of noise, kinds of statements, and what is in a script that the model cannot read."""

    BOILERPLATE = "boilerplate"
    POLITENESS = "politeness"
    REFUSAL = "refusal"
    APOLOGY = "apology"
    STATUS = "status"
    HEARTBEAT = "heartbeat"
    TOOL_OUTPUT = "tool_output"
    STACK_TRACE = "stack_trace"
    CODE = "code"
    PLAN = "plan"
    QUESTION = "question"
    SPECULATION = "speculation"
    PROMPT = "prompt"
    META = "meta"
    FACT = "fact"
    DECISION = "decision"
    PREFERENCE = "preference"
    CONSTRAINT = "constraint"
    PROCEDURE = "procedure"
    LESSON = "lesson"
    IDENTITY = "identity"
    FOREIGN = "foreign"


# What the model tells apart; it cannot read other scripts.
KINDS = tuple(kind for kind in Kind if kind is not Kind.FOREIGN)
# Kinds before this one are noise.
FIRST_STATEMENT = KINDS.index(Kind.FACT)


class WorthModel:
    """Reads the file of weights when made; one is enough for a process."""

    def __init__(self, path: Path) -> None:
        self._tokens = bundled.tokens()
        with np.load(path) as held:
            weights = {name: held[name].astype(np.float32) for name in held.files}
        # One column for each filter at the first place of its window, one for each kind, then one for each filter at
        # each further place. The filters whose window reaches a place are the last ones.
        places = [weights[f"place_{place}"] for place in range(GAP + 1)]
        self._filters, *self._widths = (each.shape[1] for each in places)
        self._projection = weights["projection"]
        self._columns = np.hstack([places[0], weights["words"], *places[1:]])
        # The row beyond the last is zeros: it stands between passages.
        self._rows = np.zeros((len(self._tokens) + 1, self._columns.shape[1]), np.float32)
        self._known = np.zeros(len(self._rows), np.bool_)
        self._known[-1] = True
        self._gap = [len(self._tokens)] * GAP
        self._biases = weights["biases"]
        self._pooled: Numbers = np.vstack([weights["largest"], weights["means"]])
        self._surface: Numbers = weights["looks"] / weights["deviation"][:, None]
        self._mean, self._limit = weights["mean"], weights["deviation"] * CLIP
        self._bias = weights["bias"]
        self._hidden, self._hidden_bias = weights["hidden"], weights["hidden_bias"]
        self._context, self._context_bias = weights["context"], weights["context_bias"]

    def probabilities(self, passages: Sequence[str]) -> Numbers:
        """Return for each passage of a text how likely it is of each kind."""
        alone = self._alone(passages)
        seen = np.concatenate([alone, _neighbours(_softmax(alone))], axis=1)
        hidden = np.maximum(_product(seen, self._hidden) + self._hidden_bias, 0)
        return _softmax(alone + _product(hidden, self._context) + self._context_bias)

    def _alone(self, passages: Sequence[str]) -> Numbers:
        """Return the score of each kind for each passage, whatever stands beside it."""
        ids: list[int] = []
        bounds: list[tuple[int, int]] = []
        for one in self._tokens.encode_all(passages, MAX_TOKENS):
            bounds.append((len(ids), len(ids) + len(one)))
            ids += one
            ids += self._gap
        found = self._looked_up(np.array(ids))
        heard = found[:, : self._filters]
        column = summed = self._filters + len(KINDS)
        for place, width in enumerate(self._widths, 1):
            heard[:-place, -width:] += found[place:, column : column + width]
            column += width
        np.maximum(heard, 0, out=heard)
        largest = np.array([heard[start:end].max(axis=0) for start, end in bounds])
        means = np.array([found[start:end, :summed].sum(axis=0) / (end - start) for start, end in bounds])
        pooled = _product(np.concatenate([largest, means[:, : self._filters]], axis=1), self._pooled)
        looks = np.clip(surface(passages) - self._mean, -self._limit, self._limit)
        scores: Numbers = pooled + means[:, self._filters :] + _product(looks, self._surface) + self._bias
        return scores

    def _looked_up(self, ids: npt.NDArray[np.intp]) -> Numbers:
        known = self._known[ids]
        if not known.all():
            new = np.unique(ids[~known])
            made = _product(_product(self._tokens.vectors(new), self._projection), self._columns)
            made[:, : self._filters] += self._biases
            self._rows[new] = made
            self._known[new] = True
        found: Numbers = self._rows[ids]
        return found


@cache
def model() -> WorthModel:
    """Return the model of this process."""
    return WorthModel(MODEL)


def _product(rows: Numbers, matrix: Numbers) -> Numbers:
    """Multiply a few rows at a time."""
    most = max(1, _MOST_MULTIPLIED // matrix.size)
    parts = [rows[start : start + most] @ matrix for start in range(0, len(rows), most)]
    found: Numbers = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return found


def _neighbours(kinds: Numbers) -> Numbers:
    """Return for each passage what the one before it is, the one after it, and the few on both sides on average."""
    count = len(kinds)
    padded = np.zeros((count + 2 * NEIGHBOURS, kinds.shape[1]), np.float32)
    padded[NEIGHBOURS:-NEIGHBOURS] = kinds
    sums = np.cumsum(padded, axis=0)
    around = sums[2 * NEIGHBOURS :] - sums[: -2 * NEIGHBOURS] + padded[: -2 * NEIGHBOURS] - kinds
    before, after = padded[NEIGHBOURS - 1 :][:count], padded[NEIGHBOURS + 1 :][:count]
    return np.concatenate([before, after, around / _others(count)], axis=1)


@lru_cache(maxsize=64)
def _others(count: int) -> Numbers:
    """Return for each of so many passages how many neighbours it has, at least 1."""
    before = np.minimum(np.arange(count), NEIGHBOURS)
    others: Numbers = np.maximum(before + before[::-1], 1)[:, None].astype(np.float32)
    return others


def _softmax(scores: Numbers) -> Numbers:
    grown = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Numbers = grown / grown.sum(axis=1, keepdims=True)
    return shares
