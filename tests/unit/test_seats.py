"""How many event streams there may be."""

from contextlib import ExitStack

import pytest
from starlette.exceptions import HTTPException

from memsieve.api.seats import MOST_OF_A_CALLER, Seats


def refusal(seats: Seats, caller: str) -> HTTPException:
    with pytest.raises(HTTPException) as refused, seats.taken(caller):
        pass
    return refused.value


def test_one_caller_takes_so_many_streams_and_no_more():
    seats = Seats()
    with ExitStack() as stack:
        for _ in range(MOST_OF_A_CALLER):
            stack.enter_context(seats.taken("greedy"))
        refused = refusal(seats, "greedy")
        assert (refused.status_code, refused.headers) == (429, {"Retry-After": "30"})
        assert "Close those that nobody reads" in refused.detail
        with seats.taken("modest"):
            pass
    with seats.taken("greedy"):
        pass


def test_where_there_are_few_streams_one_caller_does_not_take_them_all():
    seats = Seats(most=8)
    with seats.taken("greedy"), seats.taken("greedy"):
        assert "You have 2" in refusal(seats, "greedy").detail
        with seats.taken("modest"):
            pass


def test_all_callers_together_leave_connections_for_other_requests():
    seats = Seats(most=8)
    with ExitStack() as stack:
        for number in range(8):
            stack.enter_context(seats.taken(f"caller {number}"))
        assert "All 8 event streams" in refusal(seats, "another").detail
    with seats.taken("another"):
        pass


def test_who_has_left_is_forgotten():
    seats = Seats()
    with seats.taken("once"):
        pass
    assert not seats._taken
