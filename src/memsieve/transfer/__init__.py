"""Carry a project from one memory to another: one JSON object a line, read and written as a stream."""

from memsieve.transfer.incoming import Importer
from memsieve.transfer.lines import longest_line
from memsieve.transfer.outgoing import events, outgoing
from memsieve.transfer.tally import Line, Outcome, Tally

__all__ = ["Importer", "Line", "Outcome", "Tally", "events", "longest_line", "outgoing"]
