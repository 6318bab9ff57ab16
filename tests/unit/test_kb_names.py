"""Names of files from any text: safe everywhere, readable in every language, and never a way out of the folder."""

import unicodedata
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsieve.kb.files.names import MOST_BYTES, fold, safe

RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³")}
ANYTHING = st.text() | st.text(alphabet=st.characters(categories=["Cs", "Cc", "Cf", "Po", "Mn", "So"]))
NASTY = st.lists(
    st.sampled_from(
        ["..", "/", "\\", ".", "-", " ", "CON", "nul", "\0", "\n", "é", "e\u0301", "🎉", "中", "\ufe0f", ":", "x"]
    )
).map("".join)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("A.C", "A.C"),
        ("src/main.py", "src-main.py"),
        ("../../x", "x"),
        ("..\\..\\x", "x"),
        ("C:\\Windows\\x", "C-Windows-x"),
        ("Locale of dates", "Locale-of-dates"),
        ("报表的日期，跟随服务器", "报表的日期-跟随服务器"),
        ("MAGIC.C 第 42 行的特殊處理", "MAGIC.C-第-42-行的特殊處理"),
        ("été", "été"),
        ("हिन्दी", "हिन्दी"),
        (".gitignore", "gitignore"),
        ("-rf", "rf"),
        ("__init__.py", "__init__.py"),
        ("trailing dots...  ", "trailing-dots"),
        ("a\nb\tc\0d", "a-b-c-d"),
        ("a / b", "a-b"),
        ("🎉 party", "party"),
        ("heart ❤\ufe0f beat", "heart-beat"),
        ("CON", "CON_"),
        ("con.txt", "con_.txt"),
        ("LPT¹", "LPT¹_"),
        ("console", "console"),
    ],
)
def test_a_name_keeps_what_is_readable_and_safe(text, name):
    assert safe(text, fallback="x") == name


@pytest.mark.parametrize("text", ["", "🎉", "/", "..", "...", "???", "\u3164", "\ufe0f", "\udc80"])
def test_where_nothing_is_left_the_fallback_with_a_hash_names_it(text):
    name = safe(text, fallback="finding")
    assert name.startswith("finding-")
    assert len(name) == len("finding-") + 8


def test_two_texts_of_which_nothing_is_left_have_different_names():
    assert safe("🎉", fallback="x") != safe("🔥", fallback="x")


def test_long_names_are_cut_and_still_differ():
    one, two = (safe("x" * 300 + end, fallback="x") for end in "ab")
    assert len(one) == MOST_BYTES
    assert one != two


def test_a_cut_leaves_whole_characters():
    name = safe("记忆" * 100, fallback="x")
    assert MOST_BYTES - 3 <= len(name.encode()) <= MOST_BYTES
    assert set(name.rpartition("-")[0]) == {"记", "忆"}


def test_both_ways_of_writing_an_accent_are_one_name():
    assert safe("e\u0301te\u0301", fallback="x") == safe("été", fallback="x")


def test_names_that_some_file_systems_take_for_one_fold_to_one():
    assert fold("A.C") == fold("a.c")
    assert fold("STRASSE") == fold("straße")
    assert fold("e\u0301") == fold("É")
    assert fold("a.c") != fold("a.cc")


@settings(deadline=None)
@given(ANYTHING | NASTY)
def test_no_text_leads_out_of_a_folder_or_to_a_name_that_a_system_refuses(text):
    name = safe(text, fallback="item")
    for path in (PurePosixPath(name), PureWindowsPath(name)):
        assert path.parts == (name,)
        assert not path.is_absolute()
    assert 0 < len(name.encode()) <= MOST_BYTES
    assert name[0] not in ".- "
    assert name[-1] not in ".- "
    assert not set(name) & set('<>:"/\\|?*')
    assert all(unicodedata.category(character)[0] in "LMN" or character in "._-" for character in name)
    assert name.partition(".")[0].casefold() not in RESERVED


@settings(deadline=None)
@given(ANYTHING | NASTY)
def test_a_safe_name_stays_as_it_is(text):
    name = safe(text, fallback="item")
    assert safe(name, fallback="other") == name
    assert unicodedata.is_normalized("NFC", name)


@settings(deadline=None)
@given(ANYTHING)
def test_folding_twice_is_folding_once(text):
    assert fold(fold(text)) == fold(text)
