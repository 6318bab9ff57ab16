"""The bundled embedder: no network, no key."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memsieve.embedders.scripts import MAX_FOREIGN_SHARE, readable
from memsieve.errors import EmbedderError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from memsieve.model import Vector

MAX_TOKENS = 256
MAX_CHARACTERS = 32 * MAX_TOKENS

_FOLDER = Path(__file__).parent / "minilm"
# Emoji and the like are one unknown word to the model: "done ✅" must stay near "done".
_SYMBOLS = re.compile(r"[^\w\s\x00-\u25ff]+")


class LocalEmbedder:
    """all-MiniLM-L6-v2 in 8-bit integers, on the processor; loaded when the first text comes."""

    name = "all-MiniLM-L6-v2-int8"
    dimensions = 384
    # Measured on six unrelated sentences each: 0.02 is their mean cosine in English, 0.4 in French and Vietnamese, but
    # 0.6 in Russian and Chinese (65 % of tokens unknown), 0.7 to 0.8 in Korean, Arabic, Hindi and Greek (cut into
    # single letters), 1.0 in Thai (all unknown). Vectors of anything but Latin letters would make strangers twins.
    scripts = frozenset({"Latin"})

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._model: _Model | None = None

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        return await asyncio.to_thread(self._embed_all, texts)

    def _embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        # One text per run: quantised vectors depend on what else is in the batch.
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> Vector | None:
        seen = _SYMBOLS.sub(" ", text[:MAX_CHARACTERS])
        return self._loaded().embed(seen) if readable(seen, self.scripts) else None

    def _loaded(self) -> _Model:
        if self._model is None:
            with self._loading:
                if self._model is None:
                    self._model = _Model(_FOLDER)
        return self._model


class _Model:
    """The tokenizer and the graph, in memory."""

    def __init__(self, folder: Path) -> None:
        try:
            self._tokenizer = _tokenizer(folder / "tokenizer.json")
            self._session = _session(folder / "model.onnx")
        except Exception as exc:  # both libraries raise what they like
            raise EmbedderError(f"The bundled embedder could not be loaded: {exc}. Reinstall memsieve.") from exc

    def embed(self, text: str) -> Vector | None:
        """Return the text's vector, or None if too many of its words are unknown."""
        import numpy as np

        encoding = self._tokenizer.encode(text)
        # All unknown words look alike; a key of more than 100 letters is one.
        if encoding.tokens.count("[UNK]") > MAX_FOREIGN_SHARE * len(encoding.tokens):
            return None
        ids = np.array([encoding.ids], dtype=np.int64)
        vector: Vector = self._session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
        return vector


def _tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    # A text that mentions [MASK] or [SEP] speaks of them; it does not use them.
    tokenizer.encode_special_tokens = True
    return tokenizer


def _session(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # Spinning threads slow what runs beside them, and a short text gains nothing from more than two.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.intra_op_num_threads = 2
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
