"""mem0 with its keyword leg, which it adds to the vectors where `fastembed` is installed.

The leg fetches its list of stop words when it is first used; there is no network here, so memsieve's list stands in.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.systems.base import Embed
from benchmarks.systems.mem0 import Mem0
from fastembed import SparseTextEmbedding

from memsieve.text.tokenize import STOP_WORDS


class Mem0Keywords(Mem0):
    """`mem0.Memory` by vectors and by BM25."""

    name = "mem0, keywords too"

    def __init__(self, folder: Path, embed: Embed) -> None:
        super().__init__(folder, embed)
        # A folder that is there is all that keeps it from looking for one elsewhere.
        self._memory.vector_store._bm25_encoder = SparseTextEmbedding(  # noqa: SLF001 - it offers no other way
            model_name="Qdrant/bm25", specific_model_path=str(folder), stopwords=set(STOP_WORDS)
        )
