"""Made-up memories that behave like real ones: words with Zipf's frequencies, vectors in clusters around centres."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product

import numpy as np

from memsieve.model import Approval, Chunk, Entry, Vector
from memsieve.text.tokenize import tokenize

DIMENSIONS = 384
VOCABULARY = 20_000
WORDS_IN_A_TEXT = 22
WORDS_IN_A_QUESTION = 6
_CENTRES = 3_000
# Of so many dimensions a text's meaning really has; the rest is noise.
_MEANING = 48
_STARTS = "b c d f g h k l m n p r s t v w br cl dr fl gr pl pr sh sl st th tr".split()
_MIDDLES = "a e i o u ai ea ou oo".split()
_ENDS = "n r l s t d m ck nt st rd sh".split()


@dataclass(frozen=True, slots=True)
class Text:
    """A text with its vector."""

    content: str
    vector: Vector


class Inventor:
    """Makes texts up, the same ones for the same seed."""

    def __init__(self, seed: int = 0, *, clustered: bool = True) -> None:
        self._chance = np.random.default_rng(seed)
        self._clustered = clustered
        # The same space for every seed, as one embedder has.
        space = np.random.default_rng(1)
        self._basis = space.standard_normal((_MEANING, DIMENSIONS)).astype(np.float32)
        self._centres = space.standard_normal((_CENTRES, _MEANING)).astype(np.float32)
        self._words = np.array(_vocabulary(space))
        ranks = np.arange(1, VOCABULARY + 1)
        # A little flatter than Zipf's law: the words that every text has are no words for an index.
        self._reach = np.cumsum(1 / (ranks + 20.0))

    def texts(self, count: int) -> list[Text]:
        """Return so many texts unlike each other."""
        vectors = self.vectors(count)
        return [Text(self._sentence(WORDS_IN_A_TEXT), vector) for vector in vectors]

    def questions(self, about: Sequence[Text], count: int) -> list[Text]:
        """Return questions, each near one of the texts and with some of its words."""
        chosen = [about[number] for number in self._chance.integers(len(about), size=count)]
        return [self._question(text) for text in chosen]

    def vectors(self, count: int) -> Vector:
        """Return vectors of length one."""
        noise = self._chance.standard_normal((count, DIMENSIONS), np.float32)
        if not self._clustered:
            return _unit(noise)
        meant = self._centres[self._chance.integers(_CENTRES, size=count)]
        meant = meant + 0.7 * self._chance.standard_normal((count, _MEANING), np.float32)
        return _unit(meant @ self._basis + 1.5 * noise)

    def _question(self, text: Text) -> Text:
        said = text.content.rstrip(".").split()
        words = self._chance.choice(said, WORDS_IN_A_QUESTION, replace=False)
        near = text.vector + 0.5 * _unit(self._chance.standard_normal(DIMENSIONS).astype(np.float32))
        return Text(f"what about {' '.join(words)} {self._chance.integers(10**6)}", _unit(near))

    def _sentence(self, length: int) -> str:
        drawn = np.searchsorted(self._reach, self._chance.random(length) * self._reach[-1])
        return " ".join(self._words[drawn]).capitalize() + "."


def entries(project: str, texts: Sequence[Text], confidence: float = 0.9) -> list[Entry]:
    """Return texts as agents said them within the last days."""
    now = datetime.now(UTC)
    return [
        Entry(
            id=str(uuid.uuid4()),
            project_id=project,
            session_id=f"session {number // 50}",
            agent_id=f"agent {number % 7}",
            content=text.content,
            confidence=confidence,
            created_at=now - timedelta(days=6) * (1 - number / len(texts)),
        )
        for number, text in enumerate(texts)
    ]


def approvals(project: str, texts: Sequence[Text]) -> list[tuple[Approval, list[Chunk]]]:
    """Return texts as a person approved them, one chunk each."""
    now = datetime.now(UTC)
    return [
        (
            Approval(id=str(uuid.uuid4()), project_id=project, content=text.content, by="benchmark", at=now),
            [_chunk(text)],
        )
        for text in texts
    ]


def _chunk(text: Text) -> Chunk:
    words = tokenize(text.content)
    return Chunk(id=str(uuid.uuid4()), position=0, content=text.content, words=words, embedding=text.vector)


def _vocabulary(chance: np.random.Generator) -> list[str]:
    """Return words of one to three syllables, short ones first, as frequent words are short."""
    syllables = np.array(["".join(parts) for parts in product(_STARTS, _MIDDLES, _ENDS)])
    made: dict[str, None] = {}
    for count, until in ((1, 1_500), (2, 12_000), (3, VOCABULARY)):
        while len(made) < until:
            drawn = syllables[chance.integers(len(syllables), size=(until - len(made), count))]
            made.update(dict.fromkeys("".join(word) for word in drawn))
    return list(made)


def _unit(vectors: Vector) -> Vector:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
