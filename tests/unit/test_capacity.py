import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not installed

from benchmarks.capacity import FILE, Load, Model, main

FIGURES = json.loads(FILE.read_text())
COMPANY = Load(
    projects=500,
    agents=2_000,
    recordings_per_day=2_000_000,
    queries_per_second=300,
    memories=5_000_000,
    retention_days=365,
    entry_bytes=500,
)
NOTHING = Load(
    projects=0, agents=0, recordings_per_day=0, queries_per_second=0, memories=0, retention_days=0, entry_bytes=0
)
ARGUMENTS = (
    "--projects 500 --agents 2000 --recordings-per-day 2000000 --queries-per-second 300 --memories 5000000 "
    "--retention-days 365"
).split()


def needed(load):
    return {line.what: line.value for line in Model(load, FIGURES).lines()}


@pytest.mark.parametrize(
    "field", ["recordings_per_day", "queries_per_second", "memories", "retention_days", "entry_bytes"]
)
@pytest.mark.parametrize("load", [NOTHING, replace(COMPANY, projects=3), COMPANY])
def test_more_of_any_load_never_needs_less(field, load):
    less = replace(load, projects=max(1, load.projects))
    for factor in (1.01, 2, 40):
        more = replace(less, **{field: type(getattr(less, field))(getattr(less, field) * factor + factor)})
        before, after = needed(less), needed(more)
        assert all(after[what] >= before[what] for what in before)
        less = more


def test_twice_the_company_needs_no_less_of_anything_and_more_of_disk():
    twice = replace(COMPANY, projects=1_000, recordings_per_day=4_000_000, queries_per_second=600, memories=10_000_000)
    before, after = needed(COMPANY), needed(twice)
    assert all(after[what] >= before[what] for what in before)
    assert after["disk: quarantine"] == pytest.approx(2 * before["disk: quarantine"])


def test_no_load_needs_nothing():
    assert set(needed(NOTHING).values()) == {0}


def test_a_few_recordings_need_one_of_each():
    small = needed(replace(NOTHING, projects=1, recordings_per_day=10, queries_per_second=0.01, retention_days=30))
    assert small["serving: processes, a core each"] == 1
    assert small["PostgreSQL: servers, with projects divided"] == 1
    assert small["Redis: nodes, each with a replica"] == 1


def test_quarantine_fills_the_disk_by_what_is_recorded_and_kept():
    entry = FIGURES["bytes"]["entry_rows"] + FIGURES["bytes"]["entry_indexes"] + 500 - FIGURES["text_bytes"]
    assert needed(COMPANY)["disk: quarantine"] == pytest.approx(2_000_000 * 365 * entry / 1e9)


def test_working_memory_is_capped_for_each_project():
    entries = needed(replace(COMPANY, recordings_per_day=10**9))["Redis: memory"]
    assert entries == needed(COMPANY)["Redis: memory"]


def test_every_line_names_its_figures_and_what_is_left_out_is_said(capsys):
    main(ARGUMENTS)
    printed = capsys.readouterr().out
    assert f"{FIGURES['bytes']['memory_searched']:,} B" in printed
    assert "2,000 agents in 500 projects" in printed
    assert "Not modelled" in printed


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (["--memories", "-1"], "--memories is -1; it must be 0 or more"),
        (["--queries-per-second", "nan"], "--queries-per-second is nan"),
        (["--projects", "0"], "--projects is 0, but every recording"),
        (["--memories", "many"], "invalid int value: 'many'"),
    ],
)
def test_wrong_input_is_told_in_words(wrong, told, capsys):
    with pytest.raises(SystemExit):
        main([*ARGUMENTS, *wrong])
    assert told in capsys.readouterr().err
