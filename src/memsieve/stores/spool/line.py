"""One line of the spool, with its checksum.

`["checksum",{…}]` is an entry that waits; `["checksum",120]` says that all before byte 120 is delivered.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memsieve.errors import InvalidInput, StoreCorrupt
from memsieve.model import Admission, Entry, NotChecked, Reason, Receipt, Role, Scope

_KEPT = ("id", "project_id", "session_id", "content", "agent_id", "node_id", "confidence")
_SUM_BYTES = 8
# ["0123456789abcdef",
_BODY = len('["",') + 2 * _SUM_BYTES

# Project, what kind of name it is, and the name.
Name = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What was asked of the store while it was away."""

    scope: Scope
    entry: Entry
    idempotency_key: str | None

    @property
    def names(self) -> tuple[Name, ...]:
        """What it must not be kept under twice."""
        project = self.scope.project_id
        by_id = (project, "id", self.entry.id)
        return (by_id,) if self.idempotency_key is None else (by_id, (project, "key", self.idempotency_key))

    @property
    def receipt(self) -> Receipt:
        """What the caller is told while it waits."""
        pending = Admission.without_checks(NotChecked.SPOOLED, Reason.of("pending.spooled"), at=self.entry.created_at)
        return Receipt(entry=self.entry, admission=pending)

    def document(self) -> dict[str, Any]:
        """Return it as JSON carries it, without what quarantine does not keep."""
        return {
            "scope": {"project_id": self.scope.project_id, "actor": self.scope.actor, "role": self.scope.role},
            "entry": {
                **{name: getattr(self.entry, name) for name in _KEPT},
                "metadata": dict(self.entry.metadata),
                "created_at": self.entry.created_at.isoformat(),
            },
            "idempotency_key": self.idempotency_key,
        }


def pack(body: Mapping[str, Any] | int) -> bytes:
    """Return a line that can be told from a damaged one."""
    try:
        written = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError as exc:
        raise InvalidInput(f"The entry is not valid Unicode: {exc}. Decode it properly.", field="content") from exc
    return b'["%s",%s]\n' % (_checksum(written), written)


def unpack(line: bytes) -> Said | int:
    """Return what a line without its end holds, or raise StoreCorrupt."""
    body = line[_BODY:-1]
    if line != b'["%s",%s]' % (_checksum(body), body):
        raise StoreCorrupt("This line of the spool is damaged: its checksum is another.")
    try:
        held = json.loads(body)
        return held if isinstance(held, int) else _said(held)
    except (KeyError, TypeError, ValueError, InvalidInput) as exc:
        raise StoreCorrupt(f"This line of the spool was written by another version of memsieve: {exc!r}.") from exc


def _said(held: Mapping[str, Any]) -> Said:
    scope, entry = held["scope"], held["entry"]
    return Said(
        scope=Scope(project_id=scope["project_id"], actor=scope["actor"], role=Role(scope["role"])),
        entry=Entry(**{**entry, "created_at": datetime.fromisoformat(entry["created_at"])}),
        idempotency_key=held["idempotency_key"],
    )


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_SUM_BYTES).hexdigest().encode()
