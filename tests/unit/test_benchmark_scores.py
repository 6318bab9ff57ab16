import sys
import xml.etree.ElementTree as ET
from math import log2
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not installed

from benchmarks import pages, plots, scores
from benchmarks.report import Column, Curve, Report
from benchmarks.systems.base import Said
from benchmarks.systems.bm25 import BM25
from benchmarks.systems.dense import Dense
from benchmarks.systems.fusion import Fusion

SVG = "{http://www.w3.org/2000/svg}"


def test_the_share_of_the_evidence_counts_each_text_once():
    assert scores.share({"a", "b"}, ["a", "a", "c"]) == 0.5
    assert scores.share({"a"}, []) == 0


def test_any_of_the_evidence_is_enough_or_nothing_is():
    assert scores.any_of({"a", "b"}, ["c", "b"]) == 1
    assert scores.any_of({"a", "b"}, ["c"]) == 0


def test_ndcg_is_one_for_the_best_order_and_discounts_by_rank():
    assert scores.ndcg({"a", "b"}, ["b", "a", "c"], 10) == pytest.approx(1)
    assert scores.ndcg({"a"}, ["c", "a"], 10) == pytest.approx(1 / log2(3))
    assert scores.ndcg({"a"}, ["c", "a"], 1) == 0


def test_more_evidence_than_places_does_not_lower_ndcg():
    assert scores.ndcg({"a", "b", "c"}, ["a", "b"], 2) == pytest.approx(1)


def test_fusion_puts_what_both_rankings_know_before_what_one_has_first():
    assert scores.fused([["a", "b"], ["c", "b"]]) == ["b", "a", "c"]


def test_growth_is_the_power_of_the_size():
    assert scores.exponent([(10, 2.0), (100, 20.0), (1000, 200.0)]) == pytest.approx(1)
    assert scores.exponent([(10, 3.0), (1000, 3.0)]) == pytest.approx(0)
    assert scores.exponent([(10, 3.0)]) is None


def test_percentiles_are_of_the_times_given():
    assert scores.percentiles([float(number) for number in range(101)]) == (50, 95, 99)


@pytest.fixture
def embed():
    directions = {"red": (1, 0), "blue": (0, 1)}

    def of(texts):
        rows = np.array([np.sum([directions.get(word, (0, 0)) for word in text.split()], axis=0) for text in texts])
        return (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)).astype(np.float32)

    return of


@pytest.mark.parametrize("kind", [BM25, Dense, Fusion])
def test_a_baseline_finds_what_is_near_and_stays_in_its_project(kind, embed, tmp_path):
    system = kind(tmp_path, embed)
    system.record("one", [Said(text="red", session="s"), Said(text="blue", session="s")])
    system.record("other", [Said(text="blue kettle", session="s")])
    assert [found.text for found in system.ask("one", "blue", 1)] == ["blue"]
    assert {found.text for found in system.ask("one", "blue", 5)} <= {"red", "blue"}


@pytest.mark.parametrize(("most", "marks"), [(100, [0, 20, 40, 60, 80, 100]), (0.7, [0, 0.2, 0.4, 0.6, 0.8])])
def test_an_axis_is_marked_at_round_numbers_up_to_the_largest(most, marks):
    assert plots.steps(most) == marks


def test_a_logarithmic_axis_is_marked_at_powers_of_ten_around_all_figures():
    assert plots.decades(0.5, 30) == [0.1, 1, 10, 100]
    assert plots.decades(10, 10) == [10, 100]


@pytest.mark.parametrize("log", [False, True])
def test_a_plot_holds_every_line_with_its_name_within_its_frame(log):
    lines = {"a < b": [(1, 2.0), (10, 20.0)], "memsieve": [(1, 1.0), (10, 3.0)]}
    drawn = plots.svg(Curve(name="n", title='Say "how"', x="many", y="ms", lines=lines, log=log))
    root = ET.fromstring(drawn)
    assert {"a < b", "memsieve", "many", "ms"} <= {text.text for text in root.iter(f"{SVG}text")}
    points = [one.split(",") for line in root.iter(f"{SVG}polyline") for one in line.get("points").split()]
    assert len(points) == 4
    assert all(0 <= float(x) <= plots.WIDTH and 0 <= float(y) <= plots.HEIGHT for x, y in points)


def test_a_report_keeps_bare_values_and_draws_its_curves(tmp_path):
    report = Report("found", console=Console(quiet=True))
    report.table("Speed", [Column("system"), Column("p50", "{:.1f} ms")], [("one", 1.25), ("two", None)])
    report.curve(Curve(name="growth", title="Growth", x="n", y="ms", lines={"one": [(1, 1.0), (2, 2.0)]}))
    report.write(tmp_path)
    assert '"rows": [\n    [\n     "one",\n     1.25' in (tmp_path / "found.json").read_text()
    assert (tmp_path / "found-growth.svg").read_text().startswith("<svg")


def test_a_marked_table_of_a_page_is_written_anew_and_nothing_else(tmp_path):
    report = Report("found", console=Console(quiet=True))
    rows = [("memsieve, all checks", 1.25, ""), ("memsieve --help", 3.0, "< 4"), ("two", None, "")]
    report.table("Speed, 3 runs", [Column("system"), Column("p50", "{:.1f} ms"), Column("aim")], rows)
    report.write(tmp_path)
    page = "Before.\n\n<!-- found: Speed -->\n| old |\n|---|\n\n| kept |\n\n<!-- other: Speed -->\n| old |\n"
    told = """<!-- found: Speed -->
| system | p50 | aim |
| --- | --- | --- |
| **memsieve, all checks** | **1.2 ms** |  |
| memsieve --help | 3.0 ms | < 4 |
| two | - |  |
"""
    assert pages.renewed(page, tmp_path) == page.replace("<!-- found: Speed -->\n| old |\n|---|\n", told)
