"""How often one caller may ask, and how many event streams there may be."""

from contextlib import ExitStack

import pytest
from starlette.exceptions import HTTPException

from memsieve.api import limits
from memsieve.api.limits import MAX_STREAMS_PER_CALLER, StreamLimiter, TokenBucketLimiter


class Time:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_caller_may_ask_as_often_at_once_as_in_a_second():
    limiter = TokenBucketLimiter(3, Time())
    assert [limiter.acquire("a") for _ in range(5)] == [0, 0, 0, 1, 1]


def test_tokens_come_back_as_time_goes_by():
    time = Time()
    limiter = TokenBucketLimiter(2, time)
    assert [limiter.acquire("a") for _ in range(3)] == [0, 0, 1]
    time.now += 0.5
    assert [limiter.acquire("a") for _ in range(2)] == [0, 1]
    time.now += 3600
    assert [limiter.acquire("a") for _ in range(3)] == [0, 0, 1]


def test_callers_do_not_take_each_other_s_tokens():
    limiter = TokenBucketLimiter(1, Time())
    assert [limiter.acquire(name) for name in "aabb"] == [0, 1, 0, 1]


def test_less_than_one_a_second_is_told_in_whole_seconds():
    limiter = TokenBucketLimiter(0.1, Time())
    assert [limiter.acquire("a"), limiter.acquire("a")] == [0, 10]


def test_no_rate_is_no_limit():
    limiter = TokenBucketLimiter(0, Time())
    assert not any(limiter.acquire("a") for _ in range(10_000))


def test_callers_who_went_quiet_are_forgotten_and_busy_ones_are_not(monkeypatch):
    monkeypatch.setattr(limits, "MAX_BUCKETS", 3)
    time = Time()
    limiter = TokenBucketLimiter(1, time)
    for name in "abc":
        limiter.acquire(name)
    time.now += 0.5
    limiter.acquire("c")
    time.now += 0.6
    limiter.acquire("d")
    assert set(limiter._buckets) == {"c", "d"}


def refusal(limiter: StreamLimiter, caller: str) -> HTTPException:
    with pytest.raises(HTTPException) as refused, limiter.slot(caller):
        pass
    return refused.value


def test_one_caller_takes_so_many_streams_and_no_more():
    limiter = StreamLimiter()
    with ExitStack() as stack:
        for _ in range(MAX_STREAMS_PER_CALLER):
            stack.enter_context(limiter.slot("greedy"))
        refused = refusal(limiter, "greedy")
        assert (refused.status_code, refused.headers) == (429, {"Retry-After": "30"})
        assert "Close those that nobody reads" in refused.detail
        with limiter.slot("modest"):
            pass
    with limiter.slot("greedy"):
        pass


def test_where_there_are_few_streams_one_caller_does_not_take_them_all():
    limiter = StreamLimiter(8)
    with limiter.slot("greedy"), limiter.slot("greedy"):
        assert "You have 2" in refusal(limiter, "greedy").detail
        with limiter.slot("modest"):
            pass


def test_all_callers_together_leave_connections_for_other_requests():
    limiter = StreamLimiter(8)
    with ExitStack() as stack:
        for number in range(8):
            stack.enter_context(limiter.slot(f"caller {number}"))
        assert "All 8 event streams" in refusal(limiter, "another").detail
    with limiter.slot("another"):
        pass


def test_who_has_left_is_forgotten():
    limiter = StreamLimiter()
    with limiter.slot("once"):
        pass
    assert not limiter._open
