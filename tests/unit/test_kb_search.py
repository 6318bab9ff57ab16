"""Finding atoms by words and vectors, and what is kept of them between two searches."""

import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsieve import KnowledgeBase
from memsieve.config import Settings
from memsieve.errors import EmbedderError, InvalidInput
from memsieve.kb import search_index
from memsieve.kb.search import AtomSearch, search
from memsieve.kb.search_index import AtomChunk, SearchIndex, text_hash
from memsieve.retrieval.index import Index, Row
from memsieve.testing import WordEmbedder
from memsieve.text.tokenize import tokenize

POOL = "# The pool\n\nThe pool holds 20 connections.\nIdle connections are closed after 300 seconds.\n"
CACHE = "# 缓存\n\n缓存键必须包含租户编号。\n"


class Counting(WordEmbedder):
    """Counts what it embeds, and fails when told to."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.fails = False

    async def embed(self, texts: Any) -> Any:
        if self.fails:
            raise EmbedderError("It is down.")
        self.texts += texts
        return await super().embed(texts)


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> Counting:
    made = Counting()
    monkeypatch.setattr("memsieve.services.embedder.choose_embedder", lambda _settings, _stack: made)
    return made


@pytest.fixture
def base(tmp_path: Path) -> KnowledgeBase:
    made = KnowledgeBase.init(tmp_path / ".ai-kb")
    put(made, "traps/pool.md", f"---\nid: a1\ntitle: Pool of connections\n---\n\n{POOL}")
    put(made, "cache.md", CACHE)
    return made


def put(base: KnowledgeBase, name: str, text: str | bytes) -> None:
    """Write an atom as if a while ago: what is young is read again in any case."""
    path = base.layout.atoms / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


@pytest.fixture
def _later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search as if some seconds after all was written."""
    ahead = time.time_ns() + 10_000_000_000
    monkeypatch.setattr("memsieve.kb.search.time.time_ns", lambda: ahead)


def found(base: KnowledgeBase, query: str, limit: int = 5) -> AtomSearch:
    return search(base.layout, query, limit, Settings())


def test_an_atom_is_found_with_its_title_line_and_words(base, embedder):
    [hit] = base.search("when are idle connections closed", limit=1).hits
    assert (hit.path, hit.title, hit.line) == ("atoms/traps/pool.md", "Pool of connections", 9)
    assert "Idle connections are closed" in hit.excerpt
    assert 0 < hit.score <= 1
    lines = (base.root / hit.path).read_text("utf-8").splitlines()
    assert "Idle connections" in lines[hit.line - 1]


def test_chinese_is_found_by_a_word_of_two_characters(base, embedder):
    assert base.search("租户").hits[0].path == "atoms/cache.md"
    assert base.search("租戶編號").hits[0].title == "缓存"


def test_the_bundled_model_finds_an_atom_in_the_other_language(base):
    assert base.search("cache keys must contain the tenant id").hits[0].path == "atoms/cache.md"


def test_what_has_neither_the_words_nor_the_sense_is_not_found(base, embedder):
    assert base.search("zebra crossing").hits == ()


def test_an_atom_is_found_once_by_its_best_part(base, embedder):
    paragraphs = [f"Paragraph {number} of nothing in particular, again and again. " * 6 for number in range(5)]
    put(base, "long.md", "\n\n".join([*paragraphs, "The zebra gate opens at midnight.", *paragraphs]))
    hits = base.search("zebra gate at midnight").hits
    assert [hit.path for hit in hits].count("atoms/long.md") == 1
    assert "The zebra gate" in hits[0].excerpt
    assert hits[0].line == 11


@pytest.mark.usefixtures("_later")
def test_only_what_changed_is_embedded_again(base, embedder):
    found(base, "pool")
    assert len(embedder.texts) == 3
    found(base, "pool")
    assert embedder.texts[3:] == ["pool"]
    put(base, "cache.md", CACHE + "\n缓存时间是一小时。\n")
    (base.layout.atoms / "traps" / "pool.md").rename(base.layout.atoms / "moved.md")
    hits = found(base, "缓存时间").hits
    assert "缓存时间是一小时" in hits[0].excerpt
    assert len(embedder.texts) == 6
    assert found(base, "idle connections").hits[0].path == "atoms/moved.md"


@pytest.mark.usefixtures("_later")
def test_what_is_gone_is_not_found(base, embedder):
    found(base, "pool")
    (base.layout.atoms / "traps" / "pool.md").unlink()
    assert found(base, "idle connections in the pool").hits == ()
    assert found(base, "缓存").hits[0].path == "atoms/cache.md"


def test_a_file_that_changes_within_one_tick_of_the_clock_is_seen(base, embedder):
    path = base.layout.atoms / "cache.md"
    found(base, "缓存")
    before = path.stat()
    path.write_text(CACHE.replace("租户编号", "语言代码"), "utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert found(base, "语言代码").hits[0].path == "atoms/cache.md"


@pytest.mark.usefixtures("_later")
@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 broken", b"\x93NUMPY", b"x" * 1000])
def test_a_broken_cache_is_made_anew(base, embedder, damage):
    found(base, "pool")
    cache = base.layout.cache / "search.npz"
    cache.write_bytes(damage)
    assert found(base, "idle connections").hits[0].path == "atoms/traps/pool.md"
    assert len(cache.read_bytes()) > len(damage)


@pytest.mark.usefixtures("_later")
def test_arrays_that_do_not_belong_together_are_made_anew(base, embedder):
    found(base, "pool")
    place = base.layout.cache / "search.npz"
    with np.load(place) as kept:
        arrays = dict(kept)
    for name, array in (("offsets", arrays["offsets"] + 7), ("words", arrays["words"] + 10_000), ("ends", [1])):
        np.savez(place, **{**arrays, name: np.asarray(array)})
        assert found(base, "idle connections").hits[0].path == "atoms/traps/pool.md"


@pytest.mark.usefixtures("_later")
def test_a_packed_cache_that_came_with_a_repository_is_not_unpacked(base, embedder):
    base.layout.cache.mkdir()
    np.savez_compressed(base.layout.cache / "search.npz", rules=np.zeros(50_000_000, np.uint8))
    assert found(base, "idle connections").hits[0].path == "atoms/traps/pool.md"


def test_an_atom_that_cannot_be_read_is_named_and_the_others_are_found(base, embedder):
    put(base, "broken.md", b"\xff\xfe")
    put(base, "head.md", "---\na: [\n---\nx")
    answer = found(base, "idle connections")
    assert answer.unread == ("atoms/broken.md", "atoms/head.md")
    assert answer.hits[0].path == "atoms/traps/pool.md"


@pytest.mark.usefixtures("_later")
def test_without_the_embedder_words_find_it_and_vectors_follow_later(base, embedder):
    embedder.fails = True
    answer = found(base, "idle connections")
    assert (answer.degraded, answer.hits[0].path) == (("embedder",), "atoms/traps/pool.md")
    embedder.fails = False
    assert found(base, "idle connections").degraded == ()
    assert len(embedder.texts) == 3


def test_progress_is_told_the_first_time(base, embedder):
    told: list[tuple[int, int]] = []
    base.search("pool", progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (2, 2)


def test_a_base_without_atoms_finds_nothing(tmp_path, embedder):
    assert KnowledgeBase.init(tmp_path / "empty").search("anything").hits == ()


def test_a_link_out_of_the_base_is_not_read(base, embedder, tmp_path):
    (tmp_path / "secret.md").write_text("The secret zebra.\n")
    (base.layout.atoms / "link.md").symlink_to(tmp_path / "secret.md")
    assert base.search("secret zebra").hits == ()


@pytest.mark.parametrize(("query", "limit"), [("", 5), ("  ", 5), ("a\0b", 5), ("pool", -1), ("pool", 101)])
def test_a_query_that_cannot_be_asked_is_refused(base, embedder, query, limit):
    with pytest.raises(InvalidInput):
        base.search(query, limit=limit)


# The index on disk

TEXTS = st.lists(st.sampled_from(["pool", "cache", "缓存键", "idle pool pool", "", "租户 cache", "zebra"]), max_size=8)


def index_of(texts: list[str]) -> SearchIndex:
    embedder = WordEmbedder()
    chunks = [AtomChunk(number, number + 1, text) for number, text in enumerate(texts)]
    return SearchIndex.of("rules", chunks, {text_hash(text): embedder.vector(text) for text in texts if text})


def answers(index: Index, query: str) -> list[Any]:
    return index.search(WordEmbedder().vector(query), tokenize(query), 20)


@settings(deadline=None)
@given(texts=TEXTS, query=st.sampled_from(["pool", "cache 缓存", "nothing"]))
def test_rows_that_were_counted_before_are_searched_as_if_they_were_counted_now(texts, query):
    embedder, at = WordEmbedder(), datetime.now(UTC)
    rows = [Row(words=tokenize(text), vector=embedder.vector(text) if text else None, at=at) for text in texts]
    expected, given_back = (
        answers(Index(rows), query),
        answers(Index.counted(index_of(texts).for_query(tokenize(query))), query),
    )
    assert [match.position for match in given_back] == [match.position for match in expected]
    assert [match.word_score for match in given_back] == pytest.approx([match.word_score for match in expected])


@settings(deadline=None)
@given(first=TEXTS, second=TEXTS, data=st.data())
def test_indexes_that_are_taken_from_and_joined_are_as_if_made_at_once(first, second, data):
    texts = [*first, *second]
    rows = data.draw(st.lists(st.integers(0, len(texts) - 1), unique=True) if texts else st.just([]))
    made = index_of(first).joined(index_of(second)).take(np.array(rows, np.int64))
    plain = index_of([texts[row] for row in rows])
    for query in ("pool", "cache 缓存"):
        assert answers(Index.counted(made.for_query(tokenize(query))), query) == answers(
            Index.counted(plain.for_query(tokenize(query))), query
        )


def test_an_index_is_saved_and_loaded_by_the_same_version_only(tmp_path):
    place = tmp_path / "cache" / "t.npz"
    search_index.save(place, index_of(["pool", "缓存键"]), {"a": 1})
    kept, states = search_index.load(place, "rules")
    assert (len(kept), kept.vocabulary, states) == (2, index_of(["pool", "缓存键"]).vocabulary, {"a": 1})
    assert len(search_index.load(place, "other rules")[0]) == 0
