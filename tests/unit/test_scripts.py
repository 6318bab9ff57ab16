import timeit

import pytest

from memsieve.text.scripts import readable

LATIN = frozenset({"Latin"})


@pytest.mark.parametrize(
    "text",
    [
        "The deployment failed.",
        "Le café était fermé à Noël.",
        "Máy chủ bị sập vì hết bộ nhớ.",
        "It took 20 µs for 5 m² at ½ load.",
        "Done ✅ 🎉 — see https://example.com/a?b=1",
        "x",
        "The word 猫 means cat, and every reader of this sentence knows it.",
    ],
)
def test_text_in_latin_letters_is_readable(text):
    assert readable(text, LATIN)


@pytest.mark.parametrize(
    "text",
    [
        "服务器因内存不足而崩溃。",
        "サーバーが落ちた",
        "서버가 다운되었습니다",
        "Сервер упал",
        "Ο διακομιστής κατέρρευσε",
        "تعطل الخادم",
        "השרת קרס",
        "सर्वर बंद हो गया",
        "เซิร์ฟเวอร์ล่ม",
        "სერვერი გაითიშა",
        "Ｆｕｌｌ ｗｉｄｔｈ",
    ],
)
def test_text_in_another_script_is_not_readable(text):
    assert not readable(text, LATIN)


@pytest.mark.parametrize("text", ["", "   ", "2024-01-01 12:00", "3.14 × 10²", "?!…", "🎉🚀", "①②③"])
def test_text_without_letters_is_not_readable(text):
    assert not readable(text, LATIN)


def test_a_chinese_character_weighs_as_much_as_an_english_word():
    seventeen_words = "word " * 17
    assert readable(seventeen_words + "服务器", LATIN)
    assert not readable(seventeen_words + "服务器坏", LATIN)


def test_a_russian_word_weighs_as_much_as_an_english_word():
    assert readable("word " * 17 + "сервер упал снова", LATIN)
    assert not readable("word " * 17 + "сервер снова упал ночью", LATIN)


def test_a_few_english_words_do_not_make_a_chinese_text_readable():
    assert not readable("我们把 Redis 部署在 Kubernetes 上，端口是 6379。", LATIN)


def test_a_script_that_the_model_reads_is_readable():
    assert readable("我们把 Redis 部署在 Kubernetes 上", LATIN | {"Han"})
    assert readable("服务器坏了", frozenset({"Han"}))
    assert not readable("The server is down", frozenset({"Han"}))


def test_telling_the_script_of_a_short_text_takes_microseconds():
    text = ("We call this 服务器 and it runs. Сервер упал. " * 8)[:200]
    readable(text, LATIN)
    assert min(timeit.repeat(lambda: readable(text, LATIN), number=100, repeat=5)) / 100 < 200e-6
