"""What a text is about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsieve.refine.concepts import concept_sequence, concepts, segment, share


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("parse_config", "parseConfig"),
        ("parse_config", "parseConfig()"),
        ("PARSE_CONFIG", "parse_config"),
        ("The databases are indexed", "database index"),
        ("deployed deployments", "deploy"),
        ("wrote written", "write"),
        ("ＰｏｓｔｇｒｅＳＱＬ　１２", "postgresql 12"),
        ("資料庫遷移", "资料库迁移"),
        ("執行緒共用快取", "线程共用缓存"),
        ("程式碼的設定檔", "代码的配置文件"),
        ("version 2.3", "v2.3"),
        ("HTTP 429", "http429"),
        ("five million dollars", "$5M"),
        ("五百万美元", "5 million dollars"),
        ("三十分钟", "30 minutes"),
        ("half-open sockets", "half open socket"),
        ("prod config", "production configuration"),
        ("src\\app\\main.py", "./src/app/main.py"),
        ("GitHub", "github"),
        ("k8s", "Kubernetes"),
        ("on Thursdays", "Thursday"),
        ("remote {disfmarker} control", "remote control"),
    ],
)
def test_forms_of_one_thing_are_one_concept(one, other):
    assert concepts(one) == concepts(other) != frozenset()


@pytest.mark.parametrize(
    "name",
    ["parse_config", "src/app/main.py", "--dry-run", "HTTP 429", "v2.3", "os.path.join", "C++", "GPT-4", "30 minutes"],
)
@pytest.mark.parametrize("around", ["{}", "Please use {} now.", "我们应该使用 {} 吧。", "也可以用{}的"])
def test_a_code_name_or_value_is_one_concept_in_either_language(name, around):
    assert concepts(around.format(name)) == concepts(name)
    assert len(concepts(name)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C++", "C"),
        ("C#", "C"),
        ("v2.3", "v2.4"),
        ("$5", "5 %"),
        ("--dry-run", "run"),
        ("方程式", "程式"),
    ],
)
def test_different_names_are_different_concepts(one, other):
    assert not concepts(one) & concepts(other)


def test_a_request_of_http_is_a_concept_and_the_light_verb_is_none():
    assert concepts("GET requests") - concepts("we get requests") == {"get"}


@pytest.mark.parametrize(
    "text",
    ["", "...", "So we should just do it, you know?", "It is what it is.", "我们就是这样的吧", "嗯，可以的。", "🎉"],
)
def test_words_that_carry_nothing_are_no_concepts(text):
    assert concepts(text) == frozenset()


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("数据库连接超时", ["数据库", "连接", "超时"]),
        ("用户会话过期", ["用户", "会话", "过期"]),
        ("服务器返回错误", ["服务器", "返回", "错误"]),
        ("项目的架构", ["项目", "的", "架构"]),
        ("", []),
    ],
)
def test_chinese_is_cut_into_words(run, words):
    assert segment(run) == words


def test_characters_of_a_rare_word_stay_together():
    assert "熔断" in concepts("触发熔断的条件")


@given(st.text(alphabet="数据库服务器的了用户一二三鑫龘", max_size=60))
def test_cutting_loses_and_adds_no_character(run):
    assert "".join(segment(run)) == run


@given(st.text(max_size=80))
def test_any_text_has_concepts_that_overlap_with_themselves_wholly(text):
    assert share(concepts(text), concepts(text)) == (1.0 if concepts(text) else 0.0)
    assert frozenset(concept_sequence(text)) == concepts(text)


@pytest.mark.parametrize(
    ("finding", "other", "expected"),
    [
        ("alpha beta gamma delta", "alpha beta gamma", 0.75),
        ("alpha beta gamma", "alpha beta gamma delta", 1.0),
        ("alpha beta", "gamma delta", 0.0),
        ("alpha", "", 0.0),
        ("", "alpha", 0.0),
    ],
)
def test_overlap_is_the_share_of_the_findings_concepts(finding, other, expected):
    assert share(concepts(finding), concepts(other)) == expected
    assert share(concepts(finding), concepts(other)) == expected


def test_a_shorter_name_is_found_within_a_longer_one_and_not_the_other_way():
    assert share(concepts("main.py"), concepts("src/app/main.py")) == 1
    assert share(concepts("src/app/main.py"), concepts("main.py")) == 0
    assert share(concepts("触发熔断"), concepts("触发熔断器")) == 1


def test_a_file_is_not_found_in_one_whose_name_ends_alike():
    assert share(concepts("main.py"), concepts("src/domain.py")) == 0


def test_numbered_names_are_as_many_concepts_as_there_are_numbers():
    assert len(concepts(" ".join(f"concept{number}" for number in range(1, 101)))) == 100
    assert share(concepts("port22 and host33"), concepts("port2 and host3")) == 0


def test_a_long_text_has_the_concepts_of_its_parts():
    parts = [f"kettle{number} lantern" for number in range(2_000)]
    assert concepts(" ".join(parts)) == frozenset().union(*map(concepts, parts))
