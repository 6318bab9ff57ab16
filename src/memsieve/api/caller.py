"""Who calls, what they may, and which project they mean: the credential says it, never what was sent."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import unquote

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from memsieve import validate
from memsieve.api import cookie
from memsieve.api.body import read_json
from memsieve.api.requests import Body, Named
from memsieve.api.state import State, state_of
from memsieve.errors import Forbidden, InvalidInput, StoreUnavailable
from memsieve.model import ApiKey, AuditNote, KeyRole
from memsieve.project import AsyncProject, AsyncReview

LOCAL = "local"
# In whose name a client means to act: percent-encoded UTF-8.
ACTOR_HEADER = "X-Memsieve-By"
MAX_SHOWN = 200
# Who sends one of these is a proxy: the peer's address is not the caller's.
_PROXIES = frozenset(
    {
        b"forwarded",
        b"via",
        b"x-real-ip",
        b"x-client-ip",
        b"x-cluster-client-ip",
        b"cf-connecting-ip",
        b"true-client-ip",
        b"fly-client-ip",
    }
)
_UNKNOWN = "unknown"
_PROJECT_NAMES = ("project_id", "group_id")
_LEAST_FIRST = (KeyRole.AGENT, KeyRole.AUDITOR, KeyRole.REVIEWER, KeyRole.ADMIN)


class Right(StrEnum):
    """What a route lets its callers do."""

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
class Caller:
    """Whoever calls; `project` is the only one they reach, None for those who name one."""

    name: str
    role: KeyRole
    project: str | None = None
    key_id: str | None = None

    @property
    def bucket(self) -> str:
        """Whose limits count: each key has its own, and all who come without one share theirs."""
        return self.key_id or self.name

    def may(self, right: Right) -> bool:
        """Tell whether the role has a right."""
        return self.role in RIGHTS[right]


async def identified(request: Request, right: Right) -> Caller:
    """Return who calls, if they have the right and have not called too often."""
    held = state_of(request)
    caller = await _known(request, held, right)
    _limit(held, _UNKNOWN if caller is None else caller.bucket)
    if caller is None:
        stale = {} if "authorization" in request.headers else cookie.taken(request)
        raise HTTPException(401, _who(held), {"WWW-Authenticate": "Bearer", **stale})
    if not caller.may(right):
        await _note_foreign(held, caller, await _sent(request, caller))
        raise Forbidden(needed(held, caller, right))
    _refuse_other_name(request, caller)
    return caller


def _refuse_other_name(request: Request, caller: Caller) -> None:
    """Refuse what is to be done in another name than the caller's: nothing is put down to the wrong one in silence."""
    given = request.headers.getlist(ACTOR_HEADER)
    if not given:
        return
    names = {unquote(one, errors="replace").strip() for one in given}
    if names != {caller.name}:
        other = ", ".join(repr(name) for name in sorted(names))
        raise Forbidden(
            f"This is to be done in the name of {other[:MAX_SHOWN]}, and the key belongs to {caller.name!r}. "
            "Use that name, or a key of your own."
        )


async def still_known(request: Request) -> bool:
    """Tell whether who began a long answer may still have it: a key may have been revoked since."""
    return await _known(request, state_of(request)) is not None


def from_this_machine(request: Request, held: State) -> bool:
    """Tell whether a caller is on this machine for certain: no proxy speaks for anybody else.

    Of a proxy that adds no header nothing is seen: whoever has one sets `require_keys`, and nobody counts as local.
    """
    if not held.keyless or request.client is None:
        return False
    # As the server has them, in small letters.
    forwarded = any(name.startswith(b"x-forwarded") or name in _PROXIES for name, _ in request.scope["headers"])
    return not forwarded and _is_loopback(request.client.host)


def credential(request: Request) -> str | None:
    """Return what a caller shows, None for nothing, and an empty text for what can be no key.

    A key in the head goes before the halves of one.
    """
    headers = request.headers.getlist("authorization")
    if not headers:
        return cookie.key_of(request)
    scheme, _, text = headers[0].partition(" ")
    return text.strip() if len(headers) == 1 and scheme.lower() == "bearer" else ""


def caller_of(request: Request) -> Caller:
    """Return who calls, as the door has found out."""
    caller: Caller = request.state.caller
    return caller


async def project_of(request: Request, sent: Body | Named) -> AsyncProject:
    """Return the project that a caller means, if it is theirs; both names stand for the same."""
    held, caller = state_of(request), caller_of(request)
    named = [validate.project_name(name) for name in (sent.project_id, sent.group_id) if name is not None]
    if caller.project is not None:
        foreign = await _note_foreign(held, caller, named)
        if foreign is not None:
            raise Forbidden(
                f"This key is for project {caller.project!r} and reaches no other: {foreign!r} was refused, and noted."
            )
        return held.project(caller.project, caller.name)
    if len(set(named)) > 1:
        raise InvalidInput("project_id and group_id name two projects. Send one of them.", field="group_id")
    if not named:
        raise InvalidInput("Name the project: send project_id, or group_id, which is the same.", field="project_id")
    return held.project(named[0], caller.name)


async def review_of(request: Request, sent: Body | Named) -> AsyncReview:
    """Return the review of the project that a caller means, in the name of their key."""
    return (await project_of(request, sent)).review(by=caller_of(request).name)


async def _note_foreign(held: State, caller: Caller, named: list[str]) -> str | None:
    """Return the first project that is not the caller's own, which is then noted in the audit log of the own."""
    if caller.project is None:
        return None
    foreign = next((name for name in named if name != caller.project), None)
    if foreign is not None:
        await held.memory.maintenance(caller.project).note(AuditNote.FOREIGN_PROJECT, foreign, by=caller.name)
    return foreign


async def _sent(request: Request, caller: Caller) -> list[str]:
    """Return the projects that somebody names who is refused anyway, as far as they can be read."""
    if caller.project is None:
        return []
    given: list[object] = [value for name, value in request.query_params.multi_items() if name in _PROJECT_NAMES]
    if request.method == "POST":
        with suppress(ClientDisconnect):
            given += _named_in(await request.body())
    named = []
    for name in given:
        with suppress(InvalidInput):
            named.append(validate.project_name(name))
    return named


def _named_in(body: bytes) -> list[object]:
    try:
        document = read_json(body)
    except HTTPException:
        return []
    return [document[name] for name in _PROJECT_NAMES if name in document] if isinstance(document, dict) else []


def needed(held: State, caller: Caller, right: Right) -> str:
    """Say who may do what a caller may not, and how to become one."""
    roles = RIGHTS[right]
    if caller.key_id is None and caller.role is KeyRole.AGENT and held.entrance.token and KeyRole.REVIEWER in roles:
        # An agent may read this: it says what a person needs, not how to pose as one.
        return (
            "Only a person may do this, and without a key you call as an agent. A person sends a reviewer's key, or "
            "the reviewer's token that the server named when it started."
        )
    least = next(role for role in _LEAST_FIRST if role in roles)
    project = "" if least is KeyRole.ADMIN else f" --project {caller.project or 'PROJECT'}"
    return (
        f"This needs a key of role {' or '.join(role for role in _LEAST_FIRST if role in roles)}, and {caller.name!r} "
        f"calls as {caller.role}. `memsieve keys make --name NAME --role {least}{project}` makes one, at the server."
    )


async def _known(request: Request, held: State, right: Right | None = None) -> Caller | None:
    text = credential(request)
    if text is None:
        return Caller(name=LOCAL, role=KeyRole.AGENT) if from_this_machine(request, held) else None
    if _is_token(text, held.entrance.token):
        return Caller(name=held.entrance.user, role=KeyRole.REVIEWER) if from_this_machine(request, held) else None
    try:
        key = await held.memory.keys.identify(text)
    except StoreUnavailable:
        # What is recorded now waits in the spool, and gets no further than quarantine.
        key = held.memory.keys.remembered(text) if right is Right.RECORD else None
        if key is None:
            raise
    return None if key is None else _bearer(key)


def _bearer(key: ApiKey) -> Caller:
    return Caller(name=key.name, role=key.role, project=key.project_id, key_id=key.id)


def _is_token(text: str, token: str | None) -> bool:
    return token is not None and hmac.compare_digest(text.encode("utf-8", "surrogateescape"), token.encode())


def _limit(held: State, who: str) -> None:
    seconds = held.rates.wait(who)
    if seconds:
        raise HTTPException(
            429,
            f"More than {held.settings.rate_limit:g} requests a second. Try again in {seconds} s.",
            {"Retry-After": str(seconds)},
        )


def _who(held: State) -> str:
    needed = "Send a key that is valid: `Authorization: Bearer msv_…`. `memsieve keys make` makes one."
    if held.keyless:
        return f"{needed} Without a key only programs on this machine are answered, without a proxy."
    return needed


@lru_cache
def _is_loopback(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback
