"""What a Redis URL says, and what a wrong one never gives away."""

import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsieve.errors import ConfigError
from memsieve.stores.redis.server import parse
from memsieve.stores.redis.working import keys_of, project_of


def test_a_server_is_named_with_its_port_and_database():
    address = parse("redis://cache.example.org:6380/3")
    assert (address.nodes, address.database, address.cluster, address.tls) == (
        (("cache.example.org", 6380),),
        3,
        False,
        False,
    )


def test_the_usual_port_and_database_need_not_be_named():
    address = parse("redis://cache")
    assert (address.nodes, address.database) == ((("cache", 6379),), 0)


@pytest.mark.parametrize(("url", "tls"), [("redis-cluster://a:7000,[::1]:7001", False), ("rediss-cluster://a,b", True)])
def test_a_cluster_is_named_by_some_of_its_nodes(url, tls):
    address = parse(url)
    assert len(address.nodes) == 2
    assert address.cluster
    assert address.tls is tls


def test_user_and_password_are_kept_and_decoded():
    address = parse("rediss-cluster://ada:p%2Fs%40s%3A@a:1,b:2")
    assert (address.username, address.password) == ("ada", "p/s@s:")


def test_a_certificate_can_be_named():
    address = parse("rediss://cache?ssl_ca_certs=/etc/ca.pem")
    assert dict(address.tls_options) == {"ssl_ca_certs": "/etc/ca.pem"}


def test_an_address_is_printed_without_its_password():
    address = parse("redis-cluster://ada:hunter2@a:1,b:2")
    assert "hunter2" not in f"{address} {address!r}"
    assert str(address) == "redis-cluster://a:1,b:2"


@pytest.mark.parametrize(
    ("url", "advice"),
    [
        ("memcached://ada:hunter2@cache", "redis://"),
        ("redis://ada:hunter2@a,b", "redis-cluster://"),
        ("redis-cluster://ada:hunter2@a,b/3", "database 3"),
        ("redis://ada:hunter2@cache?ssl_ca_certs=x", "ssl_ca_certs"),
        ("rediss://ada:hunter2@cache?timeout=3", "timeout"),
        ("redis://ada:hunter2/x@cache", "%2F"),
        ("redis://:hunter2@", "MEMSIEVE_REDIS_URL"),
        ("redis://ada:hunter2@cache/hunter2", "MEMSIEVE_REDIS_URL"),
        ("hunter2", "MEMSIEVE_REDIS_URL"),
        ("redis://ada:hunter2@cache:hunter2", "MEMSIEVE_REDIS_URL"),
    ],
)
def test_a_wrong_url_is_refused_with_what_to_write_and_without_its_password(url, advice):
    with pytest.raises(ConfigError, match=advice.replace("?", r"\?")) as caught:
        parse(url)
    assert "hunter2" not in "".join(traceback.format_exception_only(caught.value))
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@given(st.text(min_size=1))
def test_any_project_name_gives_one_hash_tag_and_comes_back(project):
    for key in keys_of(project):
        tag = key[key.index("{") + 1 : key.index("}")]
        assert tag
        assert not set(tag) & set("{}*?[]\\ \n")
        assert project_of(key) == project
