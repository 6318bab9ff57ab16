"""Steps around the training, each run from the repository's root; README.md has their order."""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.train_embedder import build, evaluate, prepare, vocabulary
from tools.train_embedder.published import published

PACKAGE = Path("src/memsieve/models")
WORK = Path("build/train_embedder")


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(prog="python -m tools.train_embedder", description=__doc__)
    parser.add_argument("step", choices=("vocabulary", "prepare", "build", "evaluate"))
    parser.add_argument("--train", type=Path, required=True, help="the folder with the training data")
    parser.add_argument("--rows", type=Path, default=WORK / "rows.npy", help="what training wrote")
    parser.add_argument("--wheel", type=Path, help="a wheel of MiniLM that is already here")
    arguments = parser.parse_args()
    if arguments.step == "vocabulary":
        vocabulary.main(arguments.train, PACKAGE / "chinese")
    elif arguments.step == "prepare":
        prepare.main(arguments.train, WORK, published(arguments.wheel))
    elif arguments.step == "build":
        build.main(arguments.rows, PACKAGE, published(arguments.wheel))
    else:
        evaluate.main(arguments.train, published(arguments.wheel))


if __name__ == "__main__":
    main()
