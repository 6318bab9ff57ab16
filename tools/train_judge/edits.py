"""Every change that makes a contradiction, by kind and language: `(sentence, chance) -> changed sentence or None`."""

from __future__ import annotations

import random

from tools.train_judge import edits_chinese, edits_english
from tools.train_judge.spans import Edit, claims, gives_examples, is_chinese

KINDS = "number date kind unit negation antonym status quantifier comparative roles".split()
ENGLISH: dict[str, Edit] = {name: getattr(edits_english, name) for name in KINDS}
CHINESE: dict[str, Edit] = {name: getattr(edits_chinese, name) for name in KINDS}
# A second change of one of these leaves a contradiction; a second negation or opposite could take it back.
DOUBLE = ("number", "date", "unit")
_VALUES = frozenset(("number", "date", "kind", "unit", "name"))


def by_kind(sentence: str, names: Edit | None = None) -> dict[str, Edit]:
    """Return the edits for the language of a sentence; none where it claims nothing that could be contradicted."""
    if not claims(sentence):
        return {}
    table = dict(CHINESE if is_chinese(sentence) else ENGLISH)
    if names:
        table["name"] = names
    if gives_examples(sentence):
        return {name: edit for name, edit in table.items() if name not in _VALUES}
    return table


def change(sentence: str, table: dict[str, Edit], order: list[str], chance: random.Random) -> tuple[str, str] | None:
    """Return the first kind of the order that fits the sentence, and the sentence changed so."""
    for name in order:
        edit = table.get(name)
        changed = edit(sentence, chance) if edit else None
        if changed:
            return name, changed
    return None
