"""examples/compose.yaml: valid by the specification, and true to this version's commands and settings."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import errors
from psycopg.conninfo import make_conninfo
from ruamel.yaml import YAML
from typer.core import TyperGroup
from typer.main import get_command

from memsieve.cli.app import app
from memsieve.config import read_settings

EXAMPLES = Path(__file__).parents[2] / "examples"
COMPOSE = EXAMPLES / "compose.yaml"
TEXT = COMPOSE.read_text("utf-8")
SERVICES = YAML(typ="safe").load(TEXT)["services"]
VOLUMES = YAML(typ="safe").load(TEXT)["volumes"]
OURS = [name for name, service in SERVICES.items() if "build" in service]
# $NAME, ${NAME}, and ${NAME:-default} or ${NAME:?message} with its operator and what follows.
VARIABLE = re.compile(r"\$\{?(\w+)(?:(:?[-?+])([^}]*))?\}?")


def _interpolated(text: str) -> str:
    return VARIABLE.sub(lambda found: found[3] if found[2] == ":-" else "secret", text)


def test_the_file_is_valid_by_the_compose_specification():
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(COMPOSE)]
    checked = subprocess.run(command, check=False, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("name", OURS)
def test_every_command_in_it_is_one_of_memsieve(name):
    command, arguments = get_command(app), SERVICES[name]["command"]
    while isinstance(command, TyperGroup):
        assert arguments[0] in command.commands
        command, arguments = command.commands[arguments[0]], arguments[1:]
    command.make_context(name, list(arguments)).close()


@pytest.mark.parametrize("name", OURS)
def test_every_variable_for_memsieve_in_it_is_a_setting(name):
    environment = {key: _interpolated(value) for key, value in SERVICES[name]["environment"].items()}
    settings = read_settings(environment=environment)
    assert settings.database_url.endswith("@postgres/memsieve")
    assert settings.redis_url.endswith("@redis:6379/0")


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_waits_for_services_that_can_reach_the_condition(name):
    for other, wanted in SERVICES[name].get("depends_on", {}).items():
        match wanted["condition"]:
            case "service_healthy":
                assert "test" in SERVICES[other]["healthcheck"]
            case "service_completed_successfully":
                assert SERVICES[other]["restart"] == "no"
            case condition:
                pytest.fail(f"{name} does not wait until {other} is of use: {condition}")


@pytest.mark.parametrize("name", SERVICES)
def test_no_port_is_open_beyond_this_machine(name):
    assert all(port.startswith("127.0.0.1:") for port in SERVICES[name].get("ports", []))
    assert SERVICES[name].get("network_mode") is None


@pytest.mark.parametrize("name", SERVICES)
def test_what_a_service_mounts_and_is_built_from_is_there(name):
    for volume in SERVICES[name].get("volumes", []):
        source = volume.partition(":")[0]
        assert (EXAMPLES / source).is_file() if source.startswith(".") else source in VOLUMES
    if name in OURS:
        build = SERVICES[name]["build"]
        assert (EXAMPLES / build["context"] / build["dockerfile"]).is_file()


def test_every_password_comes_from_outside_and_has_no_default():
    passwords = [found for found in VARIABLE.finditer(TEXT) if found[1].endswith("PASSWORD")]
    assert {found[1] for found in passwords} == {
        "POSTGRES_PASSWORD",
        "REDIS_PASSWORD",
        "APP_PASSWORD",
        "WORKER_PASSWORD",
    }
    assert {found[2] for found in passwords} == {":?"}
    for service in SERVICES.values():
        for key, value in service.get("environment", {}).items():
            assert "PASSWORD" not in key or VARIABLE.fullmatch(value), key


def test_memsieve_runs_as_a_user_who_is_not_root_and_from_this_checkout():
    lines = (EXAMPLES / "Dockerfile").read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith("USER ")] == ["USER 10001"]
    assert lines[-1] == 'ENTRYPOINT ["memsieve"]'
    kept = (EXAMPLES / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    root = EXAMPLES.parent
    assert all((root / line[1:]).exists() for line in kept if line.startswith("!"))


@pytest.fixture
def migrated(databases_18, run_service) -> Iterator[str]:
    """Lend a database that the service `migrate` went through; the users belong to the server and go afterwards."""
    with databases_18.empty() as url:
        run_service("migrate", url)
        yield url
        with psycopg.connect(databases_18.server.url, autocommit=True) as connection:
            connection.execute("DROP ROLE IF EXISTS memsieve_app, memsieve_worker")


@pytest.fixture
def run_service(monkeypatch, redis_server, cli) -> Callable[..., Any]:
    """Run the command of a service, with more arguments, on a real database and a real Redis."""

    def run(name: str, url: str, *more: str) -> Any:
        monkeypatch.setenv("MEMSIEVE_DATABASE_URL", url)
        monkeypatch.setenv("MEMSIEVE_REDIS_URL", redis_server.url)
        return cli.json(*SERVICES[name]["command"], *more)

    return run


def _make_users(psql: Path, url: str, **passwords: str) -> subprocess.CompletedProcess[str]:
    # As the service `users` does it.
    command = [psql, *SERVICES["users"]["command"][1:-1], f"--file={EXAMPLES / 'users.sql'}", url]
    environment = {"PATH": os.environ["PATH"], **passwords}
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment)


def _roles(url: str, user: str) -> set[str]:
    """Return the roles that a user may take on."""
    query = "SELECT rolname FROM pg_roles WHERE rolname LIKE 'memsieve%%' AND pg_has_role(%s, oid, 'SET')"
    with psycopg.connect(url) as connection:
        return {name for (name,) in connection.execute(query, (user,))} - {user}


def test_the_users_are_made_after_the_roles_and_have_the_least_of_them(migrated, postgres_18):
    passwords = {"APP_PASSWORD": "it's", "WORKER_PASSWORD": "two \\ words"}
    for _ in range(2):
        made = _make_users(postgres_18.psql, migrated, **passwords)
        assert made.returncode == 0, made.stderr
    assert _roles(migrated, "memsieve_app") == {
        *("memsieve_agent", "memsieve_filter", "memsieve_reviewer", "memsieve_keeper")
    }
    assert _roles(migrated, "memsieve_worker") == {"memsieve_filter"}
    with psycopg.connect(make_conninfo(migrated, user="memsieve_worker")) as connection:
        connection.execute("SET app.project = 'apollo'")
        with pytest.raises(errors.InsufficientPrivilege):
            connection.execute("INSERT INTO approvals (project_id, id) VALUES ('apollo', 'mine')")


def test_the_users_can_do_their_work_and_a_worker_nothing_else(migrated, postgres_18, run_service, cli):
    assert _make_users(postgres_18.psql, migrated, APP_PASSWORD="one", WORKER_PASSWORD="two").returncode == 0
    as_worker, as_app = (make_conninfo(migrated, user=name) for name in ("memsieve_worker", "memsieve_app"))
    assert run_service("migrate", as_app, "--check") == {"missing": []}
    said = cli.record()["entry"]["id"]
    promote = ("promote", "--project", "apollo", "--by", "you@example.org", said)
    assert [job["job"] for job in run_service("worker", as_worker, "--once")["jobs"]] == ["look", "digest"]
    assert "memsieve_reviewer" in cli.refused(*promote, code=5)
    assert run_service("migrate", as_app, "--check") == {"missing": []}
    assert cli.json(*promote)["memory"]["entry_ids"] == [said]


def test_without_a_password_no_user_is_made(migrated, postgres_18):
    made = _make_users(postgres_18.psql, migrated, APP_PASSWORD="secret")
    assert made.returncode == 3
    with psycopg.connect(migrated) as connection:
        found = connection.execute("SELECT FROM pg_roles WHERE rolname IN ('memsieve_app', 'memsieve_worker')")
        assert found.rowcount == 0
