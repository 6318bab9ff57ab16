"""Which atoms are told to be related: those of one subject, and few others."""

from memsieve.kb.refine.changes import NEAR, NEW_RELATIONS
from memsieve.kb.refine.concept_index import ConceptIndex
from memsieve.refine.concepts import concepts

# Atoms by their subject: all in one line are related, and none of two lines are.
SUBJECTS = [
    (
        "Retries without jitter make every client knock at the same moment.",
        "A client that retries must back off: wait twice as long before each retry.",
        "Limit how often a client retries, or a slow service gets more requests the slower it is.",
    ),
    (
        "Migrations run before the new version is deployed, or it reads columns that are not there.",
        "A migration that drops a column waits until no deployed version reads it.",
        "Large tables are migrated in batches, so that the migration holds no long lock.",
    ),
    (
        "Cache keys contain the tenant id; without it one tenant sees the data of another.",
        "The cache of a tenant is emptied when the tenant is deleted.",
        "Cache entries expire after ten minutes, whatever their tenant pays for.",
    ),
    (
        "Timestamps are stored in UTC and shown in the user's time zone.",
        "Compare timestamps only after both are in UTC: summer time moves the others.",
        "Logs write timestamps in UTC with milliseconds.",
    ),
    (
        "Tests that sleep for a fixed time are flaky; wait for the event instead.",
        "A flaky test is quarantined on the day it is seen, and mended within a week.",
        "Tests share no state: each creates its own fixtures, since shared ones make tests flaky.",
    ),
    (
        "Passwords are hashed with Argon2 and never logged.",
        "Password resets expire after an hour, and a used one is worthless.",
        "After five wrong passwords the account waits for a minute.",
    ),
    (
        "缓存键必须包含租户编号，否则会把别家的数据展示出来。",
        "租户注销后要清空它的缓存。",
        "缓存默认十分钟过期，所有租户都一样。",
    ),
    (
        "数据库迁移必须在部署新版本之前运行。",
        "删除列的迁移要等旧版本全部下线之后再部署。",
        "大表的数据库迁移要分批执行，避免长时间锁表。",
    ),
    (
        "消息队列里的消息可能重复投递，消费者必须幂等。",
        "消费者处理失败的消息会进入死信队列。",
        "队列积压超过一万条消息时要增加消费者。",
    ),
    (
        "日志里不得出现用户的手机号和密码。",
        "所有服务的日志统一使用 JSON 格式。",
        "生产环境的日志保留三十天，然后归档。",
    ),
]


def judged():
    """Return how many relations are true, how many were told, and how many there are."""
    atoms = {f"{row}/{place}": text for row, texts in enumerate(SUBJECTS) for place, text in enumerate(texts)}
    index = ConceptIndex()
    for key, text in atoms.items():
        index.put(key, concepts(text))
    told = [
        (key, other)
        for key, text in atoms.items()
        for other in index.nearest(concepts(text), NEAR, NEW_RELATIONS + 1)
        if other != key
    ]
    true = [pair for pair in told if pair[0].split("/")[0] == pair[1].split("/")[0]]
    return len(true), len(told), len(atoms) * 2


def test_relations_that_are_told_are_true_and_two_of_three_true_ones_are_told():
    true, told, there = judged()
    assert true / told >= 0.95
    assert true / there >= 0.65
