"""Entries that agents recorded, the filter's decisions on them, and people's decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypedDict

from memsieve import validate
from memsieve.errors import InvalidInput
from memsieve.model.reasons import Reason

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# A text as an embedder sees it.
Vector: TypeAlias = "npt.NDArray[np.float32]"

MAX_LISTED = 10_000
MAX_SEARCH_BYTES = 64 * 1024


class Layer(StrEnum):
    """The three tiers; an entry is in the tier it is read from, and in long-term memory once a person approved it."""

    QUARANTINE = "quarantine"
    WORKING = "working"
    LONGTERM = "longterm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One output of one agent, in the tier it is read from."""

    id: str
    project_id: str
    session_id: str
    content: str
    created_at: datetime
    layer: Layer = Layer.QUARANTINE
    agent_id: str | None = None
    node_id: str | None = None
    confidence: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    embedding: Vector | None = field(default=None, compare=False, repr=False)
    expires_at: datetime | None = None
    promoted_at: datetime | None = None
    # The key or program it came by, as the server knows it: no caller says this of itself.
    recorded_by: str | None = None

    @property
    def verified(self) -> bool:
        """Whether a person approved it."""
        return self.promoted_at is not None


class EntryFields(TypedDict, total=False):
    """What a caller may say of an entry beside its text and its session. All but two of them are names."""

    agent_id: str | None
    node_id: str | None
    confidence: float | None
    metadata: Mapping[str, Any] | None


CALLER_FIELDS = EntryFields.__optional_keys__


def caller_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a caller says of an entry, without fields that are None; refuse what is no such field."""
    if unknown := sorted(fields.keys() - CALLER_FIELDS):
        raise TypeError(f"record() takes no {', '.join(unknown)}. An entry has {', '.join(sorted(CALLER_FIELDS))}.")
    return {name: value for name, value in fields.items() if value is not None}


def checked_fields(fields: Mapping[str, Any], *, max_bytes: int) -> dict[str, Any]:
    """Return what a caller says of an entry as it is kept, or refuse it."""
    return {name: _checked_field(name, value, max_bytes) for name, value in fields.items()}


def _checked_field(name: str, value: object, max_bytes: int) -> Any:
    match name:
        case "metadata":
            return validate.metadata(value, max_bytes)
        case "confidence":
            return validate.confidence(value)
    return None if value is None else validate.name(value, field=name)


class CheckName(StrEnum):
    """The checks of the ingress filter, in the order in which they run."""

    LENGTH = "length"
    CONFIDENCE = "confidence"
    SUBSTANCE = "substance"
    TOMBSTONE = "tombstone"
    ECHO = "echo"
    INJECTION = "injection"
    DUPLICATE = "duplicate"
    CONSISTENCY = "consistency"


class NotChecked(StrEnum):
    """Why the checks did not decide on an entry; stored in their place, as one failed check of this name."""

    AGE = "age"
    EMBEDDER = "embedder"
    STORE = "store"
    SPOOLED = "spool"
    ATTEMPTED = "begun"


_NOT_CHECKED = {str(why): why for why in NotChecked}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What one check of the ingress filter found, or, by a name of `NotChecked`, why the checks did not run."""

    name: str
    passed: bool
    score: float | None
    reason: Reason


# Where passages of a content begin and end, in characters.
Passages: TypeAlias = tuple[tuple[int, int], ...]


def excerpt(content: str, passages: Passages | None) -> str:
    """Return passages of a content word for word, or all of it where there are none to choose."""
    return content if passages is None else "\n".join(content[start:end] for start, end in passages)


class Decision(StrEnum):
    """What became of an entry at the filter; pending entries are tried again."""

    ADMITTED = "admitted"
    REFUSED = "refused"
    PENDING = "pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The filter's decision on an entry, with every check behind it."""

    decision: Decision
    checks: tuple[Check, ...]
    decided_at: datetime
    shadow: Decision | None = None
    # The passages that were admitted; None: all of it.
    passages: Passages | None = None

    @classmethod
    def without_checks(
        cls,
        why: NotChecked | CheckName,
        reason: Reason,
        *,
        at: datetime,
        score: float | None = None,
        decision: Decision = Decision.PENDING,
    ) -> Admission:
        """Return a decision that the checks did not make, or that waits for one of them."""
        return cls(
            decision=decision, checks=(Check(name=why, passed=False, score=score, reason=reason),), decided_at=at
        )

    @property
    def admitted(self) -> bool:
        return self.decision is Decision.ADMITTED

    @property
    def not_checked(self) -> NotChecked | None:
        """Why the checks did not decide, or None where they did."""
        return next((_NOT_CHECKED[check.name] for check in self.checks if check.name in _NOT_CHECKED), None)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why it was not admitted, one reason for each check that failed."""
        return tuple(check.reason for check in self.checks if not check.passed)

    def withheld(self) -> Admission:
        """Return the decision without any quote, for callers who may not read the entry."""
        checks = tuple(
            replace(check, reason=Reason.of("withheld.passed" if check.passed else "withheld.failed", check=check.name))
            for check in self.checks
        )
        return replace(self, checks=checks)


class ReviewStatus(StrEnum):
    """What a person decided about an entry; covered: it is behind a promoted insight without counting for it."""

    PROMOTED = "promoted"
    DISMISSED = "dismissed"
    RETIRED = "retired"
    COVERED = "covered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """An entry as quarantine keeps it, with the filter's decision and a person's.

    The quarantine's `add` and `add_all` set `new`: True if that call stored the entry.
    """

    entry: Entry
    admission: Admission
    review: ReviewStatus | None = None
    new: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFilter:
    """Which quarantine entries to list; every field narrows the list. `check` is one that they did not pass."""

    session_id: str | None = None
    agent_id: str | None = None
    decision: Decision | None = None
    review: ReviewStatus | None = None
    check: str | None = None
    text: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    beyond_id: str | None = None
    limit: int = 50
    oldest_first: bool = False

    @classmethod
    def given(cls, wanted: Self | None) -> Self:
        """Return the filter that a caller gave, or one that lets all pass; refuse what is no filter."""
        wanted = cls() if wanted is None else wanted
        if not isinstance(wanted, cls):
            raise InvalidInput(f"log takes an EntryFilter, not {type(wanted).__name__}.", field="wanted")
        return wanted

    def __post_init__(self) -> None:
        for field_name in ("session_id", "agent_id", "check", "beyond_id"):
            value = getattr(self, field_name)
            if value is not None:
                validate.name(value, field=field_name)
        if self.text is not None:
            validate.text(self.text, field="text", max_bytes=MAX_SEARCH_BYTES)
        validate.whole_number(self.limit, field="limit", most=MAX_LISTED)
        validate.one_of(self.decision, (None, *Decision), field="decision")
        validate.one_of(self.review, (None, *ReviewStatus), field="review")
        for field_name in ("since", "until"):
            if not isinstance(value := getattr(self, field_name), datetime | None):
                raise InvalidInput(f"{field_name} is {value!r}; it must be a datetime.", field=field_name)
