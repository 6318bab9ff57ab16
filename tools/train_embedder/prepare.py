"""Turn texts and published weights into the arrays that training reads, so that the GPU machine needs torch alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from memsieve.models import bundled
from memsieve.models.tokens import Tokens
from tools.train_embedder import vocabulary
from tools.train_embedder.published import WORDS, Published

MOST_TOKENS = 96
# Short sentences of everyday life are rare in the corpus beside documentation.
REPEATED = {"tatoeba": 3}
_NOTE = re.compile(r"\([^)]*\)|\[[^]]*\]")
_OF_SURNAMES = re.compile(r"^(?:surname|variant of|old variant|used in|see |abbr\. for|CL:)")


def pack(sequences: Iterable[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return sequences end to end, and where each ends."""
    held = list(sequences)
    flat = np.fromiter((item for sequence in held for item in sequence), np.uint16)
    return flat, np.cumsum([len(sequence) for sequence in held]).astype(np.int32)


def write_weights(model: Published, folder: Path) -> None:
    """Write the encoder and the word vectors apart, at half precision: each must travel."""
    encoder = {name: value.astype(np.float16) for name, value in model.weights.items() if name != WORDS}
    np.savez(folder / "encoder.npz", **encoder)  # type: ignore[arg-type]
    np.save(folder / "words.npy", model.weights[WORDS].astype(np.float16))


def write_pairs(train: Path, folder: Path, tokens: Tokens) -> None:
    """Write the parallel corpus and the pairs kept out of it."""
    pairs = [pair for pair in vocabulary.read_pairs(train) for _ in range(REPEATED.get(pair.source, 1))]
    _write(folder / "pairs.npz", tokens, [p.english for p in pairs], [p.chinese for p in pairs])
    for name, kept in json.loads((train / "pairs_dev.json").read_text("utf-8")).items():
        _write(folder / f"dev_{name}.npz", tokens, [pair[0] for pair in kept], [pair[1] for pair in kept])


def _write(path: Path, tokens: Tokens, english: list[str], chinese: list[str]) -> None:
    sides = {name: pack(tokens.encode_all(texts, MOST_TOKENS)) for name, texts in (("en", english), ("zh", chinese))}
    arrays = {
        f"{side}_{part}": array
        for side, both in sides.items()
        for part, array in zip(("ids", "ends"), both, strict=True)
    }
    np.savez_compressed(path, **arrays)  # type: ignore[arg-type]


def write_glosses(train: Path, folder: Path, tokens: Tokens, words: list[str]) -> None:
    """Write the tokens of each Chinese word's English glosses: their mean is where its row begins."""
    dictionary = vocabulary.read_dictionary(train)
    glosses = tokens.encode_all([gloss(dictionary.get(word, [])) for word in words], 64)
    flat, ends = pack([ids[1:-1] for ids in glosses])
    np.savez_compressed(folder / "glosses.npz", ids=flat, ends=ends)


def gloss(glosses: list[str]) -> str:
    """Return what a word means, without remarks about the word."""
    plain = [_NOTE.sub("", text) for text in glosses]
    telling = [text for text in plain if not _OF_SURNAMES.match(text)]
    return "; ".join(telling or plain)


def main(train: Path, folder: Path, model: Published) -> None:
    """Write everything that training reads."""
    folder.mkdir(parents=True, exist_ok=True)
    tokens = bundled.tokens()
    write_weights(model, folder)
    write_glosses(train, folder, tokens, tokens.chinese)
    write_pairs(train, folder, tokens)
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size / 2**20:8.1f} MiB  {path.name}")
