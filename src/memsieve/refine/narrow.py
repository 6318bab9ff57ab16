"""Whether a text is about one spot or one moment and holds nothing general.

A good finding called narrow is lost, a narrow one let through costs a look: in doubt, a text is not narrow.
"""

from __future__ import annotations

from memsieve.model import Reason
from memsieve.refine.concepts import concepts
from memsieve.refine.general import general
from memsieve.refine.moments import moment
from memsieve.refine.spots import spot
from memsieve.text.normalize import unify
from memsieve.text.sentences import split_sentences


def narrow(text: str) -> Reason | None:
    """Return why a text is too narrow to keep; None when it holds, or may hold, something general."""
    plain = unify(text)
    if general(plain):
        return None
    if found := spot(plain):
        return found
    if quote := _moments(plain):
        return Reason.of("refine.narrow_moment", quote=quote)
    return None


def _moments(text: str) -> str | None:
    """Return the first moment of a text in which every sentence that says something is one."""
    quote = None
    for sentence in split_sentences(text):
        found = moment(sentence)
        if found is None and len(concepts(sentence)) > 1:
            return None
        quote = quote or found
    return quote
