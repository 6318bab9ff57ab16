"""The only maker of an Approval: a named person says that a text is true."""

from __future__ import annotations

import uuid
from datetime import datetime

from memsieve.errors import ApprovalRequired
from memsieve.model import Approval, Origin, Role, Scope, require_project


def approve(
    scope: Scope,
    content: str,
    at: datetime,
    entry_ids: tuple[str, ...] = (),
    insight_id: str | None = None,
    origin: Origin | None = None,
) -> Approval:
    """Make an approval on behalf of the person who asks."""
    if scope.role is not Role.PERSON:
        raise ApprovalRequired(
            f"{scope.actor!r} asks as {scope.role}. Long-term memory is written by a person's promotion alone: "
            "promote with the name of the person who checked it."
        )
    require_project(scope.project_id)
    return Approval(
        id=str(uuid.uuid4()),
        project_id=scope.project_id,
        content=content.strip(),
        by=scope.actor,
        at=at,
        entry_ids=entry_ids,
        insight_id=insight_id,
        origin=origin,
    )
