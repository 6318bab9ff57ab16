"""Changes to one value of an English sentence, so that it contradicts the sentence it came from."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from memsieve.text.word_lists import load_sections
from tools.train_judge import english, numerals
from tools.train_judge.spans import Change, different, like, put_one

_DIGITS = re.compile(r"(?<![\w.,#/:-])(?<!\$ )\d[\d,]*(?:\.\d+)?(?![\w:/-]|\.\d)")
_NUMERAL = re.compile(
    rf"\b(?:{'|'.join(english.NUMERALS)})\b|\bone(?= (?:hundred|thousand|million|day|week|month|year|hour|minute|"
    r"percent|person|star|dollar))",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    rf"(?<=the )(?:{'|'.join(english.ORDINALS)})(?= [a-z]{{3}})|\b\d+(?:st|nd|rd|th)\b", re.IGNORECASE
)
_PERCENT = re.compile(r"\b(half|a quarter|a third|two thirds|three quarters)(?= of\b)", re.IGNORECASE)
_PARTS = ("half", "a quarter", "a third", "two thirds", "three quarters", "a tenth")
_YEAR = re.compile(r"(?<![\d.,$€£])(?:1[5-9]|20)\d\d(?![\d%.,]\d|\d)")
_DAY = re.compile(rf"\b(?:{'|'.join(english.DAYS)})\b", re.IGNORECASE)
_MONTH = re.compile(
    rf"\b(?:{'|'.join(month for month in english.MONTHS if month not in ('May', 'March'))})\b|(?<=[io]n )(?:May|"
    rf"March)\b"
)
_SHORT_MONTH = re.compile(rf"\b(?:{'|'.join(english.SHORT_MONTHS)})\b(?=\.? \d)")
_DAY_OF_MONTH = re.compile(
    rf"(?<=\b(?:{'|'.join(m for m in english.MONTHS if len(m) == 4)}) )\d{{1,2}}\b|\b\d{{1,2}}(?= "
    rf"(?:{'|'.join(english.MONTHS)})\b)"
)
_CLOCK = re.compile(r"\b(\d{1,2}):(\d\d)\b(?!:)|\b(\d{1,2})(?= ?(?:[ap]\.?m\b|o'clock))", re.IGNORECASE)
_RELATIVE = re.compile(rf"\b(?:{'|'.join(word for row in english.RELATIVE_DAYS for word in row)})\b", re.IGNORECASE)
_SEASON = re.compile(
    rf"(?<=in )(?:the )?(?:{'|'.join(english.SEASONS)})\b|(?<=in the )(?:{'|'.join(english.DAY_PARTS)})\b"
)
_WORD = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*")
_UNIT_SPOT = re.compile(
    r"(?<=\d)\s?([A-Za-z]+)\b|(?<=\b)(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|fifty|"
    r"hundred|few|several)[ -]([A-Za-z]+)\b"
)
_ONE_WAY = frozenset(
    "left own light miss even back front child still cool sorry joint single split lower cut end mean lost "
    "present".split()
)
_STATES = frozenset("on off up down read sold found done".split())


def _table(rows: tuple[tuple[str, ...], ...]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for head, *others in rows:
        found.setdefault(head, []).extend(others)
        for other in others:
            if other not in _ONE_WAY:
                found.setdefault(other, []).append(head)
    return {word: tuple(dict.fromkeys(others)) for word, others in found.items()}


_SWAPS = _table(english.ANTONYMS)
_STATUS = {row[0]: row[1:] for row in english.STATUS}
_UNIT = {row[0]: row[1:] for row in english.UNITS}
# Another name of the same member is no other value.
_MEMBERS = [
    [member.split("/") for member in row.split()] for row in load_sections("memsieve.claims", "opposites.txt")["kinds"]
]
_KIND = {
    name: [name, *(other[0] for other in row if other is not member)]
    for row in _MEMBERS
    for member in row
    for name in member
}
_KIND |= {
    word: row for row in (english.PEOPLE, english.PLACES, english.ORGANISATIONS, english.PRODUCTS) for word in row
}
_BEING = frozenset("is are was were be been being 's 're are not now still s re".split())
_VERB_FROM = {form: (row[0], place) for row in english.VERBS for place, form in enumerate(row)}


def number(sentence: str, chance: random.Random) -> str | None:
    """Give another value to a number, in digits or words, an ordinal or a share."""
    found = [
        Change(*m.span(), numerals.other_digits(m[0], chance)) for m in _DIGITS.finditer(sentence) if m[0][-1] != ","
    ]
    found += [Change(*m.span(), _other_numeral(m[0], chance)) for m in _NUMERAL.finditer(sentence)]
    found += [Change(*m.span(), _other_ordinal(m[0], chance)) for m in _ORDINAL.finditer(sentence)]
    found += [Change(*m.span(), like(m[0], different(_PARTS, m[0], chance))) for m in _PERCENT.finditer(sentence)]
    return put_one(sentence, found, chance)


def _other_numeral(word: str, chance: random.Random) -> str:
    way = chance.random()
    fresh = different(english.NUMERALS if way < 0.9 else english.NUMERALS[:9], word, chance)
    return like(word, fresh) if way < 0.95 else str(chance.randint(21, 99))


def _other_ordinal(word: str, chance: random.Random) -> str:
    if word[0].isdigit():
        value = numerals.other(int(re.sub(r"\D", "", word)), chance)
        ending = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
        return f"{value}{ending}"
    return like(word, different([*english.ORDINALS, "last"], word, chance))


def date(sentence: str, chance: random.Random) -> str | None:
    """Move a weekday, month, day, year or hour."""
    found = [Change(*m.span(), like(m[0], different(english.DAYS, m[0], chance))) for m in _DAY.finditer(sentence)]
    found += [Change(*m.span(), different(english.MONTHS, m[0], chance)) for m in _MONTH.finditer(sentence)]
    found += [Change(*m.span(), different(english.SHORT_MONTHS, m[0], chance)) for m in _SHORT_MONTH.finditer(sentence)]
    found += [Change(*m.span(), _other_day(m[0], chance)) for m in _DAY_OF_MONTH.finditer(sentence)]
    found += [
        Change(*m.span(), str(int(m[0]) + chance.choice((1, 2, 3, -1, -2, 5, 10, -10, 7))))
        for m in _YEAR.finditer(sentence)
    ]
    found += [Change(*m.span(), _other_hour(m, chance)) for m in _CLOCK.finditer(sentence)]
    if not found or chance.random() < 0.1:
        found += [Change(*m.span(), like(m[0], _other_relative(m[0], chance))) for m in _RELATIVE.finditer(sentence)]
        found += [Change(*m.span(), _other_season(m[0], chance)) for m in _SEASON.finditer(sentence)]
    return put_one(sentence, found, chance)


def _other_day(day: str, chance: random.Random) -> str:
    return different([str(number) for number in range(1, 29)], day, chance)


def _other_hour(match: re.Match[str], chance: random.Random) -> str:
    if match[3]:
        return different([str(hour) for hour in range(1, 13)], match[3], chance)
    if chance.random() < 0.4:
        return f"{match[1]}:{different(('00', '15', '30', '45', '20', '05', '50'), match[2], chance)}"
    hour = different([str(hour) for hour in range(1, 13 if int(match[1]) < 13 else 24)], match[1], chance)
    return f"{hour}:{match[2]}"


def _other_relative(word: str, chance: random.Random) -> str:
    row = next(row for row in english.RELATIVE_DAYS if word.lower() in row)
    return different(row, word, chance)


def _other_season(word: str, chance: random.Random) -> str:
    bare = word.removeprefix("the ")
    pool = english.SEASONS if bare in english.SEASONS else english.DAY_PARTS
    return word[: len(word) - len(bare)] + different(pool, bare, chance)


def antonym(sentence: str, chance: random.Random) -> str | None:
    """Exchange one word for its opposite."""
    return put_one(sentence, _swapped(sentence, _SWAPS, chance), chance)


def status(sentence: str, chance: random.Random) -> str | None:
    """Exchange the word that says how a thing stands."""
    return put_one(sentence, _swapped(sentence, _STATUS, chance), chance)


def _swapped(sentence: str, table: dict[str, tuple[str, ...]], chance: random.Random) -> Iterator[Change]:
    words = list(_WORD.finditer(sentence))
    for place, match in enumerate(words):
        others = table.get(match[0].lower())
        before = words[place - 1][0].lower() if place else ""
        after = words[place + 1][0].lower() if place + 1 < len(words) else ""
        denied = any(_DENYING.fullmatch(word[0]) for word in words[max(0, place - 3) : place])
        if (
            others
            and not denied
            and not _aside(sentence, match)
            and (table is not _STATUS or before in _BEING)
            and (match[0].lower() not in _STATES or before in _BEING)
            and not {f"{before} {match[0].lower()}", f"{match[0].lower()} {after}"} & english.IDIOMS
        ):
            other = chance.choice(others)
            change = Change(*match.span(), like(match[0], other))
            yield _with_article(sentence, change)


_DENYING = re.compile(r"not|never|no|cannot|without|t|hardly|neither|nor|n", re.IGNORECASE)


def _aside(sentence: str, match: re.Match[str]) -> bool:
    """Say whether the word stands alone between commas: "right, …" claims nothing."""
    before, after = sentence[: match.start()].rstrip()[-1:], sentence[match.end() :].lstrip()[:1]
    return before in ",;:-" and after in ",.;-"


def _with_article(sentence: str, change: Change) -> Change:
    """Turn "a" into "an" and back where the new word asks for it."""
    found = re.search(r"\b([Aa])(n?) $", sentence[: change.start])
    if not found:
        return change
    article = found[1] + ("n" if change.text[:1].lower() in "aeiou" else "")
    return Change(found.start(), change.end, f"{article} {change.text}")


def kind(sentence: str, chance: random.Random) -> str | None:
    """Exchange a name, place, colour, language… for another of its kind."""
    found = []
    for match in _WORD.finditer(sentence):
        word = match[0] if match[0] in _KIND else match[0].lower()
        if word in _KIND and (word != match[0].lower() or match[0] == word or match[0][0].isupper()):
            found.append(
                _with_article(sentence, Change(*match.span(), like(match[0], different(_KIND[word], word, chance))))
            )
    return put_one(sentence, found, chance)


def unit(sentence: str, chance: random.Random) -> str | None:
    """Measure in another unit."""
    found = []
    for match in _UNIT_SPOT.finditer(sentence):
        group = 1 if match[1] else 2
        if match[group] in _UNIT:
            found.append(Change(*match.span(group), chance.choice(_UNIT[match[group]])))
    return put_one(sentence, found, chance)


_TAKE = re.compile(
    r"\b(is|are|was|were|am|do|does|did|has|have|had|would|should|could|ca|can|wo|will|must|need)(?:\s?n't|\s?n’t|"
    r"\s+not)\b"
    r"(?! (?:only|just|merely|necessarily|simply|help|wait|all|yet|mind|always|every))"
    r"|\b(cannot)\b|\b(never)(?= [a-z])|\b(?<=is )(no)(?= [a-z])|(?<=are )(no)(?= [a-z])|(?<=ha[sd] )(no)(?= "
    r"[a-z])|(?<=have )(no)(?= [a-z])",
    re.IGNORECASE,
)
_AFTER = r"(?! (?:not|n't|never|no|nothing|nobody|none|hardly|only|just|also not|neither|little)\b|n't|'|\s?[,.;:]|$)"
_AUX = re.compile(
    rf"\b(is|are|was|were|am|will|can|should|must|would|(?:has|have|had)(?= (?:been|already|made|done|seen|taken|"
    rf"given|gone|become|[a-z]+ed)\b))\b{_AFTER}",
    re.IGNORECASE,
)
_SHORT = re.compile(
    rf"\b(it|he|she|that|there|this) ?'s(?= (?:a|an|the|in|on|very|going|really|quite|important|good|easy|"
    rf"possible|clear|true|been|[a-z]+ing)\b)|\b(I|we|you|they) ?'(ll|re|m)\b{_AFTER}",
    re.IGNORECASE,
)
_NOT_BEFORE = re.compile(
    r"(?:\b(?:as|what|who|which|how|where|why|when|nothing|nobody|none|neither|never|no one|few|little|than|"
    r"hardly|only|not|may|might|rarely|it that|than that|can|will|some|sometimes|someone|something)|^(?:and|but|"
    r"so|or|because|since|that)?|[,:;(\"“])\s*$",
    re.IGNORECASE,
)
_PLURAL = re.compile(
    r"\b(I|we|you|they|people|users|students|most people|these|those)( also| really| still| always)? "
    r"([a-z]+)\b(?! (?:know|mean|see|guess)\b)",
    re.IGNORECASE,
)
_THIRD = re.compile(
    r"\b([A-Za-z()_]+) ([a-z]+s)(?= (?:the|a|an|to|that|all|its|his|her|their|my|our|your|this|these|it|them|any|"
    r"in|on|for|with|from|at|by|as|more|\d)\b)"
)
_NO_THIRD = frozenset(
    "the a an of to my your his her its their and or these those several many all some which that "
    "following new other such for in on with no are were is not".split()
)
_PAST = re.compile(r"\b(I|we|you|they|he|she|it|[A-Z][a-z]+) ([a-z]+)\b(?! (?:by|to be)\b)")
NOT_DO = ("do not", "don't", "never")
NOT_DOES = ("does not", "doesn't")
NOT_DID = ("did not", "didn't")
_DISCOURSE = frozenset("know mean guess hope let thank see say said set read cost cut".split())


def negation(sentence: str, chance: random.Random) -> str | None:
    """Take a negation out, or put one in."""
    found = [change for match in _TAKE.finditer(sentence) if (change := _taken(sentence, match))]
    if found and chance.random() < 0.8:
        return put_one(sentence, found, chance)
    aux = [change for match in _AUX.finditer(sentence) if (change := _denied(sentence, match, chance))]
    aux = aux[:1] if chance.random() < 0.6 else aux
    aux += [change for match in _SHORT.finditer(sentence) if (change := _denied_short(match))]
    verbs = [] if aux and chance.random() < 0.7 else list(_denied_verbs(sentence, chance))
    return put_one(sentence, aux or verbs or found, chance)


def _taken(sentence: str, match: re.Match[str]) -> Change | None:
    if sentence[: match.start()].lower().endswith(("why ", "if ", "or ", "whether ")) or re.match(
        r"^\W*(?:or|any(?:more| more)?)\b", sentence[match.end() :]
    ):
        return None
    if match[0].lower() == "never":
        return Change(match.start(), match.end() + 1, "") if match.start() else None
    if match[0].lower() == "no":
        article = (
            "a "
            if sentence[: match.start()].lower().endswith(("is ", "has ", "had "))
            and not re.match(r" [a-z]+s\b", sentence[match.end() :])
            else ""
        )
        return (
            _with_article(sentence, Change(match.start(), match.end() + 1, article))
            if article
            else Change(match.start(), match.end() + 1, "")
        )
    if match[2]:
        return Change(*match.span(), like(match[2], "can"))
    aux = {"ca": "can", "wo": "will"}.get(match[1].lower(), match[1].lower())
    follow = re.match(r" (?:really |actually |even )?([a-z]+)\b", sentence[match.end() :])
    if aux in ("do", "does", "did") and follow and follow[1] in _VERB_FROM and _VERB_FROM[follow[1]][1] == 0:
        row = next(row for row in english.VERBS if row[0] == follow[1])
        return Change(match.start(), match.end() + follow.end(), row[("do", "does", "did").index(aux)])
    return Change(*match.span(), like(match[0], aux)) if match.start() or aux not in ("do", "does", "did") else None


def _denied(sentence: str, match: re.Match[str], chance: random.Random) -> Change | None:
    head = sentence[: match.start()]
    if _NOT_BEFORE.search(head) or not head.strip():
        return None
    word = match[1]
    if word.lower() == "can":
        return Change(*match.span(), chance.choice(("cannot", "can't", "can not", "can never")))
    if word.lower() == "am":
        return Change(*match.span(), "am not")
    short = {"will": "won't"}.get(word.lower(), f"{word}n't")
    forms = (f"{word} not", f"{word} not", short, short, f"{word} never" if word.lower() != "must" else f"{word} not")
    return Change(*match.span(), chance.choice(forms))


def _denied_short(match: re.Match[str]) -> Change | None:
    if match[1]:
        return Change(*match.span(), f"{match[1]} is not")
    ending = {"ll": "will not", "re": "are not", "m": "am not"}[match[3]]
    return Change(*match.span(), f"{match[2]} {ending}")


def _denied_verbs(sentence: str, chance: random.Random) -> Iterator[Change]:
    for match in _PLURAL.finditer(sentence):
        base, place = _VERB_FROM.get(match[3], ("", -1))
        if (
            place == 0
            and base not in _DISCOURSE
            and not re.search(
                r"\b(?:do|did|let|make|help|can|will|should|to)\s$", sentence[: match.start()], re.IGNORECASE
            )
        ):
            yield Change(match.end(1), match.end(), f" {chance.choice(NOT_DO)} {base}")
    for match in _THIRD.finditer(sentence):
        base, place = _VERB_FROM.get(match[2], ("", -1))
        if place == 1 and match[1].lower() not in _NO_THIRD:
            yield Change(*match.span(2), f"{chance.choice(NOT_DOES)} {base}")
    for match in _PAST.finditer(sentence):
        base, place = _VERB_FROM.get(match[2], ("", -1))
        if (
            place == 2
            and base not in _DISCOURSE
            and match[0].lower().split()[1] != "used"
            and match[1] not in ("It", "The", "A", "This")
        ):
            yield Change(*match.span(2), f"{chance.choice(NOT_DID)} {base}")


_QUANTIFIERS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(rf"\b{pattern}\b", re.IGNORECASE), tuple(options.split("|")))
    for pattern, options in (
        ("all of the", "none of the|only some of the|few of the"),
        ("all of (?=us|them|you|it)", "none of |few of "),
        ("all (?=the [a-z]+s)", "none of |only some of |not all "),
        ("(?<!at )(?<!of )(?<!after )(?<!first of )all (?=[a-z]+s )", "no |only some |not all |few "),
        ("every (?=[a-z]+)(?!every (?:time|other))", "no |not every |hardly any "),
        ("everyone|everybody", "no one|nobody|almost no one|only one person"),
        ("everything", "nothing|almost nothing"),
        ("nothing", "everything"),
        ("nobody|no one", "everyone|everybody"),
        ("always", "never|rarely|only sometimes|seldom"),
        ("never(?= [a-z])", "always|often|usually"),
        ("often|frequently", "rarely|never|seldom"),
        ("usually", "rarely|never"),
        ("rarely|seldom", "often|always|usually"),
        ("sometimes", "never|always"),
        ("most of the", "few of the|none of the|hardly any of the|a minority of the"),
        ("(?<!the )(?<!at )(?<!is )most (?=[a-z]+s (?:are|have|were|do|can|will|of))", "few |hardly any |no "),
        ("some of the", "none of the|all of the"),
        ("(?<=there are )some", "no"),
        ("both (?=of|the|these|[a-z]+s )", "neither "),
        ("many (?=[a-z]+s\\b)", "few |hardly any |very few "),
        ("a lot of|lots of|plenty of", "hardly any|very little|almost no"),
        ("(?<!a )few (?=[a-z]+s\\b)", "many "),
        ("a majority of|the majority of", "a minority of|only a few of"),
        ("at least (?=\\d|two|three|four|five|six|ten)", "fewer than |less than "),
        ("at most (?=\\d|two|three|four|five|six|ten)", "more than "),
        ("more than (?=\\d|two|three|four|five|six|ten|half)", "fewer than |less than "),
        ("(?:less|fewer) than (?=\\d|two|three|four|five|six|ten|half)", "more than "),
        ("entirely|completely|fully", "only partly|hardly|not at all"),
        ("anyone|anybody(?= can)", "no one"),
    )
)


def quantifier(sentence: str, chance: random.Random) -> str | None:
    """Change how many, how much or how often."""
    found = [
        Change(*match.span(), like(match[0], chance.choice(options)))
        for pattern, options in _QUANTIFIERS
        for match in pattern.finditer(sentence)
        if not sentence[: match.start()].endswith(("not ", "n't ", "not only "))
    ]
    return put_one(sentence, found, chance)


_COMPARED = re.compile(
    r"\b(more|less|fewer|(?:high|low|larg|small|bigg|great|long|short|fast|slow|cheap|strong|weak|old|young|earli|"
    r"lat|hard|easi|heavi|light)er|better|worse)(?= (?:[a-z]+ )?than\b)",
    re.IGNORECASE,
)
_AS = re.compile(r"(?<=\b)(is|are|was|were) (as [a-z]+ as)\b", re.IGNORECASE)


def comparative(sentence: str, chance: random.Random) -> str | None:
    """Turn a comparison round."""
    table = _SWAPS | {"more": ("less",), "less": ("more",), "fewer": ("more",), "older": ("younger",)}
    found = [
        Change(*m.span(), like(m[0], chance.choice(table[m[0].lower()])))
        for m in _COMPARED.finditer(sentence)
        if m[0].lower() in table
    ]
    found += [Change(*m.span(), f"{m[1]} not {m[2]}") for m in _AS.finditer(sentence)]
    return put_one(sentence, found, chance)


_GIVES = (
    "gave|told|asked|called|paid|sent|hit|helped|saw|loves|loved|followed|taught|beat|defeated|showed|likes|hates|"
    "asks|tells|replaced|visited|hired|invited|thanked|trusts|owes|sold|bought|acquired|sued|leads|manages|reports "
    "to|works for"
)
_NAMED = re.compile(rf"\b([A-Z][a-z]+) ((?:is |was |has |will )?(?:{_GIVES})) ([A-Z][a-z]+)\b")
_PRONOUNS = {"I": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
_OBJECTS = {own: name for name, own in _PRONOUNS.items()}
_PERSONS = re.compile(
    rf"\b(I|he|she|we|they) ({_GIVES}) (me|him|her|us|them)\b(?! [a-z]+(?:er|or|s|ent)\b)", re.IGNORECASE
)
_FROM_TO = re.compile(
    r"\bfrom (the [a-z]+|[A-Z][a-z]+|left|right|top|bottom|north|south|east|west) to (the [a-z]+|[A-Z][a-z]+|left|"
    r"right|top|bottom|north|south|east|west)\b"
)
_THAN = re.compile(
    r"\b(The [a-z]+|[A-Z][a-z]+|[A-Z]{2,}) (is|are|was|were) ([a-z]+er|more [a-z]+|less [a-z]+) than (the [a-z]+|"
    r"[A-Z]\w+)(?= ?[.,]|$)"
)


def roles(sentence: str, chance: random.Random) -> str | None:
    """Let who did it and to whom change places."""
    found = [
        Change(*m.span(), f"{m[3]} {m[2]} {m[1]}")
        for m in _NAMED.finditer(sentence)
        if m[1] != m[3] and m[1] not in ("The", "And", "But")
    ]
    for match in _PERSONS.finditer(sentence):
        subject, own = match[1] if match[1] == "I" else match[1].lower(), match[3].lower()
        if _PRONOUNS[subject] != own:
            found.append(Change(*match.span(), like(match[1], f"{_OBJECTS[own]} {match[2]} {_PRONOUNS[subject]}")))
    found += [Change(*m.span(), f"from {m[2]} to {m[1]}") for m in _FROM_TO.finditer(sentence) if m[1] != m[2]]
    for match in _THAN.finditer(sentence):
        found.append(
            Change(
                *match.span(),
                f"{like(match[1], match[4])} {match[2]} {match[3]} than "
                f"{match[1] if not match[1].startswith('The ') else match[1].lower()}",
            )
        )
    return put_one(sentence, found, chance)
