"""Train the encoder to say whether two sentences of one text exclude each other; the word vectors stay as they are.

python -m tools.train_judge.train --encoder build/train_embedder/encoder.npz --pairs build/train_judge/pairs.npz --out D
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from memsieve.models import bundled
from tools.train_embedder.encoder import SIZE, Encoder, load, padded, published_name

SEED = 11
BATCH, RATE, WARM_UP, EPOCHS = 256, 2e-4, 500, 3
HELD_OUT = 0.02
CLASSES = 3


class Judge(nn.Module):
    """The encoder over both sentences, and a head that reads its first state and the mean of all."""

    def __init__(self, encoder: Path) -> None:
        super().__init__()
        self.encoder = Encoder()
        with np.load(encoder) as weights:
            load(self.encoder, weights)
        self.head = nn.Linear(2 * SIZE, CLASSES)
        tokens = bundled.tokens()
        self.register_buffer("words", torch.tensor(tokens.vectors(range(len(tokens)))), persistent=False)

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        states = self.encoder(functional.embedding(ids, self.words), mask, segments)
        mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        scores: Tensor = self.head(functional.dropout(torch.cat((states[:, 0], mean), -1), 0.1, self.training))
        return scores


class Pairs:
    """The pairs as ids, with what each is an example of."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as held:
            first, second = (np.split(held[f"{s}_ids"], held[f"{s}_ends"][:-1]) for s in ("a", "b"))
            self.labels, self.kinds, self.names = held["labels"].astype(np.int64), held["kinds"], held["names"]
        self.ids = [np.concatenate((a, b[1:])) for a, b in zip(first, second, strict=True)]
        self.starts = np.array([len(a) for a in first])
        order = np.random.default_rng(SEED).permutation(len(self.ids))
        held_out = int(HELD_OUT * len(order))
        self.test, self.train = order[:held_out], order[held_out:]

    def batches(self, at: np.ndarray, chance: np.random.Generator) -> Iterator[np.ndarray]:
        """Give batches of like length in random order."""
        at = chance.permutation(at)
        pools = (at[start : start + 50 * BATCH] for start in range(0, len(at), 50 * BATCH))
        for pool in pools:
            ordered = pool[np.argsort([len(self.ids[i]) for i in pool], kind="stable")]
            parts = [ordered[start : start + BATCH] for start in range(0, len(ordered), BATCH)]
            for number in chance.permutation(len(parts)):
                yield parts[number]

    def tensors(self, at: np.ndarray, device: str) -> tuple[Tensor, Tensor, Tensor]:
        ids, mask = padded([self.ids[i] for i in at], device)
        places = torch.arange(ids.shape[1], device=device)[None]
        segments = (places >= torch.from_numpy(self.starts[at]).to(device)[:, None]).long() * mask
        return ids, mask, segments


def train(judge: Judge, pairs: Pairs, device: str) -> None:
    """Run the epochs, and say how it goes."""
    steps = EPOCHS * (len(pairs.train) // BATCH + 1)
    optimiser = torch.optim.AdamW(judge.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / WARM_UP, max(0.0, 1 - step / steps))
    )
    chance, started = np.random.default_rng(SEED), time.perf_counter()
    for epoch in range(EPOCHS):
        judge.train()
        for step, at in enumerate(pairs.batches(pairs.train, chance)):
            with torch.autocast(device, torch.bfloat16):
                scores = judge(*pairs.tensors(at, device))
            labels = torch.from_numpy(pairs.labels[at]).to(device)
            value = functional.cross_entropy(scores.float(), labels, label_smoothing=0.03)
            optimiser.zero_grad()
            value.backward()
            nn.utils.clip_grad_norm_(judge.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            if step % 400 == 0:
                print(f"{epoch} {step:5} loss {value.item():.3f}  {time.perf_counter() - started:4.0f} s", flush=True)
        report(judge, pairs, device)


@torch.no_grad()
def report(judge: Judge, pairs: Pairs, device: str) -> None:
    """Print, for each kind of pair that was held out, how many are taken for contradictions."""
    judge.eval()
    taken: dict[str, list[bool]] = {}
    for at in pairs.batches(pairs.test, np.random.default_rng(SEED)):
        found = (judge(*pairs.tensors(at, device)).argmax(1) == CLASSES - 1).tolist()
        for pair, contradiction in zip(at, found, strict=True):
            taken.setdefault(f"{pairs.labels[pair]} {pairs.names[pairs.kinds[pair]]}", []).append(contradiction)
    for name, values in sorted(taken.items()):
        if len(values) >= 20:
            print(f"   {np.mean(values):6.3f} of {len(values):5}  {name}")


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--encoder", type=Path, required=True, help="MiniLM's encoder, as prepare.py of the embedder wrote it"
    )
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    torch.manual_seed(SEED)
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    judge = Judge(arguments.encoder).to(device)
    train(judge, Pairs(arguments.pairs), device)
    weights = {published_name(name): value for name, value in judge.encoder.state_dict().items()}
    weights |= {f"head.{name}": value for name, value in judge.head.state_dict().items()}
    arrays = {name: value.cpu().numpy().astype(np.float16) for name, value in weights.items()}
    arguments.out.mkdir(parents=True, exist_ok=True)
    # Two files of half the size: a large one may not travel.
    names = sorted(arrays)
    for part, held in enumerate((names[: len(names) // 2], names[len(names) // 2 :])):
        np.savez(arguments.out / f"judge{part}.npz", **{name: arrays[name] for name in held})  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
