"""The event broker delivers every event once to each subscriber, and no slow one holds up the others."""

import asyncio
import json
import logging
from datetime import timedelta

import pytest

from memsieve.api import events
from memsieve.api.events import CAPACITY, PAGE, EventBroker
from memsieve.api.routes.events import frame, frames
from memsieve.errors import InvalidInput, StoreUnavailable
from memsieve.model import Event, EventKind
from memsieve.testing.factories import NOW

EVERY = 0.002
WHILE = 10


class Happened:
    """What happened, in memory: it counts how often it is asked, and can be down."""

    def __init__(self):
        self.all, self.kept_from, self.number = [], 0, 0
        self.looks, self.reads, self.down = 0, 0, False

    def happen(self, many=1, project="apollo"):
        """Let something happen; return the subjects."""
        first = self.number + 1
        self.number += many
        for number in range(first, self.number + 1):
            self.all.append(
                Event(
                    position=position(number),
                    project_id=project,
                    kind=EventKind.RECORDED,
                    at=NOW,
                    subject=f"e{number}",
                )
            )
        return [f"e{number}" for number in range(first, self.number + 1)]

    async def newest(self):
        await self._answer()
        return position(self.number)

    async def oldest(self):
        await self._answer()
        return position(self.kept_from)

    async def since(self, after, limit=1000):
        self.looks += 1
        await self._answer()
        return [one for one in self.all if one.position > after][:limit]

    async def of(self, scope, after, limit):
        self.reads += 1
        await self._answer()
        if len(after) != 4:
            raise InvalidInput("malformed", field="position")
        return [one for one in self.all if one.position > after and one.project_id == scope.project_id][:limit]

    async def forget(self, before):
        raise NotImplementedError

    async def _answer(self):
        await asyncio.sleep(0)
        if self.down:
            raise StoreUnavailable("down")


def position(number):
    return f"{number:04}"


@pytest.fixture
def happened():
    return Happened()


@pytest.fixture
def scenario(happened, run):
    """Run a test's coroutine with a broker, which is closed afterwards."""

    def scenario_(work, **options):
        async def within():
            broker = EventBroker(happened, every=EVERY, **options)
            try:
                async with asyncio.timeout(WHILE):
                    return await work(broker)
            finally:
                await broker.close()

        return run(within())

    return scenario_


@pytest.fixture
def quick_pause(monkeypatch):
    monkeypatch.setattr(events, "RETRY_SECONDS", EVERY)


async def take(subscription, many):
    return [(await anext(subscription)).subject for _ in range(many)]


async def rest(subscription):
    return [event.subject async for event in subscription]


async def looked(happened, times=3):
    """Wait until the broker has looked some more times."""
    until = happened.looks + times
    while happened.looks < until:  # noqa: ASYNC110 - what looks is a task of the broker's own
        await asyncio.sleep(EVERY)


def test_a_listener_is_told_what_happens_in_its_project_from_now_on(happened, scenario):
    async def work(broker):
        happened.happen()
        async with broker.subscribe("apollo") as apollo, broker.subscribe("gemini") as gemini:
            told = happened.happen(2), happened.happen(1, "gemini"), happened.happen()
            assert await take(apollo, 3) == told[0] + told[2]
            assert await take(gemini, 1) == told[1]
            assert await apollo.next(0.01) is None
            assert not apollo.reset

    scenario(work)


def test_one_look_serves_all_who_listen(happened, scenario):
    async def work(broker):
        async with broker.subscribe("apollo") as first:
            await looked(happened)
            rate = happened.looks
            subscriptions = [broker.subscribe("apollo") for _ in range(1000)]
            others = [await one.__aenter__() for one in subscriptions]
            before = happened.looks
            told = happened.happen(3)
            assert await asyncio.gather(*(take(one, 3) for one in (first, *others))) == [told] * 1001
            assert rate <= before
            assert happened.looks - before < 50
            assert happened.reads == 0
            for one in subscriptions:
                await one.__aexit__(None, None, None)

    scenario(work)


def test_the_store_is_left_alone_while_nobody_listens(happened, scenario):
    async def work(broker):
        await asyncio.sleep(5 * EVERY)
        assert happened.looks == 0
        async with broker.subscribe("apollo"):
            await looked(happened)
        await asyncio.sleep(3 * EVERY)
        looks = happened.looks
        happened.happen()
        await asyncio.sleep(10 * EVERY)
        assert happened.looks == looks
        # Who comes then begins anew, and is not told what nobody heard.
        async with broker.subscribe("apollo") as subscription:
            assert await take_next(happened, subscription) == "e2"

    scenario(work)


async def take_next(happened, subscription):
    happened.happen()
    return (await anext(subscription)).subject


@pytest.mark.parametrize("missed", [0, 1, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE])
def test_a_listener_goes_on_where_it_stopped_with_nothing_lost_or_doubled(happened, scenario, missed):
    async def work(broker):
        happened.happen(5)
        async with broker.subscribe("gemini"):
            told = happened.happen(missed)
            happened.happen(2, "gemini")
            # Whether the broker has seen these yet must make no difference.
            if missed % 2:
                await looked(happened, 6)
            async with broker.subscribe("apollo", position(5)) as subscription:
                told += happened.happen(4)
                assert await take(subscription, len(told)) == told
                assert await subscription.next(0.01) is None
                assert not subscription.reset

    scenario(work)


def test_whatever_the_moment_of_going_on_nothing_is_lost_or_doubled(happened, scenario):
    async def work(broker):
        async def happen():
            for _ in range(200):
                happened.happen()
                await asyncio.sleep(EVERY / 10)

        async with broker.subscribe("gemini"):
            event = asyncio.create_task(happen())
            heard, last = [], position(0)
            while len(heard) < 200:
                async with broker.subscribe("apollo", last) as subscription:
                    for _ in range(7):
                        told = await subscription.next(EVERY * 5)
                        if told is not None:
                            heard.append(told.subject)
                            last = told.position
            await event
            assert heard == [f"e{number}" for number in range(1, 201)]

    scenario(work)


def test_a_listener_whom_another_process_told_more_already_is_not_told_again(happened, scenario):
    async def work(broker):
        async with broker.subscribe("gemini"):
            told = happened.happen(10)
            # This broker has not looked yet.
            async with broker.subscribe("apollo", position(7)) as subscription:
                assert await take(subscription, 3) == told[7:]
                assert not subscription.reset

    scenario(work)


def test_a_position_that_is_ahead_of_everything_is_of_another_memory(happened, scenario):
    async def work(broker):
        happened.happen(3)
        async with broker.subscribe("apollo", position(500)) as subscription:
            assert subscription.reset
            assert await take_next(happened, subscription) == "e4"

    scenario(work)


def test_a_listener_of_whom_something_is_forgotten_is_told_so_and_gets_what_is_left(happened, scenario):
    async def work(broker):
        happened.happen(10)
        happened.kept_from = 6
        del happened.all[:6]
        async with broker.subscribe("apollo", position(5)) as before, broker.subscribe("apollo", position(6)) as after:
            assert before.reset
            assert not after.reset
            assert await take(before, 4) == await take(after, 4) == ["e7", "e8", "e9", "e10"]

    scenario(work)


def test_a_malformed_position_is_refused_and_leaves_nobody_behind(happened, scenario):
    async def work(broker):
        with pytest.raises(InvalidInput):
            async with broker.subscribe("apollo", "yesterday"):
                pass
        await asyncio.sleep(3 * EVERY)
        assert not broker._subscriptions
        assert broker._poller is None

    scenario(work)


def test_a_listener_that_is_too_slow_is_dropped_and_can_go_on_while_others_are_served(happened, scenario):
    async def work(broker):
        async with broker.subscribe("apollo") as slow, broker.subscribe("apollo") as quick:
            quickly = asyncio.create_task(take(quick, CAPACITY + 50))
            told = happened.happen(CAPACITY + 50)
            assert await quickly == told
            assert not quick.overflowed
            heard = await rest(slow)
            assert slow.overflowed
            assert heard == told[:CAPACITY]
        async with broker.subscribe("apollo", position(len(heard))) as again:
            assert await take(again, 50) == told[CAPACITY:]

    scenario(work)


def test_a_burst_drops_nobody_who_listens(happened, scenario):
    async def work(broker):
        async with broker.subscribe("apollo") as first, broker.subscribe("apollo") as second:
            listening = asyncio.gather(take(first, 5 * CAPACITY), take(second, 5 * CAPACITY))
            await asyncio.sleep(0)
            told = happened.happen(5 * CAPACITY)
            assert await listening == [told, told]

    scenario(work)


def test_while_the_store_is_down_listeners_stay_and_hear_all_afterwards(happened, scenario, quick_pause, caplog):
    async def work(broker):
        async with broker.subscribe("apollo") as subscription:
            happened.down = True
            await looked(happened)
            told = happened.happen(3)
            # Without a position nothing is asked of the store.
            async with broker.subscribe("apollo"):
                assert await subscription.next(0.01) is None
            happened.down = False
            assert await take(subscription, 3) == told

    with caplog.at_level(logging.WARNING):
        scenario(work)
    assert [one.getMessage() for one in caplog.records] == ["Events are delivered again when the store answers: down"]


def test_a_listener_who_was_going_on_when_the_store_went_down_goes_on_afterwards(happened, scenario, quick_pause):
    async def work(broker):
        told = happened.happen(3 * PAGE)
        async with broker.subscribe("apollo", position(0)) as subscription:
            happened.down = True
            assert await take(subscription, PAGE) == told[:PAGE]
            assert await subscription.next(0.01) is None
            happened.down = False
            assert await take(subscription, 2 * PAGE) == told[PAGE:]

    scenario(work)


def test_whoever_comes_first_while_the_store_is_down_is_told_so_and_can_come_again(happened, scenario):
    async def work(broker):
        happened.down = True
        with pytest.raises(StoreUnavailable):
            async with broker.subscribe("apollo"):
                pass
        happened.down = False
        async with broker.subscribe("apollo") as subscription:
            assert await take_next(happened, subscription) == "e1"

    scenario(work)


def test_a_fault_in_the_store_does_not_end_the_looking(happened, scenario, quick_pause, monkeypatch):
    async def work(broker):
        async with broker.subscribe("apollo") as subscription:
            with monkeypatch.context() as patch:
                patch.setattr(happened, "_answer", None)
                await looked(happened)
            assert await take_next(happened, subscription) == "e1"

    scenario(work)


def test_closing_ends_all_at_once_and_takes_no_more(happened, scenario):
    async def work(broker):
        async with broker.subscribe("apollo") as idle, broker.subscribe("gemini") as busy:
            happened.happen(3, "gemini")
            await looked(happened)
            waiting = asyncio.create_task(rest(idle))
            await asyncio.sleep(0)
            await broker.close()
            assert await waiting == await rest(busy) == []
            assert not idle.overflowed
        with pytest.raises(StoreUnavailable, match="stopping"):
            async with broker.subscribe("apollo"):
                pass
        await broker.close()
        assert broker._poller is None

    scenario(work)


def test_a_wait_that_is_broken_off_loses_nothing(happened, scenario):
    async def work(broker):
        told = happened.happen(3 * PAGE)
        async with broker.subscribe("apollo", position(0)) as subscription:
            heard = []
            while len(heard) < len(told):
                try:
                    async with asyncio.timeout(0):
                        heard += await take(subscription, 1)
                except TimeoutError:
                    heard += await take(subscription, 1)
            assert heard == told

    scenario(work)


def test_frames_are_server_sent_events_with_heartbeats(happened, scenario):
    async def work(broker):
        async with broker.subscribe("apollo") as subscription:
            written = frames(subscription, heartbeat=0.01)
            assert await anext(written) == f"id: {position(0)}\n: listening\n\n"
            assert await anext(written) == ": still here\n\n"
            happened.happen()
            event = await anext(written)
            while event.startswith(":"):
                event = await anext(written)
            assert event == frame(happened.all[0])
            await broker.close()
            assert [one async for one in written] == []

    scenario(work)


def test_frames_say_when_something_is_missing_or_the_listener_is_too_slow(happened, scenario):
    async def work(broker):
        happened.kept_from = happened.number = 4
        async with broker.subscribe("gemini"), broker.subscribe("apollo", position(1)) as subscription:
            happened.happen(3)
            await looked(happened)
            return [one async for one in frames(subscription)]

    written = scenario(work, capacity=2)
    assert written[0] == f"id: {position(4)}\nevent: reset\ndata: {{}}\n\n"
    assert [one.split("\n")[0] for one in written[1:]] == ["id: 0005", "id: 0006", "event: overflow"]


def test_a_frame_is_three_lines_whatever_the_subject(happened):
    told = Event(
        position="0001",
        project_id="apollo",
        kind=EventKind.KNOWLEDGE_UPDATED,
        at=NOW + timedelta(microseconds=5),
        subject="a\nb\r\u2028ü",
    )
    lines = frame(told).split("\n")
    assert lines[:2] == ["id: 0001", "event: knowledge:updated"]
    assert lines[3:] == ["", ""]
    assert "\r" not in frame(told)
    assert json.loads(lines[2].removeprefix("data: ")) == {
        "position": "0001",
        "project_id": "apollo",
        "kind": "knowledge:updated",
        "at": "2026-03-02T09:00:00.000005Z",
        "subject": "a\nb\r\u2028ü",
    }
