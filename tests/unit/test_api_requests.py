"""What is taken at the door of the API, and what is answered to what is not."""

import re
import sys
import unicodedata

import pytest
from pydantic import TypeAdapter, ValidationError

from memsieve import validate
from memsieve.api import problems, requests
from memsieve.errors import InvalidInput, MemsieveError

PROJECT, NAME, TEXT = (TypeAdapter(kind) for kind in (requests.ProjectName, requests.Name, requests.Text))


def taken(kind: TypeAdapter, value: str) -> bool:
    try:
        kind.validate_python(value)
    except ValidationError:
        return False
    return True


def kept(check, value: str) -> bool:
    try:
        return check(value) == value
    except InvalidInput:
        return False


SHAPES = ["{}", "a{}", "{}a", "a{}a"]
# The first blocks whole, with all spaces, marks and invisible characters, and a sample of the rest.
CHARACTERS = [chr(number) for number in (*range(0x3100), *range(0x3100, sys.maxunicode, 211))]


@pytest.mark.parametrize("shape", SHAPES)
def test_names_are_taken_at_the_door_exactly_where_they_are_kept_unchanged(shape):
    for value in (shape.format(one) for one in CHARACTERS):
        assert taken(NAME, value) == kept(lambda text: validate.name(text, field="n"), value), ascii(value)


@pytest.mark.parametrize("shape", SHAPES)
def test_project_names_are_taken_at_the_door_exactly_where_they_are_kept_unchanged(shape):
    for one in CHARACTERS:
        value = shape.format(one)
        # Letters newer than this Python are refused further in, and what NFC spells otherwise is kept in its spelling.
        if unicodedata.category(one) != "Cn" and unicodedata.normalize("NFC", value) == value:
            assert taken(PROJECT, value) == kept(validate.project_name, value), ascii(value)


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u3000", "\x1c", "a\x00", "\x00"])
def test_blank_texts_and_nul_are_refused_at_the_door(text):
    assert not taken(TEXT, text)
    assert not kept(lambda value: validate.text(value, field="t", max_bytes=100), text)


@pytest.mark.parametrize("text", ["a", " a", "\na\n", "\u200b", "账本", "\U0001f600"])
def test_texts_with_something_in_them_are_taken_at_the_door(text):
    assert taken(TEXT, text)
    assert kept(lambda value: validate.text(value, field="t", max_bytes=100), text)


@pytest.mark.parametrize("name", ["a..b", ".a", "-a", "a b", "a/b", "a" * 129])
def test_project_names_that_lead_elsewhere_are_refused_at_the_door(name):
    assert not taken(PROJECT, name)


def test_every_error_has_a_status_of_its_own_or_its_parent_s():
    def all_of(kind):
        return [kind, *(one for child in kind.__subclasses__() for one in all_of(child))]

    for kind in all_of(MemsieveError):
        error = kind.__new__(kind)
        assert problems.status_of(error) in problems.KINDS


def test_every_kind_of_problem_has_a_name_of_its_own():
    names = [kind.name for kind in problems.KINDS.values()]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in names)
