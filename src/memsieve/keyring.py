"""Make, identify and revoke API keys: the only place that knows a secret."""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
from datetime import datetime, timedelta

from memsieve import validate
from memsieve.errors import InvalidInput, NotFound, StoreUnavailable
from memsieve.model import SERVER_PROJECT, ApiKey, KeyRole
from memsieve.ports import Clock, KeyStore
from memsieve.runtime.lru_cache import LRUCache

PREFIX = "msv"
# Without letters that look like digits, so that an id can be read out and typed.
LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
ID_LENGTH = 8
# 260 bits: nobody guesses it, so that one round of a quick hash keeps it as well as a slow one would.
SECRET_LENGTH = 52
NOTED_EVERY = timedelta(minutes=1)
# Cache of keys that were valid, for when the store cannot be asked.
REMEMBERED_FOR = timedelta(minutes=10)
MAX_REMEMBERED = 1000

_TEXT = re.compile(rf"{PREFIX}_([{LETTERS}]{{{ID_LENGTH}}})_[{LETTERS}]{{{SECRET_LENGTH}}}")
_OF_NOBODY = bytes(hashlib.sha256().digest_size)

_log = logging.getLogger(__name__)


class Keyring:
    """The keys of all projects."""

    def __init__(self, keys: KeyStore, clock: Clock, *, max_remembered: int = MAX_REMEMBERED) -> None:
        self._keys = keys
        self._clock = clock
        self._noted: dict[str, datetime] = {}
        self._valid: LRUCache[bytes, tuple[ApiKey, datetime]] = LRUCache(max_remembered)

    async def make(self, *, name: str, role: KeyRole, project_id: str | None, by: str) -> tuple[ApiKey, str]:
        """Make a key in a person's name; the text returned with it is its only copy, for its user.

        A key is for one project; only an admin's is for all of them.
        """
        key = ApiKey(
            id=_letters(ID_LENGTH),
            name=validate.name(name, field="name"),
            role=_role(role),
            project_id=_project(role, project_id),
            made_at=self._clock(),
            made_by=validate.name(by, field="by"),
        )
        text = f"{PREFIX}_{key.id}_{_letters(SECRET_LENGTH)}"
        await self._keys.add(key, _hash(text))
        return key, text

    async def identify(self, text: str) -> ApiKey | None:
        """Return the key that a text is; None, whether it is malformed, unknown, wrong or revoked."""
        shaped = _TEXT.fullmatch(text)
        if shaped is None:
            return None
        found, hashed = await self._keys.get(shaped[1]), _hash(text)
        same = hmac.compare_digest(hashed, _OF_NOBODY if found is None else found[1])
        if found is None or not same or found[0].revoked_at is not None:
            self._valid.discard(hashed)
            return None
        self._valid.set(hashed, (found[0], self._clock()))
        await self._note_use(found[0])
        return found[0]

    def remembered(self, text: str) -> ApiKey | None:
        """Return the key that a text was within the last minutes, for when the store cannot be asked.

        It may have been revoked since: only what is decided on later may be let in by it.
        """
        known = self._valid.get(_hash(text))
        return None if known is None or self._clock() - known[1] > REMEMBERED_FOR else known[0]

    async def revoke(self, key_id: str, *, by: str) -> ApiKey:
        """Revoke a key for good, from the next request on, in a person's name. Twice changes nothing."""
        key_id = validate.name(key_id, field="id")
        key = await self._keys.revoke(key_id, validate.name(by, field="by"), self._clock())
        if key is None:
            raise NotFound(f"There is no key {key_id!r}. See `memsieve keys list`.", subject=key_id)
        return key

    async def any(self) -> bool:
        """Say whether there is a valid key."""
        return any(key.revoked_at is None for key in await self._keys.list())

    async def list(self, project_id: str | None = None) -> list[ApiKey]:
        """List the keys of a project, or all there are, revoked ones too, newest first."""
        return await self._keys.list(None if project_id is None else validate.project_name(project_id))

    async def _note_use(self, key: ApiKey) -> None:
        now = self._clock()
        noted = [at for at in (key.last_used_at, self._noted.get(key.id)) if at is not None]
        if noted and now - max(noted) < NOTED_EVERY:
            return
        # Noted before it is written, so that only one of many concurrent requests writes it.
        self._noted[key.id] = now
        try:
            await self._keys.used(key.id, now)
        except StoreUnavailable as exc:
            # A full disk must not keep out those who only read.
            _log.warning("The use of key %s could not be noted: %s", key.id, exc)


def _letters(length: int) -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(length))


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _role(role: object) -> KeyRole:
    validate.one_of(role, tuple(KeyRole), field="role")
    return KeyRole(str(role))


def _project(role: KeyRole, project_id: str | None) -> str | None:
    if (role == KeyRole.ADMIN) is not (project_id is None):
        raise InvalidInput(
            "An admin's key is for all projects: make it without one."
            if role == KeyRole.ADMIN
            else f"A key of role {role} is for one project: name it.",
            field="project_id",
        )
    if project_id is None:
        return None
    if (name := validate.project_name(project_id)) == SERVER_PROJECT:
        raise InvalidInput(
            f"{SERVER_PROJECT!r} is the server's own audit log and no project. Make an admin's key to read it.",
            field="project_id",
        )
    return name
