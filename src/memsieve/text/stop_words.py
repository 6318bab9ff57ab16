"""Stop words: one named set for each job, because weights and thresholds were chosen with it.

`tokens`: left out of the index. `claims`: form the frame of a sentence and claim nothing. `concepts`: a text is not
about them. `injection`: do not tell whether a sentence fits the text around it. Each has a Chinese counterpart;
`characters` are single characters, `pairs` two neighbours.
"""

from __future__ import annotations

from functools import cache

from memsieve.text.word_lists import load_words


@cache
def stop_words(name: str) -> frozenset[str]:
    """Return one of the sets of `data/stop_words.txt`."""
    return frozenset(load_words("memsieve.text", "stop_words.txt", name))
