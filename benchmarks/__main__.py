"""Print every table: `python -m benchmarks [NAME …] [--data FOLDER] [--full]`, or compute `capacity`."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

MEETINGS = ("locomo_dev.json", "qmsum_val.jsonl", "vcsum_dev.jsonl", "who_and_when_dev.jsonl", "halueval_dev.jsonl")
TABLES = {
    "retrieval": ("locomo_dev.json", "vcsum_dev.jsonl"),
    "languages": ("qmsum_val.jsonl", "vcsum_dev.jsonl"),
    "digest": ("qmsum_val.jsonl", "vcsum_dev.jsonl"),
    "speed": (),
    "server": (),
    "filtered": (),
    "api": (),
    "clients": (),
    "kb": (),
    "middleware": (),
    "consistency": (*MEETINGS, "breaking_nli_dev.jsonl", "cdconv_dev.tsv"),
    "restatements": MEETINGS,
    "injection": (*MEETINGS, "bipia_text_attacks_dev.json", "bipia_email_dev.jsonl"),
}
DATA = Path(__file__).parents[2] / "shared" / "data"
CAPACITY = "capacity"


def main() -> None:
    """Run the tables that were asked for, all by default."""
    if sys.argv[1:2] == [CAPACITY]:
        import_module(f"benchmarks.{CAPACITY}").main(sys.argv[2:])
        return
    arguments = _arguments()
    options = {
        "server": {"full": arguments.full, "write": arguments.write, "only": arguments.size},
        "clients": {"full": arguments.full},
    }
    for table in arguments.tables or TABLES:
        missing = [name for name in TABLES[table] if not (arguments.data / name).exists()]
        if missing:
            print(f"{table} skipped: {arguments.data} lacks {', '.join(missing)}. See benchmarks/README.md.")
        else:
            import_module(f"benchmarks.{table}").main(arguments.data, **options.get(table, {}))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Quality and speed of memsieve.",
        epilog=f"`python -m benchmarks {CAPACITY} --help` tells how to compute the servers for a load.",
    )
    parser.add_argument("tables", nargs="*", metavar="NAME", help=f"which of {', '.join(TABLES)}; all by default")
    parser.add_argument("--data", type=Path, default=DATA, help="folder with the public evaluation data")
    parser.add_argument(
        "--full", action="store_true", help="server: also 200,000 memories and 1,000 projects; clients: a minute each"
    )
    parser.add_argument("--write", action="store_true", help="server: all sizes, kept in capacity.json")
    parser.add_argument("--size", type=int, metavar="N", help="server: only so many memories, and no other projects")
    arguments = parser.parse_args()
    if arguments.size is not None and (arguments.write or arguments.size < 1):
        parser.error("--size is how many memories, 1 or more; --write needs all sizes, so leave one of the two out")
    unknown = set(arguments.tables) - set(TABLES)
    if unknown:
        parser.error(f"no table {', '.join(sorted(unknown))}; the tables are {', '.join(TABLES)}")
    return arguments


if __name__ == "__main__":
    main()
