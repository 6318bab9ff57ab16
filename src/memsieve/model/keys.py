"""Who may come in through the HTTP door."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memsieve.model.scope import SERVER_PROJECT


class KeyRole(StrEnum):
    """What the bearer of a key may do; only an admin's key opens every project."""

    AGENT = "agent"
    REVIEWER = "reviewer"
    AUDITOR = "auditor"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key as it is listed, never with its secret; `name` is the actor of everything done with it."""

    id: str
    name: str
    role: KeyRole
    project_id: str | None
    made_at: datetime
    made_by: str
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None
    revoked_by: str | None = None

    @property
    def audited_in(self) -> str:
        """The project in whose audit log it stands that the key was made and revoked."""
        return SERVER_PROJECT if self.project_id is None else self.project_id
