"""Authentication and authorization: the caller, their rights and their project come from the credential alone."""

from __future__ import annotations

import hmac
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import unquote

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from memsieve import validate
from memsieve.api.credentials import clear_cookie, key_from_halves
from memsieve.api.requests import ProjectBody, ProjectQuery, read_json
from memsieve.api.state import ServerState, state_of
from memsieve.errors import Forbidden, InvalidInput, StoreUnavailable
from memsieve.model import RIGHTS, AuditNote, KeyRole, Right
from memsieve.project import AsyncProject, AsyncReview

LOCAL = "local"
# The name that a client expects to act in: percent-encoded UTF-8.
ACTOR_HEADER = "X-Memsieve-By"
_MAX_SHOWN = 200
# Headers that proxies add: then the peer's address is not the caller's.
_PROXY_HEADERS = frozenset(
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
_UNKNOWN_BUCKET = "unknown"
_PROJECT_NAMES = ("project_id", "group_id")
_ROLES_BY_POWER = (KeyRole.AGENT, KeyRole.AUDITOR, KeyRole.REVIEWER, KeyRole.ADMIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """An authenticated caller; `project` is the only one they reach, None where they name one in each request."""

    name: str
    role: KeyRole
    project: str | None = None
    key_id: str | None = None

    @property
    def bucket(self) -> str:
        """The name their limits are counted by: the key, or one name for all callers without a key."""
        return self.key_id or self.name

    def may(self, right: Right) -> bool:
        """Return whether the role has a right."""
        return self.role in RIGHTS[right]


async def authenticate(request: Request, right: Right) -> Caller:
    """Return the caller; refuse unknown (401), too frequent (429) and unauthorized ones (403)."""
    state = state_of(request)
    caller = await _identify(request, state, right)
    _enforce_rate(state, _UNKNOWN_BUCKET if caller is None else caller.bucket)
    if caller is None:
        stale = {} if "authorization" in request.headers else clear_cookie(request)
        raise HTTPException(401, _key_hint(state), {"WWW-Authenticate": "Bearer", **stale})
    if not caller.may(right):
        await _note_foreign(state, caller, await _named_projects(request, caller))
        raise Forbidden(permission_hint(state, caller, right))
    _refuse_other_name(request, caller)
    return caller


def _refuse_other_name(request: Request, caller: Caller) -> None:
    """Refuse a request in another name than the caller's: the audit log must not get the wrong one."""
    given = request.headers.getlist(ACTOR_HEADER)
    if not given:
        return
    names = {unquote(one, errors="replace").strip() for one in given}
    if names != {caller.name}:
        other = ", ".join(repr(name) for name in sorted(names))
        raise Forbidden(
            f"This is to be done in the name of {other[:_MAX_SHOWN]}, and the key belongs to {caller.name!r}. "
            "Use that name, or a key of your own."
        )


async def still_authenticated(request: Request) -> bool:
    """Return whether the credential of a long answer is still valid: a key may have been revoked since."""
    return await _identify(request, state_of(request)) is not None


def is_local(request: Request, state: ServerState) -> bool:
    """Return whether the caller is certainly on this machine: the peer is, and no proxy added a header.

    A proxy that adds none cannot be recognized: behind one, `require_keys` lets nobody in without a key.
    """
    if not state.keyless or request.client is None:
        return False
    # The server has made them lower case.
    forwarded = any(name.startswith(b"x-forwarded") or name in _PROXY_HEADERS for name, _ in request.scope["headers"])
    return not forwarded and _is_loopback(request.client.host)


def credential(request: Request) -> str | None:
    """Return the credential of a request, None without one, and an empty text where it cannot be a key.

    `Authorization` goes before the halves of a key.
    """
    headers = request.headers.getlist("authorization")
    if not headers:
        return key_from_halves(request)
    scheme, _, text = headers[0].partition(" ")
    return text.strip() if len(headers) == 1 and scheme.lower() == "bearer" else ""


def caller_of(request: Request) -> Caller:
    """Return the caller that `authenticate` found."""
    caller: Caller = request.state.caller
    return caller


async def project_of(request: Request, sent: ProjectBody | ProjectQuery) -> AsyncProject:
    """Return the project that a request names, if the caller reaches it, or else the one of the key."""
    state, caller = state_of(request), caller_of(request)
    named = [validate.project_name(name) for name in (sent.project_id, sent.group_id) if name is not None]
    if caller.project is not None:
        foreign = await _note_foreign(state, caller, named)
        if foreign is not None:
            raise Forbidden(
                f"This key is for project {caller.project!r} and reaches no other: {foreign!r} was refused, and noted."
            )
        return state.project(caller.project, caller.name)
    if len(set(named)) > 1:
        raise InvalidInput("project_id and group_id name two projects. Send one of them.", field="group_id")
    if not named:
        raise InvalidInput("Name the project: send project_id, or group_id, which is the same.", field="project_id")
    return state.project(named[0], caller.name)


async def review_of(request: Request, sent: ProjectBody | ProjectQuery) -> AsyncReview:
    """Return the review of the project that a request names, in the caller's name."""
    return (await project_of(request, sent)).review(by=caller_of(request).name)


async def _note_foreign(state: ServerState, caller: Caller, named: list[str]) -> str | None:
    """Return the first project that the caller's key does not reach, and note it in the audit log of the key's own."""
    if caller.project is None:
        return None
    foreign = next((name for name in named if name != caller.project), None)
    if foreign is not None:
        await state.memory.maintenance(caller.project).note(AuditNote.FOREIGN_PROJECT, foreign, by=caller.name)
    return foreign


async def _named_projects(request: Request, caller: Caller) -> list[str]:
    """Return the projects that a refused request names, as far as they can be read."""
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


def permission_hint(state: ServerState, caller: Caller, right: Right) -> str:
    """Return which roles have a right that a caller lacks, and how to get one."""
    roles = [role for role in _ROLES_BY_POWER if role in RIGHTS[right]]
    if caller.key_id is None and caller.role is KeyRole.AGENT and state.local.token and KeyRole.REVIEWER in roles:
        # An agent may read this: it must not say how to pose as a person.
        return (
            "Only a person may do this, and without a key you call as an agent. A person sends a reviewer's key, or "
            "the reviewer's token that the server named when it started."
        )
    least = roles[0]
    project = "" if least is KeyRole.ADMIN else f" --project {caller.project or 'PROJECT'}"
    return (
        f"This needs a key of role {' or '.join(roles)}, and {caller.name!r} "
        f"calls as {caller.role}. `memsieve keys make --name NAME --role {least}{project}` makes one, at the server."
    )


async def _identify(request: Request, state: ServerState, right: Right | None = None) -> Caller | None:
    text = credential(request)
    if text is None:
        return Caller(name=LOCAL, role=KeyRole.AGENT) if is_local(request, state) else None
    if _is_token(text, state.local.token):
        return Caller(name=state.local.user, role=KeyRole.REVIEWER) if is_local(request, state) else None
    try:
        key = await state.memory.keys.identify(text)
    except StoreUnavailable:
        # A cached key may record: entries wait in the spool, and get no further than quarantine.
        key = state.memory.keys.remembered(text) if right is Right.RECORD else None
        if key is None:
            raise
    return None if key is None else Caller(name=key.name, role=key.role, project=key.project_id, key_id=key.id)


def _is_token(text: str, token: str | None) -> bool:
    return token is not None and hmac.compare_digest(text.encode("utf-8", "surrogateescape"), token.encode())


def _enforce_rate(state: ServerState, bucket: str) -> None:
    seconds = state.rate_limiter.acquire(bucket)
    if seconds:
        raise HTTPException(
            429,
            f"More than {state.settings.rate_limit:g} requests a second. Try again in {seconds} s.",
            {"Retry-After": str(seconds)},
        )


def _key_hint(state: ServerState) -> str:
    hint = "Send a key that is valid: `Authorization: Bearer msv_…`. `memsieve keys make` makes one."
    if state.keyless:
        return f"{hint} Without a key only programs on this machine are answered, without a proxy."
    return hint


@lru_cache
def _is_loopback(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback
