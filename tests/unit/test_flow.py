"""The days that a flow is counted by."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from memsieve.errors import InvalidInput
from memsieve.model import DateRange

NOW = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)


def test_a_span_ends_today_and_begins_at_midnight():
    span = DateRange(now=NOW, days=2)
    assert [str(day) for day in span.dates] == ["2026-02-28", "2026-03-01"]
    assert span.since == datetime(2026, 2, 28, tzinfo=UTC)


def test_today_and_midnight_are_those_of_the_offset():
    span = DateRange(now=NOW, days=1, offset=timedelta(hours=8))
    assert [str(day) for day in span.dates] == ["2026-03-02"]
    assert span.since == datetime(2026, 3, 1, 16, tzinfo=UTC)
    assert DateRange(now=NOW, days=1, offset=timedelta(hours=-9)).since == datetime(2026, 3, 1, 9, tzinfo=UTC)


def test_the_zone_that_now_is_given_in_changes_nothing():
    elsewhere = NOW.astimezone(timezone(timedelta(hours=8)))
    assert DateRange(now=elsewhere, days=3).since == DateRange(now=NOW, days=3).since


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"days": 0}, "days"),
        ({"days": 367}, "days"),
        ({"days": 1.5}, "days"),
        ({"offset": timedelta(hours=14, minutes=1)}, "offset"),
        ({"offset": 480}, "offset"),
    ],
)
def test_a_span_that_is_none_is_refused_by_name(fields, field):
    with pytest.raises(InvalidInput) as refused:
        DateRange(now=NOW, **fields)
    assert refused.value.field == field
