"""Train the word vectors of Chinese so that a sentence lands where its English translation lies.

The encoder and the English word vectors stay as published: English output cannot change.

python -m tools.train_embedder.train --folder build/train_embedder --out build/train_embedder
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tools.train_embedder.encoder import SIZE, Encoder, load, padded, pooled

SEED = 7
STEPS, BATCH, RATE, WARM_UP = 2500, 1024, 1e-3, 100
MASKED, MASK = 0.05, 103
TEMPERATURE, TOO_ALIKE = 0.05, 0.85
DEVELOPMENT = ("tatoeba", "python", "mdn")


class Corpus:
    """Sentences of both languages as ids."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as held:
            self.en, self.zh = (np.split(held[f"{s}_ids"], held[f"{s}_ends"][:-1]) for s in ("en", "zh"))


class Student(nn.Module):
    """The published encoder with a table that Chinese rows were added to; they alone are trained."""

    def __init__(self, folder: Path, device: str) -> None:
        super().__init__()
        self.encoder = Encoder()
        with np.load(folder / "encoder.npz") as weights:
            load(self.encoder, weights)
        self.encoder.requires_grad_(False)
        english = torch.tensor(np.load(folder / "words.npy")).float()
        self.register_buffer("english", english)
        self.rows = nn.Parameter(first_rows(folder / "glosses.npz", english))
        self.device = device
        self.to(device)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        table = torch.cat((self.english, self.rows))
        return pooled(self.encoder(functional.embedding(ids, table), mask), mask)

    @torch.no_grad()
    def embed(self, sequences: list[np.ndarray], batch: int = 4096) -> Tensor:
        """Return the vectors of sentences, in order."""
        order = np.argsort([len(sequence) for sequence in sequences], kind="stable")
        vectors = torch.empty(len(sequences), SIZE, device=self.device)
        for start in range(0, len(order), batch):
            at = order[start : start + batch]
            vectors[torch.from_numpy(at).to(self.device)] = self(*padded([sequences[i] for i in at], self.device))
        return vectors


def first_rows(glosses: Path, english: Tensor) -> Tensor:
    """Return each word as the mean of the English words that explain it, as long as an English word is on average."""
    with np.load(glosses) as held:
        ids, ends = torch.tensor(held["ids"].astype(np.int64)), torch.tensor(held["ends"].astype(np.int64))
    starts = torch.cat((torch.zeros(1, dtype=torch.int64), ends[:-1]))
    means = functional.embedding_bag(ids, english, starts, mode="mean")
    explained = ends > starts
    means[~explained] = english.mean(0)
    lengths = means.norm(dim=1, keepdim=True).clamp_min(1e-6)
    return means / lengths * english.norm(dim=1).mean()


def loss(student: Tensor, teacher: Tensor) -> Tensor:
    """Pull each sentence to its translation, away from the others, and keep the distances between sentences."""
    near = 1 - (student * teacher).sum(1).mean()
    between = teacher @ teacher.T
    alike = (between > TOO_ALIKE) & ~torch.eye(len(teacher), dtype=torch.bool, device=teacher.device)
    scores = (student @ teacher.T / TEMPERATURE).masked_fill(alike, float("-inf"))
    apart = functional.cross_entropy(scores, torch.arange(len(teacher), device=teacher.device))
    return 4 * near + 0.5 * apart + 0.5 * functional.mse_loss(student @ student.T, between)


def recall(student: Student, folder: Path) -> dict[str, float]:
    """Return how many Chinese sentences kept out of training have their translation nearest of all."""
    found = {}
    for name in DEVELOPMENT:
        corpus = Corpus(folder / f"dev_{name}.npz")
        nearest = (student.embed(corpus.zh) @ student.embed(corpus.en).T).argmax(1)
        found[name] = float((nearest.cpu() == torch.arange(len(nearest))).float().mean())
    return found


def train(student: Student, corpus: Corpus, folder: Path) -> None:
    """Run the steps, and say how it goes."""
    teacher = student.embed(corpus.en)
    optimiser = torch.optim.AdamW([student.rows], lr=RATE, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / WARM_UP) * max(0.05, 1 - step / STEPS)
    )
    chance = np.random.default_rng(SEED)
    started = time.perf_counter()
    for step in range(STEPS):
        at = chance.choice(len(corpus.zh), BATCH, replace=False)
        ids, mask = padded([corpus.zh[i] for i in at], student.device)
        hidden = torch.rand(ids.shape, device=student.device) < MASKED
        vectors = student(torch.where(hidden & mask, MASK, ids), mask)
        value = loss(vectors, teacher[torch.from_numpy(at).to(student.device)])
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        schedule.step()
        if step % 250 == 0 or step == STEPS - 1:
            shown = "  ".join(f"{name} {share:.3f}" for name, share in recall(student, folder).items())
            print(f"{step:6} loss {value.item():.3f}  {time.perf_counter() - started:5.0f} s  {shown}", flush=True)


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="what `prepare` wrote")
    parser.add_argument("--out", type=Path, required=True, help="where the trained rows go, as rows.npy")
    arguments = parser.parse_args()
    torch.manual_seed(SEED)
    torch.set_float32_matmul_precision("high")
    student = Student(arguments.folder, "cuda" if torch.cuda.is_available() else "cpu")
    train(student, Corpus(arguments.folder / "pairs.npz"), arguments.folder)
    arguments.out.mkdir(parents=True, exist_ok=True)
    np.save(arguments.out / "rows.npy", student.rows.detach().cpu().numpy().astype(np.float16))


if __name__ == "__main__":
    main()
