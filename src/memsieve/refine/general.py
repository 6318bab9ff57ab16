"""Whether a text says something beyond one spot and one moment. Tables to read and extend."""

from __future__ import annotations

import re

from memsieve.refine.concepts import concepts
from memsieve.text import numbers
from memsieve.text.numbers import Kind

# Rules, habits, decisions and reasons; and what a product, its price and its people are.
_GENERAL = re.compile(
    r"""
    \b(?:always|never|every(?:one|body|thing|where|time)?|each|must|should(?:n['’]?t)?|shall|whenever|wherever|
      all(?!\s+(?:the|my|of|these|those|right|good|set|done|i\b))|
      any(?!\s+(?:questions?|thoughts?|ideas?|comments?|updates?))|
      generally?|usually|typically|often|normally|by\s+default|rules?|polic(?:y|ies)|conventions?|standards?|
      guidelines?|principles?|require[sd]?|requirements?|mandatory|forbidden|prohibited|deprecated|
      decid(?:ed?|es|ing)|decisions?|agree[ds]?|agreements?|chose|chosen|we\s+will|we['’]ll|avoid|prefer(?:red|s)?|
      recommend(?:ed|s)?|ensure[sd]?|make\s+sure|remember|lessons?|in\s+general|as\s+a\s+rule|no\s+one|nobody|
      none\s+of|only|do\s+not|don['’]?t|cannot|can['’]?t|instead|rather\s+than|because|since|otherwise|therefore|
      so\s+that|due\s+to|in\s+order\s+to|unless|depends?|customers?|users|clients?|supports?|contracts?|architecture|
      trade-?offs?|pattern|best\s+practice|guarantee[sd]?|safe\s+to|unsafe|means\s+that|root\s+cause|deadlines?|
      budget|prices?|costs?)\b
  | 总是|总要|始终|永远|从不|从来|一直|所有|全部|全都|任何|凡是?|一律|必须|务必|应该|应当|必需|须要|需要|不得|不准
  | 不许|禁止|不要|不能|不可|不应|避免|每次|每个|每当|每一|每天|每周|只要|只能|只有|都(?:要|会|得|是|应|必|不)|无论
  | 不管|统一|规定|规范|规则|约定|原则|政策|策略|惯例|标准|要求|决定|决议|商定|达成|同意|采用|选用|改用|默认|通常|一般
  | 往往|经常|建议|推荐|确保|保证|记住|切记|教训|经验|最佳实践|架构|以后|今后|因为|由于|所以|因此|否则|以免|以便|为了
  | 除非|取决于|依赖于|支持|客户|用户|合同|预算|价格|成本|截止|而不是|才能|就会|就能|会导致|根本原因|通用|普遍
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,;:.!?](?=\s|$)|[，；：。！？—\n]|\b(?:and then|and|but|while|whereas)\b|但是?|不过|然后|并且|而且|而(?=[^且])"
)
_LASTING_UNITS = frozenset({"$", "€", "£", "¥", "%", "size", "length", "weight", "°"})
_VALUE_START = re.compile(r"(?<![\w.])[$€£¥]?\d|百分之|[一二两三四五六七八九十百千]")
# A clause with so many concepts of its own has something to say.
_TELLING = 3


def general(text: str) -> bool:
    """Say whether a text holds a word that makes it a rule, a habit, a decision or a reason."""
    return _GENERAL.search(text) is not None


def clauses(text: str) -> list[str]:
    """Return the clauses of a text."""
    return _CLAUSE.split(text)


def telling(clause: str, concepts_needed: int = _TELLING) -> bool:
    """Say whether a clause has enough concepts to say something of its own."""
    return len(concepts(clause)) >= concepts_needed


def measures(text: str) -> bool:
    """Say whether a text holds a price, a share or a size: these outlast a moment."""
    lower = text.lower()
    values = (numbers.read(lower, found.start(), "") for found in _VALUE_START.finditer(lower))
    return any(value and value.kind is Kind.NUMBER and value.unit in _LASTING_UNITS for value in values)
