"""Read the claims of a text, and tell whether two are about one thing, so that only one of them can hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from memsieve.claims import compare, guards
from memsieve.claims.statement import Statement, read_statement
from memsieve.model import Reason
from memsieve.text.scripts import HAN
from memsieve.text.sentences import find_sentences

# Fenced code, and the tags of transcripts: {laugh}, {disfmarker}.
_FENCE = re.compile(r"\{[a-z]{3,20}\}|```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
# Words that announce a statement and claim nothing themselves.
_OPENING = re.compile(
    r"\s*(?:(?:in short|in summary|to summari[sz]e|to sum up|to repeat|to be clear|to recap|in other words|that is|"
    r"in conclusion|overall|as (?:noted|mentioned|stated|i said|we said|discussed|said)(?: (?:above|before|earlier))?|"
    r"in fact|actually|again|also|so|and|well|ok|okay|yeah|yes|anyway|basically|indeed|moreover|furthermore|"
    r"additionally|therefore|thus|note that|remember(?: that)?|however|but|yet)\b[\s,:]*"
    r"|(?:总之|也就是说|换句话说|总的来说|总体来说|综上所述|综上|再强调一下|再说一遍|强调一下|重申一下|"
    r"需要注意的是|请注意|事实上|实际上|其实|另外|此外|同时|因此|所以|然后|那么|然而|但是|但|不过(?![敏期滤关]))[，,：:\s]*)+",
    re.IGNORECASE,
)
# What stands before the first comma or colon may only announce the rest, as does "it is worth saying that".
_LEAD = re.compile(r"\s*(?:it\b[^,，:：]{1,40}?\bthat\s+|[^,，:：]{1,40}[,，:：]\s*)", re.IGNORECASE)
# Starts at the first space of a run and does not backtrack: otherwise the time would grow with the square of the run.
_CLAUSE = re.compile(
    r"(?<!\s)\s*+[,，:：—]+\s*|\s(?:and|but|yet|while|whereas|so|because|although|though)\s"
    rf"|(?<=[{HAN}])(?<![合一兼归])并(?![不没未非])(?=[{HAN}]{{1,3}}了)"
)
# "The system is secure and has no holes": the subject of the second clause is that before the first verb.
_VERB = r"(?:is|are|was|were|has|have|had|does|did|can|cannot|will|found|made|sent|took|ran|runs?|uses?|[a-z]{2,}ed)\b"
_SUBJECT = re.compile(
    rf"(?:[Tt]he|[Oo]ur|[Tt]his|[Aa]ll|[Mm]y|[Ii]ts|[A-Z]\w+)(?: [\w-]+){{0,4}}?(?= {_VERB})"
    rf"|[{HAN}]{{2,8}}?(?=非常|很|十分|已|是|有|没|不|未|尚|支持|正在|完全|比较|均|都|能|可以|"
    r"运行|访问|发现|完成|通过|执行|检查|使用|收到|提交)"
)
_PREDICATE = re.compile(rf"{_VERB}|(?:也|还|且|并且|而且)?(?:没有|没|有|不|未|无|存在|已|尚)")
_CONTRAST = re.compile(r"\b(?:but|while|whereas|although|though|yet|however|versus|vs)\b|但|而|虽|却|不过|然而|相比")
_ITEM = re.compile(
    r"\s*(?:[-*•·●▪◦+]|\(?\d{1,3}[.)、]|\(?[a-z][.)]|[（(][一二三四五六七八九十\d]+[)）]|[一二三四五六七八九十]{1,3}、|"
    r"#{1,6}\s|\||>)\s*\S"
)
_LOG = re.compile(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d|\[?\d\d:\d\d:\d\d|"
    r"\[?(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE|CRITICAL)\b|[A-Z]\w+(?:Error|Exception):)"
)
_CODE = re.compile(
    r"[;{]\s*$|\w\([^()\s]*\)\s*[;:]?\s*$|==|!=|[-+*/]=|=>|->|::|&&|\|\||</?\w+>|\w\s?=\s?[\w\"'(\[-]|https?://|\w+\.py:\d"
    r"|^\s*(?:def|class|import|return|elif|else:|try:|except|print\(|from \w+ import|[$>#]\s|//)"
)
_SPEAKER = re.compile(rf"\s*([A-Z][\w.'-]*(?: [\w.'-]+){{0,2}}|[{HAN}]{{1,8}}\d{{0,2}})\s?(?:：|:(?=\s))\s*(?=\S)")
_SHORTEST_CLAUSE = 4
_LONGEST = 600
# Longer texts are compared by whole sentences only, not by clauses.
_CLAUSES_UP_TO = 20_000


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence, or a clause of one, with its speaker and its place in the text."""

    text: str
    line: int
    sentence: int
    whole: str
    lead: str
    speaker: str
    listed: bool
    contrasted: bool


def split_claim_clauses(text: str) -> Iterator[Clause]:
    """Give every sentence of prose, and the clauses of those that have several."""
    number, cutting = 0, len(text) <= _CLAUSES_UP_TO
    for row, line in enumerate(_FENCE.sub(_gap, text).splitlines()):
        if not line.strip() or _LOG.match(line) or _CODE.search(line, 0, _LONGEST):
            continue
        listed = bool(_ITEM.match(line))
        found = _SPEAKER.match(line)
        speaker = found[1] if found and not listed else ""
        for match in find_sentences(line, found.end() if speaker and found else 0):
            sentence = match[0].strip()
            if sentence:
                yield from _clauses(sentence, row, number, speaker, listed=listed, cutting=cutting)
                number += 1


def _clauses(sentence: str, row: int, number: int, speaker: str, *, listed: bool, cutting: bool) -> Iterator[Clause]:
    contrasted = bool(_CONTRAST.search(sentence))
    body = _unopened(sentence)
    if len(sentence) > _LONGEST:
        yield from _clauses_of_speech(body, row, number, speaker, listed=listed)
        return
    yield Clause(body, row, number, sentence, "", speaker, listed, contrasted)
    clauses = [clause for part in _CLAUSE.split(body) if len(clause := _unopened(part)) >= _SHORTEST_CLAUSE]
    lead = _LEAD.match(body)
    if cutting and lead:
        rest = _unopened(body[lead.end() :])
        if len(rest) >= _SHORTEST_CLAUSE and rest not in clauses[1:]:
            yield Clause(rest, row, number, sentence, lead[0], speaker, listed, contrasted)
    if cutting and len(clauses) > 1:
        subject = _SUBJECT.match(clauses[0])
        for place, clause in enumerate(clauses):
            head = clauses[0] if place else ""
            yield Clause(clause, row, number, sentence, head, speaker, listed, contrasted)
            if place and subject and _PREDICATE.match(clause):
                completed = f"{subject[0]} {clause}"
                yield Clause(completed, row, number, sentence, "", speaker, listed, contrasted)


def _unopened(sentence: str) -> str:
    found = _OPENING.match(sentence)
    return sentence[found.end() :] if found else sentence


def _gap(found: re.Match[str]) -> str:
    return " " if found[0].startswith("{") else "\n"


def _clauses_of_speech(sentence: str, row: int, number: int, speaker: str, *, listed: bool) -> Iterator[Clause]:
    """Give the clauses of speech that was written down without full stops, each as its own sentence."""
    for clause in _CLAUSE.split(sentence):
        if _SHORTEST_CLAUSE <= len(clause) <= _LONGEST:
            yield Clause(clause, row, number, clause, "", speaker, listed, contrasted=True)


# How many words two claims must share: more where a contradiction is less plain.
_FEW_WORDS = 2
_ENOUGH_WORDS = 3
_MANY_WORDS = 5
# Words before a value that name nothing: "contains 48 pages", 共有48页.
_EMPTY = frozenset("contains contained includes included comprises comprised amounts amounted 共 达 约 正".split())


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two sentences of one text that cannot both hold."""

    first: str
    second: str
    kind: str
    difference: Reason


@dataclass(frozen=True)
class SentenceContext:
    """Facts about the sentence of a claim, shared by all its clauses."""

    text: str

    @cached_property
    def asserted(self) -> bool:
        return guards.asserts(self.text)

    @cached_property
    def hypothetical(self) -> bool:
        return guards.is_hypothetical(self.text)

    @cached_property
    def doubtful(self) -> bool:
        return self.hypothetical or guards.is_contrasted(self.text)


@dataclass(frozen=True)
class Claim:
    """A clause and the statement read from it, with what keeps it from contradicting others."""

    clause: Clause
    statement: Statement
    sentence: SentenceContext

    @cached_property
    def setting(self) -> frozenset[str]:
        return guards.setting(self.clause.text)

    @cached_property
    def subject(self) -> tuple[frozenset[str], int]:
        """Return what the head of the sentence names, and how often it denies."""
        lead = read_statement(self.clause.lead)
        return frozenset(lead.words), lead.denials

    @cached_property
    def condition(self) -> str:
        return guards.condition(self.clause.text)

    def beside(self, other: Claim) -> bool:
        """Say whether both are in one sentence."""
        return self.clause.sentence == other.clause.sentence

    def unlike_values(self, other: Claim) -> bool:
        """Say whether the two give values that do not agree one by one."""
        if len(self.statement.values) != len(other.statement.values):
            return True
        pairs = zip(self.statement.values, other.statement.values, strict=True)
        return any(not x.quantity.fits(y.quantity) for x, y in pairs)


def same_topic(a: Claim, b: Claim, slot: Collection[str], more: float) -> bool:
    """Say whether two claims are about one thing: nearly all other words in common, persons and names too."""
    if a.statement.pronouns != b.statement.pronouns or names_differ(a.statement, b.statement, slot):
        return False
    return _words_agree(a, b, slot, more) and a.setting.difference(slot) == b.setting.difference(slot)


def _words_agree(a: Claim, b: Claim, slot: Collection[str], more: float) -> bool:
    shared = compare.shared_weight(a.statement, b.statement)
    left, right = unshared_weight(a.statement, b.statement, slot), unshared_weight(b.statement, a.statement, slot)
    if shared < 1 or left + right > shared:
        return False
    frame = len(a.statement.frame ^ b.statement.frame)
    partial = guards.is_partial(a.setting)
    if a.beside(b) and a.clause.contrasted:
        return not partial and not left + right and shared >= _FEW_WORDS
    if a.sentence.doubtful or b.sentence.doubtful or partial:
        return left + right == 0 and shared >= more + (_MANY_WORDS if partial else _ENOUGH_WORDS) and frame <= 1
    if not left and not right:
        return shared >= _FEW_WORDS or (shared >= 1 and frame <= 1)
    if not left or not right:
        return shared >= _FEW_WORDS + more and left + right <= shared / 2
    measured = sum(word.startswith("#") for word in a.statement.words)
    return shared - measured > _ENOUGH_WORDS + more and max(left, right) <= shared / 4


def names_another_thing(a: Statement, b: Statement, first: int, second: int) -> bool:
    """Tell "the image" from "the compressed image": a word of its own before what is said of it, at these places."""
    return bool(_named(a, first) - Counter(b.order) or _named(b, second) - Counter(a.order))


def _named(statement: Statement, end: int) -> Counter[str]:
    return Counter(word for word in statement.order[:end] if statement.as_written(word) not in _EMPTY)


def unshared_weight(a: Statement, b: Statement, slot: Collection[str]) -> float:
    """Return the weight of the words that only the first holds, apart from the slot where the two differ."""
    return sum(max(0.0, w - b.words.get(word, 0.0)) for word, w in a.words.items() if a.as_written(word) not in slot)


def names_differ(a: Statement, b: Statement, slot: Collection[str]) -> bool:
    """Say whether one names somebody or something that the other does not."""
    return any(
        one.as_written(name) not in slot for one, other in ((a, b), (b, a)) for name in one.names - other.words.keys()
    )
