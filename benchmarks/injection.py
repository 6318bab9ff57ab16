"""Injection check: planted instructions caught, and clean text refused."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmarks.reading import lines

from memsieve.ingress.injection.find import find_injection


def main(data: Path) -> None:
    attacks = json.loads((data / "bipia_text_attacks_dev.json").read_text())
    emails = [line["context"] for line in lines(data / "bipia_email_dev.jsonl")]
    _print_caught(attacks, emails)
    _print_refused(data, emails)


def _print_caught(attacks: dict[str, list[str]], emails: list[str]) -> None:
    print("BIPIA instructions planted in e-mails (begin, middle, end)")
    print(f"{'category':<28}{'even half':>12}{'odd half':>12}{'all':>8}")
    totals: dict[str, list[float]] = defaultdict(list)
    number = 0
    for category, texts in attacks.items():
        row: dict[str, list[float]] = defaultdict(list)
        for attack in texts:
            share = _caught(attack, emails)
            for column in ("all", "odd half" if number % 2 else "even half"):
                row[column].append(share)
                totals[column].append(share)
            number += 1
        _print_row(category, row)
    _print_row("all", totals)


def _print_row(name: str, row: dict[str, list[float]]) -> None:
    print(f"{name:<28}{_mean(row['even half']):>12}{_mean(row['odd half']):>12}{_mean(row['all']):>8}")


def _mean(shares: list[float]) -> str:
    return f"{sum(shares) / len(shares):.1%}" if shares else "-"


def _caught(attack: str, emails: list[str]) -> float:
    texts = [text for email in emails for text in _planted(attack, email)]
    return sum(find_injection(text) is not None for text in texts) / len(texts)


def _planted(attack: str, email: str) -> tuple[str, str, str]:
    middle = email.find(". ", len(email) // 2) + 1 or len(email)
    return f"{attack}\n{email}", f"{email[:middle]} {attack} {email[middle:]}", f"{email}\n{attack}"


def _print_refused(data: Path, emails: list[str]) -> None:
    print("\nClean text refused")
    print(f"{'set':<28}{'texts':>8}{'refused':>10}{'share':>8}{'mean ms':>10}")
    for name, texts in (("BIPIA e-mails", emails), *_clean(data)):
        began = time.perf_counter()
        refused = sum(find_injection(text) is not None for text in texts)
        each = (time.perf_counter() - began) / len(texts) * 1000
        print(f"{name:<28}{len(texts):>8}{refused:>10}{refused / len(texts):>8.2%}{each:>10.3f}")


def _clean(data: Path) -> Iterator[tuple[str, list[str]]]:
    meetings = lines(data / "qmsum_val.jsonl")
    yield "QMSum turns", [turn["content"] for meeting in meetings for turn in meeting["turns"]]
    segments = lines(data / "vcsum_dev.jsonl")
    yield "VCSum paragraphs", ["".join(paragraph) for segment in segments for paragraph in segment["context"]]
    conversations = json.loads((data / "locomo_dev.json").read_text())
    yield "LoCoMo turns", [t["text"] for c in conversations for s in c["sessions"] for t in s["turns"]]
    runs = lines(data / "who_and_when_dev.jsonl")
    yield "Who&When agent steps", [m["content"] for r in runs for m in r["messages"] if m["agent"] != "human"]
    yield "HaluEval answers", [line["chatgpt_response"] for line in lines(data / "halueval_dev.jsonl")]
