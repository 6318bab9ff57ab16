"""The same memories on SQLite and on PostgreSQL: the same answers, in the same order, with the same scores."""

import asyncio
import random
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from itertools import islice, product

import pytest

from memsieve.config import Settings
from memsieve.model import Origin, TombstoneKind
from memsieve.models.embedders import LocalEmbedder
from memsieve.retrieval.fusion import fused
from memsieve.services.stores import open_stores
from memsieve.testing.factories import NOW, agent, approval, chunks, person, tombstone
from memsieve.text.tokenize import tokenize

TEAMS = ["billing", "search", "login", "export", "mobile", "warehouse", "pricing", "ledger"]
DEEDS = ["uses", "replaces", "limits", "retries", "caches", "encrypts", "measures", "splits"]
THINGS = [
    "PostgreSQL transactions",
    "expired tokens",
    "certificates",
    "message queues",
    "the yearly budget",
    "EU regions",
]
CHINESE = [
    "支付团队使用数据库事务",
    "搜索服务缓存过期的令牌",
    "登录模块加密证书",
    "导出任务限制年度预算",
    "移动端重试消息队列",
]
LONG = (
    "The council met on Tuesday. The council decided that the ledger, the ledger's replicas and the ledger's backups "
    "stay in Frankfurt, because the auditors of the council asked for it. 会议决定：账本的备份留在法兰克福。"
)


def texts():
    choose = random.Random(5)
    for number in range(240):
        team, deed, thing = choose.choice(TEAMS), choose.choice(DEEDS), choose.choice(THINGS)
        yield f"The {team} team {deed} {thing} since sprint {number % 40}, {choose.choice(TEAMS)} does not."
    for number in range(60):
        yield f"{choose.choice(CHINESE)}，版本{number}，{choose.choice(CHINESE)}。"
    yield LONG
    yield "ledger " * 12 + "and nothing else"
    yield "πάντα ῥεῖ, said the consultant about the roadmap of the export team"


def said_in_sessions():
    """Yield approvals of what was said in three sessions, some on the next day; every fourth was said nowhere.

    They are no more than a search looks at: which of those that tie are found must not matter here.
    """
    for number, text in enumerate(islice(texts(), 220, 256)):
        said = Origin(session_id=f"s{number % 3}", at=NOW + timedelta(hours=number * 7 % 36))
        promoted = NOW + timedelta(hours=number)
        yield approval(text, person("gemini"), promoted, origin=said if number % 4 else None)


QUERIES = [
    "Which team uses PostgreSQL transactions?",
    "ledger",
    "the",
    "expired tokens of the login team in sprint 7",
    "What did the council decide about backups?",
    "哪个团队使用数据库事务？",
    "年度预算",
    "Who encrypts certificates? 谁加密证书？",
    "nothing of this kind is known here: zebra quilts",
    "πάντα",
]


@pytest.fixture(scope="module")
def embedder():
    return LocalEmbedder()


@pytest.fixture(scope="module")
def embedded(embedder):
    """Embed the chunks of all texts once; return how to cut an approval into them."""
    pieces = [piece.content for text in texts() for piece in chunks(approval(text))]
    vectors = dict(zip(pieces, asyncio.run(embedder.embed(pieces)), strict=True))
    return lambda yes: [replace(chunk, embedding=vectors[chunk.content]) for chunk in chunks(yes)]


@pytest.fixture
def both(server_engine, data, clock, run, embedder):
    """Open both engines."""
    stack = AsyncExitStack()
    server = Settings(database_url=server_engine.database_url, redis_url=server_engine.redis_url)
    yield [run(open_stores(settings, embedder, clock, stack)) for settings in (Settings(data=data), server)]
    run(stack.aclose())


@pytest.fixture
def filled(both, run, embedded):
    """Give both the same approvals, chunk by chunk, one of them retired."""
    for number, text in enumerate(texts()):
        yes = approval(text, at=NOW + timedelta(hours=number))
        pieces = embedded(yes)
        for one in both:
            memory = run(one.longterm.add(person(), yes, pieces))
            if number == 17:
                graves = [tombstone(piece.content, piece.id, TombstoneKind.RETIRED) for piece in pieces]
                run(one.longterm.retire(person(), memory.id, "outdated", graves))
    return both


@pytest.fixture
def said(both, run, embedded):
    """Give both the same approvals of what was said in sessions."""
    for yes in said_in_sessions():
        pieces = embedded(yes)
        for one in both:
            run(one.longterm.add(person("gemini"), yes, pieces))
    return both


def test_both_engines_find_the_same_with_the_same_scores(filled, run, embedder):
    for query, limit, hours in product(QUERIES, (5, 25), (None, 150)):
        assert_found_alike(filled, run, embedder, "apollo", query, limit, hours)


def test_both_engines_let_neighbours_in_a_session_lend_the_same_words(said, run, embedder):
    for query, hours in product(QUERIES, (None, 18)):
        assert_found_alike(said, run, embedder, "gemini", query, 25, hours)


def assert_found_alike(both, run, embedder, project, query, limit, hours):
    since = None if hours is None else NOW + timedelta(hours=hours)
    [vector] = run(embedder.embed([query]))
    for given in (vector, None):
        found = [run(one.longterm.search(agent(project), given, tokenize(query), limit, since)) for one in both]
        assert_alike(*({hit.chunk_id: hit for hit in hits} for hits in found))


def assert_alike(sqlite, postgres):
    scores = [[fused(hit) for hit in found.values()] for found in (sqlite, postgres)]
    assert sorted(scores[1]) == pytest.approx(sorted(scores[0]), abs=2e-3)
    last = min(scores[0], default=0)
    # Those that tie with the last place may change with one another.
    certain = [{one for one, hit in found.items() if fused(hit) > last + 4e-3} for found in (sqlite, postgres)]
    assert certain[0] == certain[1]
    for one in certain[0]:
        assert postgres[one].word_score == pytest.approx(sqlite[one].word_score, abs=2e-3)
        assert postgres[one].similarity == pytest.approx(sqlite[one].similarity, abs=2e-3)


def test_both_engines_know_the_same_tombstones(both, run, embedder):
    for text in ("The login team caches expired tokens.", "The ledger team splits queues.", *CHINESE):
        [vector] = run(embedder.embed([text]))
        for one in both:
            run(one.tombstones.add(person(), replace(tombstone(text, text), embedding=vector)))
    for query in ("expired tokens that the login team caches", "重试消息队列"):
        [vector] = run(embedder.embed([query]))
        found = [
            {grave.content for grave in run(one.tombstones.nearest(agent(), vector, tokenize(query), 2))}
            for one in both
        ]
        assert found[0] == found[1]
        assert found[0]
