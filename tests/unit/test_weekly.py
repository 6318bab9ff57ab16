"""When a weekly digest is due: on its day, at its hour, where the people are."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memsieve.config import DAYS
from memsieve.jobs.weekly import last_due, last_midnight

HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)
WEEK = timedelta(days=7)
BERLIN, NEW_YORK, KOLKATA = "Europe/Berlin", "America/New_York", "Asia/Kolkata"


def at(text, zone="UTC", fold=0):
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC)


def steps(start, end, step=timedelta(minutes=10)):
    while start < end:
        yield start
        start += step


def dues(start, end, day, hour, zone):
    """Return every moment that comes to be the last that was due, as somebody sees it who looks all the time."""
    seen = [last_due(now, day, hour, zone) for now in steps(start, end)]
    return [due for before, due in zip([None, *seen], seen, strict=False) if due != before]


def test_it_is_due_from_its_hour_on_and_not_a_second_before():
    due = at("2026-03-02T08:00")
    assert last_due(due - SECOND, "monday", 8, "UTC") == due - WEEK
    assert last_due(due, "monday", 8, "UTC") == due
    assert last_due(due + WEEK - SECOND, "monday", 8, "UTC") == due


def test_never_is_never():
    assert last_due(at("2026-03-02T08:00"), "never", 8, "UTC") is None


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize("hour", [0, 23])
@pytest.mark.parametrize("zone", ["UTC", BERLIN, NEW_YORK, KOLKATA, "Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_every_day_and_hour_comes_once_a_week_in_its_zone_and_is_told_in_utc(day, hour, zone):
    start = at("2026-06-03T12:30", zone)
    found = dues(start, start + 3 * WEEK, day, hour, zone)
    assert len(found) == 4
    for due in found:
        assert due.tzinfo is UTC
        local = due.astimezone(ZoneInfo(zone))
        assert (DAYS[local.weekday()], local.hour, local.minute) == (day, hour, 0)


def test_the_same_moment_is_monday_here_and_still_sunday_there():
    now = at("2026-03-02T09:00", KOLKATA)
    assert last_due(now, "monday", 8, KOLKATA) == at("2026-03-02T02:30")
    assert last_due(now, "monday", 8, NEW_YORK) == at("2026-02-23T13:00")
    assert last_due(now, "sunday", 22, NEW_YORK) == at("2026-03-02T03:00")


def test_a_week_that_crosses_the_year_is_a_week():
    assert last_due(at("2027-01-01T00:00"), "thursday", 23, "UTC") == at("2026-12-31T23:00")
    assert last_due(at("2027-01-01T00:00"), "friday", 0, "UTC") == at("2027-01-01T00:00")
    assert last_due(at("2027-01-01T00:00"), "friday", 1, "UTC") == at("2026-12-25T01:00")


@pytest.mark.parametrize(
    ("zone", "day", "before", "after"),
    [
        (BERLIN, "monday", "2026-03-23T07:00", "2026-03-30T06:00"),
        (BERLIN, "monday", "2026-10-19T06:00", "2026-10-26T07:00"),
        (NEW_YORK, "sunday", "2026-03-01T13:00", "2026-03-08T12:00"),
        (NEW_YORK, "sunday", "2026-10-25T12:00", "2026-11-01T13:00"),
        (KOLKATA, "monday", "2026-03-23T02:30", "2026-03-30T02:30"),
    ],
)
def test_eight_o_clock_stays_eight_o_clock_when_the_clocks_change(zone, day, before, after):
    before, after = at(before), at(after)
    assert last_due(after - SECOND, day, 8, zone) == before
    assert last_due(after, day, 8, zone) == after


@pytest.mark.parametrize(
    ("zone", "date", "instead"),
    [
        (BERLIN, "2026-03-29", "2026-03-29T01:00"),
        (NEW_YORK, "2026-03-08", "2026-03-08T07:00"),
        # Half an hour is left out here.
        ("Australia/Lord_Howe", "2026-10-04", "2026-10-03T15:30"),
    ],
)
def test_an_hour_that_is_left_out_happens_once_as_soon_as_the_clocks_have_jumped(zone, date, instead):
    start = at(f"{date}T00:00", zone)
    assert dues(start, start + 2 * timedelta(days=1), "sunday", 2, zone)[1:] == [at(instead)]


@pytest.mark.parametrize(
    ("zone", "date", "hour", "first"),
    [
        (BERLIN, "2026-10-25", 2, "2026-10-25T00:00"),
        (NEW_YORK, "2026-11-01", 1, "2026-11-01T05:00"),
    ],
)
def test_an_hour_that_comes_twice_counts_the_first_time(zone, date, hour, first):
    start = at(f"{date}T00:00", zone)
    assert dues(start, start + 2 * timedelta(days=1), "sunday", hour, zone)[1:] == [at(first)]


def test_a_midnight_that_comes_twice_counts_once_though_it_is_the_day_before_again():
    # At one minute past midnight the clocks of St. John's were set back to 23:01.
    start = at("2006-10-28T12:00", "America/St_Johns")
    found = dues(start, start + timedelta(days=1), "sunday", 0, "America/St_Johns")
    assert found[1:] == [at("2006-10-29T00:00", "America/St_Johns")]


def test_a_day_that_is_left_out_altogether_is_made_up_on_the_next():
    # Samoa went from Thursday to Saturday.
    found = dues(at("2011-12-29T12:00"), at("2012-01-02T12:00"), "friday", 8, "Pacific/Apia")
    assert found[1:] == [at("2011-12-31T08:00", "Pacific/Apia")]


def test_a_clock_that_jumps_forward_skips_what_lies_between():
    now = at("2026-03-02T09:00")
    assert last_due(now + 3 * WEEK, "monday", 8, "UTC") == last_due(now, "monday", 8, "UTC") + 3 * WEEK


def test_a_clock_that_jumps_back_brings_back_the_one_before():
    due = at("2026-03-02T08:00")
    assert last_due(due, "monday", 8, "UTC") == due
    assert last_due(due - HOUR, "monday", 8, "UTC") == due - WEEK


def test_now_may_be_told_in_any_zone():
    assert last_due(at("2026-03-02T09:00").astimezone(ZoneInfo(KOLKATA)), "monday", 8, "UTC") == at("2026-03-02T08:00")


@pytest.mark.parametrize(
    ("now", "zone", "began"),
    [
        ("2026-03-02T00:00", "UTC", "2026-03-02T00:00"),
        ("2026-03-02T18:29", KOLKATA, "2026-03-01T18:30"),
        ("2026-03-02T18:30", KOLKATA, "2026-03-02T18:30"),
        # Beirut has no midnight on this day.
        ("2026-03-28T23:00", "Asia/Beirut", "2026-03-28T22:00"),
    ],
)
def test_a_day_begins_at_midnight_where_the_people_are(now, zone, began):
    assert last_midnight(at(now), zone) == at(began)
