"""Load what the bundled models run on, once for a process and on first use."""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memsieve.models.tokens import Tokens

FOLDER = Path(__file__).parent

_loading = threading.Lock()


def tokens() -> Tokens:
    """Return the vocabulary and its vectors, which all models share."""
    with _loading:
        return _tokens(FOLDER)


@cache
def _tokens(folder: Path) -> Tokens:
    from memsieve.models.tokens import Tokens

    return Tokens(folder)


def session(path: Path) -> Any:
    """Return a graph, ready to run on the processor."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # Spinning threads slow what runs beside them, and a short text gains nothing from more than two.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.intra_op_num_threads = 2
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
