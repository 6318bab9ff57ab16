"""Delays between attempts, and what servers say about them."""

import math
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from memsieve.runtime.backoff import Backoff, delay_after, retry_after


def test_each_delay_is_twice_the_one_before_up_to_the_longest():
    backoff = Backoff(0.5, 3.0)
    assert [backoff.next_delay() for _ in range(5)] == [0.5, 1.0, 2.0, 3.0, 3.0]


def test_a_reset_begins_with_the_first_delay_again():
    backoff = Backoff(0.5, 3.0, factor=3.0)
    assert [backoff.next_delay(), backoff.next_delay()] == [0.5, 1.5]
    backoff.reset()
    assert backoff.next_delay() == 0.5


def test_jitter_shortens_a_delay_by_its_share_at_most():
    delays = [Backoff(1.0, 5.0, jitter=0.5).next_delay() for _ in range(200)]
    assert 0.5 <= min(delays) < 0.6
    assert 0.9 < max(delays) <= 1.0


def test_a_delay_is_as_long_as_the_server_asks_for():
    assert Backoff(0.1, 5.0).next_delay(at_least=7.0) == 7.0


def test_patience_ends_the_attempts():
    backoff = Backoff(0.1, 5.0, patience=2.0)
    assert backoff.permits(1.0)
    assert not backoff.permits(2.5)
    assert Backoff(0.1, 5.0).permits(1e9)


def test_a_million_attempts_overflow_nothing():
    assert delay_after(1_000_000, 30.0, 3600.0) == 3600.0


@pytest.mark.parametrize(
    ("header", "seconds"), [(None, None), ("", None), ("7", 7.0), ("soon", None), ("-3", None), ("٣", None)]
)
def test_retry_after_in_seconds(header, seconds):
    assert retry_after(header) == seconds


def test_retry_after_as_a_date():
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    seconds = retry_after(later)
    assert seconds is not None
    assert math.isclose(seconds, 90, abs_tol=2)
    assert retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
