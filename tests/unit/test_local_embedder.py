import asyncio
import hashlib
import subprocess
import sys
import threading
from importlib.resources import files

import numpy as np
import pytest
from tokenizers import BertWordPieceTokenizer

from memsieve.errors import EmbedderError
from memsieve.models import bundled, embedders
from memsieve.models.embedders import LocalEmbedder


@pytest.fixture(scope="module")
def embedder():
    return LocalEmbedder()


def embed(embedder, *texts):
    return asyncio.run(embedder.embed(texts))


def test_a_vector_is_float32_of_the_promised_length_and_of_length_one(embedder):
    (vector,) = embed(embedder, "The deployment failed.")
    assert vector.dtype == np.float32
    assert vector.shape == (embedder.dimensions,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_a_known_sentence_gets_the_vector_that_the_original_model_gives_it(embedder):
    (vector,) = embed(embedder, "This is an example sentence")
    assert vector[:6] == pytest.approx([0.0677, 0.0635, 0.0487, 0.0793, 0.0374, 0.0027], abs=0.015)


def test_paraphrases_are_nearer_than_strangers(embedder):
    crash, same, other = embed(
        embedder,
        "The server crashed because it ran out of memory.",
        "The machine went down: memory was exhausted.",
        "The cat sleeps on the warm roof.",
    )
    assert crash @ same > 0.6
    assert crash @ other < 0.2


def test_the_same_text_gets_the_same_vector_whatever_else_is_asked(embedder):
    text = "Users in the Berlin office prefer dark mode."
    (alone,) = embed(embedder, text)
    _, beside, _ = embed(embedder, "A short one.", text, "A much longer text about something else. " * 20)
    assert np.array_equal(alone, beside)


def test_results_come_in_order_with_none_for_what_cannot_be_read(embedder):
    vectors = embed(embedder, "Сервер упал", "The server is down.", "", "服务器坏了", "12:30", "🎉")
    assert [vector is not None for vector in vectors] == [False, True, False, True, False, False]


@pytest.mark.parametrize(
    "text", ["サーバーが落ちました", "서버가 다운되었습니다", "تعطل الخادم", "เซิร์ฟเวอร์ล่ม", "सर्वर बंद हो गया"]
)
def test_scripts_that_the_model_was_not_taught_get_no_vector(embedder, text):
    assert embed(embedder, text) == [None]


TRANSLATIONS = [
    ("服务器昨晚因为磁盘写满而宕机。", "The server went down last night because the disk was full."),
    ("柏林办公室的用户更喜欢深色模式。", "Users in the Berlin office prefer dark mode."),
    ("部署之前必须先运行数据库迁移。", "The database migration must run before the deployment."),
    ("会议把发布时间改到了星期四。", "The meeting moved the release to Thursday."),
]


def test_a_chinese_sentence_lies_where_its_english_translation_lies(embedder):
    chinese, english = (np.stack(embed(embedder, *texts)) for texts in zip(*TRANSLATIONS, strict=True))
    between = chinese @ english.T
    assert (between.argmax(axis=1) == range(len(TRANSLATIONS))).all()
    assert between.diagonal().min() > 0.7
    assert between[~np.eye(len(TRANSLATIONS), dtype=bool)].max() < 0.5


def test_chinese_strangers_are_strangers(embedder):
    vectors = np.stack(embed(embedder, *(chinese for chinese, _ in TRANSLATIONS)))
    assert (vectors @ vectors.T)[~np.eye(len(vectors), dtype=bool)].max() < 0.5


@pytest.mark.parametrize(
    "variant",
    [
        "我們決定將發布時間延後到下週四，因為測試還沒完成。",
        "我们决定将发布时间延后到下周四,因为测试还没完成.",
        "我们决定将发布时间延后到下周四，因为测试还没完成。🎉",
    ],
)
def test_traditional_characters_width_and_emoji_do_not_move_a_chinese_text(embedder, variant):
    plain, other = embed(embedder, "我们决定将发布时间延后到下周四，因为测试还没完成。", variant)
    assert plain @ other > 0.999


def test_rare_characters_leave_the_rest_of_their_run_readable(embedder):
    plain, rare = embed(embedder, "数据库迁移必须在部署之前运行完毕", "数据库迁移必须在部署之前𪚥运行完毕")
    assert plain @ rare > 0.8
    assert embed(embedder, "𪚥𪚥𪚥𪚥𪚥𪚥") == [None]


FILES = ("minilm/encoder.onnx", "minilm/words.npz", "minilm/words.txt", "chinese/words.npz", "chinese/words.txt")
SIMPLIFIED = files("memsieve.text") / "data" / "simplified.json"


def test_other_files_need_another_name_because_stored_vectors_must_not_be_mixed():
    parts = (*(bundled.FOLDER / name for name in FILES), SIMPLIFIED)
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in parts)).hexdigest()
    known = {"all-MiniLM-L6-v2-zh-int8": "6eeef422a583fcb0e57f7e78d493add621c1d5ba65087ee8be7ebd519adb80ea"}
    assert known[LocalEmbedder.name] == digest


ENGLISH = [
    "The deployment failed because the database migration was not run first.",
    "Users in the Berlin office prefer “dark mode” — café staff don't.",
    "HTTP 503 from https://api.example.com/v1/orders?id=42 after 30 seconds",
    "The agent retried the tool call three times. " * 30,
]


@pytest.mark.parametrize("text", ENGLISH)
def test_english_vectors_are_those_of_minilm_without_chinese_to_the_last_bit(embedder, text):
    words = (bundled.FOLDER / "minilm" / "words.txt").read_text("utf-8").removesuffix("\n").split("\n")
    tokenizer = BertWordPieceTokenizer(vocab={word: number for number, word in enumerate(words)})
    tokenizer.enable_truncation(embedders.LOCAL_MAX_TOKENS)
    with np.load(bundled.FOLDER / "minilm" / "words.npz") as rows:
        given = (rows["values"][tokenizer.encode(text).ids].astype(np.float32) - rows["zero"]) * rows["scale"]
    session = bundled.session(bundled.FOLDER / "minilm" / "encoder.onnx")
    assert np.array_equal(embed(embedder, text)[0], session.run(None, {"words": given[None]})[0][0])


def test_no_texts_give_no_vectors(embedder):
    assert embed(embedder) == []


def test_emoji_do_not_move_a_text(embedder):
    plain, decorated = embed(embedder, "All tests pass.", "✅ All tests pass. 🎉")
    assert plain @ decorated > 0.99


def test_keys_too_long_for_the_vocabulary_get_no_vector_because_all_would_look_alike(embedder):
    assert embed(embedder, "The key is " + "abc123" * 30) == [None]


def test_the_first_256_tokens_count_and_no_more(embedder):
    short, longer = embed(embedder, "agent " * 200, "agent " * 200 + "cat")
    assert not np.array_equal(short, longer)
    full, beyond = embed(embedder, "agent " * 254, "agent " * 254 + "cat " * 9000)
    assert np.array_equal(full, beyond)


def test_special_tokens_in_a_text_are_read_as_words(embedder):
    (mentions,) = embed(embedder, "[MASK]")
    (words,) = embed(embedder, "[ mask ]")
    assert mentions @ words > 0.99


def test_broken_unicode_does_not_stop_the_embedder(embedder):
    assert embed(embedder, "The server \ud800 is down.")[0] is not None


def test_the_model_is_loaded_once_when_many_ask_at_the_same_time(monkeypatch):
    loads = []
    load = embedders._LocalModel
    monkeypatch.setattr(embedders, "_LocalModel", lambda: loads.append(threading.get_ident()) or load())
    embedder = LocalEmbedder()

    async def ask_together():
        return await asyncio.gather(*(embedder.embed(["The server is down."]) for _ in range(6)))

    vectors = asyncio.run(ask_together())
    assert len(loads) == 1
    assert all(np.array_equal(vectors[0][0], vector) for (vector,) in vectors)


def test_embedding_leaves_the_event_loop_free(embedder):
    async def count_while_embedding():
        work = asyncio.create_task(embedder.embed(["The agent retried the call and reported it. " * 30] * 3))
        turns = 0
        while not work.done():
            await asyncio.sleep(0.001)
            turns += 1
        return turns

    assert asyncio.run(count_while_embedding()) > 5


def test_a_missing_model_file_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(bundled, "FOLDER", tmp_path)
    with pytest.raises(EmbedderError, match="Reinstall memsieve"):
        embed(LocalEmbedder(), "The server is down.")


def test_importing_and_making_an_embedder_loads_no_heavy_library():
    code = (
        "import sys; from memsieve.models.embedders import LocalEmbedder; LocalEmbedder();"
        "print({'numpy', 'onnxruntime', 'tokenizers'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
