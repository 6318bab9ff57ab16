"""Print every table: `python -m benchmarks [NAME …] [--data FOLDER]`."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

TABLES = ("retrieval", "speed", "consistency", "injection")
DATA = Path(__file__).parents[2] / "shared" / "data"


def main() -> None:
    """Run the tables that were asked for, all by default."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Quality and speed of memsieve.")
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], help="which tables; all by default")
    parser.add_argument("--data", type=Path, default=DATA, help="folder with the public evaluation data")
    arguments = parser.parse_args()
    for table in arguments.tables or TABLES:
        import_module(f"benchmarks.{table}").main(arguments.data)


if __name__ == "__main__":
    main()
