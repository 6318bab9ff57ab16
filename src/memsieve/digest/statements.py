"""Find the passages of a text that a person could decide on, and score how well each can be understood alone.

A digest is read by somebody who was not there: a good statement is worth remembering, whole, and needs no neighbour to
be understood. What a passage is says `memsieve.worth`; here it is looked at as its reader will see it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from memsieve.claims.guards import is_correction, is_question
from memsieve.text.normalize import simplify
from memsieve.text.scripts import HAN, count_han, is_han
from memsieve.text.tokenize import tokenize
from memsieve.text.word_lists import WordFile
from memsieve.worth.model import Kind
from memsieve.worth.weigh import WeighedText, weigh_text

_FILE = WordFile("memsieve.digest", "statements.txt")
_SHORTEST, _LONGEST = 12, 400
_FEWEST_TERMS = 3
# Passages that ask for something, and the share of an entry that is a task as a whole.
_ASKING = frozenset({Kind.PROMPT, Kind.QUESTION, Kind.PLAN})
_TASK_SHARE = 0.3

_ITEM = re.compile(r"\s*(?:(?:[-*•·●▪◦+]|\(?\d{1,3}[.)、]|[（(][一二三四五六七八九十\d]+[)）]|#{1,6}|>)\s+)+")
# The tags of transcripts: {laugh}, [Inaudible.]
_MARK = re.compile(r"\{[a-z]{3,20}\}|\[[A-Za-z ]{3,20}\.?\]")
_WORD = re.compile(r"[A-Za-z0-9_'’]+(?:[-.][A-Za-z0-9_]+)*")
# A run of letters that are neither Latin nor Chinese.
_OTHER_SCRIPT = re.compile(rf"[^\W\d_A-Za-z\u00aa-\u024f{HAN}]{{2,}}")
_NUMBER_WORDS = frozenset(_FILE.words("number words"))
_QUESTION = re.compile(r"[?？]|嘛[。.]?\s*$")
_UNFINISHED = re.compile(
    r"""(?:[,，、:：—–-]|\.\.\.|…
    |\b(?:and|or|but|so|the|a|an|of|to|in|on|for|with|that|which|because|if|uh|um|is|are|was|like|just|i|we|you|they
        |it|'s|well|also|then|than|has|have|had|be|been|not|as|at|by|from|into|about|when|if|their|your|my|our|its)
    |[和与或但而且的因为所以如果就是然后]{1,2}|之[初后前际间]|期间|当中|过程中|的时候|情况下|的话)\s*[.。]?\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
_HESITATION = re.compile(
    r"""\b(?:u+h+m*|u+m+|e+r+m?|m+h*m+|h+m+|ah+|oh|huh|yeah|yep|okay|ok|alright|gonna|wanna|dunno|kinda|sorta|like)\b
    |\b(\w+)\s+\1\b|\b(\w{1,4})\s+\2\w+\b|(?<![\w'’.])[b-hj-z](?![\w'’._])
    |[嗯啊哦呃呀哎唉哈]|对吧|是吧|对不对|就是说|怎么讲""",
    re.IGNORECASE | re.VERBOSE,
)
_NEEDS_CONTEXT = re.compile(
    rf"\s*(?:(?:{_FILE.one_of('openings')})\b[\s,]*)+|\s*(?:{_FILE.one_of('openings.chinese')})", re.IGNORECASE
)
_SUBJECT_ELSEWHERE = re.compile(
    rf"\s*(?:(?:{_FILE.one_of('openings')})[\s,]+)*(?:{_FILE.one_of('subjects elsewhere')})\b"
    rf"|\s*(?:{_FILE.one_of('subjects elsewhere.chinese')})",
    re.IGNORECASE,
)
_TO_SOMEBODY = _FILE.pattern("to somebody")
# A field of JSON or the level of a line of log, what is asked of somebody, and what stands between the parts of a
# search result.
_FIELD = re.compile(r"""\s*(?:["'][\w .-]+["']|error|warning|exception|fatal|info|debug)\s*[:：]""", re.IGNORECASE)
_REQUEST = re.compile(
    r"\s*(?:(?:yes|no|sure|ok|okay|great)[,.!]?\s)?please\b(?!\s(?:note|be\saware))|\s*请(?!注意|假)", re.IGNORECASE
)
_SNIPPET = re.compile(r"\s[·|›»]\s|\.\.\.\s|…\s?(?=\S)")
_INTENTION = re.compile(rf"\b(?:{_FILE.one_of('intentions')})\b|{_FILE.one_of('intentions.chinese')}", re.IGNORECASE)
# The rest of a sentence that began elsewhere, or the mark-up around it; names of code begin small, too.
_BROKEN_OFF = re.compile(r"[a-z]+(?=[\s,])|</?[a-z]|\*(?!\*)|[^\[(]*[\])]")
_PROCESS = _FILE.pattern("process")
_POINTING = _FILE.pattern("pointing")
_RANKED, _WEIGHTY, _STORY = _FILE.pattern("ranked"), _FILE.pattern("weighty"), _FILE.pattern("story")
# A finite verb, or a word with -s in the place of a verb.
_VERB = re.compile(
    rf"\b(?:{_FILE.one_of('verbs')})\b"
    r"|(?<!\bof\s)(?<!\bthe\s)(?<!\ball\s)(?<!\bother\s)\b[a-z]{2,}[^s\W]s\s"
    rf"(?:{_FILE.one_of('after a verb')})(?![a-z])",
    re.IGNORECASE,
)
# A clause that tells which one is meant, at the beginning of a sentence: its verb is not that of the sentence.
_CLAUSE = re.compile(r"(?<=\w)\s(?:that|which|who)\s(?!is\swhy)")
# Verbs so near to each other are one: "have not been adjusted".
_VERB_REACH = 10
_NO_VERB, _CLAUSE_ALONE = 0.5, 0.3
# A text with so many statements is a document: its sentences rest on each other and on its title.
_DOCUMENT = 8
# What a sentence that names nothing takes up from others: "The series has been", and pronouns at its beginning.
_RESUMING = re.compile(
    rf"(?:[^,]{{3,80}},\s)?(?:the|other|another|both|such)\s[a-z]+\s(?:then|also|\(|{_FILE.one_of('verbs')})\b"
    r"|others?\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:it|its|they|their|them|he|his|she|her|this|these|those|then)\b", re.IGNORECASE)
_BEGINNING = 10
# A name: a capital within the sentence or within a word, or a name of code.
_NAME = re.compile(r"(?<=[\w,;:)”’'\"]\s)[“\"'(*`]*(?!I\b)[A-Z]|\b[A-Za-z]*[a-z][A-Z]|\b[A-Z]{2,}|\w_\w|`|\w\.\w+\(")
# A subject that is a whole kind: "Crayfish are nocturnal."
_GENERIC = re.compile(rf"[A-Z][a-z]+\s(?:{_FILE.one_of('verbs')})\b")
_LEANING = 0.35
# The title of an article.
_HEADLINE = re.compile(
    r"(?:[A-Z\d][\w'’-]*[\s,:]+(?:(?:and|or|of|the|a|an|in|on|to|for|with|by)\s)*){5,}[A-Z\d][\w'’-]*[.]?"
)
# Weights of clarity, chosen by reading the statements found in meetings in both languages.
_UNHEARD = 0.12
_BRIEF, _LENGTHY = 8.0, 36.0
_LAST_WORDS = 24
# Weights of emphasis, and how often each counts; chosen by what annotators of Chinese meetings highlighted.
_RANK, _WEIGHT, _TALE = 0.9, 0.4, 0.4
_MOST_WEIGHTY, _MOST_STORY = 3, 4


@dataclass(frozen=True, slots=True)
class ClearStatement:
    """A verbatim passage of a text, what it is worth, and how clear it is to who reads it alone; both 0..1.

    Its emphasis is above 0 where it speaks of what counts, and below where it tells a story.
    """

    text: str
    worth: float
    clarity: float
    emphasis: float
    words: tuple[str, ...]
    terms: float


@dataclass(frozen=True, slots=True)
class ReadText:
    """What a text states, in order, and what it asks for.

    It may be a task as a whole, a document, or `pure`: statements and nothing else.
    """

    statements: tuple[ClearStatement, ...]
    asked: tuple[frozenset[str], ...]
    is_task: bool
    is_document: bool
    is_pure: bool


def read_text(content: str) -> ReadText:
    """Return what a text states and asks for."""
    weighed = weigh_text(content)
    asked = [passage.text for passage, worth in weighed if worth.kind in _ASKING and not worth.is_statement]
    is_task = sum(map(len, asked)) >= _TASK_SHARE * len(content)
    return ReadText(
        statements=tuple(_statements(content, weighed)),
        asked=tuple(frozenset(tokenize(text)) for text in asked),
        is_task=is_task,
        is_document=_is_document(weighed),
        is_pure=all(worth.is_statement for worth in weighed.worths),
    )


def statements(content: str) -> list[ClearStatement]:
    """Return the passages of a text that state something, in order."""
    return [*_statements(content, weigh_text(content))]


def _statements(content: str, weighed: WeighedText) -> Iterator[ClearStatement]:
    is_document, end = _is_document(weighed), 0
    for passage, worth in weighed:
        follows = end > 0 and "\n" not in content[end : passage.start]
        end = passage.end
        if worth.is_statement:
            item = _ITEM.match(passage.text)
            sentence = passage.text[item.end() if item else 0 :].strip()
            found = _statement(sentence, worth.score)
            if found is not None:
                leans = (follows or is_document) and _takes_up(sentence)
                leans = leans or (is_document and not _names_subject(sentence))
                yield replace(found, clarity=max(0.0, found.clarity - _LEANING * leans))


def _is_document(weighed: WeighedText) -> bool:
    return sum(worth.is_statement for worth in weighed.worths) >= _DOCUMENT


def _takes_up(sentence: str) -> bool:
    """Say whether a sentence goes on about what was named before it; known of English alone."""
    return bool(_RESUMING.match(sentence) or _PRONOUN.search(_beginning(sentence)))


def _names_subject(sentence: str) -> bool:
    """Say whether a sentence begins with a name, or with a whole kind; known of English alone."""
    foreign = count_han(sentence) or _OTHER_SCRIPT.search(sentence)
    return bool(foreign or _NAME.search(_beginning(sentence)) or _GENERIC.match(sentence))


def _beginning(sentence: str) -> str:
    return " ".join(sentence.split()[:_BEGINNING])


def _statement(sentence: str, worth: float) -> ClearStatement | None:
    """Return a sentence with its clarity, or None where it states nothing."""
    if not _SHORTEST <= _width(sentence) <= _LONGEST:
        return None
    # The rules know simplified characters only.
    plain = simplify(_MARK.sub(" ", sentence))
    if _QUESTION.search(plain) or _REQUEST.match(plain) or _FIELD.match(plain) or is_question(plain):
        return None
    words = tokenize(plain)
    terms = _terms(words)
    verbs = _own_verbs(plain)
    if terms < _FEWEST_TERMS:
        return None
    unheard = _UNHEARD * len(_MARK.findall(sentence))
    clarity = max(0.0, _clarity(plain, terms) - unheard - _NO_VERB * (not verbs) - _CLAUSE_ALONE * (verbs < 0))
    return ClearStatement(sentence, worth, clarity, _emphasis(plain), words, terms)


def _own_verbs(sentence: str) -> int:
    """Return how many verbs a sentence has, 0 for none, and -1 where it has no more than the clauses that hang on it.

    What a verb is, is known of one language; of others it has one.
    """
    if _OTHER_SCRIPT.search(sentence) or count_han(sentence):
        return 1
    groups, end = 0, -_VERB_REACH
    for verb in _VERB.finditer(sentence):
        if verb.start() and verb[0].istitle() and "'" not in verb[0]:
            continue  # A name.
        groups += verb.start() - end >= _VERB_REACH
        end = verb.end()
    clauses = len(_CLAUSE.findall(sentence))
    return -1 if groups and groups <= clauses else groups


def _terms(words: tuple[str, ...]) -> float:
    """Return how many different words say something; each Chinese word is there as characters and as pairs."""
    telling = {word for word in words if not word[0].isdigit() and word not in _NUMBER_WORDS}
    chinese = sum(is_han(word) for word in telling)
    return len(telling) - 0.65 * chinese


def _width(sentence: str) -> int:
    """Return the length of a sentence; a Chinese character says about as much as two others."""
    return len(sentence) + count_han(sentence)


def _clarity(sentence: str, terms: float) -> float:
    """Return how clear a sentence is alone: much that tells in few words, and few of the faults of speech."""
    others = len(_OTHER_SCRIPT.findall(sentence))
    chinese = count_han(sentence)
    length = len(_WORD.findall(sentence)) + 0.7 * chinese + others
    density = min(1.0, terms / (1.0 + 0.5 * length))
    score = 0.6 + 0.4 * density
    score -= 0.1 * _count(_HESITATION, sentence)
    score -= 0.15 * bool(_NEEDS_CONTEXT.match(sentence)) + 0.8 * _count(_POINTING, sentence) / max(6.0, length)
    score -= 0.3 * bool(_SUBJECT_ELSEWHERE.match(sentence)) + 0.15 * min(3, _count(_TO_SOMEBODY, sentence))
    score -= 0.3 * bool(_SNIPPET.search(sentence)) + 0.3 * bool(_BROKEN_OFF.match(sentence))
    score -= (
        0.3 * bool(_INTENTION.search(sentence))
        + 0.3 * bool(_PROCESS.search(sentence))
        + 0.5 * bool(_HEADLINE.fullmatch(sentence))
    )
    score -= 0.3 * bool(_UNFINISHED.search(sentence[-_LAST_WORDS:]))
    score -= 0.02 * max(0.0, _BRIEF - length) + 0.01 * max(0.0, length - _LENGTHY)
    return max(0.0, min(1.0, score))


def _emphasis(sentence: str) -> float:
    """Return how much a sentence speaks of what counts, less how much of a story it is."""
    weighty = min(_MOST_WEIGHTY, _count(_WEIGHTY, sentence))
    story = min(_MOST_STORY, _count(_STORY, sentence))
    ranked = bool(_RANKED.search(sentence)) or is_correction(sentence)
    return _RANK * ranked + _WEIGHT * weighty - _TALE * story


def _count(pattern: re.Pattern[str], text: str) -> int:
    return sum(1 for _ in pattern.finditer(text))
