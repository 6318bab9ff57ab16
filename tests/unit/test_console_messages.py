"""The console names what the filter tells it: every check, and every reason that it makes a link of."""

import re
from pathlib import Path

import pytest

from memsieve.model import CheckName, NotChecked
from memsieve.model.reasons import templates

SOURCES = Path(__file__).parents[2] / "console" / "src"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_check_has_a_name_in_the_console(language):
    text = (SOURCES / "messages" / "checks.ts").read_text("utf-8")
    [table] = re.findall(rf"const {language}\b.*?names: {{(.*?)}}", text, re.DOTALL)
    names = dict(re.findall(r"(\w+): '([^']+)'", table))
    assert sorted(names) == sorted((*CheckName, *NotChecked))


def test_reasons_that_the_console_links_have_what_the_link_leads_to():
    text = (SOURCES / "components" / "Checks.tsx").read_text("utf-8")
    [table] = re.findall(r"const REJECTED\b.*?{(.*?)}", text, re.DOTALL)
    codes = re.findall(r"'([a-z.]+)':", table)
    assert codes == ["tombstone.dismissed", "tombstone.retired"]
    for code in codes:
        assert all("{source_id}" in sentence for sentence in templates()[code].values())
