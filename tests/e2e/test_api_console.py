"""What the console asks of the HTTP door beyond what agents do: lists the other way round, days, and reasons."""

import pytest

DECISION = "The team decided to use PostgreSQL for the ledger, because it needs real transactions."
FACTS = [
    DECISION,
    "The office in Berlin moves to the new building by the river in the second week of May.",
    "The release train leaves every Friday at noon, and hotfixes need the approval of Grace.",
    "The marketing budget of next year is seven million euros, half of it for the fair in Tokyo.",
    "The vendor contract with Globex ends in September and is renewed by itself for two years.",
]


@pytest.fixture
def agent(api):
    return api.keys["agent"]


@pytest.fixture
def reviewer(api):
    return api.keys["reviewer"]


def test_long_term_memory_is_searched_from_the_newest_back_and_shows_what_was_retired(api, reviewer):
    ids = [api.post("/memory/ingest", {"content": fact}, key=reviewer).json()["id"] for fact in FACTS]
    api.post("/memory/retire", {"id": ids[1], "reason": "it did not"}, key=reviewer)

    def listed(**query):
        return [memory["id"] for memory in api.get("/memory/longterm", key=reviewer, **query).json()["items"]]

    assert listed(newest_first="true") == [ids[at] for at in (4, 3, 2, 0)]
    assert listed(search="BUDGET") == [ids[3]]
    assert (listed(retired="true"), listed(retired="true", search="budget")) == ([ids[1]], [])
    page = api.get("/memory/longterm", key=reviewer, newest_first="true", limit=3).json()
    assert listed(newest_first="true", cursor=page["next_cursor"]) == [ids[0]]


def test_the_audit_log_is_read_from_the_newest_line_back(api, reviewer):
    for fact in FACTS:
        api.post("/memory/ingest", {"content": fact}, key=reviewer)
    whole = api.get("/audit", key=reviewer).json()["items"]
    first = api.get("/audit", key=reviewer, newest_first="true", limit=3).json()
    rest = api.get("/audit", key=reviewer, newest_first="true", cursor=first["next_cursor"]).json()
    assert first["items"] + rest["items"] == whole[::-1]
    assert rest["next_cursor"] is None
    between = api.get("/audit", key=reviewer, newest_first="true", after=2, before=5).json()["items"]
    assert between == whole[3:1:-1]
    # A cursor leads one way only.
    assert api.get("/audit", key=reviewer, cursor=first["next_cursor"]).status_code == 422


def test_the_flow_counts_days_where_whoever_asks_lives(api, reviewer):
    api.record()
    api.record("短")
    api.post("/memory/ingest", {"content": "We ship on Fridays."}, key=reviewer)
    flow = api.get("/flow", key=reviewer).json()
    assert (len(flow["days"]), flow["project_id"]) == (30, "apollo")
    today = flow["days"][-1]
    assert (today["recorded"], today["admitted"], today["refused"], today["promoted"]) == (2, 1, 1, 1)
    assert today["refused_by"] == {"length": 1, "substance": 1}
    assert flow["memory_ages"][0] == {"up_to_days": 1, "count": 1}
    far = [api.get("/flow", key=reviewer, days=1, offset_minutes=at).json()["days"][0] for at in (-840, 840)]
    # Between the ends of the world it is never the same day.
    assert far[0]["day"] < far[1]["day"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"days": "0"}, "days"),
        ({"days": "367"}, "days"),
        ({"days": "1.5"}, "days"),
        ({"offset_minutes": "841"}, "offset_minutes"),
        ({"offset_minutes": "-841"}, "offset_minutes"),
        ({"offset_minutes": "--1"}, "offset_minutes"),
        ({"offset_minutes": "+1"}, "offset_minutes"),
    ],
)
def test_days_that_nobody_can_count_are_refused(api, reviewer, query, field):
    answer = api.get("/flow", key=reviewer, **query)
    assert (answer.status_code, answer.json()["field"]) == (422, field)


def test_an_answer_says_why_and_as_what_it_would_stand_in_a_prompt_only_where_it_is_asked(api, agent, reviewer):
    api.record()
    api.post("/memory/ingest", {"content": "The ledger of Berlin is audited."}, key=reviewer)
    asked = {"query": "Which databases did the ledger team decide on?"}
    plain = api.post("/memory/query", asked, key=agent).json()
    assert (plain.keys(), {"why" in item for item in plain["results"]}) == ({"results", "degraded"}, {False})
    told = api.post("/memory/query", {**asked, "explain": True, "prompt": True}, key=agent).json()
    by_source = {item["source"]: item["why"] for item in told["results"]}
    assert by_source["hot"]["words"] == ["team", "decided", "ledger"]
    assert by_source["cold"]["words"] == ["ledger"]
    for item in told["results"]:
        why = item["why"]
        assert item["score"] == pytest.approx(0.45 * max(0, why["similarity"]) + 0.55 * why["word_score"])
    assert told["prompt"].startswith("## Memory\n")
    assert DECISION in told["prompt"]
    assert [{key: value for key, value in item.items() if key != "why"} for item in told["results"]] == plain["results"]
