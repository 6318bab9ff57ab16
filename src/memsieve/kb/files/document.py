"""A Markdown file with front matter: parsed strictly, and edited without touching any other byte."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from memsieve.errors import KnowledgeBaseError
from memsieve.kb.files import atomic, frontmatter

MOST_BYTES = atomic.MOST
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_BOM = "\ufeff"
_FENCE = re.compile(r"---[ \t]*(?:\r?\n|$)")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_NO_TEXT = "This is not a text in UTF-8"
_CODE_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE_SPAN = re.compile(r"`[^`]*`")
# [text](target "title"), ![picture](target), [text](<target with spaces>)
_INLINE_LINK = re.compile(r"\]\(\s*(?:<([^<>]*)>|((?:[^()\s<>]|\([^()\s]*\))+))")
# [name]: target
_REFERENCE_LINK = re.compile(r" {0,3}\[[^\[\]]+\]:\s*(?:<([^<>]*)>|(\S+))")
_NOT_RELATIVE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/\\#]|$")


@dataclass(frozen=True, slots=True)
class MarkdownDocument:
    """A Markdown text and the fields of its front matter; `opening`, `head`, `closing` and `body` hold the original."""

    fields: Mapping[str, Any]
    body: str
    head: str | None = None
    opening: str = "---\n"
    closing: str = "---\n"

    @classmethod
    def of(cls, fields: Mapping[str, Any], body: str) -> MarkdownDocument:
        """Create a document with these fields."""
        end = "" if body.endswith("\n") else "\n"
        return cls(dict(fields), f"\n{body}{end}" if body.strip() else "", frontmatter.dump(fields))

    @property
    def text(self) -> str:
        """The body without surrounding space."""
        return self.body.removeprefix(_BOM).strip()

    @property
    def newline(self) -> str:
        """Its line ending."""
        return "\r\n" if self.opening.endswith("\r\n") or (self.head is None and "\r\n" in self.body) else "\n"

    @property
    def body_line(self) -> int:
        """The line of the file on which the body begins, from 1."""
        return 1 if self.head is None else self.head.count("\n") + 3

    def value(self, field: str) -> str:
        """Return a field as text; empty if it is missing, a list or a mapping."""
        given = self.fields.get(field)
        return "" if isinstance(given, list) else "".join(self.values(field))

    def values(self, field: str) -> list[str]:
        """Return a field as a list of texts; a single value is a list of one."""
        given = self.fields.get(field)
        many = given if isinstance(given, list) else [given]
        return [str(one).strip() for one in many if isinstance(one, str | int | float) and str(one).strip()]

    def title(self, path: str) -> str:
        """Return the title in the front matter, or else the first heading, or else the file's name."""
        if given := self.value("title"):
            return given
        heading = _HEADING.search(self.body)
        return heading[1] if heading else PurePosixPath(path).stem

    def line(self, field: str) -> int | None:
        """Return the line number of a field in the file, from 1, or None if there is no such field."""
        return None if self.head is None else frontmatter.lines(self.head).get(field)

    def render(self) -> str:
        """Return the whole text; a parsed document comes back byte by byte."""
        return self.body if self.head is None else f"{self.opening}{self.head}{self.closing}{self.body}"

    def whole(self) -> str:
        """Return the whole text to be written, or refuse what could not be read again."""
        written = self.render()
        parse(written)
        return written

    def encode(self) -> bytes:
        """Return what `whole` does, in UTF-8."""
        return self.whole().encode()

    def with_body(self, body: str) -> MarkdownDocument:
        """Return the document with another body, in the same line endings."""
        lines = body.strip().replace("\r\n", "\n").split("\n")
        start = "" if self.head is None else self.newline
        text = f"{start}{self.newline.join(lines)}{self.newline}"
        # Without front matter, the byte order mark is part of the body.
        mark = _BOM if self.head is None and self.body.startswith(_BOM) else ""
        return MarkdownDocument(self.fields, mark + text, self.head, self.opening, self.closing)

    def with_fields(self, /, **changes: Any) -> MarkdownDocument:
        """Return the document with fields changed, or removed where None; all other lines stay as they are."""
        if self.head is None:
            return self._with_head(changes)
        fields = {name: value for name, value in {**self.fields, **changes}.items() if changes.get(name, 0) is not None}
        head = frontmatter.change(self.head, changes, newline=self.newline)
        closing = self.closing if self.closing.endswith("\n") else f"{self.closing}{self.newline}"
        return MarkdownDocument(fields, self.body, head, self.opening, closing)

    def _with_head(self, changes: Mapping[str, Any]) -> MarkdownDocument:
        fields = {name: value for name, value in changes.items() if value is not None}
        mark, body = (_BOM, self.body[1:]) if self.body.startswith(_BOM) else ("", self.body)
        head = frontmatter.dump(fields).replace("\n", self.newline)
        fence = f"---{self.newline}"
        return MarkdownDocument(
            fields, f"{self.newline}{body}" if body.strip() else body, head, f"{mark}{fence}", fence
        )


def read(path: Path) -> MarkdownDocument:
    """Read a document; refuse a link, a folder, or a text that is too large or broken, with file and line."""
    return parse(decode(atomic.read(path, most=MOST_BYTES), file=path), file=path)


def decode(content: bytes, *, file: object = None) -> str:
    """Decode UTF-8, or say which line is not UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError as exc:
        line = content.count(b"\n", 0, exc.start) + 1
        raise KnowledgeBaseError(f"{_NO_TEXT}. Convert it, or move it away.", file=file, line=line) from exc


def parse(text: str, *, file: object = None) -> MarkdownDocument:
    """Parse a text; without front matter it has no fields."""
    checked(text, file=file)
    mark = _BOM if text.startswith(_BOM) else ""
    opening = _FENCE.match(text, len(mark))
    if opening is None:
        return MarkdownDocument({}, text)
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        raise KnowledgeBaseError(
            "The front matter does not end: put a line --- below it, or remove the one above it.", file=file, line=1
        )
    head = text[opening.end() : closing.start()]
    fields = frontmatter.load(head, file=file)
    return MarkdownDocument(fields, text[closing.end() :], head, mark + opening[0], closing[0])


def checked(text: str, *, file: object = None) -> str:
    """Return the text, or refuse one with a NUL, a lone surrogate or too many bytes."""
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise KnowledgeBaseError("This holds a NUL: it is no text. Move it away.", file=file, line=line)
    try:
        size = len(text.encode())
    except UnicodeEncodeError as exc:
        line = text.count("\n", 0, exc.start) + 1
        raise KnowledgeBaseError(f"{_NO_TEXT}: it has half a character. Remove it.", file=file, line=line) from exc
    if size > MOST_BYTES:
        raise KnowledgeBaseError(f"This has {size} bytes; {MOST_BYTES} is the most. Split it.", file=file)
    return text


def relative_links(text: str) -> Iterator[tuple[int, str]]:
    """Yield each relative link with its line from 0; links in code, to the web and within the page are skipped."""
    fence = ""
    for number, line in enumerate(text.split("\n")):
        mark = _CODE_FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        else:
            yield from ((number, target) for target in _link_targets(line))


def _link_targets(line: str) -> Iterator[str]:
    plain = _CODE_SPAN.sub("", line)
    found = [*_INLINE_LINK.finditer(plain), *_REFERENCE_LINK.finditer(plain, 0, len(plain))]
    for match in found:
        target = match[1] if match[1] is not None else match[2]
        if not _NOT_RELATIVE.match(target):
            yield unquote(re.split("[#?]", target, maxsplit=1)[0])
