"""Lines of a stream, as many at a time as can be had without waiting."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from memsieve.errors import InvalidInput

# The most lines imported and reported together: about a second's work.
TOGETHER = 256

_READ = 1 << 18
# JSON may write a byte of content as six, metadata is as large again, and the filter's reasons quote.
_LINE_FACTOR = 16
_LEAST_LINE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RawLine:
    """A line that is not blank, and where it ends; None in place of one that is too long."""

    number: int
    end: int
    raw: bytes | None

    def value(self, longest: int) -> dict[str, Any]:
        """Return the object that the line holds, or say why there is none."""
        if self.raw is None:
            raise InvalidInput(f"The line is longer than {longest} bytes. Split it.", field="line")
        raw = self.raw.removeprefix(codecs.BOM_UTF8) if self.number == 1 else self.raw
        try:
            value = json.loads(raw.decode())
        except UnicodeDecodeError as exc:
            raise InvalidInput(f"The line is not valid UTF-8 at byte {exc.start}. Convert it.", field="line") from exc
        except (ValueError, RecursionError) as exc:
            raise InvalidInput(f"The line is not JSON: {exc}. Write one object a line.", field="line") from exc
        if not isinstance(value, dict):
            raise InvalidInput(f"The line is a JSON {type(value).__name__}. Write one object a line.", field="line")
        return value


def longest_line(max_content_bytes: int) -> int:
    """Return how many bytes a line may have if its content has at most this many."""
    return max(_LEAST_LINE, _LINE_FACTOR * max_content_bytes)


def batches(stream: BinaryIO, longest: int) -> Iterator[list[RawLine]]:
    """Yield the lines that are there: a file gives many at once, a pipe does not keep the last one waiting for more."""
    number = end = 0
    for pieces in _read(stream, longest):
        lines = []
        for raw, length in pieces:
            number, end = number + 1, end + length
            if raw is None or raw.strip():
                lines.append(RawLine(number=number, end=end, raw=raw))
        for start in range(0, len(lines), TOGETHER):
            yield lines[start : start + TOGETHER]


def _read(stream: BinaryIO, longest: int) -> Iterator[list[tuple[bytes | None, int]]]:
    begun, length = b"", 0
    while data := stream.read1(_READ):  # type: ignore[attr-defined] # files and standard input are buffered: they have it
        *ends, rest = data.split(b"\n")
        pieces: list[tuple[bytes | None, int]] = []
        for piece in ends:
            length += len(piece) + 1
            pieces.append((begun + piece if length <= longest else None, length))
            begun, length = b"", 0
        length += len(rest)
        begun = begun + rest if length <= longest else b""
        yield pieces
    if length:
        yield [(begun if length <= longest else None, length)]
