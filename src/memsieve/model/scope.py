"""Who asks, about which project, and with which key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memsieve import validate
from memsieve.errors import Forbidden

# What is done to the server as a whole is audited under this name. It is no project: nothing is remembered in it.
SERVER_PROJECT = "memsieve:server"


class Role(StrEnum):
    """Who is asking: an agent, a person who reviews, or memsieve itself."""

    AGENT = "agent"
    PERSON = "person"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One project and who is asking: every call into a store carries one."""

    project_id: str
    actor: str
    role: Role

    @classmethod
    def system(cls, project_id: str) -> Scope:
        """Return the scope of what memsieve does by itself."""
        return cls(project_id=project_id, actor="memsieve", role=Role.SYSTEM)

    @classmethod
    def person(cls, project_id: str, name: str) -> Scope:
        """Return the scope of what is done in a person's name."""
        return cls(project_id=project_id, actor=name, role=Role.PERSON)

    @classmethod
    def agent(cls, project_id: str) -> Scope:
        """Return the scope of what agents do."""
        return cls(project_id=project_id, actor="agent", role=Role.AGENT)

    def __post_init__(self) -> None:
        object.__setattr__(self, "project_id", validate.project_name(self.project_id))
        object.__setattr__(self, "actor", validate.name(self.actor, field="actor"))

    def require(self, *roles: Role) -> None:
        """Refuse unless the role that asks is one of these."""
        if self.role not in roles:
            needed = " or ".join(roles)
            raise Forbidden(
                f"{self.actor!r} asks as {self.role}, and this needs {needed}. "
                "Quarantine is read, and long-term memory written, on behalf of a person only."
            )


def require_project(project_id: str) -> None:
    """Refuse to remember anything in the server's own audit log."""
    if project_id == SERVER_PROJECT:
        raise Forbidden(
            f"{SERVER_PROJECT!r} is the server's own audit log, and holds no memories. Name a project of yours."
        )


class KeyRole(StrEnum):
    """What the bearer of a key may do; only an admin's key opens every project."""

    AGENT = "agent"
    REVIEWER = "reviewer"
    AUDITOR = "auditor"
    ADMIN = "admin"


class Right(StrEnum):
    """What a caller may do: every route and every MCP tool requires one."""

    RECORD = "record"
    QUERY = "query"
    AUDIT = "audit"
    REVIEW = "review"
    KEYS = "keys"


RIGHTS: Mapping[Right, frozenset[KeyRole]] = {
    Right.RECORD: frozenset({KeyRole.AGENT, KeyRole.REVIEWER, KeyRole.ADMIN}),
    Right.QUERY: frozenset(KeyRole),
    Right.AUDIT: frozenset({KeyRole.REVIEWER, KeyRole.AUDITOR, KeyRole.ADMIN}),
    Right.REVIEW: frozenset({KeyRole.REVIEWER, KeyRole.ADMIN}),
    Right.KEYS: frozenset({KeyRole.ADMIN}),
}


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
        """The project whose audit log holds that the key was made and revoked."""
        return SERVER_PROJECT if self.project_id is None else self.project_id
