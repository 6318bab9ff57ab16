"""Pages of lists: where they end, and the cursors that lead on."""

import asyncio
import json
import re

import pytest

from memsieve import documents
from memsieve.api import pagination, requests
from memsieve.errors import InvalidInput
from memsieve.model import ApiKey, KeyRole
from memsieve.testing.factories import NOW


class Line(documents.Document):
    """A document of one text."""

    t: str


@pytest.mark.parametrize("found", [3, 2, 0])
def test_a_page_is_told_as_documented_with_a_cursor_only_where_more_follows(run, found):
    key = ApiKey(id="k", name="n", role=KeyRole.ADMIN, project_id=None, made_at=NOW, made_by="ada")
    page = json.loads(run(pagination.page("keys", [key] * found, 2, documents.Key.of, lambda one: one.id)).body)
    assert documents.KeyPage.model_validate(page).plain() == page
    assert len(page["items"]) == min(found, 2)
    assert page["next_cursor"] == (pagination.encode_cursor("keys", "k") if found > 2 else None)


def test_a_page_ends_where_it_has_enough_bytes_and_has_at_least_one(run, monkeypatch):
    monkeypatch.setattr(pagination, "PAGE_BYTES", 100)
    for size, fits in ((500, 1), (40, 2), (4, 5)):
        texts = [f"{number:0{size}}" for number in range(5)]
        page = json.loads(run(pagination.paginate_list("texts", texts, None, 5, lambda text: Line(t=text))).body)
        assert [one["t"] for one in page["items"]] == texts[:fits]
        assert page["next_cursor"] == (pagination.encode_cursor("texts", str(fits)) if fits < 5 else None)


def test_others_are_served_while_a_large_page_is_written(run):
    turns = 0

    async def other():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def written():
        beside = asyncio.create_task(other())
        page = await pagination.paginate_list("texts", ["x" * 65_536] * 200, None, 200, lambda text: Line(t=text))
        beside.cancel()
        return page.body

    assert pagination.PAGE_BYTES * 0.9 < len(run(written())) <= pagination.PAGE_BYTES + 200
    assert turns > 20


@pytest.mark.parametrize("place", ["e1", "账本", 'a"b', "x" * 128])
def test_a_cursor_leads_back_to_its_place(place):
    cursor = pagination.encode_cursor("audit", place)
    assert re.fullmatch(requests.CURSOR.strip("^$"), cursor)
    assert pagination.decode_cursor("audit", cursor) == place
    with pytest.raises(InvalidInput):
        pagination.decode_cursor("keys", cursor)


def test_a_cursor_s_number_is_never_beyond_what_stores_can_read():
    for place in ("-1", "1.5", "٣", "9" * 19, "", "x"):
        with pytest.raises(InvalidInput):
            pagination.decode_number("audit", pagination.encode_cursor("audit", place))
    assert pagination.decode_number("audit", pagination.encode_cursor("audit", "17")) == 17
    assert pagination.decode_number("audit", None) == 0
