"""The tier rules under random histories: a model in Python keeps the truth, and memsieve must agree with it."""

import shutil
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memsieve.config import FilterSettings, Settings
from memsieve.errors import Conflict
from memsieve.memory import Memory
from memsieve.model import UNVERIFIED_LABEL, VERIFIED_LABEL, Source
from memsieve.ports import SESSION_SHARE
from memsieve.testing import Clock

# The rules in figures of their own: taken from the code they could not be broken.
LIFE = timedelta(hours=24)
CAP = 50
PROJECTS = ("apollo", "gemini")
SESSIONS = ("s0", "s1", "s2")
LETTERS = "bcdfghjklmnpqrstvwz"
UNCHECKED = frozenset({"substance", "injection", "consistency"})
SETTINGS = Settings(filter=FilterSettings(min_length=0, disabled_checks=UNCHECKED))

# Mostly in one place and of few claims, so that deeds meet.
projects = st.sampled_from(("apollo", "apollo", "apollo", "gemini"))
sessions = st.sampled_from(SESSIONS)
picks = st.integers(0, 999)
confidences = st.sampled_from((None, 0.8, 0.81, 1.0, 0.9, 0.95))
outputs = st.tuples(sessions, picks, confidences, st.booleans())
deeds = st.sampled_from(("promote", "promote", "dismiss", "dismiss", "dismiss", "delete"))


def text_of(claim, *, turned=False):
    """Return six words that no other claim has, in one of two orders: two wordings of one claim."""
    stem = "".join(LETTERS[claim // len(LETTERS) ** place % len(LETTERS)] for place in range(3))
    words = [f"{stem}o{end}" for end in "kmnptz"]
    return " ".join(reversed(words) if turned else words)


@dataclass
class Said:
    id: str
    text: str
    claim: int


@dataclass
class Hot:
    said: Said
    session: str
    expires_at: datetime


@dataclass
class Kept:
    id: str
    text: str
    claim: int
    sources: set[str]
    retired: bool = False


@dataclass
class Grave:
    text: str
    claim: int
    source: str
    lifted: bool = False


@dataclass
class Truth:
    """What one project must hold."""

    said: list[Said] = field(default_factory=list)
    hot: list[Hot] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    graves: list[Grave] = field(default_factory=list)
    served: dict[str, dict[str, tuple[Source, int]]] = field(default_factory=lambda: {name: {} for name in SESSIONS})
    lines: int = 0

    def expire(self, now):
        self.hot = [one for one in self.hot if one.expires_at > now]

    def admits(self, claim, session, confidence):
        barred = {grave.claim for grave in self.graves if not grave.lifted}
        barred |= {one.said.claim for one in self.hot}
        barred |= {served for _, served in self.served[session].values()}
        return claim not in barred and (confidence is None or confidence > 0.8)

    def admit(self, said, session, expires_at):
        """Let an entry into working memory, for which the oldest goes of a session that holds more than its share."""
        self.hot.append(Hot(said, session, expires_at))
        sessions = [one.session for one in self.hot]
        if len(self.hot) > CAP:
            loud = session if sessions.count(session) > SESSION_SHARE else max(sessions, key=sessions.count)
            del self.hot[sessions.index(loud)]

    def forget(self, claim):
        self.hot = [one for one in self.hot if one.said.claim != claim]

    def lift(self, text, sources):
        for grave in self.graves:
            grave.lifted |= grave.text == text or grave.source in sources


class Tiers(RuleBasedStateMachine):
    """Random deeds of agents and persons in two projects, several sessions, on one file."""

    @initialize()
    def begin(self):
        self.folder = Path(tempfile.mkdtemp())
        self.clock = Clock()
        self.memory = Memory.open(self.folder, settings=SETTINGS, clock=self.clock)
        self.truth = {name: Truth() for name in PROJECTS}
        self.flooded = False
        self.claims = 0
        self.known = [self.new_claim()]

    def teardown(self):
        try:
            self.quarantine_keeps_everything_that_was_said()
            self.every_chunk_is_a_part_of_what_a_person_approved()
            self.the_audit_chain_is_whole()
        finally:
            self.memory.close()
            shutil.rmtree(self.folder)

    def new_claim(self):
        self.claims += 1
        return self.claims

    def known_claim(self, pick):
        """Choose among the latest, so that deeds meet."""
        return self.known[-1 - pick % min(len(self.known), 2)]

    def record(self, project, session, claim, confidence, *, turned=False):
        truth, text = self.truth[project], text_of(claim, turned=turned)
        expected = truth.admits(claim, session, confidence)
        receipt = self.memory.project(project).record(text, session_id=session, confidence=confidence)
        assert receipt.admission.admitted is expected, receipt.admission
        said = Said(receipt.entry.id, text, claim)
        truth.said.append(said)
        if expected:
            truth.admit(said, session, self.clock() + LIFE)

    @rule(project=projects, outputs=st.lists(outputs, min_size=1, max_size=4))
    def say(self, project, outputs):
        for session, pick, confidence, turned in outputs:
            if pick % 4 == 0:
                self.known.append(self.new_claim())
            self.record(project, session, self.known_claim(pick), confidence, turned=turned)

    @precondition(lambda self: not self.flooded)
    @rule(project=projects, session=sessions)
    def say_more_than_working_memory_holds(self, project, session):
        self.flooded = True
        for _ in range(CAP + 1):
            self.record(project, session, self.new_claim(), 0.9)

    @rule(project=projects, reviews=st.lists(st.tuples(picks, deeds), min_size=1, max_size=3))
    def review(self, project, reviews):
        for pick, deed in reviews:
            said = [one for one in self.truth[project].said if one.claim in self.known[-2:]]
            if said:
                getattr(self, deed)(project, said[pick % len(said)])

    def promote(self, project, said):
        truth = self.truth[project]
        memory = self.memory.project(project).review(by="ada").promote(said.id)
        self.keep(truth, memory, said.text, said.claim, {said.id})
        truth.hot = [one for one in truth.hot if one.said.id != said.id]

    @rule(project=projects, pick=picks, turned=st.booleans())
    def promote_text(self, project, pick, turned):
        claim = self.known_claim(pick)
        text = text_of(claim, turned=turned)
        memory = self.memory.project(project).review(by="bob").promote_text(text)
        self.keep(self.truth[project], memory, text, claim, set())

    def keep(self, truth, memory, text, claim, sources):
        living = next((one for one in truth.kept if one.text == text and not one.retired), None)
        if living is None:
            assert memory.id not in {one.id for one in truth.kept}
            living = Kept(memory.id, text, claim, set())
            truth.kept.append(living)
        elif sources <= living.sources:
            assert memory.id == living.id
            return
        living.sources |= sources
        truth.lift(text, sources)
        truth.lines += 1

    def dismiss(self, project, said):
        truth, opened = self.truth[project], self.memory.project(project)
        if any(said.id in one.sources and not one.retired for one in truth.kept):
            with pytest.raises(Conflict):
                opened.review(by="ada").dismiss(said.id, reason="wrong")
            return
        opened.review(by="ada").dismiss(said.id, reason="wrong")
        if not any(grave.source == said.id and not grave.lifted for grave in truth.graves):
            truth.graves.append(Grave(said.text, said.claim, said.id))
            truth.lines += 1
        truth.forget(said.claim)

    @rule(project=projects, pick=picks)
    def retire(self, project, pick):
        truth = self.truth[project]
        living = [one for one in truth.kept if not one.retired]
        if not living:
            return
        kept = living[pick % len(living)]
        retirement = self.memory.project(project).review(by="ada").retire(kept.id, reason="outdated")
        [chunk] = retirement.memory.chunks
        kept.retired = True
        truth.graves.append(Grave(kept.text, kept.claim, chunk.id))
        truth.forget(kept.claim)
        truth.lines += 1
        served_to = {session for session in SESSIONS if chunk.id in truth.served[session]}
        assert {serving.session_id for serving in retirement.served} == served_to

    def delete(self, project, said):
        truth = self.truth[project]
        self.memory.project(project).review(by="ada").delete(said.id, reason="private")
        truth.said.remove(said)
        truth.hot = [one for one in truth.hot if one.said.id != said.id]
        truth.lines += 1
        for served in truth.served.values():
            served.pop(said.id, None)

    @rule(hours=st.sampled_from((0.5, 1, 11, 23, 24)), reopened=st.booleans())
    def wait(self, hours, reopened):
        self.clock.advance(hours=hours)
        for truth in self.truth.values():
            truth.expire(self.clock())
        if reopened:
            self.memory.close()
            self.memory = Memory.open(self.folder, settings=SETTINGS, clock=self.clock)

    @rule(project=projects, session=sessions, pick=picks)
    def retrieve(self, project, session, pick):
        claim, truth = self.known_claim(pick), self.truth[project]
        answer = self.memory.project(project).retrieve(
            text_of(claim), session_id=session, max_results=1000, max_unverified=1000
        )
        living = {one.id: one for one in truth.kept if not one.retired}
        hot = {one.said.id: one for one in truth.hot}
        for item in answer.items:
            if item.verified:
                assert (item.source, item.label) == (Source.COLD, VERIFIED_LABEL)
                assert item.content == living[item.memory_id].text
            else:
                assert (item.source, item.label) == (Source.HOT, UNVERIFIED_LABEL)
                assert (item.content, item.expires_at) == (hot[item.id].said.text, hot[item.id].expires_at)
        found = {item.content for item in answer.items}
        assert {one.text for one in living.values() if one.claim == claim} <= found
        assert {one.said.text for one in hot.values() if one.said.claim == claim} <= found
        claims = {text_of(n, turned=turned): n for n in range(self.claims + 1) for turned in (False, True)}
        truth.served[session] |= {item.id: (item.source, claims[item.content]) for item in answer.items}

    @invariant()
    def working_memory_is_what_was_admitted_and_lives(self):
        for name, truth in self.truth.items():
            held = self.memory.project(name).working()
            assert len(held) <= CAP
            expected = [(one.said.id, one.said.text, one.expires_at) for one in reversed(truth.hot)]
            assert [(one.id, one.content, one.expires_at) for one in held] == expected

    def quarantine_keeps_everything_that_was_said(self):
        for name, truth in self.truth.items():
            assert self.memory.project(name).stats().recorded == len(truth.said)

    def every_chunk_is_a_part_of_what_a_person_approved(self):
        with closing(sqlite3.connect(self.folder / "memsieve.db")) as connection:
            rows = connection.execute(
                "SELECT m.project_id, m.content, p.content, p.promoted_by FROM memories m"
                " LEFT JOIN approvals p ON p.project_id = m.project_id AND p.id = m.approval_id"
            ).fetchall()
        assert all(content in approved and by in {"ada", "bob"} for _, content, approved, by in rows)
        assert {(name, one.text) for name, truth in self.truth.items() for one in truth.kept} == {
            (project, content) for project, content, _, _ in rows
        }

    def the_audit_chain_is_whole(self):
        for name, truth in self.truth.items():
            audit = self.memory.project(name).review(by="ada@example.org").verify_audit()
            assert audit.whole, audit.problems
            assert audit.events == truth.lines


def test_the_tier_rules_hold_under_random_histories(small_embedder):
    run_state_machine_as_test(
        Tiers,
        settings=settings(
            max_examples=50, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
