"""The keys of a server, for an admin."""

from __future__ import annotations

from urllib.parse import quote

from memsieve import documents, validate
from memsieve.client.connection import Call, Connection, parsed, read
from memsieve.model import ApiKey, KeyRole


class AsyncKeys:
    """Makes, lists and revokes keys, for an admin: `by` is the name of the admin's key."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def make(self, *, name: str, role: KeyRole, project_id: str | None, by: str) -> tuple[ApiKey, str]:
        """Make a key; the text returned with it is its only copy.

        It is not sent again if the connection breaks: there would be two keys.
        """
        project = None if project_id is None else validate.project_name(project_id)
        body = {"name": validate.name(name, field="name"), "role": str(role), "project_id": project}
        call = Call(method="POST", path="/keys", body=body, repeatable=False)
        written = await self._acting_as(by).send(call)
        made = parsed(documents.NewKey, written)
        return made.key.record(), made.text

    async def list(self, project_id: str | None = None) -> list[ApiKey]:
        """List the keys of a project, or all there are, revoked ones too, newest first."""
        query = {"project_id": None if project_id is None else validate.project_name(project_id)}
        return [one.record() async for one in self._connection.pages("/keys", query, documents.KeyPage)]

    async def revoke(self, key_id: str, *, by: str) -> ApiKey:
        """Revoke a key for good, from the next request on. Twice changes nothing."""
        checked = validate.name(key_id, field="id")
        call = Call(method="DELETE", path=f"/keys/{quote(checked, safe='')}", subject=checked)
        return read(documents.Key, await self._acting_as(by).send(call))

    def _acting_as(self, by: str) -> Connection:
        return self._connection.acting_as(validate.name(by, field="by"))
