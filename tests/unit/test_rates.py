"""How often one caller may ask."""

from memsieve.api import rates
from memsieve.api.rates import Rates


class Time:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_caller_may_ask_as_often_at_once_as_in_a_second():
    limited = Rates(3, Time())
    assert [limited.wait("a") for _ in range(5)] == [0, 0, 0, 1, 1]


def test_tokens_come_back_as_time_goes_by():
    time = Time()
    limited = Rates(2, time)
    assert [limited.wait("a") for _ in range(3)] == [0, 0, 1]
    time.now += 0.5
    assert [limited.wait("a") for _ in range(2)] == [0, 1]
    time.now += 3600
    assert [limited.wait("a") for _ in range(3)] == [0, 0, 1]


def test_callers_do_not_take_each_other_s_tokens():
    limited = Rates(1, Time())
    assert [limited.wait(name) for name in "aabb"] == [0, 1, 0, 1]


def test_less_than_one_a_second_is_told_in_whole_seconds():
    limited = Rates(0.1, Time())
    assert [limited.wait("a"), limited.wait("a")] == [0, 10]


def test_no_rate_is_no_limit():
    limited = Rates(0, Time())
    assert not any(limited.wait("a") for _ in range(10_000))


def test_callers_who_went_quiet_are_forgotten_and_busy_ones_are_not(monkeypatch):
    monkeypatch.setattr(rates, "MOST_BUCKETS", 3)
    time = Time()
    limited = Rates(1, time)
    for name in "abc":
        limited.wait(name)
    time.now += 0.5
    limited.wait("c")
    time.now += 0.6
    limited.wait("d")
    assert set(limited._buckets) == {"c", "d"}
