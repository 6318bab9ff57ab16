"""The console as the server serves it: its files, how long they are kept, and what stands there without a build."""

import gzip
from dataclasses import dataclass
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from memsieve.api import static
from memsieve.api.app import create_app
from memsieve.config import Settings

PAGE = b'<!doctype html><script type="module" src="/assets/main-1a2b3c.js"></script>'
SCRIPT = b"console.log('a script that is long enough to be packed');" * 40
HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
FILES = {
    "index.html": PAGE,
    "theme.js": b"document.documentElement.dataset.theme = 'dark'",
    "favicon.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "assets/main-1a2b3c.js": SCRIPT,
    "assets/main-1a2b3c.css": b"body { margin: 0 }",
    "assets/main-1a2b3c.js.map": b"{}",
    "notes.md": b"for those who build it",
}


@dataclass(frozen=True)
class Served:
    folder: Path
    client: TestClient


@pytest.fixture
def served(tmp_path, monkeypatch) -> Served:
    """Serve a small console, in this process."""
    folder = tmp_path / "console"
    for name, body in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    (tmp_path / "secret.txt").write_text("nobody's business")
    return Served(folder, client(folder, monkeypatch))


def client(folder: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(static.add_to, "__defaults__", (folder,))
    return TestClient(create_app(Settings()), base_url="http://localhost:8080")


def test_the_root_is_the_console_for_everybody(served):
    for accept in (HTML, {"Accept": "*/*"}, {}):
        answer = served.client.get("/", headers=accept)
        assert (answer.status_code, answer.content) == (200, PAGE)
        assert answer.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("path", ["/ask", "/quarantine", "/longterm/0d1f6c5e", "/a/page/of/another/version"])
def test_every_address_of_the_console_is_its_page_for_a_browser(served, path):
    assert served.client.get(path, headers=HTML).content == PAGE
    # A program that misspelt an address is told so.
    answer = served.client.get(path, headers={"Accept": "application/json"})
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v1", "/api/v1/nothing", "/api/v2/stats", "/%2Fapi/v1/nothing"])
def test_an_unknown_address_of_the_api_is_a_problem_for_a_browser_too(served, path):
    answer = served.client.get(path, headers=HTML)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    assert answer.json()["type"] == "urn:memsieve:problem:not-found"


@pytest.mark.parametrize("path", ["/healthz", "/openapi.json"])
def test_routes_go_before_the_console(served, path):
    assert served.client.get(path, headers=HTML).headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/theme.js", "text/javascript; charset=utf-8"),
        ("/favicon.svg", "image/svg+xml"),
        ("/assets/main-1a2b3c.js", "text/javascript; charset=utf-8"),
        ("/assets/main-1a2b3c.css", "text/css; charset=utf-8"),
    ],
)
def test_a_file_has_its_type_and_the_browser_guesses_none(served, path, kind):
    answer = served.client.get(path)
    assert (answer.status_code, answer.content) == (200, FILES[path[1:]])
    assert (answer.headers["content-type"], answer.headers["x-content-type-options"]) == (kind, "nosniff")


def test_hashed_files_are_kept_for_ever_and_all_others_are_asked_for_again(served):
    caching = {
        path: served.client.get(path).headers["cache-control"] for path in ("/", *("/" + name for name in FILES))
    }
    for_ever = {path for path, told in caching.items() if told == "public, max-age=31536000, immutable"}
    assert for_ever == {"/assets/main-1a2b3c.js", "/assets/main-1a2b3c.css"}
    assert {caching[path] for path in ("/", "/index.html", "/theme.js")} == {"no-cache"}


def test_who_has_the_page_already_is_sent_nothing_until_it_changes(served, monkeypatch):
    first = served.client.get("/", headers=HTML)
    again = served.client.get("/", headers={**HTML, "If-None-Match": f'"other", W/{first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["cache-control"] == "no-cache"
    (served.folder / "index.html").write_bytes(PAGE + b"<p>new")
    changed = client(served.folder, monkeypatch).get("/", headers={"If-None-Match": first.headers["etag"]})
    assert (changed.status_code, changed.content) == (200, PAGE + b"<p>new")


def test_a_script_is_sent_packed_to_those_who_take_it_so(served):
    plain = served.client.get("/assets/main-1a2b3c.js", headers={"Accept-Encoding": "identity"})
    assert ("content-encoding" in plain.headers, plain.content) == (False, SCRIPT)
    packed = served.client.get("/assets/main-1a2b3c.js", headers={"Accept-Encoding": "gzip, deflate, br"})
    assert (packed.headers["content-encoding"], packed.content) == ("gzip", SCRIPT)
    assert int(packed.headers["content-length"]) < len(SCRIPT) / 2
    assert packed.headers["etag"] != plain.headers["etag"]
    for answer in (plain, packed):
        assert answer.headers["vary"] == "Accept-Encoding, Origin"
    refused = served.client.get("/assets/main-1a2b3c.js", headers={"Accept-Encoding": "gzip;q=0, br;q=0.0"})
    assert ("content-encoding" in refused.headers, refused.content) == (False, SCRIPT)


def test_what_was_packed_when_it_was_built_is_sent_as_it_is(served, monkeypatch):
    packed = {".br": b"as brotli packs it", ".gz": gzip.compress(SCRIPT, 1)}
    for suffix, body in packed.items():
        (served.folder / f"assets/main-1a2b3c.js{suffix}").write_bytes(body)
    asked = client(served.folder, monkeypatch)
    for accepted, encoding, suffix in (("gzip, br", "br", ".br"), ("gzip", "gzip", ".gz")):
        with asked.stream("GET", "/assets/main-1a2b3c.js", headers={"Accept-Encoding": accepted}) as answer:
            assert answer.headers["content-encoding"] == encoding
            assert b"".join(answer.iter_raw()) == packed[suffix]


def test_every_page_may_load_and_call_its_own_server_alone(served):
    for path in ("/", "/ask", "/assets/main-1a2b3c.js"):
        headers = served.client.get(path, headers=HTML).headers
        assert headers["content-security-policy"] == (
            "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; "
            "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
        )
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == "same-origin"


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/assets/../../secret.txt",
        "/assets/..%5c..%5csecret.txt",
        "//etc/passwd.txt",
        "/assets/missing-1a2b3c.js",
        "/main.py.txt",
        "/notes.md",
        "/assets/main-1a2b3c.js.map",
        "/assets/main-1a2b3c.js.br",
    ],
)
def test_a_file_that_is_none_of_the_console_s_is_not_there(served, path):
    answer = served.client.get(path, headers=HTML)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    assert "nobody" not in answer.text


def test_pages_are_read_and_nothing_else(served):
    assert served.client.head("/").headers["etag"] == served.client.get("/").headers["etag"]
    for method in ("POST", "PUT", "DELETE"):
        assert served.client.request(method, "/ask", headers=HTML).status_code == 404
    assert served.client.put("/api/v1/memory/promote").headers["allow"] == "POST"


def test_a_page_is_kept_from_hosts_that_are_not_the_server_s(served):
    assert served.client.get("/", headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_link_on_another_site_or_port_leads_to_the_console_and_to_nothing_of_the_api(served, site):
    followed = {**HTML, "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert served.client.get("/", headers=followed).content == PAGE
    assert served.client.get("/ask", headers=followed).content == PAGE
    assert served.client.get("/api/v1/session", headers=followed).status_code == 403
    assert served.client.post("/", headers={**followed, "Origin": "http://evil.example"}).status_code == 403
    for loaded in ({"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}, {"Sec-Fetch-Dest": "iframe"}):
        answer = served.client.get("/assets/main-1a2b3c.js", headers={**followed, **loaded})
        assert answer.status_code == 403


def test_without_a_build_the_page_says_how_to_make_one_in_both_languages(tmp_path, monkeypatch):
    for folder in (tmp_path / "none", tmp_path):
        asked = client(folder, monkeypatch)
        for path in ("/", "/ask"):
            answer = asked.get(path, headers=HTML)
            assert answer.status_code == 200
            assert answer.text.count("<code>make console</code>") == 2
            assert "Node 20.19 or newer" in answer.text
            assert "控制台尚未构建" in answer.text
            assert "default-src 'none'" in answer.headers["content-security-policy"]
            assert answer.headers["cache-control"] == "no-cache"
        assert asked.get("/healthz").status_code == 200


def test_the_console_is_one_name_in_the_numbers(api):
    api.client.get("/", headers=HTML)
    api.client.get("/whatever/somebody/types", headers=HTML)
    numbers = api.client.get("/metrics").text
    assert 'memsieve_requests_total{method="GET",route="console",status="200"} 2.0' in numbers
