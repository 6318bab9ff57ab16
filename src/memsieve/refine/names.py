"""Code names in a text: files, functions, flags, tickets, commits and lines, as people write them.

All are read as ASCII, so that a name ends where Chinese begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_EXTENSION = (
    "py|pyi|ipynb|js|mjs|cjs|jsx|ts|tsx|c|h|cc|hh|cpp|hpp|cxx|cs|go|rs|rb|php|java|kt|kts|swift|scala|lua|pl|r|jl|"
    "sh|bash|zsh|ps1|bat|sql|html?|css|scss|less|vue|svelte|json[5cl]?|ya?ml|toml|ini|cfg|conf|env|xml|csv|tsv|md|"
    "rst|txt|log|lock|proto|tf|gradle|ipynb|asm|f90|pas|vb|dart|ex|exs|erl|hs|ml|mod|sum|spec|service"
)
# A name is part of a longer one when these stand beside it; Chinese needs no space around it.
_BEFORE = r"(?<![A-Za-z0-9_./\\@~-])"
_AFTER = r"(?![A-Za-z0-9_/\\])"

URL = r"https?://[^\s<>()\"'，。；、（）]+[^\s<>()\"'，。；、（）.,;:!?]"
FILE = (
    rf"{_BEFORE}(?:(?:[A-Za-z]:)?[/\\~]|\.{{1,2}}/)?(?:[A-Za-z0-9_.@+-]+[/\\])*[A-Za-z0-9_][A-Za-z0-9_.@+-]*"
    rf"\.(?:(?i:{_EXTENSION}))\b{_AFTER}"
    rf"|{_BEFORE}(?:Dockerfile|Makefile|Jenkinsfile|Gemfile|Procfile|\.gitignore|\.env)\b{_AFTER}"
)
# "and/or" is no folder: one has a root, an end, or at least three parts.
_STEP = "[A-Za-z0-9_.@-]+"
FOLDER = (
    rf"{_BEFORE}(?=[^\s]{0, 80}[A-Za-z])(?:(?:~|\.{{0,2}})/{_STEP}(?:/{_STEP})*/?"
    rf"|{_STEP}(?:/{_STEP}){{2,}}/?|(?:{_STEP}/)+(?![^\W_]))"
)
FLAG = r"(?<![\w-])--?[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*"
CALL = rf"{_BEFORE}[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*){{0,8}}\(\)"
SNAKE = r"(?<![A-Za-z0-9_])_*[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+_*|(?<![A-Za-z0-9_])__?[A-Za-z][A-Za-z0-9]*_*"
CAMEL = r"(?<![A-Za-z0-9_])(?:[a-z]+|[A-Z][a-z0-9]+)(?:[A-Z][a-z0-9]*)+(?![A-Za-z0-9_])"
DOTTED = r"(?<![A-Za-z0-9_.])[A-Za-z_][A-Za-z0-9_]+(?:(?:\.|::)[A-Za-z_][A-Za-z0-9_]+)+"
TAGGED = r"(?<![A-Za-z0-9_])[A-Z]{2,6}[- ]?\d+(?:\.\d+)*(?![A-Za-z0-9_])"

_NO_TICKET = "UTF|SHA|AES|RSA|GPT|ISO|RFC|CVE|COVID|IPV|HTTP|TLS|SSL|USB|MD|PEP|CPU|GPU|RAM|LTE|IEEE|ECMA|ES|BERT|TOP"
TICKET = re.compile(
    rf"(?<![A-Za-z0-9_-])(?!(?:{_NO_TICKET})-)[A-Z][A-Z0-9]{{1,9}}-\d{{1,6}}(?![A-Za-z0-9_])"
    r"|(?i:\b(?:prs?|mrs?|pull requests?|merge requests?|issues?|tickets?|bugs?|cards?|stor(?:y|ies))"
    r"(?: number| no\.?)?\s?(?:#\s?)?\d+\b)"
    r"|(?<![\w#&])#\d{1,6}\b"
    r"|(?:工单|问题单|缺陷单?|需求单?|任务单|卡片|合并请求|拉取请求)\s?(?:编号)?\s?(?:#|号)?\s?\d+(?:\s?号)?"
    r"|\d+\s?号(?:工单|问题单|缺陷单?|需求单|任务单|卡片)",
    re.ASCII,
)
COMMIT = re.compile(r"(?i:\bcommit|提交)\s?`?(?P<hash>(?=[0-9a-f]*\d)[0-9a-f]{7,40})\b`?", re.ASCII)
LINE = re.compile(
    r"(?i:\blines?\s?(?:number\s|no\.?\s)?\d+(?:\s?(?:-|–|to)\s?\d+)?\b)|第\s?\d+\s?(?:(?:-|–|~|至|到)\s?\d+\s?)?行"
    r"|(?<![\w-])L\d+(?:-L?\d+)?\b|(?<=[A-Za-z]):\d+(?::\d+)?\b",
    re.ASCII,
)
FILES = re.compile(FILE, re.ASCII)
FUNCTIONS = re.compile(
    rf"(?P<call>{CALL})"
    r"|(?i:\b(?:the\s)?(?:function|method|class|helper|test|fixture|variable|struct|constructor))\s`?(?P<named>[A-Za-z_]\w{2,})`?"
    r"|`?(?<![A-Za-z0-9_])(?P<before>[A-Za-z_]\w{2,}(?:\.\w+)*)`?"
    r"(?:\s(?i:function|method|class|helper|fixture|variable|struct|constructor)\b|\s?(?:这个|这一|这)?(?:函数|方法|类|变量|结构体))"
    r"|(?:函数|方法|变量|类)\s?`?(?P<after>[A-Za-z_]\w{2,})`?",
    re.ASCII,
)
CODED = re.compile(rf"(?P<snake>{SNAKE})|(?P<camel>{CAMEL})", re.ASCII)


def files(text: str) -> list[str]:
    """Return the files a text names, each once, as written."""
    return _each_once(found[0] for found in FILES.finditer(text))


def functions(text: str) -> list[str]:
    """Return the functions, classes and variables a text names as such, each once."""
    return _each_once(_function(found) for found in FUNCTIONS.finditer(text) if _is_code(found))


def tickets(text: str) -> list[str]:
    """Return the tickets, pull requests and commits a text names, each once."""
    return _each_once(found[0] for pattern in (TICKET, COMMIT) for found in pattern.finditer(text))


def lines(text: str) -> list[str]:
    """Return the lines of a file a text points at, as written."""
    return [found[0].strip(":") for found in LINE.finditer(text)]


def _each_once(found: Iterable[str]) -> list[str]:
    return list({"".join(name.lower().split()): name for name in found}.values())


def _function(found: re.Match[str]) -> str:
    name: str = found[found.lastgroup or 0]
    return name.removesuffix("()")


def _is_code(found: re.Match[str]) -> bool:
    """Tell `parse_config function` from "this function": the name must look like code or be called."""
    return bool(found["call"] or CODED.fullmatch(_function(found)) or "`" in found[0])
