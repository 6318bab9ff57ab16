"""A LangGraph store whose writes go to quarantine and whose search is retrieval."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, MatchCondition, Op, PutOp, Result, SearchOp

from memsieve.errors import Forbidden, InvalidInput
from memsieve.integrations.langgraph.shelf import Shelf

Namespace = tuple[str, ...]
_ANY = "*"


class MemoryStore(BaseStore):
    """A store over one project, or over several by namespace: `MemoryStore({("apollo",): project})`.

    A namespace is a project's, and a wall as that is: any other is refused. `put` records; what is put is found again
    when the filter has admitted it, or a person has promoted it. Nothing is deleted here: that is a person's deed.
    Further options are those of a `Recorder`.
    """

    supports_ttl = False

    def __init__(
        self, projects: Mapping[Namespace, Any] | Any, *, namespace: Namespace = ("memories",), **recording: Any
    ) -> None:
        given = projects if isinstance(projects, Mapping) else {namespace: projects}
        self._shelves = {tuple(name): Shelf(tuple(name), project, recording) for name, project in given.items()}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several things, in order; nothing is done if one of them is refused."""
        return [self._done(op) for op in self._allowed(ops)]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several things, in order; nothing is done if one of them is refused."""
        return [await self._adone(op) for op in self._allowed(ops)]

    def _done(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            shelf = self._shelves[op.namespace]
            return shelf.bridge.call(shelf.get(op.key))
        if isinstance(op, SearchOp):
            found = [shelf.bridge.call(shelf.search(op)) for shelf in self._below(op.namespace_prefix)]
            return _page(op, found)
        if isinstance(op, PutOp):
            self._shelves[op.namespace].put(op)
            return None
        return self._namespaces(op)

    async def _adone(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            shelf = self._shelves[op.namespace]
            return await shelf.bridge.acall(shelf.get(op.key))
        if isinstance(op, SearchOp):
            found = [await shelf.bridge.acall(shelf.search(op)) for shelf in self._below(op.namespace_prefix)]
            return _page(op, found)
        if isinstance(op, PutOp):
            await self._shelves[op.namespace].aput(op)
            return None
        return self._namespaces(op)

    def _allowed(self, ops: Iterable[Op]) -> list[Op]:
        asked = list(ops)
        for op in asked:
            if isinstance(op, PutOp) and op.value is None:
                raise Forbidden("Agents delete no memories. A person may: memsieve retire, dismiss or delete.")
            if isinstance(op, PutOp | GetOp) and op.namespace not in self._shelves:
                raise self._unknown(op.namespace)
            if isinstance(op, SearchOp) and not self._below(op.namespace_prefix):
                raise self._unknown(op.namespace_prefix)
        return asked

    def _below(self, prefix: Namespace) -> list[Shelf]:
        return [shelf for name, shelf in self._shelves.items() if name[: len(prefix)] == tuple(prefix)]

    def _unknown(self, namespace: Namespace) -> InvalidInput:
        known = ", ".join(map(str, self._shelves))
        return InvalidInput(f"No project belongs to the namespace {namespace}; there is {known}.", field="namespace")

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        names = [name for name in self._shelves if all(_matches(name, one) for one in op.match_conditions or ())]
        cut = {name if op.max_depth is None else name[: op.max_depth] for name in names}
        return sorted(cut)[op.offset : op.offset + op.limit]


def _page(op: SearchOp, found: list[list[Any]]) -> list[Any]:
    chosen = [item for items in found for item in items if _fits(item, op.filter or {})]
    if op.query:
        chosen.sort(key=lambda item: item.score or 0.0, reverse=True)
    return chosen[op.offset : op.offset + op.limit]


_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def _fits(item: Item, wanted: Mapping[str, Any]) -> bool:
    return all(_compares(item.value.get(name), one) for name, one in wanted.items())


def _compares(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, Mapping):
        return bool(value == wanted)
    unknown = set(wanted) - set(_COMPARISONS)
    if unknown:
        known = ", ".join(_COMPARISONS)
        raise InvalidInput(f"A filter cannot be by {', '.join(sorted(unknown))}; use {known}.", field="filter")
    return value is not None and all(_COMPARISONS[name](value, one) for name, one in wanted.items())


def _matches(name: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(path) > len(name):
        return False
    part = name[: len(path)] if condition.match_type == "prefix" else name[-len(path) :]
    return all(asked in (_ANY, there) for asked, there in zip(path, part, strict=True))
