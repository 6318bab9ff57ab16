"""What `memsieve.client` says of an answer it cannot read, and its own shape."""

import json
import subprocess
import sys

import pytest

from memsieve import client as door
from memsieve import documents
from memsieve.client.connection import parsed, read
from memsieve.errors import SchemaOutdated
from memsieve.model import Receipt
from memsieve.testing.factories import admission, entry

RECEIPT = Receipt(entry=entry(), admission=admission())


def test_an_answer_is_read_into_the_record():
    assert read(documents.Receipt, documents.Receipt.of(RECEIPT).encode()) == RECEIPT


def test_what_is_missing_or_of_another_kind_is_named_with_its_path_and_its_value():
    document = documents.Receipt.of(RECEIPT).plain()
    document["admission"]["checks"][0]["passed"] = "yes"
    page = json.dumps({"items": [document], "next_cursor": None})
    with pytest.raises(
        SchemaOutdated, match=r"items\.0\.admission\.checks\.0\.passed is 'yes', and should be a valid boolean"
    ):
        parsed(documents.ReceiptPage, page)
    document["admission"]["checks"][0] = {**document["admission"]["checks"][0], "passed": True}
    del document["entry"]["created_at"]
    with pytest.raises(SchemaOutdated, match=r"entry\.created_at is missing.*update the older one"):
        parsed(documents.Receipt, json.dumps(document))


@pytest.mark.parametrize("written", ["", "[", "[]", "null", '{"a": NaN}', "x" * 1000])
def test_what_is_no_document_at_all_is_a_clear_error(written):
    with pytest.raises(SchemaOutdated, match=r"In the server's answer .*update the older one") as raised:
        parsed(documents.Receipt, written)
    assert len(str(raised.value)) < 300


def loaded_with_the_client() -> set[str]:
    code = "import sys, memsieve.client; print(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-c", code], text=True).split())


def test_the_package_offers_two_names_and_is_light():
    assert door.__all__ == ["AsyncClient", "Client"]
    assert not {"numpy", "onnxruntime", "fastapi", "sqlite3"} & loaded_with_the_client()


def test_the_client_reads_approvals_back_and_reaches_nothing_that_could_write_or_make_one():
    services = (
        "memsieve.stores",
        "memsieve.services.stores",
        "memsieve.memory",
        "memsieve.embedded",
        "memsieve.review.promote",
    )
    assert not [name for name in loaded_with_the_client() if name.startswith(services)]
