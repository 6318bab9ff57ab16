"""Why something was decided: a code, its parameters, and one sentence for each language."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, TypeAlias, Union

Language = Literal["en", "zh"]
Param: TypeAlias = Union[str, int, float, "Reason", Sequence[Union[str, "Reason"]], None]

# The code of a sentence that was stored before reasons had codes, or that a language model wrote.
TEXT: Final = "text"
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_DECIMALS = 3


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something was decided. `reasons.json` holds the sentence of each code, in every language."""

    code: str
    params: Mapping[str, Param] = field(default_factory=dict)

    @classmethod
    def of(cls, code: str, **params: Param) -> Reason:
        """Return the reason with this code and these parameters."""
        return cls(code, params)

    @classmethod
    def text(cls, sentence: str) -> Reason:
        """Return a reason given as free text, which no table translates."""
        return cls(TEXT, {"text": sentence})

    @classmethod
    def load(cls, document: Mapping[str, Any] | str) -> Reason:
        """Return the reason that `dump` wrote, or a sentence that was stored before reasons had codes."""
        if isinstance(document, str):
            return cls.text(document)
        return cls(document["code"], {name: _loaded(value) for name, value in document["params"].items()})

    def dump(self) -> dict[str, Any]:
        """Return the reason as JSON keeps it."""
        return {"code": self.code, "params": {name: _dumped(value) for name, value in self.params.items()}}

    def sentence(self, language: Language = "en") -> str:
        """Return the reason in words; an unknown code, of a newer version, is shown as it is."""
        template = templates().get(self.code)
        if template is None:
            return f"{self.code}."
        return _PLACEHOLDER.sub(lambda name: _shown(self.params.get(name[1], ""), language), template[language])

    @property
    def en(self) -> str:
        """The sentence in English."""
        return self.sentence("en")

    @property
    def zh(self) -> str:
        """The sentence in Chinese."""
        return self.sentence("zh")

    def __str__(self) -> str:
        return self.sentence()


@cache
def templates() -> Mapping[str, Mapping[str, str]]:
    """Return the templates of all codes; `{name}` is a parameter."""
    table: dict[str, dict[str, str]] = json.loads(
        (files("memsieve.model") / "reasons.json").read_text(encoding="utf-8")
    )
    return table


def _shown(value: Param, language: Language) -> str:
    if isinstance(value, Reason):
        return value.sentence(language)
    if isinstance(value, float):
        return f"{round(value, _DECIMALS):g}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return (", " if language == "en" else "、").join(_shown(one, language) for one in value)
    return str(value)


def _dumped(value: Param) -> Any:
    if isinstance(value, Reason):
        return value.dump()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_dumped(one) for one in value]
    return value


def _loaded(value: Any) -> Param:
    if isinstance(value, Mapping):
        return Reason.load(value)
    if isinstance(value, list):
        return tuple(one if isinstance(one, str) else Reason.load(one) for one in value)
    return value  # type: ignore[no-any-return] # what JSON holds besides
