"""Texts made to keep a check busy: each is gone through about once, whatever it is made of."""

import subprocess
import sys

# Where the work grows with the square of the length, a single one of these takes most of a minute of the processor. On
# the clock it takes longer beside other work.
SECONDS = 60
CHECKED = """
import asyncio
from memsieve.claims import find_conflict
from memsieve.digest.statements import statements
from memsieve.ingress.checks.injection.find import find_injection
from memsieve.models.judges import LocalJudge
from memsieve.review.chunking import split
from memsieve.refine.narrow import why_narrow
from memsieve.text.tokenize import tokenize

PARTS = [
    " ", "\\t", "\\n", "\\u3000", "\\u200b", *"#.,:;!?-_/\\\\'\\"`*=<([{|1A我一。，、；：", "a,", "a ", " ,", "1,",
    "1.", "5%", "<a ", "http://a", "</system>", "\\\\u0041", "&lt;", "%20", "not ", "ignore ", "if you ", "\\n- ",
    "2024年", "QUJD", "a\\u0301",
]
for part in PARTS:
    text = "a" + part * (30_000 // len(part.encode())) + "b"
    asyncio.run(LocalJudge().consistent(text))
    for check in (tokenize, find_injection, why_narrow, split, lambda text: list(statements(text))):
        check(text)
    find_conflict(text, text + "x")
"""


def test_no_text_keeps_a_check_busy_for_long():
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))"
    subprocess.run([sys.executable, "-c", f"{limit}\n{CHECKED}"], check=True, timeout=10 * SECONDS)
