import asyncio
import subprocess
import sys
import threading

import numpy as np
import pytest

from memsieve.embedders import local
from memsieve.embedders.local import LocalEmbedder
from memsieve.errors import EmbedderError


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
    vectors = embed(embedder, "服务器坏了", "The server is down.", "", "12:30", "🎉")
    assert [vector is not None for vector in vectors] == [False, True, False, False, False]


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
    load = local._Model
    monkeypatch.setattr(local, "_Model", lambda folder: loads.append(threading.get_ident()) or load(folder))
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
    monkeypatch.setattr(local, "_FOLDER", tmp_path)
    with pytest.raises(EmbedderError, match="Reinstall memsieve"):
        embed(LocalEmbedder(), "The server is down.")


def test_importing_and_making_an_embedder_loads_no_heavy_library():
    code = (
        "import sys; from memsieve.embedders.local import LocalEmbedder; LocalEmbedder();"
        "print({'numpy', 'onnxruntime', 'tokenizers'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
