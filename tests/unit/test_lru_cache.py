"""Caches that evict what was not used the longest."""

from memsieve.runtime.lru_cache import MAX_PROJECTS, LRUCache, ProjectCache


def test_the_least_recently_used_value_goes_first():
    cache: LRUCache[str, int] = LRUCache(2)
    cache.set("a", 1)
    cache.set("b", 2)
    assert cache.get("a") == 1
    cache.set("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c"), len(cache)) == (1, None, 3, 2)


def test_to_set_a_value_again_is_a_use():
    cache: LRUCache[str, int] = LRUCache(2)
    for key in "aba":
        cache.set(key, 1)
    cache.set("c", 1)
    assert ["a" in cache, "b" in cache] == [True, False]


def test_without_a_size_its_owner_evicts():
    cache: LRUCache[int, int] = LRUCache()
    for number in range(1000):
        cache.set(number, number)
    cache.discard(1)
    cache.discard(1)
    assert [cache.pop_oldest(), cache.pop_oldest(), len(cache)] == [0, 2, 997]
    assert next(iter(cache.values())) == 3


def test_one_project_too_many_evicts_the_one_that_was_not_asked_for():
    cache: ProjectCache[int] = ProjectCache()
    for number in range(MAX_PROJECTS):
        cache.set(f"project {number}", number)
    cache.get("project 0")
    cache.set("one more", 0)
    assert cache.get("project 0") == 0
    assert cache.get("project 1") is None
