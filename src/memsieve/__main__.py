"""Let `python -m memsieve` do what `memsieve` does."""

from memsieve.cli import main

if __name__ == "__main__":
    main()
