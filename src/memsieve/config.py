"""Settings: defaults, then `memsieve.toml`, then `MEMSIEVE_*` variables; read once."""

from __future__ import annotations

import getpass
import math
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any, TypeVar

from memsieve.errors import ConfigError
from memsieve.model import CheckName

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
NEVER = "never"
OBSERVATIONS = ("evidence", "runs")
PREFIX = "MEMSIEVE_"
SECTIONS = ("filter", "shadow", "kb")
_HOST = re.compile(r"[\w.-]+|\[[0-9A-Fa-f:.]+\]")
_ORIGIN = re.compile(r"https?://([\w.-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterSettings:
    """The numbers of the ingress filter."""

    min_length: int = 50
    min_confidence: float = 0.8
    require_confidence: bool = False
    min_worth: float = 0.2
    tombstone_similarity: float = 0.8
    echo_similarity: float = 0.85
    duplicate_similarity: float = 0.9
    disabled_checks: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        unknown = self.disabled_checks - set(CheckName)
        if unknown:
            wrong = ", ".join(sorted(map(str, unknown)))
            raise ConfigError(f"disabled_checks names {wrong}; the checks are {', '.join(CheckName)}.")
        for name in ("min_confidence", "min_worth", "tombstone_similarity", "echo_similarity", "duplicate_similarity"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} is {getattr(self, name)}; it must be a number from 0 to 1.")
        if self.min_length < 0:
            raise ConfigError(f"min_length is {self.min_length}; it must be 0 or more.")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeBaseSettings:
    """How a knowledge base of files is refined: whether findings are counted by `evidence`, or by `runs` of refine."""

    observations: str = "evidence"

    def __post_init__(self) -> None:
        if self.observations not in OBSERVATIONS:
            raise ConfigError(f"kb.observations is {self.observations!r}; it must be one of {', '.join(OBSERVATIONS)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of memsieve."""

    data: Path = Path(".memsieve")
    database_url: str | None = field(default=None, repr=False)
    redis_url: str | None = field(default=None, repr=False)
    spool: bool | None = None
    embedder: str = "local"
    embedder_base_url: str | None = None
    embedder_api_key: str | None = field(default=None, repr=False)
    llm_base_url: str | None = None
    llm_api_key: str | None = field(default=None, repr=False)
    llm_model: str | None = None
    llm_timeout: float = 20.0
    max_content_bytes: int = 64 * 1024
    max_body_bytes: int = 1024 * 1024
    rate_limit: float = 1000.0
    require_keys: bool = False
    allowed_hosts: frozenset[str] = frozenset()
    allowed_origins: frozenset[str] = frozenset()
    digest_day: str = "monday"
    digest_hour: int = 8
    time_zone: str = "UTC"
    stop_seconds: int = 30
    filter: FilterSettings = FilterSettings()
    shadow: FilterSettings | None = None
    kb: KnowledgeBaseSettings = KnowledgeBaseSettings()

    def __post_init__(self) -> None:
        if self.max_content_bytes < 1:
            raise ConfigError(f"max_content_bytes is {self.max_content_bytes}; it must be 1 or more.")
        if not self.llm_timeout > 0:
            raise ConfigError(f"llm_timeout is {self.llm_timeout}; it must be more than 0 seconds.")
        if bool(self.database_url) != bool(self.redis_url):
            raise ConfigError(
                "PostgreSQL keeps quarantine and long-term memory, Redis working memory: set both database_url and "
                "redis_url, or neither, for one SQLite file."
            )
        if self.spool and not self.database_url:
            raise ConfigError(
                "spool is for a memory on PostgreSQL: set database_url and redis_url too, or leave it off."
            )
        if self.stop_seconds < 0:
            raise ConfigError(f"stop_seconds is {self.stop_seconds}; it must be 0 or more.")
        if bool(self.llm_base_url) != bool(self.llm_model):
            raise ConfigError("An LLM judge needs both llm_base_url and llm_model. Set both, or neither.")
        self._check_server()
        self._check_schedule()

    def _check_server(self) -> None:
        if self.max_body_bytes < 1:
            raise ConfigError(f"max_body_bytes is {self.max_body_bytes}; it must be 1 or more.")
        if self.rate_limit < 0:
            raise ConfigError(
                f"rate_limit is {self.rate_limit}; it must be 0 or more requests a second, and 0 is no limit."
            )
        for host in self.allowed_hosts:
            if not _HOST.fullmatch(host):
                raise ConfigError(
                    f"allowed_hosts names {host!r}; write a name such as memory.example.org, without scheme and port."
                )
        for origin in self.allowed_origins:
            if not _ORIGIN.fullmatch(origin):
                raise ConfigError(
                    f"allowed_origins names {origin!r}; write scheme and name, such as https://console.example.org. "
                    "There is no * for all."
                )

    def _check_schedule(self) -> None:
        object.__setattr__(self, "digest_day", self.digest_day.lower())
        if self.digest_day not in (*DAYS, NEVER):
            raise ConfigError(f"digest_day is {self.digest_day!r}; it must be one of {', '.join(DAYS)}, or {NEVER}.")
        if self.digest_hour not in range(24):
            raise ConfigError(f"digest_hour is {self.digest_hour}; it must be a whole hour from 0 to 23.")
        zone_named(self.time_zone)


def zone_named(name: str) -> tzinfo:
    """Return the time zone of an IANA name."""
    # UTC is known also where the system has no time zones.
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    # The name of a folder of zones, such as Europe, is an error of the system's; an unknown one is a KeyError.
    except (KeyError, ValueError, OSError) as exc:
        raise ConfigError(
            f"time_zone is {name!r}, which is no time zone known here. Write it as Europe/Berlin, America/New_York or "
            "Asia/Shanghai, or UTC. Where the system has no time zones, `pip install tzdata` brings them."
        ) from exc


def read_settings(data: Path | str | None = None, environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings; `data` given by the caller wins over file and variables."""
    environment = os.environ if environment is None else environment
    given = {name[len(PREFIX) :].lower(): value for name, value in environment.items() if name.startswith(PREFIX)}
    table = _read_file(Path(given["config"]) if "config" in given else None)
    # The command line reads these: a server, and the key to it, which no setting holds; and the task at hand.
    for name in ("config", "server", "key", "task"):
        given.pop(name, None)
    shadow = _section(table, "shadow")
    numbers = {**(_section(table, "filter") or {}), **_take(given, FilterSettings)}
    knowledge = {**(_section(table, "kb") or {}), **_take(given, KnowledgeBaseSettings, "kb_")}
    chosen = {**table, **_take(given, Settings)}
    if given:
        raise ConfigError(
            f"Unknown setting {PREFIX}{next(iter(given)).upper()}. The settings are: {', '.join(_names())}."
        )
    if data is not None:
        chosen["data"] = data
    filter_settings = _build(FilterSettings(), numbers)
    return replace(
        _build(Settings(), chosen),
        filter=filter_settings,
        shadow=None if shadow is None else _build(filter_settings, shadow),
        kb=_build(KnowledgeBaseSettings(), knowledge),
    )


def change_filter(settings: FilterSettings, changes: Mapping[str, Any]) -> FilterSettings:
    """Return filter settings with some of them changed, as text or typed values."""
    return _build(settings, changes)


def _names() -> list[str]:
    named = [item.name for item in (*fields(Settings), *fields(FilterSettings)) if item.name not in SECTIONS]
    return [*named, *(f"kb_{item.name}" for item in fields(KnowledgeBaseSettings))]


def _read_file(named: Path | None) -> dict[str, Any]:
    path = named or Path("memsieve.toml")
    if named is None and not path.exists():
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
        raise ConfigError(f"Cannot read {path}: {exc}. Mend the file, or remove it.") from exc


def _section(table: dict[str, Any], name: str) -> dict[str, Any] | None:
    section = table.pop(name, None)
    if section is not None and not isinstance(section, dict):
        raise ConfigError(f"{name} is {section!r}; it must be a section of memsieve.toml: [{name}].")
    return section


def _take(given: dict[str, str], kind: type, prefix: str = "") -> dict[str, str]:
    return {item.name: given.pop(prefix + item.name) for item in fields(kind) if prefix + item.name in given}


T = TypeVar("T", Settings, FilterSettings, KnowledgeBaseSettings)


def _build(start: T, values: Mapping[str, Any]) -> T:
    kinds = {item.name: str(item.type) for item in fields(start)}
    unknown = set(values) - set(kinds)
    if unknown:
        raise ConfigError(f"Unknown setting {min(unknown)!r}. The settings are: {', '.join(_names())}.")
    return replace(start, **{name: _convert(name, value, kinds[name]) for name, value in values.items()})


def _convert(name: str, value: Any, kind: str) -> Any:
    try:
        match kind:
            case "int" if not isinstance(value, bool | float):
                return int(value)
            case "float" if not isinstance(value, bool):
                return _finite(float(value))
            case "bool" | "bool | None":
                return _switch(value)
            case "Path":
                return Path(value)
            case "frozenset[str]":
                return frozenset(value.replace(",", " ").split() if isinstance(value, str) else value)
            case "str" | "str | None" if isinstance(value, str):
                return value
    except (TypeError, ValueError, KeyError):
        pass
    raise ConfigError(
        f"{name} is {value!r}, which is no {kind}. Correct it in memsieve.toml or {PREFIX}{name.upper()}."
    )


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(value)
    return value


def _switch(value: object) -> bool:
    if isinstance(value, bool):
        return value
    return {"on": True, "true": True, "1": True, "yes": True, "off": False, "false": False, "0": False, "no": False}[
        str(value).lower()
    ]


def login_name() -> str:
    """Return the name of the user who is logged in; in some containers users have only a number."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"
