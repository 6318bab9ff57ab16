"""Every benign rewrite, by kind and language: `(sentence, chance) -> the same claim in other words, or None`."""

from __future__ import annotations

from tools.train_judge import restate_chinese, restate_english
from tools.train_judge.spans import Edit, is_chinese

_BOTH = (
    "copy opening closing clause reorder synonym number_format date_format rounding fillers pronoun speaker typing "
    "opposite_denied converse bound".split()
)
ENGLISH: dict[str, Edit] = {name: getattr(restate_english, name) for name in (*_BOTH, "contraction", "voice")}
CHINESE: dict[str, Edit] = {
    name: getattr(restate_chinese, name) for name in (*_BOTH, "object_first", "particles", "abbreviation")
}
# These leave every word that an edit may have changed, so they may surround a contradiction as well.
AROUND = (
    "opening",
    "closing",
    "fillers",
    "speaker",
    "typing",
    "contraction",
    "particles",
    "pronoun",
    "synonym",
    "number_format",
    "date_format",
    "reorder",
)


def by_kind(sentence: str) -> dict[str, Edit]:
    """Return the rewrites for the language of a sentence."""
    return CHINESE if is_chinese(sentence) else ENGLISH
