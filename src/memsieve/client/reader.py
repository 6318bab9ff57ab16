"""Read JSON by kind: what is missing or of another kind is named, what is unknown is passed over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias, TypeVar

from memsieve.errors import SchemaOutdated

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)
Reader: TypeAlias = Callable[[object], T]


class Unreadable(Exception):
    """A value is not what it should be; `path` leads to it."""

    def __init__(self, problem: str, path: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = path

    def below(self, step: str) -> Unreadable:
        """Return the same, seen from one step further out."""
        return Unreadable(self.problem, f"{step}.{self.path}" if self.path else step)


class Fields:
    """The fields of a JSON object."""

    def __init__(self, value: object) -> None:
        self._values = mapping(value)

    def read(self, name: str, reader: Reader[T]) -> T:
        """Return a field as its reader has it."""
        if name not in self._values:
            raise Unreadable("is missing", name)
        try:
            return reader(self._values[name])
        except Unreadable as exc:
            raise exc.below(name) from exc


def read(reader: Reader[T], document: object) -> T:
    """Read a whole answer, or say what of it cannot be read."""
    try:
        return reader(document)
    except Unreadable as exc:
        raise SchemaOutdated(
            f"In the server's answer {exc.path or 'the document'} {exc.problem}. Server and client seem to be of "
            "different versions: update the older one."
        ) from exc


def text(value: object) -> str:
    """Read a text."""
    if not isinstance(value, str):
        raise _other("text", value)
    return value


def switch(value: object) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise _other("true or false", value)
    return value


def whole(value: object) -> int:
    """Read a whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise _other("a whole number", value)
    return value


def number(value: object) -> float:
    """Read a number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _other("a number", value)
    return float(value)


def moment(value: object) -> datetime:
    """Read a time with its zone."""
    try:
        at = datetime.fromisoformat(text(value))
    except ValueError as exc:
        raise _other("a time", value) from exc
    if at.tzinfo is None:
        raise _other("a time with its zone", value)
    return at


def mapping(value: object) -> dict[str, Any]:
    """Read an object as it is."""
    if not isinstance(value, dict):
        raise _other("an object", value)
    return value


def one_of(kind: type[E]) -> Reader[E]:
    """Return what reads one of some words."""

    def chosen(value: object) -> E:
        try:
            return kind(text(value))
        except ValueError as exc:
            raise _other(f"one of {', '.join(kind)}", value) from exc

    return chosen


def maybe(reader: Reader[T]) -> Reader[T | None]:
    """Return what reads null, too."""
    return lambda value: None if value is None else reader(value)


def many(reader: Reader[T]) -> Reader[tuple[T, ...]]:
    """Return what reads a list."""

    def items(value: object) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise _other("a list", value)
        return tuple(_item(reader, place, one) for place, one in enumerate(value))

    return items


def counts(key: Reader[T]) -> Reader[Mapping[T, int]]:
    """Return what reads how many there are of each."""
    return lambda value: {key(name): Fields(value).read(name, whole) for name in mapping(value)}


def _item(reader: Reader[T], place: int, value: object) -> T:
    try:
        return reader(value)
    except Unreadable as exc:
        raise exc.below(str(place)) from exc


def _other(wanted: str, value: object) -> Unreadable:
    shown = repr(value)
    return Unreadable(f"is {shown if len(shown) <= 60 else shown[:60] + '…'}, and should be {wanted}")  # noqa: PLR2004
