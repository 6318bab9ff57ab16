"""Markdown with front matter: strict about what is read, careful with what a person wrote."""

import os
from pathlib import Path

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memsieve.errors import KnowledgeBaseError
from memsieve.kb.files import document, frontmatter
from memsieve.kb.files.document import MarkdownDocument, parse

PERSONAL = """\
---
# mine, keep it
title: Dates   # in reports
tags:
- a
# between
- b

note: |
  first

  # no comment, but text
# below the note
"quoted key": 'several
  lines'
flow: {a: [1,
  2], b: x}
nothing:
---

# Dates

Body.
"""
# What YAML can carry: no lone surrogates, and no NUL, which no document may hold.
TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
SCALAR = st.none() | st.booleans() | st.integers(-(10**17), 10**17) | TEXT
VALUE = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=12
)
FIELDS = st.dictionaries(TEXT, VALUE, max_size=6)


def refused(text, *, line=None) -> str:
    with pytest.raises(KnowledgeBaseError) as refusal:
        parse(text, file="atoms/a.md")
    assert refusal.value.file == "atoms/a.md"
    if line is not None:
        assert refusal.value.line == line
    return refusal.value.problem


def head(text: str) -> str:
    return f"---\n{text}\n---\nBody.\n"


def test_a_note_without_front_matter_is_its_own_body():
    note = parse("# By hand\n\nText.\n")
    assert (note.fields, note.text, note.body_line) == ({}, "# By hand\n\nText.", 1)


def test_fields_and_body_are_told_apart():
    read = parse("---\nid: x1\nobservations: 2\nlist: [a, b]\n---\n\nBody.\n")
    assert read.fields == {"id": "x1", "observations": 2, "list": ["a", "b"]}
    assert (read.text, read.body_line) == ("Body.", 6)
    assert (read.line("list"), read.line("missing")) == (4, None)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2026-11-16", "2026-11-16"),
        ("2026-11-16T10:15:00Z", "2026-11-16T10:15:00Z"),
        ("no", "no"),
        ("10:15", "10:15"),
        ("0755", "0755"),
        ("1e5", "1e5"),
        ("9" * 400, "9" * 400),
        ("true", True),
        ("~", None),
        ("", None),
        ("-3", -3),
        ("1.5", 1.5),
        ("'1'", "1"),
    ],
)
def test_only_plain_numbers_and_true_and_false_are_more_than_text(written, value):
    assert parse(head(f"x: {written}")).fields == {"x": value}


@pytest.mark.parametrize(
    "text", ["---\n---\n", "---\n# only a comment\n---\nx", "---   \nid: 1\n---\t\nx", "---\nid: 1\n..."]
)
def test_empty_front_matter_and_loose_fences_are_read(text):
    assert parse(text).render() == text


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_byte_order_mark_and_line_endings_survive_a_change(mark, newline):
    text = mark + PERSONAL.replace("\n", newline)
    read = parse(text)
    assert read.render() == text
    changed = read.with_fields(title="New", added=[1]).render()
    assert changed == text.replace("title: Dates   # in reports", "title: New").replace(
        f"nothing:{newline}", f"nothing:{newline}added:{newline}- 1{newline}"
    )


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_fields_put_on_a_plain_note_go_above_it(mark):
    changed = parse(f"{mark}# Note\r\n\r\nText.\r\n").with_fields(id="n1", gone=None)
    assert changed.render() == f"{mark}---\r\nid: n1\r\n---\r\n\r\n# Note\r\n\r\nText.\r\n"
    assert parse(changed.render()).fields == {"id": "n1"}


@pytest.mark.parametrize("name", ["title", "tags", "note", "quoted key", "flow", "nothing"])
@pytest.mark.parametrize("value", ["short", "two\nlines", ["x", {"y": 1}], None])
def test_a_change_touches_the_lines_of_its_field_alone(name, value):
    before = parse(PERSONAL)
    changed = before.with_fields(**{name: value})
    assert parse(changed.render()).fields == changed.fields
    assert changed.fields.get(name) == value
    others = {key: kept for key, kept in before.fields.items() if key != name}
    assert {key: kept for key, kept in changed.fields.items() if key != name} == others
    lines = changed.render().splitlines()
    assert "# mine, keep it" in lines
    assert "# below the note" in lines
    assert ("# between" in lines) is (name != "tags")
    assert changed.body == before.body


@pytest.mark.parametrize("text", ["{a: 1, b: [2]}", "  a: 1\n  b: [2]", "? a\n: 1\n? b\n: [2]", "a: 1\nb:\n- 2"])
def test_front_matter_of_any_shape_can_be_changed(text):
    changed = parse(head(text)).with_fields(a="x", c=3)
    assert parse(changed.render()).fields == {"a": "x", "b": [2], "c": 3}


def test_another_body_keeps_the_front_matter_and_the_line_endings():
    changed = parse(PERSONAL.replace("\n", "\r\n")).with_body("One.\n\nTwo.\n")
    assert changed.render().endswith("---\r\n\r\nOne.\r\n\r\nTwo.\r\n")
    assert changed.render().startswith(PERSONAL.partition("# Dates\n\n")[0].strip().replace("\n", "\r\n"))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("---\nid: 1\nno end", 1, "does not end"),
        ("---", 1, "does not end"),
        (head("id: 1\ntitle: a: b"), 3, "colon goes in quotes"),
        (head("id: 1\n\ttitle: b"), 3, "no YAML"),
        (head("just words"), 1, "no list of fields"),
        (head("- a\n- b"), 1, "no list of fields"),
        (head("a: 1\nb: 2\na: 3"), 4, "twice"),
        (head("a:\n  b: 1\n  b: 2"), 4, "twice"),
        (head("a: &x 1"), 2, "Anchors"),
        (head("a: 1\nb: *x"), 3, "Anchors"),
        (head("a: !!python/object:os.system x"), 2, "Tags"),
        (head("a: !local x"), 2, "Tags"),
        (head("a: !!str 1"), 2, "Tags"),
        (head("<<: {a: 1}"), 2, "Merging"),
        (head("? [a, b]\n: 1"), 2, "A key must be a word"),
        (head("a: " + "[" * 30 + "]" * 30), 2, "flatter"),
        (head("a: \x01"), 2, "no YAML"),
        ("text\n\nwith \0 in it", 3, "NUL"),
        ("half a \udc80 character", 1, "half a character"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line_and_what_to_do(text, line, words):
    assert words in refused(text, line=line)


def test_a_bomb_of_aliases_is_refused_at_its_first_anchor():
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert "Anchors" in refused(head("\n".join(levels)), line=2)


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_depth_is_refused_before_it_costs_anything(opening):
    assert refused(head("a:\n " + opening * 50_000))


def test_a_head_that_is_too_large_is_refused():
    assert "Shorten it" in refused(head("a: " + "x" * frontmatter.MOST_BYTES))


def test_a_change_that_makes_a_head_too_large_is_refused_and_drops_no_comment():
    full = parse(head(f"a: 1\n# {'x' * (frontmatter.MOST_BYTES - 20)}"))
    with pytest.raises(KnowledgeBaseError, match="Shorten it"):
        full.with_fields(b="more than there is room for")
    with pytest.raises(KnowledgeBaseError, match="Shorten it"):
        MarkdownDocument.of({"a": "x" * frontmatter.MOST_BYTES}, "Body.").encode()


def test_a_document_that_is_too_large_is_refused_by_bytes():
    assert parse("x" * document.MOST_BYTES).text
    assert "Split it" in refused("é" * (document.MOST_BYTES // 2 + 1))


@settings(deadline=None)
@given(FIELDS, TEXT)
def test_what_is_written_reads_the_same(fields, body):
    written = MarkdownDocument.of(fields, body)
    read = parse(written.encode().decode())
    assert read.fields == fields
    assert read.text == body.strip().removeprefix("\ufeff").strip() or read.text == body.strip()
    assert read.render() == written.render()


@settings(deadline=None)
@given(FIELDS)
def test_what_is_written_reads_the_same_in_other_tools(fields):
    # Other tools know dates and anchors too; they must find none.
    assume(all("=" not in str(name) and "<<" not in str(name) for name in fields))
    assert (yaml.safe_load(frontmatter.dump(fields)) or {}) == fields


@settings(deadline=None)
@given(FIELDS, FIELDS)
def test_changes_read_back_and_leave_all_else(fields, changes):
    changed = MarkdownDocument.of(fields, "Body.").with_fields(**changes)
    expected = {**fields, **changes}
    expected = {name: value for name, value in expected.items() if changes.get(name, 0) is not None}
    assert parse(changed.render()).fields == changed.fields == expected
    assert changed.body == "\nBody.\n"


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("ab:-#|>'\"[]{},?&*!%@ \n\t\r\u2028\x85é")) | TEXT)
def test_any_front_matter_is_read_or_refused_and_a_read_one_takes_a_change(text):
    try:
        read = parse(head(text))
    except KnowledgeBaseError:
        return
    assert read.render() == head(text)
    changed = read.with_fields(status="OBSERVED")
    assert parse(changed.render()).fields == {**read.fields, "status": "OBSERVED"}


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content):
    try:
        read = parse(document.decode(content))
    except KnowledgeBaseError:
        return
    assert read.render().encode() == content


def test_a_file_is_read_with_its_place_in_errors(tmp_path: Path):
    path = tmp_path / "a.md"
    path.write_bytes(b"fine\nnot \xff fine\n")
    with pytest.raises(KnowledgeBaseError, match=r"a\.md:2: .*UTF-8"):
        document.read(path)
    path.write_bytes("\ufeff---\r\nid: 1\r\n---\r\nBody.\r\n".encode())
    assert document.read(path).fields == {"id": 1}


def test_links_folders_pipes_and_unreadable_files_are_refused(tmp_path: Path):
    secret = tmp_path / "secret.md"
    secret.write_text("secret")
    (tmp_path / "link.md").symlink_to(secret)
    (tmp_path / "dangling.md").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    for name, words in (("link", "link"), ("dangling", "link"), ("folder", "folder"), ("pipe", "pipe")):
        with pytest.raises(KnowledgeBaseError, match=words):
            document.read(tmp_path / f"{name}.md")
    with pytest.raises(FileNotFoundError):
        document.read(tmp_path / "missing.md")


def test_a_huge_file_is_not_read_into_memory(tmp_path: Path):
    path = tmp_path / "huge.md"
    with path.open("wb") as file:
        file.truncate(50 * 2**30)
    with pytest.raises(KnowledgeBaseError, match="53687091200 bytes"):
        document.read(path)
