"""Settings: defaults, then the file, then the environment; anything wrong is said at once."""

import sys
import zoneinfo
from dataclasses import fields
from pathlib import Path

import pytest

from memsieve.config import SECTIONS, FilterSettings, KnowledgeBaseSettings, Settings, change_filter, read_settings
from memsieve.errors import ConfigError

DOCUMENT = (Path(__file__).parents[2] / "docs" / "settings.md").read_text("utf-8")


def written(text):
    Path("memsieve.toml").write_text(text, "utf-8")


def test_without_file_and_variables_the_defaults_hold():
    assert read_settings(environment={}) == Settings()
    assert FilterSettings().min_length == 50
    assert (FilterSettings().min_confidence, FilterSettings().duplicate_similarity) == (0.8, 0.9)


def test_variables_win_over_the_file_and_the_caller_over_both():
    written('data = "from-file"\nllm_timeout = 5\n[filter]\nmin_length = 10\nmin_confidence = 0.5\n')
    environment = {"MEMSIEVE_DATA": "from-environment", "MEMSIEVE_MIN_LENGTH": "7"}
    settings = read_settings(environment=environment)
    assert (settings.data, settings.llm_timeout) == (Path("from-environment"), 5.0)
    assert (settings.filter.min_length, settings.filter.min_confidence) == (7, 0.5)
    assert read_settings("given", environment).data == Path("given")


def test_a_file_named_by_a_variable_is_read():
    Path("other.toml").write_text("max_content_bytes = 9\n", "utf-8")
    assert read_settings(environment={"MEMSIEVE_CONFIG": "other.toml"}).max_content_bytes == 9


def test_how_a_knowledge_base_counts_comes_from_its_section_and_its_variable():
    assert read_settings(environment={}).kb.observations == "evidence"
    written('[kb]\nobservations = "runs"\n')
    assert read_settings(environment={}).kb.observations == "runs"
    assert read_settings(environment={"MEMSIEVE_KB_OBSERVATIONS": "evidence"}).kb.observations == "evidence"


def test_another_way_of_counting_is_an_error_that_names_both():
    with pytest.raises(ConfigError, match=r"kb\.observations is 'guess'.*evidence, runs"):
        read_settings(environment={"MEMSIEVE_KB_OBSERVATIONS": "guess"})


def test_the_variable_that_names_the_task_is_no_setting():
    assert read_settings(environment={"MEMSIEVE_TASK": "ISSUE-7"}) == Settings()


def test_a_named_file_that_is_not_there_is_an_error():
    with pytest.raises(ConfigError, match=r"typo\.toml"):
        read_settings(environment={"MEMSIEVE_CONFIG": "typo.toml"})


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("REQUIRE_CONFIDENCE", "Yes", ("require_confidence", True)),
        ("REQUIRE_CONFIDENCE", "off", ("require_confidence", False)),
        ("DISABLED_CHECKS", "echo, duplicate", ("disabled_checks", frozenset({"echo", "duplicate"}))),
        ("ECHO_SIMILARITY", "0.5", ("echo_similarity", 0.5)),
    ],
)
def test_variables_are_read_by_kind(name, value, expected):
    settings = read_settings(environment={f"MEMSIEVE_{name}": value})
    assert getattr(settings.filter, expected[0]) == expected[1]


@pytest.mark.parametrize("day", ["monday", "Sunday", "NEVER"])
def test_the_day_of_the_digest_may_be_written_with_capitals(day):
    assert read_settings(environment={"MEMSIEVE_DIGEST_DAY": day}).digest_day == day.lower()


def test_the_schedule_comes_from_file_and_variables():
    written('digest_day = "friday"\ndigest_hour = 0\ntime_zone = "Asia/Shanghai"\n')
    settings = read_settings(environment={"MEMSIEVE_DIGEST_HOUR": "23"})
    assert (settings.digest_day, settings.digest_hour, settings.time_zone) == ("friday", 23, "Asia/Shanghai")


def test_an_unknown_time_zone_is_an_error_that_says_how_to_write_one():
    with pytest.raises(ConfigError, match=r"Europe/Berlin.*pip install tzdata"):
        Settings(time_zone="Mars/Olympus")


def test_utc_is_known_where_the_system_has_no_time_zones(no_time_zones):
    assert Settings().time_zone == "UTC"
    with pytest.raises(ConfigError, match="tzdata"):
        Settings(time_zone="Europe/Berlin")


@pytest.fixture
def no_time_zones(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "tzdata"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tzdata", None)
    zoneinfo.reset_tzpath([])
    zoneinfo.ZoneInfo.clear_cache()
    yield
    zoneinfo.reset_tzpath()


def test_every_setting_is_in_the_documentation_with_its_default():
    rows = [line.split("|")[1:4] for line in DOCUMENT.splitlines() if line.startswith("| `MEMSIEVE_")]
    documented = {variable.strip(" `"): (name.strip(" `"), default.strip(" `")) for variable, name, default in rows}
    kinds = ((Settings(), "", ""), (FilterSettings(), "filter.", ""), (KnowledgeBaseSettings(), "kb.", "KB_"))
    assert documented == {
        f"MEMSIEVE_{prefix}{item.name.upper()}": (f"{section}{item.name}", shown(getattr(start, item.name)))
        for start, section, prefix in kinds
        for item in fields(start)
        if item.name not in SECTIONS
    }


def shown(value):
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value or "")


def test_other_variables_are_none_of_our_business():
    assert read_settings(environment={"PATH": "/bin", "memsieve_data": "x"}) == Settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MIN_LENGHT", "7"),
        ("FILTER", "x"),
        ("SHADOW", "x"),
        ("MIN_LENGTH", "many"),
        ("MIN_LENGTH", "5.5"),
        ("MIN_LENGTH", "-1"),
        ("MIN_CONFIDENCE", "nan"),
        ("MIN_CONFIDENCE", "1.1"),
        ("DUPLICATE_SIMILARITY", "inf"),
        ("REQUIRE_CONFIDENCE", "maybe"),
        ("DISABLED_CHECKS", "lenght"),
        ("LLM_TIMEOUT", "0"),
        ("MAX_CONTENT_BYTES", "0"),
        ("LLM_MODEL", "gpt"),
        ("DIGEST_DAY", "someday"),
        ("DIGEST_DAY", ""),
        ("DIGEST_HOUR", "24"),
        ("DIGEST_HOUR", "-1"),
        ("DIGEST_HOUR", "8:30"),
        ("TIME_ZONE", "Berlin"),
        ("TIME_ZONE", "Europe"),
        ("TIME_ZONE", "../Europe/Berlin"),
        ("TIME_ZONE", "+01:00"),
        ("TIME_ZONE", ""),
    ],
)
def test_a_wrong_variable_is_an_error_that_names_it(name, value):
    with pytest.raises(ConfigError) as raised:
        read_settings(environment={f"MEMSIEVE_{name}": value})
    assert name.lower() in str(raised.value).lower()


@pytest.mark.parametrize(
    "text",
    [
        "colour = 'red'",
        "[filter]\ncolour = 'red'",
        "[shadow]\nmin_length = 'long'",
        "filter = 3",
        "shadow = true",
        "data = 3",
        "llm_model = 3",
        "llm_timeout = true",
        "[filter]\nmin_length = true",
        "[filter]\ndisabled_checks = [1, 'echo', 'x']",
        "[filter]\ndisabled_checks = 1",
        "digest_day = 1",
        "digest_hour = 8.5",
        "digest_hour = true",
        "time_zone = 1",
        "not toml",
    ],
)
def test_a_wrong_file_is_an_error_and_no_accident(text):
    written(text)
    with pytest.raises(ConfigError):
        read_settings(environment={})


def test_a_file_that_is_not_utf8_is_an_error():
    Path("memsieve.toml").write_bytes(b"data = '\xff'")
    with pytest.raises(ConfigError, match=r"memsieve\.toml"):
        read_settings(environment={})


def test_a_shadow_starts_from_the_filter_it_stands_beside():
    written("[filter]\nmin_length = 10\n[shadow]\nmin_confidence = 0.95\n")
    settings = read_settings(environment={})
    assert settings.shadow == FilterSettings(min_length=10, min_confidence=0.95)


def test_keys_are_not_shown():
    settings = Settings(llm_api_key="hush-1", embedder_api_key="hush-2")
    assert "hush" not in repr(settings)


def test_changes_for_a_replay_may_be_text_or_typed():
    changed = change_filter(FilterSettings(), {"min_confidence": "0.7", "disabled_checks": ["echo"]})
    assert changed == FilterSettings(min_confidence=0.7, disabled_checks=frozenset({"echo"}))
    with pytest.raises(ConfigError):
        change_filter(FilterSettings(), {"data": "x"})


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_body_bytes": 0},
        {"rate_limit": -1.0},
        {"allowed_hosts": frozenset({"https://memory.example.org"})},
        {"allowed_hosts": frozenset({"memory.example.org:8080"})},
        {"allowed_hosts": frozenset({"*"})},
        {"allowed_origins": frozenset({"*"})},
        {"allowed_origins": frozenset({"null"})},
        {"allowed_origins": frozenset({"console.example.org"})},
        {"allowed_origins": frozenset({"https://console.example.org/"})},
    ],
)
def test_a_server_is_not_opened_wider_than_it_can_be_meant(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        Settings(**wrong)


def test_hosts_and_origins_are_read_as_lists():
    environment = {
        "MEMSIEVE_ALLOWED_HOSTS": "memory.example.org, [fd00::1]",
        "MEMSIEVE_ALLOWED_ORIGINS": "https://console.example.org http://localhost:5173",
    }
    settings = read_settings(environment=environment)
    assert settings.allowed_hosts == {"memory.example.org", "[fd00::1]"}
    assert settings.allowed_origins == {"https://console.example.org", "http://localhost:5173"}
