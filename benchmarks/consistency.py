"""How well the local judge finds self-contradictions, and how often it refuses clean text: rules, model, and both.

The model was trained on none of these sets, and every figure is from the odd-numbered texts. Those are not unseen:
rules and thresholds were chosen mostly on the even-numbered ones, but the odd ones were run several times on the way,
one of five trained models was picked, and faults that they showed were mended.
"""

from __future__ import annotations

import csv
import json
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from benchmarks.reading import fitting, grouped, lines
from benchmarks.report import Column, Report, Value

from memsieve.claims.contradictions import find_contradiction, likely_pairs, surest
from memsieve.claims.pair_model import pair_model

SHORTEST, LONGEST, GROUP = 200, 1200, 700
# Contradictions are planted into so many paragraphs of a set.
MOST = 400
SHARE, OF = "{:.1%}", Column("of", "{:,}")
Edit = Callable[[str, random.Random], str | None]
Row = tuple[Value, ...]

WORD_SWAPS = [
    tuple(pair.split("/"))
    for pair in (
        "increase/decrease increased/decreased higher/lower more/less accept/reject accepted/rejected open/closed "
        "enabled/disabled success/failure successful/unsuccessful good/bad easy/difficult possible/impossible "
        "always/never agree/disagree agreed/disagreed allowed/forbidden large/small big/small fast/slow "
        "cheap/expensive true/false correct/incorrect right/wrong important/unimportant able/unable "
        "strong/weak love/hate happy/sad better/worse approved/rejected support/oppose supported/opposed passed/failed "
        "won/lost old/new"
    ).split()
]
HAN_SWAPS = [
    tuple(pair.split("/"))
    for pair in (
        "增加/减少 提高/降低 上升/下降 成功/失败 支持/反对 同意/拒绝 容易/困难 简单/复杂 喜欢/讨厌 允许/禁止 "
        "增长/下滑 扩大/缩小 加强/削弱 正确/错误 安全/危险 便宜/昂贵 乐观/悲观 开放/封闭 完整/残缺 积极/消极"
    ).split()
]
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()
NUMERALS = "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty".split()
HAN_NUMERALS = "二三四五六七八九"
NAMES = "Robert Susan Marcus Olivia Henrik Priya Lagos Denver Osaka Geneva Siemens Oracle Toyota".split()
QUANTIFIERS = [
    tuple(pair.split("/"))
    for pair in "all/no every/no everyone/nobody everything/nothing most/few 所有/没有任何 大多数/极少数".split()
]


def change_number(sentence: str, chance: random.Random) -> str | None:
    """Give another value to one number of the sentence."""
    digits = list(re.finditer(r"(?<![\w.])\d+(?![\w.]*\d)", sentence))
    words = list(re.finditer(r"\b(?:" + "|".join(NUMERALS) + r")\b", sentence))
    han = list(re.finditer(f"[{HAN_NUMERALS}两](?=[个年天次种家位名件百千万])", sentence))
    if not digits + words + han:
        return None
    match = chance.choice(digits + words + han)
    if match in digits:
        other = str(int(match[0]) + chance.choice((1, 2, 7)) if chance.random() < 0.5 else 3 * int(match[0]) + 2)
    else:
        pool = NUMERALS if match in words else HAN_NUMERALS.replace("二", "")
        other = chance.choice([item for item in pool if item != match[0]])
    return sentence[: match.start()] + other + sentence[match.end() :]


def change_date(sentence: str, chance: random.Random) -> str | None:
    """Move one weekday, month or year of the sentence."""
    for pool in (DAYS, MONTHS):
        found = list(re.finditer(r"\b(?:" + "|".join(pool) + r")\b", sentence))
        if found:
            match = chance.choice(found)
            other = chance.choice([item for item in pool if item != match[0]])
            return sentence[: match.start()] + other + sentence[match.end() :]
    years = list(re.finditer(r"\b(?:19|20)\d\d\b(?!\d)|(?<=[^\d])\d{1,2}(?=月)", sentence))
    if not years:
        return None
    match = chance.choice(years)
    return sentence[: match.start()] + str(int(match[0]) + chance.choice((1, 2, 3))) + sentence[match.end() :]


def deny(sentence: str, chance: random.Random) -> str | None:
    """Put in one negation, or take the only one out."""
    taken = re.sub(r"\s(?:not|n't)\b", "", sentence, count=1)
    if taken != sentence:
        return taken
    if re.search(r"[㐀-鿿]", sentence):
        return _deny_han(sentence, chance)
    put = re.sub(r"\b(is|are|was|were|will|can|has|have|had|should|must|does|did)\b", r"\1 not", sentence, count=1)
    return put if put != sentence else None


def _deny_han(sentence: str, chance: random.Random) -> str | None:
    spots = list(re.finditer("是|会|能|有|可以|需要|支持|觉得|认为|希望|知道|属于|适合|愿意", sentence))
    spots = [m for m in spots if sentence[max(0, m.start() - 1)] not in "不没只还就可要总但若凡或如所具"]
    if not spots:
        return None
    match = chance.choice(spots)
    return sentence[: match.start()] + ("没" if match[0] == "有" else "不") + sentence[match.start() :]


def swap(sentence: str, chance: random.Random) -> str | None:
    """Exchange one word for its opposite."""
    found = [(m, b) for a, b in WORD_SWAPS for m in re.finditer(rf"\b{a}\b", sentence)]
    found += [(m, b) for a, b in HAN_SWAPS for m in re.finditer(a, sentence)]
    if not found:
        return None
    match, other = chance.choice(found)
    return sentence[: match.start()] + other + sentence[match.end() :]


def rename(sentence: str, chance: random.Random) -> str | None:
    """Put another name in the place of one that stands within the sentence."""
    found = list(re.finditer(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b", sentence))
    found = [match for match in found if match[0] not in (*DAYS, *MONTHS)]
    if not found:
        return None
    match = chance.choice(found)
    other = chance.choice([name for name in NAMES if name != match[0]])
    return sentence[: match.start()] + other + sentence[match.end() :]


def count_otherwise(sentence: str, chance: random.Random) -> str | None:
    """Turn all into none or the other way round."""
    found = [(m, b) for a, b in QUANTIFIERS for m in re.finditer(rf"\b{a}\b" if a.isascii() else a, sentence)]
    if not found:
        return None
    match, other = chance.choice(found)
    return sentence[: match.start()] + other + sentence[match.end() :]


EDITS: dict[str, Edit] = {
    "number": change_number,
    "date": change_date,
    "negation": deny,
    "antonym": swap,
    "name": rename,
    "quantifier": count_otherwise,
}
_SENTENCE_END = re.compile(r"(?<=[。！？!?])|(?<=[.])\s")
OPENINGS = ("", "", "Put simply, ", "For the record, ", "One more thing to keep in mind: ")
HAN_OPENINGS = ("", "", "简单来讲，", "大家都清楚，", "最后补充一点：")


def plant(text: str, edit: Edit, chance: random.Random) -> str | None:
    """Restate one sentence of the text with its claim changed, right after it or at the end of its line."""
    lines = text.split("\n")
    spots = [(i, part) for i, line in enumerate(lines) for part in _SENTENCE_END.split(line) if _plain(part)]
    chance.shuffle(spots)
    for number, sentence in spots:
        bare = re.sub(r"^[A-Z][\w .]{0,30}: ", "", sentence.strip())
        changed = edit(bare, chance)
        if changed:
            opening = chance.choice(HAN_OPENINGS if re.search("[㐀-鿿]", changed) else OPENINGS)
            added = f"{opening}{changed}"
            after = f"{bare} {added}" if chance.random() < 0.5 else bare
            line = lines[number].replace(bare, after, 1)
            lines[number] = line if after != bare else f"{line} {added}"
            return "\n".join(lines)
    return None


def _plain(sentence: str) -> bool:
    sentence = sentence.strip()
    if not sentence:
        return False
    han = len(re.findall("[㐀-鿿]", sentence))
    length = han / 2 + len(re.findall(r"[A-Za-z]+", sentence))
    return 5 <= length <= 30 and sentence[-1] in ".。" and not re.search(r"[?？{}=]|\bif\b|如果", sentence)


def clean_sets(data: Path) -> dict[str, list[str]]:
    """Return real paragraphs of each set, without repeats."""
    meetings = lines(data / "qmsum_val.jsonl")
    chinese = lines(data / "vcsum_dev.jsonl")
    talks = json.loads((data / "locomo_dev.json").read_text("utf-8"))
    runs = [m["content"] for run in lines(data / "who_and_when_dev.jsonl") for m in run["messages"]]
    sets = {
        "QMSum (turns)": [turn["content"] for meeting in meetings for turn in meeting["turns"]],
        "QMSum (dialogue)": [p for meeting in meetings for p in _dialogue(meeting["turns"], "content")],
        "VCSum": [p for meeting in chinese for part in meeting["context"] for p in grouped(part, GROUP)],
        "Who&When": [part for content in runs for part in fitting(content, LONGEST)],
        "HaluEval": [row["chatgpt_response"] for row in lines(data / "halueval_dev.jsonl")],
        "LoCoMo": [p for talk in talks for s in talk["sessions"] for p in _dialogue(s["turns"], "text")],
    }
    return {name: [t for t in dict.fromkeys(texts) if SHORTEST <= len(t) <= LONGEST] for name, texts in sets.items()}


def _dialogue(turns: list[dict[str, str]], field: str) -> Iterator[str]:
    return grouped((f"{turn['speaker']}: {turn[field]}" for turn in turns), GROUP, "\n")


def by_rules(text: str) -> bool:
    """Say whether the rules refuse a text."""
    return find_contradiction(text) is not None


def by_model(text: str) -> bool:
    """Say whether the model refuses a text."""
    pairs = likely_pairs(text)
    return bool(pairs) and surest(pairs) is not None


def refused(text: str) -> bool:
    """Say whether the judge refuses a text: by its rules, or else by its model."""
    return by_rules(text) or by_model(text)


JUDGES: dict[str, Callable[[str], bool]] = {"rules": by_rules, "model": by_model, "both": refused}


def rows(name: str, texts: list[str]) -> Iterator[Row]:
    """Give a row for each judge: refusals of the clean texts, planted contradictions found by kind, and the time."""
    planted = {kind: [p for p in _planted(name, kind, texts[:MOST]) if p] for kind in EDITS}
    total = sum(map(len, planted.values()))
    for label, judge in JUDGES.items():
        verdicts, taken = zip(*(_timed(judge, text) for text in texts), strict=True)
        found = {kind: sum(map(judge, made)) for kind, made in planted.items()}
        shares = (share(found[kind], len(made)) for kind, made in planted.items())
        late = sorted(taken)[int(0.95 * len(taken))]
        all_found = (share(sum(found.values()), total), total)
        yield name, label, share(sum(verdicts), len(texts)), *shares, *all_found, median(taken), late


def _planted(name: str, kind: str, texts: list[str]) -> Iterator[str | None]:
    chance = random.Random(f"{name} {kind}")
    return (plant(text, EDITS[kind], chance) for text in texts)


def _timed(judge: Callable[[str], bool], text: str) -> tuple[bool, float]:
    start = time.perf_counter()
    verdict = judge(text)
    return verdict, 1000 * (time.perf_counter() - start)


def share(part: int, whole: int) -> float | None:
    """Return how much of the whole a part is; of nothing there is no share."""
    return part / whole if whole else None


def labelled_scenes(data: Path, half: int) -> list[tuple[str, str, bool]]:
    """Return pairs of English scenes, each joined to one text, with their category and whether they contradict."""
    pairs = lines(data / "breaking_nli_dev.jsonl")[half::2]
    return [
        (row["category"], f"{_ended(row['sentence1'])} {_ended(row['sentence2'])}", row["label"] == "contradiction")
        for row in pairs
    ]


def labelled_answers(data: Path, half: int) -> list[tuple[str, bool]]:
    """Return two answers of one Chinese dialogue, joined to one text, and whether they contradict."""
    with (data / "cdconv_dev.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[half::2]
    return [(f"{_ended(r[1], '。')}{_ended(r[3], '。')}", r[4] == "1") for r in rows]


def pair_rows(data: Path, half: int) -> Iterator[Row]:
    """Give found and false rates on labelled pairs, each joined to one text."""
    scenes = labelled_scenes(data, half)
    for category in ("cardinals", "antonyms", "antonyms_wordnet", "colors", "countries", "nationalities", None):
        name = f"Breaking NLI, {category or 'all'}"
        yield _pair_row(name, [(text, contradicts) for c, text, contradicts in scenes if category in (c, None)])
    yield _pair_row("CDConv", labelled_answers(data, half))


def _pair_row(name: str, texts: list[tuple[str, bool]]) -> Row:
    wrong = [text for text, contradicts in texts if contradicts]
    right = [text for text, contradicts in texts if not contradicts]
    found, false = sum(map(refused, wrong)), sum(map(refused, right))
    return name, share(found, len(wrong)), len(wrong), share(false, len(right)), len(right)


def _ended(sentence: str, stop: str = ".") -> str:
    return sentence if sentence.rstrip()[-1:] in ".!?。！？" else sentence.rstrip() + stop


def main(data: Path, half: int = 1) -> Report:
    """Print the tables."""
    report, found = Report("consistency"), []
    pair_model().score("It is loaded", "before anything is timed.")
    for name, texts in clean_sets(data).items():
        report.progress(f"{name}, {len(texts[half::2]):,} clean paragraphs")
        found += rows(name, texts[half::2])
    shares = [Column(name, SHARE) for name in ("clean refused", *EDITS, "planted found")]
    times = (Column("ms (median)", "{:.1f}"), Column("ms (95 %)", "{:.0f}"))
    report.table("Self-contradiction", [Column("set"), Column("judge"), *shares, OF, *times], found)
    report.progress("labelled pairs")
    columns = [Column("pairs"), Column("contradictions found", SHARE), OF, Column("others refused", SHARE), OF]
    report.table("Labelled pairs, joined (both)", columns, pair_rows(data, half))
    return report
