"""Run the council twice, with a person's review in between: `python -m council [--data FOLDER]`."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from council.debate import State, debate
from council.voices import FIRST_DEBATE, SECOND_DEBATE, Voice, endpoint, scripted
from memsieve import Decision, EntryFilter, Memory, Project, Settings

FIRST_TOPIC = "Which database should the ledger run on?"
SECOND_TOPIC = "What does the ledger cost a month on PostgreSQL, and when can it begin?"
PERSON = "ada@example.org"


def main() -> None:
    """Show what is said, what a person makes of it, and what is remembered."""
    parser = argparse.ArgumentParser(prog="python -m council", description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder for the memory; else it is forgotten in the end")
    data = parser.parse_args().data
    with tempfile.TemporaryDirectory() as folder, Memory.open(data or folder) as memory:
        first, second = voices(memory.settings)
        project = memory.project("council")
        _show("The first session", debate(project, FIRST_TOPIC, "monday", first))
        review(project)
        _show("The second session", debate(project, SECOND_TOPIC, "tuesday", second))
        settle(project)
        said = len(project.review(by=PERSON).log())
        print(f"In quarantine: {said} statements; verified: {len(project.memories())}.")


def voices(settings: Settings) -> tuple[Voice, Voice]:
    """Return who speaks in the two sessions: the model that memsieve is configured with, or a script."""
    if settings.llm_base_url and settings.llm_model:
        voice = endpoint(settings.llm_base_url, settings.llm_model, settings.llm_api_key)
        return voice, voice
    return scripted(FIRST_DEBATE), scripted(SECOND_DEBATE)


def review(project: Project) -> None:
    """Promote what the engineer said, as a person would after reading the digest."""
    settle(project)
    person = project.review(by=PERSON)
    said = person.log(EntryFilter(agent_id="engineer", limit=1))[0]
    person.promote(said.entry.id)
    print(f"{PERSON} promoted: {said.entry.content}\n")


def settle(project: Project, seconds: float = 60) -> None:
    """Wait until the filter has decided on all that was said; it does so beside the debate."""
    end = time.monotonic() + seconds
    while project.review(by=PERSON).log(EntryFilter(decision=Decision.PENDING)) and time.monotonic() < end:
        time.sleep(0.02)


def _show(title: str, state: State) -> None:
    print(f"# {title}: {state['topic']}\n\n{state['history_context']}")
    for message in state["messages"]:
        print(f"{message.name}: {message.text}")
    print()


if __name__ == "__main__":
    main()
