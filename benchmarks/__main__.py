"""Print every table: `python -m benchmarks [NAME …] [--data FOLDER]`."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

MEETINGS = ("locomo_dev.json", "qmsum_val.jsonl", "vcsum_dev.jsonl", "who_and_when_dev.jsonl", "halueval_dev.jsonl")
TABLES = {
    "retrieval": ("locomo_dev.json", "vcsum_dev.jsonl"),
    "languages": ("qmsum_val.jsonl", "vcsum_dev.jsonl"),
    "digest": ("qmsum_val.jsonl", "vcsum_dev.jsonl"),
    "speed": (),
    "consistency": (*MEETINGS, "breaking_nli_dev.jsonl", "cdconv_dev.tsv"),
    "restatements": MEETINGS,
    "injection": (*MEETINGS, "bipia_text_attacks_dev.json", "bipia_email_dev.jsonl"),
}
DATA = Path(__file__).parents[2] / "shared" / "data"


def main() -> None:
    """Run the tables that were asked for, all by default."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Quality and speed of memsieve.")
    parser.add_argument("tables", nargs="*", metavar="NAME", help=f"which of {', '.join(TABLES)}; all by default")
    parser.add_argument("--data", type=Path, default=DATA, help="folder with the public evaluation data")
    arguments = parser.parse_args()
    unknown = set(arguments.tables) - set(TABLES)
    if unknown:
        parser.error(f"no table {', '.join(sorted(unknown))}; the tables are {', '.join(TABLES)}")
    for table in arguments.tables or TABLES:
        missing = [name for name in TABLES[table] if not (arguments.data / name).exists()]
        if missing:
            print(f"{table} skipped: {arguments.data} lacks {', '.join(missing)}. See benchmarks/README.md.")
        else:
            import_module(f"benchmarks.{table}").main(arguments.data)


if __name__ == "__main__":
    main()
