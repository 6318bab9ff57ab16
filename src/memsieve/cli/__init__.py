from memsieve.cli.app import main

__all__ = ["main"]
