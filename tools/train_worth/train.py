"""Train the network over the word vectors, which stay as they are."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from memsieve.models import bundled
from memsieve.worth.model import CLIP, FIRST_STATEMENT, KINDS, MAX_TOKENS, NEIGHBOURS, WIDTHS
from memsieve.worth.passages import split_passages
from memsieve.worth.surface import SIZE, surface
from tools.train_worth.texts import KEEP, Text

SEED = 20
PROJECTION, FILTERS, HIDDEN = 64, (32, 48, 48, 32), 48
EPOCHS, BATCH, RATE, DECAY = 20, 48, 3e-3, 1e-2
DROPOUT, UNKNOWN, SMOOTHING = 0.5, 0.2, 0.05
# Of a longer text so many passages are read.
MOST_PASSAGES = 14
# How much a text counts: changed in its marks, composed of several, taken from a real run; and its passages beyond one.
CHANGED, COMPOSED, REAL = 0.5, 0.5, 0.7
# How much it counts what a passage of several is by itself, and how many composed texts there are for each.
BY_ITSELF = 0.4
MIXED_SHARE, ALIKE_SHARE = 1.0, 0.35
DEVIATION = 0.02
WORD_SCALE = 10.0
# Kinds whose lines are no texts of that kind by themselves, or that no change of marks leaves what they are.
WHOLE_ONLY = {"stack_trace"}
MACHINE_MADE = {"code", "stack_trace", "tool_output"}
NOISE = frozenset(KINDS[:FIRST_STATEMENT])
# What stands around a finding in a polite answer, and what a page of log is made of.
FRAMES = {
    "politeness",
    "meta",
    "apology",
    "plan",
    "status",
    "boilerplate",
    "question",
    "speculation",
    "prompt",
    "refusal",
}
LOGS = {"tool_output", "heartbeat", "status", "plan", "code", "stack_trace"}
OPENINGS = {
    "en": ("- ", "* ", "1. ", "2) ", "Note: ", "FYI ", "Agent: ", "> ", "• ", "[10:32] ", "Bob: ", "Update: ", "So, ",
           "Also, ", "Well, "),
    "zh": ("- ", "1. ", "（2）", "备注：", "王工：", "助手：", "• ", "> ", "另外，", "那个，", "嗯，", "【记录】"),
}  # fmt: skip
# What stands before each line of a log.
PREFIXES = (
    *("{time} ", "[{date} {time}] ", "{date}T{time}Z INFO ", "{date} {time} NOTE ", "[agent-{number}] ", "{time} | "),
    *(
        "INFO ",
        "WARN: ",
        "[worker {number}] ",
        "{number}. ",
        "#{number} ",
        "step {number}: ",
        "{date} {time},{number} - ",
    ),
)
HALF_WIDTH = str.maketrans("，。：；？！（）", ",.:;?!()")
# The label of a statement whose kind nobody said.
SOME_STATEMENT = -1

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@dataclass(frozen=True, slots=True)
class Sample:
    """The passages of a text as token ids, with how each looks, what it is and how much it counts."""

    ids: Sequence[Sequence[int]]
    surface: np.ndarray
    labels: Sequence[int]
    weight: float
    by_itself: Sequence[float]

    @classmethod
    def of(cls, passages: Sequence[tuple[str, str]], weight: float) -> Sample:
        """Make a sample of passages and their kinds."""
        tokens = bundled.tokens()
        texts = [text for text, _ in passages]
        return cls(
            ids=[tokens.encode(text, MAX_TOKENS) for text in texts],
            surface=surface(texts),
            labels=[SOME_STATEMENT if kind == KEEP else KINDS.index(kind) for _, kind in passages],  # type: ignore[arg-type]
            weight=weight / len(texts) ** 0.5,
            by_itself=[1.0 if len(texts) == 1 else BY_ITSELF * (kind not in WHOLE_ONLY) for _, kind in passages],
        )


def samples(texts: Iterable[Text], chance: random.Random) -> list[Sample]:
    """Return each text as it is, with other marks, beside another of its kind, and within an answer or a log."""
    texts = list(texts)
    pools: dict[tuple[str, str], list[Text]] = {}
    for text in texts:
        pools.setdefault((text.source, text.language), []).append(text)
    return [sample for text in texts for sample in _of(text, pools[text.source, text.language], chance)]


def _of(text: Text, pool: Sequence[Text], chance: random.Random) -> Iterator[Sample]:
    weight = 1.0 if text.source.startswith("pen") else REAL
    passages = _passages(text)
    yield Sample.of(_some(passages, chance), weight)
    if text.kind not in MACHINE_MADE:
        yield Sample.of(_some(_passages(text, _changed(text, chance)), chance), CHANGED * weight)
    if text.kind not in MACHINE_MADE - {"tool_output"} and chance.random() < ALIKE_SHARE:
        other = chance.choice([each for each in pool if each.kind == text.kind])
        yield Sample.of(_some([*passages, *_passages(other)], chance), COMPOSED * weight)
    if text.kind not in NOISE and chance.random() < MIXED_SHARE:
        yield Sample.of(_some(_mixed(text, pool, chance), chance), COMPOSED * weight)


def _mixed(text: Text, pool: Sequence[Text], chance: random.Random) -> list[tuple[str, str]]:
    """Put a statement between others: the frame of a polite answer, or the lines of a log."""
    log = chance.random() < 0.5
    around = [each for each in pool if each.kind in (LOGS if log else FRAMES)]
    if not around:
        return _passages(text)
    least, most = (1, 5) if log else (0, 2)
    before, after = chance.randint(least, most), chance.randint(least, most)
    parts = [_lines_of(chance.choice(around), chance) for _ in range(before + after)]
    parts.insert(before, _passages(text))
    found = [passage for part in parts for passage in part]
    return _as_log(found, chance) if log and chance.random() < 0.6 else found


def _lines_of(text: Text, chance: random.Random) -> list[tuple[str, str]]:
    """Return a few passages in a row: of machines' output, from anywhere, as one line of a trace stands in a log."""
    passages = _passages(text)
    if text.kind not in MACHINE_MADE:
        return passages[:4]
    start = chance.randrange(len(passages))
    return passages[start : start + chance.randint(1, 4)]


def _as_log(passages: Sequence[tuple[str, str]], chance: random.Random) -> list[tuple[str, str]]:
    """Write passages as the lines of one log."""
    prefix, second = chance.choice(PREFIXES), chance.randrange(80_000)
    date = f"2026-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    lines = []
    for number, (text, kind) in enumerate(passages, chance.randrange(40)):
        second += chance.randrange(90)
        clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
        lines.append((prefix.format(time=clock, date=date, number=number) + text, kind))
    return lines


def _some(passages: Sequence[tuple[str, str]], chance: random.Random) -> Sequence[tuple[str, str]]:
    """Return so many passages in a row, from a place by chance."""
    start = chance.randint(0, max(0, len(passages) - MOST_PASSAGES))
    return passages[start : start + MOST_PASSAGES]


def _passages(text: Text, content: str | None = None) -> list[tuple[str, str]]:
    return [(passage.text, text.kind) for passage in split_passages(content or text.text)]


def _changed(text: Text, chance: random.Random) -> str:
    """Return a text with another beginning or end, as agents and people write it too."""
    content, opening = text.text, chance.choice(OPENINGS[text.language])
    return chance.choice(
        (
            content.rstrip(".。!！"),
            opening + content,
            opening + content.rstrip(".。"),
            content[:1].lower() + content[1:],
            content.translate(HALF_WIDTH) if text.language == "zh" else content,
        )
    )


class Network(nn.Module):
    """What `memsieve.worth.model` computes, in a form that can learn."""

    def __init__(self, deviation: np.ndarray, mean: np.ndarray) -> None:
        super().__init__()
        tokens = bundled.tokens()
        words = torch.tensor(tokens.vectors(range(len(tokens)))) * WORD_SCALE
        self.register_buffer("words", words, persistent=False)
        self.register_buffer("mean", torch.tensor(mean))
        self.register_buffer("deviation", torch.tensor(deviation))
        self.projection = nn.Linear(words.shape[1], PROJECTION, bias=False)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(PROJECTION, size, width) for width, size in zip(WIDTHS, FILTERS, strict=True)
        )
        self.out = nn.Linear(2 * sum(FILTERS) + PROJECTION + SIZE, len(KINDS))
        self.hidden = nn.Linear(4 * len(KINDS), HIDDEN)
        self.context = nn.Linear(HIDDEN, len(KINDS))

    def forward(self, ids: Tensor, looks: Tensor, near: Tensor) -> tuple[Tensor, Tensor]:
        """Return the scores of passages by themselves, and those with their neighbours, whose places are `near`."""
        alone = self._alone(ids, looks)
        kinds = functional.pad(torch.softmax(alone, 1), (0, 0, 0, 1))
        there = (near < len(alone)).float()
        around = kinds[near].sum(1) / there.sum(1, keepdim=True).clamp(min=1)
        before, after = kinds[near[:, NEIGHBOURS - 1]], kinds[near[:, NEIGHBOURS]]
        hidden = functional.relu(self.hidden(torch.cat([alone, before, after, around], 1)))
        return alone, alone + self.context(functional.dropout(hidden, 0.2, self.training))

    def _alone(self, ids: Tensor, looks: Tensor) -> Tensor:
        there = (ids >= 0).float()
        known = ids.clamp(min=0)
        if self.training:
            unknown = (torch.rand(ids.shape, device=ids.device) < UNKNOWN) & (known > bundled.tokens().END)
            known = torch.where(unknown, bundled.tokens().UNKNOWN, known)
        words = self.projection(self.words[known]) * there[..., None]
        total = there.sum(1, keepdim=True)
        parts = []
        for convolution in self.convolutions:
            padded = functional.pad(words.transpose(1, 2), (0, convolution.kernel_size[0] - 1))
            heard = functional.relu(convolution(padded)) * there[:, None]
            parts += [heard.max(2).values, heard.sum(2) / total]
        looks = ((looks - self.mean) / self.deviation).clamp(-CLIP, CLIP)
        features = torch.cat([*parts, words.sum(1) / total, looks], 1)
        scores: Tensor = self.out(functional.dropout(features, DROPOUT, self.training))
        return scores


def train(learnt: Sequence[Sample], seed: int = SEED) -> Network:
    """Return a network that has learnt the samples."""
    torch.manual_seed(seed)
    looks = np.concatenate([sample.surface for sample in learnt])
    network = Network(looks.std(axis=0) + np.float32(DEVIATION), looks.mean(axis=0)).to(DEVICE)
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    epochs = [[*_batches(learnt, seed + epoch)] for epoch in range(EPOCHS)]
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=sum(map(len, epochs)))
    network.train()
    for number, batches in enumerate(epochs):
        for batch in batches:
            some = [learnt[index] for index in batch]
            alone, together = network(*_tensors(some))
            loss = _loss(together, some, beside=True) + _loss(alone, some, beside=False)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        print(f"epoch {number + 1} of {EPOCHS}", end="\r", flush=True)
    network.eval()
    return network


def _batches(learnt: Sequence[Sample], seed: int) -> Iterator[np.ndarray]:
    """Yield batches of samples of like length, in random order."""
    chance = np.random.default_rng(seed)
    lengths = np.array([max(map(len, sample.ids)) * len(sample.ids) for sample in learnt])
    order = chance.permutation(len(learnt))
    parts = np.array_split(order, max(1, len(order) // (20 * BATCH)))
    order = np.concatenate([part[np.argsort(lengths[part], kind="stable")] for part in parts])
    starts = chance.permutation(np.arange(0, len(order), BATCH))
    return (order[start : start + BATCH] for start in starts)


def _tensors(some: Sequence[Sample]) -> tuple[Tensor, Tensor, Tensor]:
    passages = [one for sample in some for one in sample.ids]
    longest = max(map(len, passages))
    ids = torch.tensor([[*one, *[-1] * (longest - len(one))] for one in passages], device=DEVICE)
    looks = torch.tensor(np.concatenate([sample.surface for sample in some]), device=DEVICE)
    return ids, looks, torch.tensor(_near(some), device=DEVICE)


def _near(some: Sequence[Sample]) -> np.ndarray:
    """Return the places of each passage's neighbours; one beyond the last stands for none."""
    none = sum(len(sample.ids) for sample in some)
    offsets = np.array([offset for offset in range(-NEIGHBOURS, NEIGHBOURS + 1) if offset])
    near, start = [], 0
    for sample in some:
        end = start + len(sample.ids)
        places = np.arange(start, end)[:, None] + offsets
        near.append(np.where((places >= start) & (places < end), places, none))
        start = end
    return np.concatenate(near)


def _loss(scores: Tensor, some: Sequence[Sample], *, beside: bool) -> Tensor:
    labels = torch.tensor([label for sample in some for label in sample.labels], device=DEVICE)
    weights = torch.tensor(
        [sample.weight * (1.0 if beside else own) for sample in some for own in sample.by_itself], device=DEVICE
    )
    likely = torch.log_softmax(scores, 1)
    noise, statement = likely[:, :FIRST_STATEMENT].logsumexp(1), likely[:, FIRST_STATEMENT:].logsumexp(1)
    is_noise = (labels >= 0) & (labels < FIRST_STATEMENT)
    side = -torch.where(is_noise, noise, statement)
    kinds = functional.cross_entropy(scores, labels.clamp(min=0), reduction="none", label_smoothing=SMOOTHING)
    return ((side + kinds * (labels >= 0)) * weights).sum() / len(some)


def weights_of(network: Network) -> Mapping[str, np.ndarray]:
    """Return the weights as the package keeps them."""

    def plain(tensor: Tensor) -> np.ndarray:
        return tensor.detach().cpu().numpy()

    out = plain(network.out.weight).T
    pools = np.split(out, np.cumsum([size for size in FILTERS for _ in range(2)] + [PROJECTION]))
    # By place in the window, from the projected words to the filters.
    windows = [plain(each.weight).transpose(2, 1, 0) for each in network.convolutions]
    kept = {
        # The words of the package are not scaled.
        "projection": plain(network.projection.weight).T * WORD_SCALE,
        "biases": np.concatenate([plain(each.bias) for each in network.convolutions]),
        "largest": np.vstack(pools[: 2 * len(FILTERS) : 2]),
        "means": np.vstack(pools[1 : 2 * len(FILTERS) : 2]),
        "words": pools[-2],
        "looks": pools[-1],
        "bias": plain(network.out.bias),
        "mean": plain(network.mean),
        "deviation": plain(network.deviation),
        "hidden": plain(network.hidden.weight).T,
        "hidden_bias": plain(network.hidden.bias),
        "context": plain(network.context.weight).T,
        "context_bias": plain(network.context.bias),
    }
    for place in range(WIDTHS[-1]):
        kept[f"place_{place}"] = np.hstack([each[place] for each in windows if place < len(each)])
    return {name: each.astype(np.float16) for name, each in kept.items()}
