"""Who speaks for the council: a script, or a model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import httpx
from langchain_core.messages import AIMessage, BaseMessage

# A voice is given an agent's name and its prompt, and returns what the agent says.
Voice = Callable[[str, Sequence[BaseMessage]], AIMessage]

FIRST_DEBATE = {
    "economist": (
        "Managed PostgreSQL costs the ledger 420 euros a month, and a second database would double the on-call hours.",
        0.91,
    ),
    "engineer": (
        "The ledger should run on PostgreSQL, because every booking needs a transaction over two accounts.",
        0.97,
    ),
    "critic": ("I am not so sure about any of that.", 0.3),
}
SECOND_DEBATE = {
    "economist": (
        "Then the budget for the ledger can be settled this week, once somebody checks the monthly price.",
        0.9,
    ),
    "engineer": (
        "Since PostgreSQL is settled, the migration of the old bookings can begin in the first week of June.",
        0.93,
    ),
    "critic": ("The monthly price was never verified by a person, so the budget must not rest on it alone.", 0.95),
}


def scripted(lines: Mapping[str, tuple[str, float]]) -> Voice:
    """Return a voice that says what stands in a script, and how sure it is."""

    def speak(agent: str, prompt: Sequence[BaseMessage]) -> AIMessage:  # noqa: ARG001 - a script listens to nobody
        text, confidence = lines[agent]
        return AIMessage(text, name=agent, additional_kwargs={"confidence": confidence})

    return speak


def endpoint(base_url: str, model: str, api_key: str | None) -> Voice:
    """Return the voice of a real model."""
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    roles = {"system": "system", "human": "user", "ai": "assistant"}

    def speak(agent: str, prompt: Sequence[BaseMessage]) -> AIMessage:
        messages = [{"role": roles[one.type], "content": one.text} for one in prompt]
        body = {"model": model, "messages": messages}
        reply = httpx.post(f"{base_url.rstrip('/')}/chat/completions", json=body, headers=headers, timeout=120)
        reply.raise_for_status()
        return AIMessage(reply.json()["choices"][0]["message"]["content"], name=agent)

    return speak
