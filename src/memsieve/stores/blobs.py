"""How a vector lies in bytes, where the engine has no vectors of its own."""

from __future__ import annotations

import numpy as np

from memsieve.model import Vector


def vector_blob(vector: Vector | None) -> bytes | None:
    """Return a vector as float16, half the size at a loss nobody can measure."""
    return None if vector is None else np.asarray(vector, np.float16).tobytes()


def blob_vector(blob: bytes | None) -> Vector | None:
    """Return a stored vector, of length one again."""
    if blob is None:
        return None
    vector = np.frombuffer(blob, np.float16).astype(np.float32)
    return vector / np.linalg.norm(vector)
