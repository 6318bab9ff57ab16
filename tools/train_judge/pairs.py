"""Write the training pairs: `python -m tools.train_judge.pairs --train FOLDER --out FILE`."""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from tools.train_judge import bounds, corpus, edits, facts, hints, narrow, restate, scope
from tools.train_judge.corpus import Document
from tools.train_judge.names import Names
from tools.train_judge.restate_chinese import bare as bare_chinese
from tools.train_judge.spans import begin, claims, is_chinese
from tools.train_judge.synonyms import Synonyms

TOTAL = 400_000
SHARES = {"contradiction": 0.40, "consistent": 0.30, "neutral": 0.30}
CHINESE_SHARE = 0.45
# Short statements from templates; half of the tries are of another label and come to nothing.
MADE_UP = 0.14
# How many Chinese restatements put words with the same gloss for each other; half as many contradictions do so, too.
SAME_GLOSS = 0.25
# How often each source is drawn; documentation is plenty and dry, speech is what the judge will read.
WEIGHTS = {
    "multiwoz": 8, "crosswoz": 6, "tatoeba": 10,
    "xquad": 4, "tico19": 5, "python": 7, "k8s": 8, "mdn": 7,
    "godot": 4, "react": 3, "vue": 2,
}  # fmt: skip
EDIT_WEIGHTS = {
    "number": 19.0, "date": 10.0, "name": 8.0, "kind": 8.0, "unit": 4.0, "negation": 22.0, "antonym": 15.0,
    "status": 4.0, "quantifier": 7.0, "comparative": 4.0, "roles": 3.0,
}  # fmt: skip
REWRITE_WEIGHTS = {
    "copy": 4.0, "opening": 10.0, "closing": 6.0, "clause": 8.0, "reorder": 8.0, "synonym": 9.0, "number_format": 8.0,
    "date_format": 4.0, "rounding": 6.0, "fillers": 5.0, "pronoun": 3.0,
    "speaker": 2.0, "typing": 5.0, "opposite_denied": 5.0, "converse": 1.0, "bound": 2.0, "contraction": 6.0,
    "voice": 1.0, "object_first": 4.0, "particles": 7.0, "abbreviation": 4.0,
}  # fmt: skip
SCOPE_WEIGHTS = {
    "other_time": 4.0,
    "other_item": 5.0,
    "question": 2.5,
    "condition": 2.0,
    "attributed": 3.0,
    "plan": 2.5,
    "correction": 2.0,
    "step": 2.0,
    "log": 1.0,
}
_NEAR = 10
# How many sentences to look through for one that a rare change fits.
_LOOKS = 14
_WORD = re.compile(r"[A-Za-z]{4,}|[㐀-鿿]{2}")


class Made(NamedTuple):
    """Two sentences and what kind of pair they are."""

    a: str
    b: str
    kind: str
    source: str


Row = dict[str, str]


def _weighted(weights: dict[str, float], chance: random.Random) -> str:
    return chance.choices(list(weights), list(weights.values()))[0]


def _order(weights: dict[str, float], chance: random.Random) -> list[str]:
    """Shuffle the names so that heavy ones tend to come first."""
    return sorted(weights, key=lambda name: chance.random() ** (1 / weights[name]), reverse=True)


class Pool:
    """Sentences by language and source, drawn in a shuffled round, each with its document."""

    def __init__(self, found: list[Document], chance: random.Random) -> None:
        """Shuffle the sentences of every source."""
        self._chance = chance
        self._kept: dict[tuple[bool, str], list[tuple[Document, str]]] = defaultdict(list)
        for document in found:
            self._kept[document.zh, document.source] += [(document, sentence) for sentence in document.sentences]
        for key, sentences in self._kept.items():
            self._kept[key] = list({sentence: (document, sentence) for document, sentence in sentences}.values())
            chance.shuffle(self._kept[key])
        self._next: Counter[tuple[bool, str, str]] = Counter()
        self._hinted: dict[tuple[bool, str], dict[str, list[tuple[Document, str]]]] = {}

    def draw(self, *, zh: bool, hint: str = "") -> tuple[Document, str]:
        """Return the next sentence of a source drawn by weight, where a hint is known one that the change may fit."""
        table = self._sources(zh, hint if hint in hints.PATTERNS[zh] else "") or self._sources(zh, "")
        source = self._chance.choices(list(table), [WEIGHTS.get(name, 1) for name in table])[0]
        self._next[zh, source, hint] += 1
        return table[source][self._next[zh, source, hint] % len(table[source])]

    def _sources(self, zh: bool, hint: str) -> dict[str, list[tuple[Document, str]]]:
        if (zh, hint) not in self._hinted:
            look = hints.PATTERNS[zh][hint].search if hint else re.compile("").search
            kept = {
                source: [item for item in items if look(item[1])]
                for (language, source), items in self._kept.items()
                if language == zh
            }
            self._hinted[zh, hint] = {source: items for source, items in kept.items() if items}
        return self._hinted[zh, hint]


class Maker:
    """Makes pairs of each label from drawn sentences."""

    def __init__(self, pool: Pool, names: Names, synonyms: Synonyms, chance: random.Random) -> None:
        """Keep the sentences, the names and words to swap and the source of chance."""
        self._pool, self._names, self._synonyms, self._chance = pool, names, synonyms, chance
        self.makers: dict[str, Callable[[bool], Made | None]] = {
            "contradiction": self.contradiction,
            "consistent": self.consistent,
            "neutral": self.neutral,
        }

    def contradiction(self, zh: bool) -> Made | None:
        """Restate a sentence with a changed value."""
        chance = self._chance
        way = chance.random()
        if way < 0.05:
            return self._sought(
                zh,
                lambda sentence: self._denied(sentence) if way < 0.015 else bounds.broken(sentence, chance),
                "denial" if way < 0.015 else "bound_broken",
            )
        wanted = _weighted(EDIT_WEIGHTS, chance)
        for _ in range(_LOOKS):
            document, sentence = self._pool.draw(zh=zh, hint=wanted)
            found = self._changed(document, sentence, [wanted])
            if found:
                return self._second(document, sentence, *found, framed=way > 0.92)
        return None

    def _second(self, document: Document, sentence: str, kind: str, changed: str, *, framed: bool) -> Made:
        if framed:
            name = self._chance.choice(list(scope.CONTRADICTING))
            first, second = scope.CONTRADICTING[name](sentence, changed, self._chance)
            return self._turned(Made(first, second, f"{kind}+{name}", document.source))
        return self._turned(self._dressed(document, sentence, changed, kind))

    def _sought(self, zh: bool, make: Callable[[str], tuple[str, str] | None], kind: str) -> Made | None:
        """Draw sentences until the pair can be made of one."""
        for _ in range(_LOOKS):
            document, sentence = self._pool.draw(zh=zh, hint="bound" if "bound" in kind else "")
            pair = make(sentence) if claims(sentence) else None
            if pair:
                return self._turned(Made(*pair, kind, document.source))
        return None

    def _denied(self, sentence: str) -> tuple[str, str] | None:
        return (sentence, scope.denied(sentence, self._chance)) if _plain(sentence) else None

    def _changed(self, document: Document, sentence: str, kinds: list[str] | None = None) -> tuple[str, str] | None:
        table = edits.by_kind(sentence, self._names.of(document.source))
        return (
            edits.change(sentence, table, kinds or _order(EDIT_WEIGHTS, self._chance), self._chance) if table else None
        )

    def _dressed(self, document: Document, sentence: str, changed: str, kind: str) -> Made:
        """Change once more, shorten, or rephrase around the change, so that no frame gives the label away."""
        chance = self._chance
        if chance.random() < 0.12 and kind not in ("negation", "antonym", "status", "quantifier"):
            more = self._changed(document, changed, _order({name: EDIT_WEIGHTS[name] for name in edits.DOUBLE}, chance))
            changed, kind = (more[1], f"{kind}+{more[0]}") if more and more[1] != sentence else (changed, kind)
        if kind == "number" and chance.random() < 0.15 and (rough := _rough(sentence, changed, chance)):
            changed, kind = rough, "number+rough"
        if chance.random() < 0.15 and (short := _shortened(sentence, changed)):
            changed, kind = short, f"{kind}+short"
        for _ in range(chance.choice((0, 0, 1, 1, 2))):
            changed = self._around(changed)
        if chance.random() < SAME_GLOSS / 2:
            changed = self._synonyms.put(changed, chance) or changed
        first = self._around(sentence) if chance.random() < 0.15 else sentence
        return Made(first, changed, kind, document.source)

    def _around(self, sentence: str) -> str:
        table = restate.by_kind(sentence)
        name = _weighted(
            {name: REWRITE_WEIGHTS[name] for name in restate.AROUND if name in table} | {"opening": 25.0}, self._chance
        )
        return table[name](sentence, self._chance) or sentence

    def consistent(self, zh: bool) -> Made | None:
        """Restate a sentence with its claim kept."""
        chance = self._chance
        if chance.random() < 0.02:
            return self._sought(zh, self._denied_change, "denied_change")
        if zh and chance.random() < SAME_GLOSS:
            return self._sought(zh, self._same_gloss, "same_gloss")
        table = restate.CHINESE if zh else restate.ENGLISH
        wanted = _weighted({name: REWRITE_WEIGHTS[name] for name in table}, chance)
        for _ in range(_LOOKS):
            document, sentence = self._pool.draw(zh=zh, hint=wanted)
            restated = (
                table[wanted](sentence, chance) if chance.random() < 0.1 or not re.search("[?？]", sentence) else None
            )
            if restated:
                return self._restated(document, sentence, restated, wanted)
        return None

    def _restated(self, document: Document, sentence: str, restated: str, kind: str) -> Made:
        """Rewrite once or twice more; numbers at most once, or the errors add up."""
        kinds, table = [kind], restate.by_kind(sentence)
        for _ in range(self._chance.choice((0, 0, 0, 1, 1, 2))):
            left = {
                name: REWRITE_WEIGHTS[name]
                for name in table
                if name not in kinds and not (_NUMERIC & {name} and _NUMERIC & set(kinds))
            }
            name = _weighted(left, self._chance)
            if other := table[name](restated, self._chance):
                restated = other
                kinds.append(name)
        made = Made(sentence, restated, "+".join(kinds), document.source)
        return made if {"clause", "rounding", "bound", "pronoun"} & set(kinds) else self._turned(made)

    def _same_gloss(self, sentence: str) -> tuple[str, str] | None:
        other = self._synonyms.put(sentence, self._chance)
        return (sentence, self._around(other) if self._chance.random() < 0.3 else other) if other else None

    def _denied_change(self, sentence: str) -> tuple[str, str] | None:
        if not _plain(sentence):
            return None
        found = edits.change(
            sentence,
            edits.by_kind(sentence),
            _order({"number": 3.0, "negation": 2.0, "antonym": 1.0, "date": 3.0}, self._chance),
            self._chance,
        )
        return (sentence, scope.denied(found[1], self._chance)) if found else None

    def neutral(self, zh: bool) -> Made | None:
        """Set a sentence against a neighbour, or against its changed form in another scope."""
        chance = self._chance
        way = chance.random()
        if way < 0.45:
            return self._neighbour(*self._pool.draw(zh=zh))
        if way < 0.52:
            return self._sought(zh, self._other_subject, "other_subject")
        if way < 0.57:
            return self._sought(zh, self._excluded, "other_value_denied")
        if way < 0.59:
            return self._sought(zh, lambda sentence: bounds.agreeing(sentence, chance), "bounds")
        wanted = _weighted(EDIT_WEIGHTS, chance)
        for _ in range(_LOOKS):
            document, sentence = self._pool.draw(zh=zh, hint=wanted)
            found = self._changed(document, sentence, [wanted])
            if found:
                name = _weighted(SCOPE_WEIGHTS, chance)
                first, second = scope.NEUTRAL[name](sentence, found[1], chance)
                return Made(first, second, name, document.source)
        return None

    def _neighbour(self, document: Document, sentence: str) -> Made | None:
        """Take a real sentence from near by, mostly one that shares words."""
        place = document.sentences.index(sentence)
        near = [
            other
            for other in document.sentences[max(0, place - _NEAR) : place + _NEAR + 1]
            if _differs(other, sentence)
        ]
        if not near:
            return None
        words = set(_WORD.findall(sentence))
        other = (
            self._chance.choice(near)
            if self._chance.random() < 0.25
            else max(near, key=lambda other: len(words & set(_WORD.findall(other))))
        )
        return self._turned(Made(sentence, other, "neighbour", document.source))

    def _other_subject(self, sentence: str) -> tuple[str, str] | None:
        """Say another thing of another one: who and what both differ."""
        moved = _moved_subject(sentence, self._chance)
        if not moved:
            return None
        kinds = ("number", "date", "unit", "negation", "antonym", "quantifier")
        found = edits.change(
            moved,
            edits.by_kind(moved),
            _order({name: EDIT_WEIGHTS[name] for name in kinds}, self._chance),
            self._chance,
        )
        return (sentence, found[1]) if found else None

    def _excluded(self, sentence: str) -> tuple[str, str] | None:
        """Deny another value: "on Monday" and "not on Tuesday" agree."""
        if not _plain(sentence) or re.search(
            r"\b(?:and|but|or|not|never|no|which|that)\b|n't|不|没|无|未|而|和", sentence
        ):
            return None
        table = edits.by_kind(sentence)
        found = edits.change(sentence, table, self._chance.sample(("number", "date", "kind"), 3), self._chance)
        denied = table["negation"](found[1], self._chance) if found else None
        if not found or not denied:
            return None
        # A denial behind the value may be about something else.
        before = _first_difference(found[1], denied) <= _first_difference(sentence, found[1])
        return (sentence, denied) if before or not is_chinese(sentence) else None

    def _turned(self, made: Made) -> Made:
        return made if self._chance.random() < 0.5 else made._replace(a=made.b, b=made.a)


_SUBJECT = re.compile(r"(?:The|This|That|It|He|She|We|You|They|There|These|My|Your|His|Her|Our|Their|All|I) ")
_NUMERIC = frozenset(("number_format", "date_format", "rounding", "bound"))
_ONE_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def _first_difference(one: str, two: str) -> int:
    return next((place for place, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))


def _plain(sentence: str) -> bool:
    """Say whether a sentence is one short clause that begins with its subject."""
    if is_chinese(sentence):
        return len(sentence) <= 32 and not re.search("[，：；、]|^[请把将在从对]", sentence)
    return len(sentence) <= 90 and not re.search("[,:;]", sentence) and bool(_SUBJECT.match(sentence))


def _rough(sentence: str, changed: str, chance: random.Random) -> str | None:
    """Give the changed number as a rough one, if it is still far from the first."""
    one, two = _ONE_NUMBER.findall(sentence), _ONE_NUMBER.findall(changed)
    if len(one) != 1 or len(two) != 1:
        return None
    ratio = float(two[0].replace(",", "")) / max(1.0, float(one[0].replace(",", "")))
    return restate.by_kind(changed)["rounding"](changed, chance) if not 0.7 < ratio < 1.4 else None


_SUBJECTS = {
    False: (("I", "You"), ("I", "They"), ("We", "They"), ("He", "She"), ("She", "He"), ("They", "We"), ("You", "I"),
    ("Tom", "Mary"), ("Mary", "John"), ("The first", "The second"), ("This", "The other"), ("My", "Your"), ("Our",
    "Their"), ("His", "Her")),
    True: (("我们", "他们"), ("他们", "我们"), ("我", "他"), ("他", "她"), ("她", "我"), ("你", "我"), ("汤姆",
    "玛丽"), ("玛丽", "汤姆"), ("我", "你"), ("这个", "另一个"), ("第一个", "第二个"), ("这家", "那家"), ("北京",
    "上海"), ("中国", "美国")),
}  # fmt: skip


def _moved_subject(sentence: str, chance: random.Random) -> str | None:
    zh = is_chinese(sentence)
    fitting = [
        (old, new)
        for old, new in _SUBJECTS[zh]
        if sentence.startswith(old if zh else f"{old} ") and not (zh and sentence[len(old) :].startswith(("们", "的")))
    ]
    if not fitting:
        return None
    old, new = chance.choice(fitting)
    rest = sentence[len(old) :]
    if not zh and old in ("He", "She") and new in ("He", "She"):
        return new + rest
    if not zh and re.match(r" (?:am|was|is|'m|has|does)\b", rest):
        return None
    return new + rest


def _differs(other: str, sentence: str) -> bool:
    """Say whether a real neighbour is a sentence of its own and not the same one again."""
    one, two = _bare(other), _bare(sentence)
    return one != two and one not in two and two not in one


def _shortened(sentence: str, changed: str) -> str | None:
    """Return only the clause of the changed sentence that differs from the first."""
    zh = is_chinese(sentence)
    cut = "[，；]" if zh else r"; |, (?:and |but |so )?"
    before = set(re.split(cut, sentence))
    parts = [part for part in re.split(cut, changed) if part not in before]
    if len(parts) != 1 or parts[0] == changed:
        return None
    part = parts[0]
    if zh:
        return f"{bare_chinese(part)}。" if len(part) >= 8 else None
    return (
        begin(part.rstrip(". ")) + "."
        if len(part.split()) >= 5
        and re.match(r"(?:the|a|an|we|i|you|he|she|it|they|this|there|[A-Z]\w+) ", part, re.IGNORECASE)
        else None
    )


def rows(train: Path, total: int, seed: int) -> Iterator[Row]:
    """Give all pairs in random order, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311
    found = list(corpus.documents(train))
    maker = Maker(Pool(found, chance), Names(found), Synonyms(train), chance)
    labelled = list(corpus.labelled(train))
    if total < len(labelled) * 4:
        labelled = chance.sample(labelled, total // 20)
    kept = labelled + list(_generated(maker, labelled, total, chance))
    chance.shuffle(kept)
    yield from kept


def _generated(maker: Maker, labelled: list[Row], total: int, chance: random.Random) -> Iterator[Row]:
    have = Counter((row["label"], row["lang"]) for row in labelled)
    for label, share in SHARES.items():
        for zh in (False, True):
            lang = "zh" if zh else "en"
            wanted = round(total * share * (CHINESE_SHARE if zh else 1 - CHINESE_SHARE)) - have[label, lang]
            yield from _of_label(maker, label, wanted, chance, zh=zh)


def _of_label(maker: Maker, label: str, wanted: int, chance: random.Random, *, zh: bool) -> Iterator[Row]:
    seen: set[tuple[str, str]] = set()
    lang = "zh" if zh else "en"
    left = wanted
    tries = 40 * wanted
    while left > 0 and tries > 0:
        tries -= 1
        made = _fact(label, zh, chance) if chance.random() < MADE_UP else maker.makers[label](zh)
        if (
            made
            and (made.a, made.b) not in seen
            and (label == "consistent" or _bare(made.a) != _bare(made.b))
            and _readable(made)
        ):
            seen.add((made.a, made.b))
            left -= 1
            yield {"a": made.a, "b": made.b, "label": label, "kind": made.kind, "lang": lang, "source": made.source}


def _fact(label: str, zh: bool, chance: random.Random) -> Made | None:
    first, second, found, kind = chance.choice((facts, narrow)).pair(zh, chance)
    return Made(first, second, kind, "facts") if found == label else None


def _bare(sentence: str) -> str:
    return re.sub(r"\W", "", sentence).lower()


def _readable(made: Made) -> bool:
    return all(len(side) <= 160 if is_chinese(side) else len(side.split()) <= 75 for side in (made.a, made.b))


def report(kept: list[Row], samples: int) -> None:
    """Print how many pairs there are of each kind, with a few of each to read."""
    for field in ("label", "lang", "source"):
        print(field, dict(Counter(row[field] for row in kept)))
    groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in kept:
        groups[row["label"], row["lang"], row["kind"].split("+")[0]].append(row)
    for (label, lang, kind), group in sorted(groups.items()):
        print(f"\n## {label} {lang} {kind}: {len(group)}")
        for row in group[:samples]:
            print(f"   {row['a']}\n   -> {row['b']}   [{row['kind']}, {row['source']}]")


def main() -> None:
    """Write the pairs and print what they are."""
    parser = argparse.ArgumentParser(prog="python -m tools.train_judge.pairs", description=__doc__)
    parser.add_argument("--train", type=Path, required=True, help="folder with pairs.tsv.xz and nli.jsonl.xz")
    parser.add_argument("--out", type=Path, required=True, help="JSON lines to write")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=int, default=TOTAL, help="about how many pairs to write")
    parser.add_argument("--samples", type=int, default=3, help="how many pairs of each kind to print")
    arguments = parser.parse_args()
    kept = list(rows(arguments.train, arguments.limit, arguments.seed))
    with arguments.out.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in kept)
    report(kept, arguments.samples)


if __name__ == "__main__":
    main()
