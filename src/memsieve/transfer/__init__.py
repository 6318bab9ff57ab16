"""Carry a project from one memory to another: one JSON object a line, read and written as a stream."""

from memsieve.transfer.exporter import export_lines
from memsieve.transfer.importer import Importer, Line, LineOutcome, Tally, longest_line

__all__ = ["Importer", "Line", "LineOutcome", "Tally", "export_lines", "longest_line"]
