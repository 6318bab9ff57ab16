"""Print tables: `python -m benchmarks [NAME …] [--data FOLDER] [--full] [--peers] [--write]`, or compute `capacity`."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from inspect import signature
from pathlib import Path

from benchmarks.pages import renew

MEETINGS = ("locomo_dev.json", "qmsum_val.jsonl", "vcsum_dev.jsonl", "who_and_when_dev.jsonl", "halueval_dev.jsonl")
JUDGED = ("breaking_nli_dev.jsonl", "cdconv_dev.tsv")
PLANTED = ("bipia_text_attacks_dev.json", "bipia_email_dev.jsonl")
TABLES = {
    "purity": (*MEETINGS, *JUDGED, *PLANTED, "poisonedrag_dev.json"),
    "quality": ("locomo_dev.json", "qmsum_val.jsonl", "vcsum_dev.jsonl"),
    "languages": ("qmsum_val.jsonl", "vcsum_dev.jsonl"),
    "substance": (),
    "insights": ("vcsum_dev.jsonl", "who_and_when_dev.jsonl"),
    "digest": ("qmsum_val.jsonl", "vcsum_dev.jsonl"),
    "speed": (),
    "peer_speed": (),
    "server": (),
    "filtered": (),
    "api": (),
    "clients": (),
    "kb": (),
    "middleware": (),
    "consistency": (*MEETINGS, *JUDGED),
    "restatements": MEETINGS,
    "injection": (*MEETINGS, *PLANTED),
}
DATA = Path(__file__).parents[2] / "shared" / "data"
# What is kept of a run, for the pages that show it.
KEPT = Path(__file__).parents[1] / "docs" / "benchmarks"
PAGE = KEPT.parent / "measured.md"
CAPACITY = "capacity"


def main() -> None:
    """Run the tables that were asked for, all by default."""
    if sys.argv[1:2] == [CAPACITY]:
        import_module(f"benchmarks.{CAPACITY}").main(sys.argv[2:])
        return
    arguments = _arguments()
    for table in arguments.tables or TABLES:
        missing = [name for name in TABLES[table] if not (arguments.data / name).exists()]
        if missing:
            print(f"{table} skipped: {arguments.data} lacks {', '.join(missing)}. See benchmarks/README.md.")
        else:
            _print(table, arguments)


def _print(table: str, arguments: argparse.Namespace) -> None:
    """Print one table, with the options that it knows, and keep it where that is wanted."""
    main = import_module(f"benchmarks.{table}").main
    known = signature(main).parameters
    options = {name: value for name, value in vars(arguments).items() if name in known and name != "data"}
    report = main(arguments.data, **options)
    if report is not None and arguments.write:
        report.write(KEPT)
        renew(PAGE, KEPT)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Quality and speed of memsieve.",
        epilog=f"`python -m benchmarks {CAPACITY} --help` tells how to compute the servers for a load.",
    )
    parser.add_argument("tables", nargs="*", metavar="NAME", help=f"which of {', '.join(TABLES)}; all by default")
    parser.add_argument("--data", type=Path, default=DATA, help="folder with the public evaluation data")
    parser.add_argument(
        "--full",
        action="store_true",
        help="also 200,000 memories, 1,000 projects on servers, all meetings, and a minute of clients",
    )
    parser.add_argument(
        "--peers", action="store_true", help="purity, quality, substance, peer_speed: with the peers that are installed"
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help=f"keep it as JSON, plots and tables of {PAGE.name} in docs/; server: all sizes, in capacity.json",
    )
    parser.add_argument(
        "--size", type=int, dest="only", metavar="N", help="server: only so many memories, and no other projects"
    )
    arguments = parser.parse_args()
    if arguments.only is not None and (arguments.write or arguments.only < 1):
        parser.error("--size is how many memories, 1 or more; --write needs all sizes, so leave one of the two out")
    unknown = set(arguments.tables) - set(TABLES)
    if unknown:
        parser.error(f"no table {', '.join(sorted(unknown))}; the tables are {', '.join(TABLES)}")
    return arguments


if __name__ == "__main__":
    main()
