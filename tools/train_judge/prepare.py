"""Turn pairs of sentences into the arrays that training reads.

python -m tools.train_judge.prepare --pairs build/train_judge/pairs.jsonl --out build/train_judge/pairs.npz
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from memsieve.claims.pair_model import MOST_TOKENS
from memsieve.models import bundled
from tools.train_embedder.prepare import pack

LABELS = ("consistent", "neutral", "contradiction")


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in arguments.pairs.read_text("utf-8").splitlines()]
    tokens = bundled.tokens()
    names = sorted({f"{row['source']}/{row['kind']}/{row['lang']}" for row in rows})
    number = {name: at for at, name in enumerate(names)}
    arrays = {
        "labels": np.array([LABELS.index(row["label"]) for row in rows], np.uint8),
        "kinds": np.array([number[f"{row['source']}/{row['kind']}/{row['lang']}"] for row in rows], np.uint16),
        "names": np.array(names),
    }
    for side in ("a", "b"):
        arrays[f"{side}_ids"], arrays[f"{side}_ends"] = pack(tokens.encode_all([r[side] for r in rows], MOST_TOKENS))
    np.savez_compressed(arguments.out, **arrays)  # type: ignore[arg-type]
    print(f"{len(rows)} pairs, {arguments.out.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
