"""How sure an agent is: as its output or metadata states, else by its tokens' probabilities, else unknown."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

NAMES = ("confidence", "confidence_score")
# Where frameworks put what a provider told beside the text.
_BESIDE = ("additional_kwargs", "response_metadata", "metadata", "provider_details", "generation_info")
_DEEPEST = 3


def confidence(value: Any) -> float | None:
    """Return the confidence that an output or a message carries, or None."""
    said = stated(value)
    return said if said is not None else _probable(value)


def stated(value: Any, depth: int = 0) -> float | None:
    """Return the confidence that is stated as a number from 0 to 1, in the output, beside it, or in its JSON."""
    if isinstance(value, str):
        return _in_json(value)
    if value is None or isinstance(value, bytes | int | float) or depth > _DEEPEST:
        return None
    places = (_get(value, name) for name in (*_BESIDE, "content"))
    told = (stated(place, depth + 1) for place in places if isinstance(place, Mapping | str))
    return next(filter(_is_number, (*(_share(_get(value, name)) for name in NAMES), *told)), None)


def _probable(value: Any) -> float | None:
    if value is None or isinstance(value, str | bytes | int | float):
        return None
    places = (value, *(_get(value, name) for name in _BESIDE))
    found = (from_logprobs(_get(place, "logprobs")) for place in places if place is not None)
    return next(filter(_is_number, found), None)


def _in_json(text: str) -> float | None:
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}") and any(name in text for name in NAMES)):
        return None
    try:
        written = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return next(filter(_is_number, (_share(_get(written, name)) for name in NAMES)), None)


def _is_number(value: float | None) -> bool:
    return value is not None


def from_logprobs(logprobs: Any) -> float | None:
    """Return the mean probability of a token, as a geometric mean; None without any."""
    found = [one for one in map(_logprob, _tokens(logprobs)) if one is not None]
    return math.exp(min(0.0, math.fsum(found) / len(found))) if found else None


def _tokens(logprobs: Any) -> Iterable[Any]:
    """Return what is told of each token, in the ways of chat completions, of completions, and of responses."""
    if isinstance(logprobs, Mapping):
        logprobs = next((logprobs[name] for name in ("content", "token_logprobs", "tokens") if logprobs.get(name)), [])
    elif logprobs is not None and hasattr(logprobs, "content"):
        logprobs = logprobs.content
    return logprobs if isinstance(logprobs, list | tuple) else []


def _logprob(token: Any) -> float | None:
    value = token if isinstance(token, int | float) else _get(token, "logprob")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _share(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
