"""The rules of the digest under random histories of recording, digesting, deciding and deleting."""

import shutil
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from memsieve.config import Settings
from memsieve.errors import Conflict
from memsieve.memory import Memory
from memsieve.model import ExclusionReason, ReviewStatus
from memsieve.testing import Clock, WordEmbedder

PROJECTS = ("apollo", "gemini")
CLAIMS = (
    "The ledger service keeps customer balances inside PostgreSQL tables.",
    "Nightly backups run before breakfast with three parallel workers.",
    "Deployments require written approval from senior reviewers.",
    "Invoices are archived downtown within fireproof cabinets.",
    "Mobile clients must support Android phones from eleven upwards.",
    "支付网关会拒绝带空格的银行卡号。",
)
JUNK = ("Thank you so much for your help today!", '{"status": "ok", "rows": 14}', "okay", "Should we go on?")

projects = st.sampled_from(("apollo", "apollo", "apollo", "gemini"))
sessions = st.sampled_from(("s0", "s1", "s2", "s3"))
claims = st.lists(st.integers(0, len(CLAIMS) - 1), min_size=1, max_size=2, unique=True)
outputs = st.lists(st.tuples(sessions, st.one_of(claims, st.sampled_from(JUNK)), st.booleans()), min_size=1, max_size=5)
picks = st.integers(0, 999)


@dataclass
class Truth:
    """What must hold of one project."""

    said: dict[str, str] = field(default_factory=dict)
    claims: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    decided: set[str] = field(default_factory=set)
    dismissed: set[str] = field(default_factory=set)
    decided_claims: set[int] = field(default_factory=set)
    buried: set[int] = field(default_factory=set)


def text_of(said, loud):
    text = said if isinstance(said, str) else " ".join(CLAIMS[claim] for claim in said)
    return text.upper() if loud else text


def claims_in(text):
    return {number for number, claim in enumerate(CLAIMS) if claim.lower() in text.lower()}


def stands(project, insight):
    """Say whether an entry behind an insight is left that nobody rejected, by itself or with another insight."""
    counting = [
        project.review(by="ada@example.org").entry(source.entry_id).review
        for source in insight.sources
        if source.doubt is None
    ]
    return not counting or any(review not in {ReviewStatus.DISMISSED, ReviewStatus.RETIRED} for review in counting)


class Digests(RuleBasedStateMachine):
    """Agents and persons in two projects; a digest now and then."""

    @initialize()
    def begin(self):
        self.folder = Path(tempfile.mkdtemp())
        self.clock = Clock()
        self.memory = Memory.open(self.folder, settings=Settings(digest_day="never"), clock=self.clock)
        self.truth = {name: Truth() for name in PROJECTS}

    def teardown(self):
        self.memory.close()
        shutil.rmtree(self.folder)

    @rule(project=projects, outputs=outputs)
    def say(self, project, outputs):
        for session, said, loud in outputs:
            text = text_of(said, loud)
            entry = self.memory.project(project).record(text, session_id=session, confidence=0.9).entry
            self.truth[project].said[entry.id] = text
            self.truth[project].claims[entry.id] = claims_in(text)

    @rule(days=st.sampled_from((1, 3, 8, 31)))
    def let_time_pass(self, days):
        self.clock.now += timedelta(days=days)

    @rule(project=projects, days=st.sampled_from((7, 7, 2, 90)))
    def digest(self, project, days):
        opened, truth = self.memory.project(project), self.truth[project]
        before = opened.review(by="ada@example.org").insights()
        made = opened.review(by="ada@example.org").digest(days=days)
        waiting = opened.review(by="ada@example.org").insights()
        behind = {source.entry_id for one in waiting for source in one.sources}
        assert made.entries == len(behind) + sum(made.set_aside.values())
        assert made.waiting == len(waiting) == opened.stats().insights_waiting
        assert tuple(waiting[:10]) == made.insights
        assert behind.isdisjoint(truth.decided)
        assert not any(claims_in(one.summary) & truth.decided_claims for one in waiting)
        self.nothing_was_lost(truth, before, waiting, made)
        self.what_joined_a_decision_is_decided(project)
        again = opened.review(by="ada@example.org").digest(days=days)
        assert again.insights == made.insights
        assert opened.review(by="ada@example.org").last_digest() == again

    def nothing_was_lost(self, truth, before, after, made):
        kept, behind = {one.id for one in after}, {source.entry_id for one in after for source in one.sources}
        for one in before:
            held = {source.entry_id for source in one.sources}
            if one.id not in kept and not claims_in(one.summary) & (truth.decided_claims | truth.buried):
                assert held & (behind | truth.decided)
            if one.id in kept:
                [now] = [each for each in after if each.id == one.id]
                assert now.made_at == one.made_at
        assert set(made.set_aside) <= set(ExclusionReason)

    def what_joined_a_decision_is_decided(self, project):
        for one in self.memory.project(project).review(by="ada@example.org").insights(decided=True):
            self.truth[project].decided |= {source.entry_id for source in one.later}

    @rule(project=projects, pick=picks, deed=st.sampled_from(("promote", "edit", "dismiss")))
    def decide(self, project, pick, deed):
        opened, truth = self.memory.project(project), self.truth[project]
        waiting = opened.review(by="ada@example.org").insights()
        if not waiting:
            return
        one = waiting[pick % len(waiting)]
        if deed == "dismiss":
            opened.review(by="ada").dismiss(one.id, reason="wrong")
        elif not stands(opened, one):
            with pytest.raises(Conflict):
                opened.review(by="ada").promote(one.id)
            return
        else:
            opened.review(by="ada").promote(one.id, text=f"{one.summary} So says Ada." if deed == "edit" else None)
        truth.decided |= {source.entry_id for source in one.sources}
        truth.decided_claims |= claims_in(one.summary)
        if deed == "dismiss":
            truth.dismissed |= {source.entry_id for source in one.sources}
        else:
            self.what_was_rejected_in_these_words_is_open_again(truth, one.summary)
        assert one.id not in {each.id for each in opened.review(by="ada@example.org").insights()}
        assert opened.review(by="ada@example.org").insight(one.id).decision.by == "ada"

    @rule(project=projects, pick=picks, deed=st.sampled_from(("promote", "dismiss")))
    def decide_on_an_entry(self, project, pick, deed):
        opened, truth = self.memory.project(project), self.truth[project]
        left = [entry_id for entry_id in truth.said if entry_id not in truth.decided]
        if not left:
            return
        entry_id = left[pick % len(left)]
        getattr(opened.review(by="bob"), deed)(entry_id, **({"reason": "wrong"} if deed == "dismiss" else {}))
        truth.decided.add(entry_id)
        if deed == "dismiss":
            truth.dismissed.add(entry_id)
            truth.buried |= truth.claims[entry_id]
        else:
            self.what_was_rejected_in_these_words_is_open_again(truth, truth.said[entry_id])

    def what_was_rejected_in_these_words_is_open_again(self, truth, words):
        """Forget dismissals of a text that a person has promoted since: that lifts its tombstones."""
        lifted = {one for one in truth.dismissed if truth.said.get(one, "").casefold() == words.casefold()}
        truth.dismissed -= lifted
        truth.decided -= lifted

    @rule(project=projects, pick=picks)
    def delete(self, project, pick):
        opened, truth = self.memory.project(project), self.truth[project]
        if not truth.said:
            return
        entry_id = list(truth.said)[pick % len(truth.said)]
        opened.review(by="ada").delete(entry_id, reason="private")
        del truth.said[entry_id]
        truth.decided.discard(entry_id)

    @invariant()
    def insights_quote_what_their_own_project_holds_word_for_word(self):
        for name, truth in getattr(self, "truth", {}).items():
            for decided in (False, True):
                for one in self.memory.project(name).review(by="ada@example.org").insights(decided=decided):
                    assert one.project_id == name
                    for source in (*one.sources, *one.later):
                        assert source.quote in truth.said[source.entry_id]

    @invariant()
    def only_a_person_who_promotes_writes_memory(self):
        for name in getattr(self, "truth", {}):
            project = self.memory.project(name)
            promoted = {
                event.subject
                for event in project.review(by="ada@example.org").audit_log()
                if event.action == "promoted"
            }
            assert {memory.id for memory in project.memories()} == promoted


# How long a history takes differs with what it holds.
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def test_the_rules_of_the_digest_hold_under_random_histories(monkeypatch):
    embedder = WordEmbedder()
    monkeypatch.setattr("memsieve.services.embedder.choose_embedder", lambda _settings, _stack: embedder)
    run_state_machine_as_test(
        Digests, settings=settings(max_examples=25, stateful_step_count=20, deadline=None, suppress_health_check=SLOW)
    )
