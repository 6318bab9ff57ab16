"""What each system's class is called, and what has to be installed for it; apart, so that reading it loads none."""

from __future__ import annotations

PEERS = {"mem0": "Mem0", "langgraph": "LangGraph", "chroma": "Chroma"}
# A peer with more of its parts, for the tables of quality alone.
KEYWORDS = {"mem0_keywords": "Mem0Keywords"}
KINDS = {"memsieve": "Memsieve", **PEERS}
PACKAGES = {
    "memsieve": ("memsieve",),
    "mem0": ("mem0ai",),
    "langgraph": ("langgraph", "langgraph-checkpoint-sqlite", "pysqlite3-binary"),
    "chroma": ("chromadb",),
}
