"""What refine decides on each finding, and what it leaves behind."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from memsieve.kb.base import KnowledgeBase
from memsieve.kb.files import document
from memsieve.kb.items import Item
from memsieve.refine.concepts import concepts

JITTER = "Retries without jitter make every client knock at the same moment; each retry must wait a random while."
CACHE = "缓存键必须包含租户编号，否则会把别家的数据展示出来。"
START = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)


class Base:
    """A knowledge base with a clock that goes on by a minute with each look at it."""

    def __init__(self, folder, **options):
        self._now = START
        self.kb = KnowledgeBase.init(folder, clock=self._tick, **options)
        self.root = self.kb.root
        self.staging = self.root / "workspace" / "staging"

    def _tick(self):
        self._now += timedelta(minutes=1)
        return self._now

    def find(self, name, content, kind="new_trap", **more):
        field = "atom_name" if kind == "correction" else "description"
        return self.kb.write(Item(type=kind, content=content, **{field: name}, **more))

    def atom(self, name, text):
        path = self.root / "atoms" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def refine(self, **options):
        report = self.kb.refine(**options)
        return {item.file: item for item in report.items}

    def atoms(self):
        return {path.relative_to(self.root / "atoms").as_posix(): document.read(path) for path in self.atom_paths()}

    def atom_paths(self):
        return sorted((self.root / "atoms").rglob("*.md"))

    def waiting(self):
        return sorted(path.name for path in self.staging.iterdir())

    def contents(self):
        return {path: path.read_bytes() for path in self.root.rglob("*") if path.is_file()}


@pytest.fixture
def base(tmp_path):
    return Base(tmp_path / ".ai-kb", observations="evidence")


@pytest.fixture
def runs(tmp_path):
    return Base(tmp_path / ".ai-kb", observations="runs")


def words(first, last):
    """Return so many made-up words, each of which is one concept."""
    return [f"zq{chr(97 + number // 26)}{chr(97 + number % 26)}ok" for number in range(first, last)]


@pytest.mark.parametrize(("known", "outcome"), [(81, "duplicate"), (80, "observing"), (79, "observing")])
def test_a_finding_is_a_duplicate_when_more_than_80_percent_of_its_concepts_are_in_one_atom(base, known, outcome):
    text = " ".join(words(0, 100))
    assert len(concepts(text)) == 100
    path = base.atom("traps/known.md", " ".join([*words(0, known), *words(100, 160)]))
    base.atom("traps/other.md", " ".join(words(50, 100)))
    base.find("many words", text)
    item = base.refine()["new-trap-many-words.md"]
    assert item.outcome == outcome
    if outcome == "duplicate":
        assert "81 %" in item.reason
        assert item.atom == "atoms/traps/known.md"
        assert base.waiting() == []
    assert path.exists()


def test_concepts_that_two_atoms_hold_together_make_no_duplicate(base):
    base.atom("traps/one.md", " ".join(words(0, 60)))
    base.atom("traps/two.md", " ".join(words(40, 100)))
    base.find("many words", " ".join(words(0, 100)))
    assert base.refine()["new-trap-many-words.md"].outcome == "observing"


def test_a_finding_with_the_words_of_an_atom_that_claims_otherwise_is_no_duplicate(base):
    base.atom("patterns/limit.md", "The gateway accepts 100 requests per minute from each tenant.")
    base.find("limit", "The gateway accepts 200 requests per minute from each tenant.")
    item = base.refine()["new-trap-limit.md"]
    assert item.outcome == "observing"
    assert "It differs from atom atoms/patterns/limit.md: different numbers: “200" in item.reason


def test_the_special_case_on_one_line_of_one_file_is_deleted_as_too_narrow(base):
    base.find("special case", "MAGIC.C 第 42 行的特殊處理")
    item = base.refine()["new-trap-special-case.md"]
    assert item.outcome == "too_narrow"
    assert "MAGIC.C" in item.reason
    assert base.waiting() == []
    assert base.atoms() == {}


def test_a_finding_that_is_both_known_and_too_narrow_is_deleted_as_a_duplicate(base):
    base.atom("traps/magic.md", "MAGIC.C 第 42 行的特殊處理")
    base.find("special case", "MAGIC.C 第 42 行的特殊處理")
    assert base.refine()["new-trap-special-case.md"].outcome == "duplicate"


def test_the_third_observation_from_another_task_promotes(base):
    seen = []
    for _ in range(3):
        base.find("retry storm", JITTER)
        item = base.refine()["new-trap-retry-storm.md"]
        seen.append((item.outcome, item.observations))
    assert seen == [("observing", 1), ("observing", 2), ("promoted", 3)]
    assert base.waiting() == []
    atom = base.atoms()["traps/retry-storm.md"]
    assert atom.text == f"# retry storm\n\n{JITTER}"
    assert atom.fields["observations"] == 3
    assert len(atom.fields["sources"]) == len(atom.fields["tasks"]) == 3


def test_a_finding_that_waits_is_marked_and_counted(base):
    base.find("retry storm", JITTER)
    base.refine()
    kept = document.read(base.staging / "new-trap-retry-storm.md")
    assert kept.fields["status"] == "OBSERVED"
    assert kept.fields["observations"] == 1


def test_refining_again_without_a_new_finding_adds_no_observation(base):
    base.find("retry storm", JITTER)
    assert [base.refine()["new-trap-retry-storm.md"].observations for _ in range(4)] == [1, 1, 1, 1]
    assert base.atoms() == {}


def test_observations_in_one_task_count_once(base):
    for _ in range(3):
        base.find("retry storm", JITTER, task="one")
    assert base.refine()["new-trap-retry-storm.md"].observations == 1


def test_refining_three_times_promotes_where_runs_are_counted(runs):
    runs.find("retry storm", JITTER)
    seen = [runs.refine()["new-trap-retry-storm.md"] for _ in range(3)]
    assert [(item.outcome, item.observations) for item in seen] == [("observing", 1), ("observing", 2), ("promoted", 3)]
    assert list(runs.atoms()) == ["traps/retry-storm.md"]


def test_a_finding_with_evidence_is_promoted_at_once(base):
    base.find(
        "缓存键", CACHE, "new_pattern", evidence="tests/test_tenants.py fails without it", agent="ada", tags=("cache",)
    )
    item = base.refine()["new-pattern-缓存键.md"]
    assert (item.outcome, item.atom) == ("promoted", "atoms/patterns/缓存键.md")
    assert "tests/test_tenants.py" in item.reason
    fields = base.atoms()["patterns/缓存键.md"].fields
    assert (fields["type"], fields["title"], fields["tags"], fields["agents"]) == (
        "pattern",
        "缓存键",
        ["cache"],
        ["ada"],
    )
    assert fields["evidence"] == ["tests/test_tenants.py fails without it"]


def test_findings_of_other_names_that_say_the_same_are_observations_of_the_oldest(base):
    base.find("retry storm", JITTER, task="one")
    base.find("jitter", f"{JITTER} Ten clients are enough.", task="two")
    base.find("thundering herd", JITTER, task="three")
    found = base.refine()
    assert {item.outcome for item in found.values()} == {"promoted"}
    assert {item.atom for item in found.values()} == {"atoms/traps/retry-storm.md"}
    assert base.waiting() == []
    [atom] = base.atoms().values()
    assert len(atom.fields["sources"]) == 3
    assert "Ten clients are enough." in atom.text


def test_two_names_of_one_finding_wait_in_one_file(base):
    base.find("retry storm", JITTER, task="one")
    base.find("jitter", JITTER, task="two")
    found = base.refine()
    assert base.waiting() == ["new-trap-retry-storm.md"]
    assert {item.observations for item in found.values()} == {2}
    assert "says the same as new-trap-retry-storm.md" in found["new-trap-jitter.md"].reason
    assert base.refine()["new-trap-retry-storm.md"].observations == 2


def test_a_trap_and_a_pattern_are_not_of_the_same_kind(base):
    base.find("retry storm", JITTER, "new_trap", task="one")
    base.find("retry storm", JITTER, "new_pattern", task="two")
    assert {item.observations for item in base.refine().values()} == {1}


def test_findings_that_contradict_each_other_do_not_count_together(base):
    base.find("limit", "The gateway accepts 100 requests per minute from each tenant.", task="one")
    base.find("quota", "The gateway accepts 300 requests per minute from each tenant.", task="two")
    found = base.refine()
    assert {item.observations for item in found.values()} == {1}
    assert "It differs from finding new-trap-quota.md: different numbers" in found["new-trap-limit.md"].reason
    assert "It differs from finding new-trap-limit.md: different numbers" in found["new-trap-quota.md"].reason


def test_a_second_finding_is_a_duplicate_of_the_atom_that_the_first_has_just_become(base):
    base.find("retry storm", JITTER, "new_trap", evidence="load test")
    base.find("retry storm", JITTER, "new_pattern", evidence="load test")
    found = base.refine()
    assert found["new-trap-retry-storm.md"].outcome == "promoted"
    assert found["new-pattern-retry-storm.md"].outcome == "duplicate"
    assert len(base.atoms()) == 1


def test_an_atom_of_the_same_name_is_not_written_over(base):
    base.atom("traps/Retry-Storm.md", "Something else entirely about the weather on Mondays.")
    base.find("retry storm", JITTER, evidence="load test")
    assert base.refine()["new-trap-retry-storm.md"].atom == "atoms/traps/retry-storm-2.md"
    assert len(base.atoms()) == 2


def test_a_finding_written_by_hand_without_front_matter_is_refined(base):
    (base.staging / "new-trap-by-hand.md").write_text(JITTER)
    assert base.refine()["new-trap-by-hand.md"].observations == 1
    fields = document.read(base.staging / "new-trap-by-hand.md").fields
    assert fields["id"]
    assert fields["status"] == "OBSERVED"
    base.find("by hand", JITTER)
    assert base.refine()["new-trap-by-hand.md"].observations == 2


def test_what_a_person_added_to_a_finding_survives_waiting_and_promotion(base):
    base.find("retry storm", JITTER)
    path = base.staging / "new-trap-retry-storm.md"
    path.write_text(path.read_text().replace("tags: []\n", "tags: []  # none yet\nowner: ada\n"))
    base.refine()
    assert "tags: []  # none yet\nowner: ada\n" in path.read_text()
    base.find("retry storm", JITTER, evidence="load test")
    base.refine()
    assert base.atoms()["traps/retry-storm.md"].fields["owner"] == "ada"


def test_a_correction_replaces_what_its_atom_says_and_keeps_that_in_the_history(base):
    base.find("retry storm", JITTER, evidence="load test")
    base.refine()
    base.find("retry storm", "Retries need jitter and an upper limit.", "correction", agent="ada", task="mending")
    item = base.refine()["correction-retry-storm.md"]
    assert (item.outcome, item.atom) == ("corrected", "atoms/traps/retry-storm.md")
    atom = base.atoms()["traps/retry-storm.md"]
    assert atom.text == "# retry storm\n\nRetries need jitter and an upper limit."
    [former] = atom.fields["history"]
    assert former["content"] == f"# retry storm\n\n{JITTER}"
    assert (former["by"], former["task"], former["finding"]) == ("ada", "mending", item.id)
    assert base.waiting() == []


@pytest.mark.parametrize("name", ["retry", "traps/retry", "traps/retry.md", "RETRY", "Retries of clients", "atom-7"])
def test_a_correction_names_its_atom_by_file_folder_title_or_id(base, name):
    path = base.atom("traps/retry.md", "---\nid: atom-7\n---\n# Retries of clients\n\nOld words on retries.\n")
    base.find(name, "New words on how clients retry.", "correction")
    [item] = base.refine().values()
    assert item.outcome == "corrected"
    assert document.read(path).text == "# Retries of clients\n\nNew words on how clients retry."


def test_a_correction_of_an_atom_that_is_not_there_waits_and_names_those_that_come_near(base):
    base.atom("traps/retry-storm.md", JITTER)
    base.find("retry stom", "Retries need a limit.", "correction")
    item = base.refine()["correction-retry-stom.md"]
    assert item.outcome == "kept"
    assert "No atom is called 'retry stom'. These come near: atoms/traps/retry-storm.md." in item.reason
    assert base.waiting() == ["correction-retry-stom.md"]


def test_a_correction_that_may_mean_two_atoms_waits(base):
    base.atom("traps/retry.md", "One on retries.")
    base.atom("patterns/retry.md", "Another on retries.")
    base.find("retry", "Retries need a limit.", "correction")
    item = base.refine()["correction-retry.md"]
    assert item.outcome == "kept"
    assert "atoms/patterns/retry.md, atoms/traps/retry.md" in item.reason


def test_a_correction_that_says_what_the_atom_says_is_a_duplicate(base):
    path = base.atom("traps/retry.md", "# Retry\n\nRetries need a limit.\n")
    before = path.read_bytes()
    base.find("retry", "Retries need a limit.", "correction")
    assert base.refine()["correction-retry.md"].outcome == "duplicate"
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["Wait 15 s in Retry.", "Wait 1.5 s in retry.", "Wait 1.5 s  in Retry."])
def test_a_correction_of_a_point_a_letter_or_a_space_is_one(base, text):
    path = base.atom("traps/retry.md", "Wait 1.5 s in Retry.\n")
    base.find("retry", text, "correction")
    assert base.refine()["correction-retry.md"].outcome == "corrected"
    assert document.read(path).text == text


def test_two_corrections_of_one_atom_are_applied_in_the_order_they_were_written(base):
    base.atom("traps/retry.md", "Retries are harmless.")
    base.find("retry", "Retries need a limit of three.", "correction")
    base.find("retry", "Retries need a limit of five.", "correction")
    assert {item.outcome for item in base.refine().values()} == {"corrected"}
    atom = base.atoms()["traps/retry.md"]
    assert atom.text == "Retries need a limit of five."
    assert [row["content"] for row in atom.fields["history"]] == [
        "Retries are harmless.",
        "Retries need a limit of three.",
    ]


def test_a_promoted_atom_and_those_it_is_related_to_point_to_each_other(base):
    base.atom("patterns/backoff.md", "Retries of clients back off: each retry waits twice as long as the one before.")
    base.atom("patterns/lunch.md", "The kitchen serves lunch from noon.")
    base.find("retry storm", JITTER, evidence="load test")
    base.refine()
    atoms = base.atoms()
    assert atoms["traps/retry-storm.md"].fields["related"] == ["../patterns/backoff.md"]
    assert atoms["patterns/backoff.md"].fields["related"] == ["../traps/retry-storm.md"]
    assert atoms["patterns/backoff.md"].text.startswith("Retries of clients back off")
    assert atoms["patterns/lunch.md"].fields == {}
    assert base.kb.check() == ()


def test_the_session_is_cleared_and_the_report_is_what_stays(base):
    base.kb.write(Item(type="checkpoint", state="REVIEW", content="half way"))
    base.kb.write(Item(type="decoded_text", filename="A.C", line_range="1-40", content="text"))
    base.kb.write(Item(type="diff_compare", function_name="main", content="same"))
    base.find("retry storm", JITTER)
    report = base.kb.refine()
    assert len(report.cleared) == 3
    [left] = (base.root / "workspace" / "session").iterdir()
    assert left.name == "staging-report.md"
    assert left.read_text() == report.markdown()
    assert "**new-trap-retry-storm.md** (1 of 3): It was seen in 1 of the 3" in left.read_text()


def test_the_newest_five_reports_stay_by_the_date_in_their_names(base):
    folder = base.root / "workspace" / "reports"
    for day in (3, 9, 1, 7, 5, 8):
        (folder / f"A.C-2026-11-0{day}-verify.md").write_text("fine")
    base.kb.write(Item(type="build_report", filename="B.C", content="built"))
    report = base.kb.refine()
    assert report.trimmed == ("A.C-2026-11-03-verify.md", "A.C-2026-11-01-verify.md")
    assert len(list(folder.iterdir())) == 5


def test_reports_of_one_day_stay_by_when_they_were_written(base):
    for number in range(7):
        base.kb.write(Item(type="build_report", filename="B.C", content=f"build {number}"))
    base.kb.refine()
    kept = [document.read(path).text for path in (base.root / "workspace" / "reports").iterdir()]
    assert sorted(kept) == [f"build {number}" for number in range(2, 7)]


def test_a_dry_run_says_what_refine_would_do_and_changes_nothing(base):
    base.atom("patterns/backoff.md", "Retries of clients back off: each retry waits twice as long as the one before.")
    base.find("retry storm", JITTER, evidence="load test")
    base.find("herd", JITTER, "new_pattern", evidence="load test")
    base.find("special case", "MAGIC.C 第 42 行的特殊處理")
    base.find("backoff", "Retries of clients back off up to a minute.", "correction")
    base.find("缓存键", CACHE)
    base.kb.write(Item(type="checkpoint", state="REVIEW", content="half way"))
    (base.root / "workspace" / ".lock").unlink()
    before = base.contents()
    dry = base.kb.refine(dry_run=True)
    assert base.contents() == before
    real = base.kb.refine()
    assert dry.items == real.items
    assert (dry.cleared, dry.trimmed, dry.counts) == (real.cleared, real.trimmed, real.counts)
    assert set(dry.counts.values()) == {0, 1}


def test_a_report_can_be_sent_as_json(base):
    base.find("缓存键", CACHE)
    report = base.kb.refine()
    sent = json.loads(json.dumps(report.document(), ensure_ascii=False))
    assert sent["counts"]["observing"] == 1
    assert sent["items"][0]["file"] == "new-trap-缓存键.md"


def test_an_atom_changed_after_it_was_read_once_is_read_again(base):
    path = base.atom("traps/known.md", "Nothing of interest is said here about anything.")
    base.find("retry storm", JITTER)
    base.refine()
    path.write_text(JITTER)
    assert base.refine()["new-trap-retry-storm.md"].outcome == "duplicate"


def test_what_an_atom_says_word_for_word_is_a_duplicate_however_few_concepts_it_has(base):
    text = "Rotate keys. Never by hand. Always with the vault. Then restart."
    assert len(concepts(text)) < 6
    base.find("keys", text, evidence="audit")
    base.refine()
    base.find("keys once more", text)
    assert base.refine()["new-trap-keys-once-more.md"].outcome == "duplicate"


def test_the_words_of_another_region_for_the_same_claim_are_a_duplicate(base):
    base.atom("patterns/keys.md", CACHE)
    base.find("快取鍵", "快取鍵必須包含租戶編號，否則會把別家的數據展示出來。")
    assert base.refine()["new-trap-快取鍵.md"].outcome == "duplicate"


def test_a_number_within_a_longer_one_is_another_number(base):
    base.atom("patterns/port.md", "The proxy must listen on port 8080.")
    base.find("port", "The proxy must listen on port 80.")
    assert base.refine()["new-trap-port.md"].outcome == "observing"
