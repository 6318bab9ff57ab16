"""Ways to say an English sentence again without changing what it claims."""

from __future__ import annotations

import random
import re

from tools.train_judge import bounds, english, numerals
from tools.train_judge.spans import Change, begin, inner, like, put_one

_STOP = re.compile(r"\s*[.!]+\s*$")
_WORD = re.compile(r"[A-Za-z']+")
_SPACED = (
    (re.compile(r" (?=[.,;:!?%)])"), ""),
    (re.compile(r"(?<=\w) (?=(?:'s|'re|'ll|'ve|'m|'d|n't)\b)"), ""),
    (re.compile(r"(?<=\() "), ""),
)
_CLAUSES = re.compile(r",? (?:and|but|so|because|while|which|although) |; |, ")
_FRONTED = re.compile(
    r"^((?:In|On|At|After|Before|During|Since|Until|For|By|From|With|When|Because|As|To|Under|Within|Over) "
    r"[^,]{3,50}), ([^,]{8,})$"
)
_TRAILING = re.compile(
    r"^((?!\w+ ?,)[^,]{8,}?),? ((?:because|when|since) [^,]{4,60}|in (?:19|20)\d\d|on (?:Mon|Tues|Wednes|Thurs|Fri|"
    r"Satur|Sun)day|(?:during|after|before) the \w+|in the (?:morning|afternoon|evening)|"
    r"last (?:week|month|year|night)|yesterday|today|tomorrow)$"
)
_JOINED = re.compile(r"^([^,]{12,}), and ((?:the|we|it|he|she|they|I|you|this|that|there) [^,]{8,})$", re.IGNORECASE)
_PAREN = re.compile(r"\s*[(（][^()（）]{2,80}[)）]")
_DIGITS = re.compile(r"(?<![\w.,$€£#/:-])\d[\d,]*(?:\.\d+)?(?![\w:/-]|[.,]\d)")
_MONEY = re.compile(r"\$\s?(\d[\d,]*(?:\.\d+)?)( (?:million|billion|thousand))?(?![\d.,]\d)")
_PERCENT = re.compile(r"\b(\d+(?:\.\d+)?)\s?(%|percent|per cent)(?!\w)")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_MONTH_DAY = re.compile(rf"\b({'|'.join(english.MONTHS)}) (\d{{1,2}})(?:st|nd|rd|th)?(,? \d{{4}})?\b")
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({'|'.join(english.MONTHS)})(,? \d{{4}})?\b")
_CLOCK = re.compile(r"\b(\d{1,2}):(\d\d)\b(?!:)(?! ?[ap]\.?m)")
_NAMED = re.compile(
    r"^(Tom|John|Peter|David|Robert|Michael|Mary|Anna|Susan|Laura|Linda)(?= (?:is|was|has|had|will|can|told|said|"
    r"went|came|did|does|likes|lives|wants|needs))"
)
_THING = re.compile(
    r"^(?:The|This) (?!also|second|first|third|following|only|same|other|latter|former)[a-z]+(?= (?:is|was|has|"
    r"will|can|returns|provides|supports|allows|contains|uses|must|should)\b)"
)
_PASSIVE = re.compile(
    r"^(I|We|He|She|They|Tom|Mary|[A-Z][a-z]+) (bought|wrote|sold|built|opened|closed|sent|found|stole|broke|"
    r"invited|cleaned|painted|designed|finished|approved|rejected|tested|created|removed|added|updated|published|"
    r"discussed|checked|reviewed) (the [a-z]+|the (?:old|new|big|small|first|whole|final) [a-z]+|my [a-z]+|his "
    r"[a-z]+|her [a-z]+|[A-Z][a-z]+)$"
)
_PARTICIPLE = {"wrote": "written", "stole": "stolen", "broke": "broken"}
_OBJECT = {"I": "me", "You": "you", "We": "us", "He": "him", "She": "her", "They": "them"}
_NEGATED = {
    "open": "closed", "closed": "open", "possible": "impossible", "impossible": "possible",
    "available": "unavailable", "unavailable": "available",
    "valid": "invalid", "invalid": "valid", "correct": "incorrect", "incorrect": "correct", "true": "false",
    "false": "true", "complete": "incomplete",
    "enabled": "disabled", "disabled": "enabled", "visible": "invisible", "online": "offline", "offline": "online",
    "legal": "illegal", "alive": "dead",
    "dead": "alive", "able": "unable", "unable": "able", "known": "unknown", "unknown": "known", "empty": "non-empty",
    "compatible": "incompatible",
    "required": "optional", "optional": "required", "mutable": "immutable", "immutable": "mutable",
    "present": "absent", "absent": "present", "safe": "unsafe",
    "unsafe": "safe", "supported": "unsupported", "successful": "unsuccessful", "necessary": "unnecessary",
    "unnecessary": "necessary",
}  # fmt: skip
_STATE = re.compile(
    rf"\b(is|are|was|were|it's|that's) (not |n't )?({'|'.join(_NEGATED)})(?= ?[.,;]| to | for | in | with |$)"
)
_CONVERSE = re.compile(
    r"\b([A-Z][a-z]+|the [a-z]+|The [a-z]+) (is|are|was|were) (older|younger|larger|smaller|bigger|taller|shorter|"
    r"faster|slower|higher|lower|better|worse|stronger|weaker|cheaper|heavier|lighter|earlier|later) than "
    r"([A-Z][a-z]+|the [a-z]+)(?= ?\.?$)"
)
_TURNED = {
    "older": "younger",
    "larger": "smaller",
    "bigger": "smaller",
    "taller": "shorter",
    "faster": "slower",
    "higher": "lower",
    "better": "worse",
    "stronger": "weaker",
    "heavier": "lighter",
    "earlier": "later",
    "cheaper": "more expensive",
}
_TURNED |= {new: old for old, new in _TURNED.items()} | {"smaller": "larger", "cheaper": "more expensive"}
_EXPAND = {short.lower(): long for long, short in english.CONTRACTIONS}
_LONG = re.compile(
    r"\b(?:" + "|".join(long for long, _ in english.CONTRACTIONS) + r")\b(?!\s*[,.;?!]|$)", re.IGNORECASE
)
_SHORT = re.compile(r"\b(?:" + "|".join(re.escape(short) for _, short in english.CONTRACTIONS) + r")\b", re.IGNORECASE)
_SHRINK = {long.lower(): short for long, short in english.CONTRACTIONS}


def bare(sentence: str) -> str:
    """Return a sentence without its full stop."""
    return _STOP.sub("", sentence)


def copy(sentence: str, _chance: random.Random) -> str | None:
    """Say it again word for word."""
    return sentence


def opening(sentence: str, chance: random.Random) -> str | None:
    """Put an announcing phrase before it."""
    return chance.choice(english.OPENINGS) + inner(sentence)


def closing(sentence: str, chance: random.Random) -> str | None:
    """Put a phrase behind it that claims nothing new."""
    return None if "?" in sentence else f"{bare(sentence)}{chance.choice(english.CLOSINGS)}."


def clause(sentence: str, chance: random.Random) -> str | None:
    """Say one clause of it only, or leave a bracket out."""
    dropped = _PAREN.sub("", sentence)
    if dropped != sentence and chance.random() < 0.7:
        return dropped
    if re.search(
        r"[()?]|\b(?:or|nor|neither|either|except|unless|if|than|not|n't|never|no)\b", sentence, re.IGNORECASE
    ):
        return None
    parts = [part for part in _CLAUSES.split(bare(sentence)) if _has_verb(part) and len(part.split()) >= 5]
    return begin(chance.choice(parts)) + "." if len(parts) > 1 else None


def _has_verb(part: str) -> bool:
    return bool(
        re.search(
            r"^(?:[Tt]he|[Aa]n?|[Ww]e|I|[Yy]ou|[Hh]e|[Ss]he|[Ii]t|[Tt]hey|[Tt]his|[Tt]hese|[Tt]here) .*\b(?:is|are|"
            r"was|were|has|have|had|will|can|should|\w+ed|\w+s)\b",
            part,
        )
    )


def reorder(sentence: str, _chance: random.Random) -> str | None:
    """Move what stands before the comma behind, or the end to the front."""
    body = bare(sentence)
    if found := _FRONTED.match(body):
        return f"{begin(found[2])} {inner(found[1])}."
    if found := _JOINED.match(body):
        return f"{begin(found[2])}, and {inner(found[1])}."
    if found := _TRAILING.match(body):
        return f"{begin(found[2])}, {inner(found[1])}."
    return None


def contraction(sentence: str, chance: random.Random) -> str | None:
    """Write "do not" for "don't", or the other way round."""
    found = [Change(*m.span(), like(m[0], _EXPAND[m[0].lower()])) for m in _SHORT.finditer(sentence)]
    found += [Change(*m.span(), like(m[0], _SHRINK[m[0].lower()])) for m in _LONG.finditer(sentence)]
    return put_one(sentence, found, chance)


def synonym(sentence: str, chance: random.Random) -> str | None:
    """Put another word of the same meaning for one or two."""
    changed = sentence
    for _ in range(chance.choice((1, 1, 2, 3))):
        found = [
            Change(*m.span(), like(m[0], english.SYNONYMS_SAFE[m[0].lower()]))
            for m in _WORD.finditer(changed)
            if m[0].lower() in english.SYNONYMS_SAFE
        ]
        changed = put_one(changed, found, chance) or changed
    return changed if changed != sentence else None


def number_format(sentence: str, chance: random.Random) -> str | None:
    """Write a number another way: 1,000, 1000, one thousand, 1k; 50 %, half."""
    found = [
        Change(*m.span(), other)
        for m in _DIGITS.finditer(sentence)
        if (other := _written(m[0], sentence, m.end(), chance))
    ]
    for match in _PERCENT.finditer(sentence):
        forms = [f"{match[1]}%", f"{match[1]} percent", f"{match[1]} per cent", f"{match[1]} %"]
        if "." not in match[1] and 0 < int(match[1]) < 100:
            forms += [f"{numerals.english(int(match[1]))} percent"]
        found.append(Change(*match.span(), chance.choice([form for form in forms if form != match[0]])))
    found += [Change(*m.span(), f"{m[1]}{m[2] or ''} dollars") for m in _MONEY.finditer(sentence)]
    for word, value in _SMALL_WORDS.items():
        found += [Change(*m.span(), str(value)) for m in re.finditer(rf"\b{word}\b", sentence)]
    return put_one(sentence, found, chance)


_DATED = re.compile(
    rf"\s?(?:st|nd|rd|th|:|[-–]\d)|,? (?:of )?(?:{'|'.join(english.MONTHS)}|{'|'.join(english.SHORT_MONTHS)})\b"
)
_MEASURED = re.compile(r"\s?(?:%|[a-z]{3,}|GBP|USD)(?<!th)(?<!st)(?<!rd)")
_UNCOUNTED = re.compile(rf"\s?(?:%|percent|per cent)|{_DATED.pattern}")
_LABELLED = re.compile(
    rf"(?:about|around|least|most|than|version|[Pp]age|[Ss]tep|[Cc]hapter|room|nearly|over|under|number|level|"
    rf"between|from|to|code|of|{'|'.join(english.MONTHS)}|{'|'.join(english.SHORT_MONTHS)}|[A-Z]\w*) $|[A-Za-z]-$|"
    rf"^$"
)
_SMALL_WORDS = {numerals.english(value): value for value in (*range(2, 21), 30, 40, 50)}


def _written(digits: str, sentence: str, end: int, chance: random.Random) -> str | None:
    if digits.endswith(",") or _UNCOUNTED.match(sentence[end:]) or _LABELLED.search(sentence[: end - len(digits)]):
        return None
    if "." in digits:
        return f"{digits}0" if chance.random() < 0.3 else None
    value = int(digits.replace(",", ""))
    if _YEAR.fullmatch(digits) or digits.startswith("0") or value > 10**8:
        return None
    forms = [numerals.english(value)] if value < 100 or value % 100 == 0 else []
    if value >= 1000:
        forms += [f"{value:,}", str(value)]
        forms += [f"{value // 1000}k", f"{value // 1000} thousand"] if value % 1000 == 0 and value < 10**6 else []
        forms += [f"{value / 10**6:g} million"] if value % 10**5 == 0 and value >= 10**6 else []
    forms = [form for form in forms if form != digits]
    return chance.choice(forms) if forms else None


def date_format(sentence: str, chance: random.Random) -> str | None:
    """Write a day or an hour another way."""
    found = []
    for pattern, month, day in ((_MONTH_DAY, 1, 2), (_DAY_MONTH, 2, 1)):
        for match in pattern.finditer(sentence):
            year = (match[3] or "").strip(", ")
            tail, comma = (f" {year}", f", {year}") if year else ("", "")
            short, number = match[month][:3], int(match[day])
            forms = [
                f"{match[month]} {number}{comma}",
                f"{number} {match[month]}{tail}",
                f"{short} {number}{comma}",
                f"{number} {short}{tail}",
            ]
            forms += [f"{year}-{english.MONTHS.index(match[month]) + 1:02}-{number:02}"] if year else []
            found.append(Change(*match.span(), chance.choice([form for form in forms if form != match[0]])))
    for match in _CLOCK.finditer(sentence):
        hour, minute = int(match[1]), match[2]
        if 0 < hour < 24:
            found.append(
                Change(
                    *match.span(),
                    f"{(hour - 1) % 12 + 1}:{minute} {'pm' if hour >= 12 else 'am'}" if hour != 24 else match[0],
                )
            )
    return put_one(sentence, found, chance)


def rounding(sentence: str, chance: random.Random) -> str | None:
    """Say about how much: 5.1 million is about 5 million."""
    found = []
    for match in _DIGITS.finditer(sentence):
        if (
            match[0].endswith(",")
            or _YEAR.fullmatch(match[0])
            or len(match[0]) > 11
            or match[0][0] == "0"
            or _LABELLED.search(sentence[: match.start()])
            or not _MEASURED.match(sentence[match.end() :])
        ):
            continue
        if (rough := roughly(float(match[0].replace(",", "")))) is None:
            continue
        written = f"{rough:,.0f}" if "," in match[0] else f"{rough:g}" if rough < 10**6 else f"{rough:.0f}"
        found.append(
            Change(*match.span(), f"{chance.choice(('about', 'around', 'roughly', 'approximately', 'some'))} {written}")
        )
    return put_one(sentence, found, chance)


def roughly(value: float) -> float | None:
    """Return the value to one or two figures, or None where there is nothing to round off."""
    if value < 20 and value == int(value):
        return None
    if value != int(value):
        return float(round(value)) if value >= 5 and abs(round(value) - value) / value <= 0.06 else None
    size = 10.0 ** (len(str(int(value))) - (1 if value < 100 else 2))
    for step in (size * 5, size, 1.0) if value >= 100 else (size, 1.0):
        rough = round(value / step) * step
        if rough and rough != value and abs(rough - value) / value <= (0.05 if value >= 100 else 0.03):
            return rough
    return None


def fillers(sentence: str, chance: random.Random) -> str | None:
    """Drop or put in words that carry nothing."""
    found = [
        Change(m.start(), m.end(), "")
        for m in re.finditer(
            r"(?<=\w )(?:really|actually|basically|just|simply|certainly|definitely|obviously|clearly|you know ,|I "
            r"mean ,|um ,|uh ,) ",
            sentence,
        )
    ]
    if found and chance.random() < 0.6:
        return put_one(sentence, found, chance)
    added = [
        Change(
            m.end(),
            m.end(),
            chance.choice(
                (" really", " actually", " basically", " indeed", " definitely", " , you know ,", " certainly", " um")
            ),
        )
        for m in re.finditer(r"\b(?:is|are|was|were|will|can|should)\b(?! not|'|’| n't)", sentence)
    ]
    return put_one(sentence, added, chance)


def pronoun(sentence: str, _chance: random.Random) -> str | None:
    """Say "it" or "he" for the subject."""
    if found := _NAMED.match(sentence):
        return ("He" if found[1] in ("Tom", "John", "Peter", "David", "Robert", "Michael") else "She") + sentence[
            found.end() :
        ]
    if found := _THING.match(sentence):
        return "It" + sentence[found.end() :]
    return None


def speaker(sentence: str, chance: random.Random) -> str | None:
    """Put a speaker before it."""
    return f"{chance.choice(english.SPEAKERS)}: {sentence}"


def typing(sentence: str, chance: random.Random) -> str | None:
    """Type it otherwise: spaces, case, stops."""
    way = chance.randrange(7)
    tidy = sentence
    for pattern, new in _SPACED:
        tidy = pattern.sub(new, tidy)
    if tidy != sentence and way < 5:
        return tidy
    forms = (
        sentence.lower(),
        bare(sentence),
        f"{bare(sentence)}!",
        f"{bare(sentence)} .",
        f"**{bare(sentence)}**",
        f'"{sentence}"',
        sentence.upper(),
    )
    return forms[way] if forms[way] != sentence else None


def voice(sentence: str, chance: random.Random) -> str | None:
    """Turn a plain active sentence into the passive, or point at its subject."""
    found = _PASSIVE.match(bare(sentence))
    if (
        not found
        or found[1] in ("The", "This", "That", "It", "Also", "Then", "Just", "Nobody", "Who", "Not")
        or found[3].endswith("ly")
    ):
        return None
    who = _OBJECT.get(found[1], found[1])
    if chance.random() < 0.4:
        subject = found[1].lower() if found[1] in _OBJECT and found[1] != "I" else found[1]
        return f"It was {subject} who {found[2]} {found[3]}."
    being = "were" if found[3].endswith("s") and not found[3].endswith("ss") else "was"
    return f"{begin(found[3])} {being} {_PARTICIPLE.get(found[2], found[2])} by {who}."


def opposite_denied(sentence: str, chance: random.Random) -> str | None:
    """Say "not closed" for "open": the same in other words."""
    found = [Change(*m.span(), f"{m[1]} {'' if m[2] else 'not '}{_NEGATED[m[3]]}") for m in _STATE.finditer(sentence)]
    return put_one(sentence, found, chance)


def converse(sentence: str, chance: random.Random) -> str | None:
    """Say that B is smaller than A, for A is larger than B."""
    found = [
        Change(
            *m.span(),
            f"{like(m[1], m[4])} {m[2]} {_TURNED[m[3]]} than "
            f"{m[1][:1].lower() + m[1][1:] if m[1].startswith('The ') else m[1]}",
        )
        for m in _CONVERSE.finditer(sentence)
        if m[3] in _TURNED
    ]
    return put_one(sentence, found, chance)


def bound(sentence: str, chance: random.Random) -> str | None:
    """Say "more than 40" for 45: less exact, still true."""
    return bounds.kept(sentence, chance)
