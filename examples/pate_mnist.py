"""PATE on MNIST: a student that knows digits and never saw a private image.

    python examples/pate_mnist.py DATA [--runs 3]

DATA holds the four IDX files, gzipped or not. The 60,000 training images with their digits are private.
The first 9,000 test images are public, without digits; the last 1,000 test images and their digits are
held out and only measure the student. That is the split of Papernot et al. (2017, 2018).

1. Features are learnt from the public images alone, without labels (SimCLR; Chen et al. 2020).
2. Teachers are ridge regressions on these features, each on its own part of the private images.
3. They are asked about public images that are far apart in features, and answer by noisy votes.
4. Answers spread to the other public images, from neighbour to neighbour (Zhou et al. 2004). The student,
   the network of the features with a layer on top, is trained on those whose digit is surest.

Only the answers depend on private images. It takes about two minutes a run on one core.
"""

from __future__ import annotations

import argparse
import gzip
import statistics
import struct
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from tacit import pate

CLASSES = 10
PUBLIC = 9_000
DELTA = 1e-5


@dataclass(frozen=True)
class Digits:
    """Images in [0, 1], of shape (count, 1, 28, 28), and what they show."""

    images: Tensor
    labels: Tensor


def read_idx(folder: Path, name: str) -> Tensor:
    """An IDX file of bytes."""
    packed = folder / f"{name}.gz"
    content = gzip.decompress(packed.read_bytes()) if packed.exists() else (folder / name).read_bytes()
    dimensions = content[3]
    shape = struct.unpack(f">{dimensions}I", content[4 : 4 + 4 * dimensions])
    return torch.frombuffer(bytearray(content[4 + 4 * dimensions :]), dtype=torch.uint8).reshape(shape)


def read_digits(folder: Path, which: str) -> Digits:
    images = read_idx(folder, f"{which}-images-idx3-ubyte").float().unsqueeze(1) / 255
    return Digits(images, read_idx(folder, f"{which}-labels-idx1-ubyte").long())


def uniform(count: int, bound: float) -> Tensor:
    return (torch.rand(count) * 2 - 1) * bound


def distorted(images: Tensor, strength: float = 1.0) -> Tensor:
    """The images turned, stretched, sheared, moved, bent, and drawn with a thicker or thinner pen."""
    count = len(images)
    angle, shear = uniform(count, 0.35 * strength), uniform(count, 0.35 * strength)
    size, aspect = torch.exp(uniform(count, 0.25 * strength)), torch.exp(uniform(count, 0.2 * strength))
    right, down = uniform(count, 0.2 * strength), uniform(count, 0.2 * strength)
    across, along = torch.cos(angle) * size, torch.sin(angle) * size
    rows = torch.stack([across * aspect, shear - along, right, along, across / aspect, down], 1)
    grid = functional.affine_grid(rows.view(count, 2, 3), list(images.shape), align_corners=False)
    bend = functional.interpolate(torch.randn(count, 2, 5, 5) * 0.06 * strength, images.shape[2:], mode="bilinear")
    images = functional.grid_sample(images, grid + bend.permute(0, 2, 3, 1), align_corners=False)
    thicker = functional.max_pool2d(images, 3, 1, 1)
    thinner = -functional.max_pool2d(-images, 2, 1, 1)[:, :, :28, :28]
    choice, weight = torch.rand(count, 1, 1, 1), torch.rand(count, 1, 1, 1) * strength
    other = torch.where(choice < 0.3, thicker, torch.where(choice > 0.8, thinner, images))
    return torch.lerp(images, other, weight).contiguous(memory_format=torch.channels_last)


def network() -> nn.Sequential:
    """From images to 128 features."""
    layers: list[nn.Module] = []
    for into, out, kernel in ((1, 16, 5), (16, 32, 3), (32, 64, 3)):
        layers += [nn.Conv2d(into, out, kernel, 2, kernel // 2), nn.BatchNorm2d(out), nn.ReLU()]
    layers += [nn.Flatten(), nn.Linear(1024, 128), nn.BatchNorm1d(128), nn.ReLU()]
    return nn.Sequential(*layers).to(memory_format=torch.channels_last)


class Training:
    """Steps of an optimizer whose rate rises and falls."""

    def __init__(self, model: nn.Module, rate: float, steps: int) -> None:
        self._optimizer = torch.optim.AdamW(model.parameters(), weight_decay=1e-4)
        self._schedule = torch.optim.lr_scheduler.OneCycleLR(self._optimizer, rate, total_steps=steps)

    def step(self, loss: Tensor) -> None:
        self._optimizer.zero_grad()
        loss.backward()
        self._optimizer.step()
        self._schedule.step()


def learn_features(images: Tensor, epochs: int, batch: int = 500, temperature: float = 0.2) -> nn.Module:
    """A network under which two distortions of an image look alike, and different images do not."""
    features = network()
    head = nn.Sequential(nn.Linear(128, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Linear(128, 64))
    training = Training(nn.ModuleList([features, head]), 3e-3, epochs * (PUBLIC // batch))
    partner = torch.arange(2 * batch).roll(batch)
    for _ in range(epochs):
        for places in torch.randperm(PUBLIC).split(batch):
            views = torch.cat([distorted(images[places]), distorted(images[places])])
            points = functional.normalize(head(features(views)), dim=1)
            likeness = (points @ points.T / temperature).fill_diagonal_(float("-inf"))
            training.step(functional.cross_entropy(likeness, partner))
    return features


@torch.no_grad()
def outputs(model: nn.Module, images: Tensor) -> Tensor:
    model.eval()
    given = torch.cat([model(part) for part in images.split(1000)])
    model.train()
    return given


class Ridge:
    """A teacher: one linear score for each class, by least squares with a penalty."""

    penalty = 30.0

    def fit(self, inputs: Tensor, labels: Tensor) -> None:
        targets = functional.one_hot(labels, CLASSES).float() - 1 / CLASSES
        gram = inputs @ inputs.T + self.penalty * torch.eye(len(inputs))
        self._weights = inputs.T @ torch.linalg.solve(gram, targets)

    def predict(self, inputs: Tensor) -> Tensor:
        return (inputs @ self._weights).argmax(1)


def representatives(points: Tensor, count: int, rounds: int = 15) -> Tensor:
    """Places of points that stand for all of them: the nearest to each of so many centres."""
    centres = points[torch.randperm(len(points))[:count]]
    for _ in range(rounds):
        nearest = (points @ centres.T).argmax(1)
        sums = torch.zeros_like(centres).index_add_(0, nearest, points)
        centres = functional.normalize(sums, dim=1)
    places = (points @ centres.T).argmax(0).unique()
    return places[torch.randperm(len(places))]


def spread(points: Tensor, places: Tensor, labels: Tensor, near: int = 12, keep: float = 0.95) -> Tensor:
    """Probabilities of the classes of all points, from the labels of some, along nearest neighbours."""
    likeness, neighbours = (points @ points.T).fill_diagonal_(-1).topk(near, 1)
    rows = torch.arange(len(points)).repeat_interleave(near)
    edges = torch.sparse_coo_tensor(
        torch.stack([rows, neighbours.flatten()]),
        torch.exp((likeness - 1) / 0.1).flatten(),
        (len(points), len(points)),
        check_invariants=False,
    )
    edges = (edges + edges.t()).coalesce()
    scale = torch.sparse.sum(edges, 1).to_dense().rsqrt().unsqueeze(1)
    known = torch.zeros(len(points), CLASSES)
    known[places, labels] = 1
    told = known
    for _ in range(40):
        told = keep * scale * torch.sparse.mm(edges, scale * told) + (1 - keep) * known
    # Digits are about equally many.
    told = told / (told.sum(0, keepdim=True) + 1e-9)
    return told / (told.sum(1, keepdim=True) + 1e-9)


def train_student(features: nn.Module, images: Tensor, told: Tensor, epochs: int = 14, batch: int = 250) -> nn.Module:
    """The network with a layer on top, trained on the images whose digit is surest.

    At first what was told decides which these are; every third epoch the student has a say.
    """
    student = nn.Sequential(features, nn.Linear(128, CLASSES))
    taken = PUBLIC * 7 // 9
    training = Training(student, 4e-3, epochs * (taken // batch))
    belief = told
    for epoch in range(epochs):
        if epoch > 0 and epoch % 3 == 0:
            belief = functional.normalize(outputs(student, images).softmax(1) * (told + 0.02), p=1, dim=1)
        sureness, labels = belief.max(1)
        sure = sureness.topk(int(PUBLIC * (0.8 + 0.15 * epoch / epochs))).indices
        for places in sure[torch.randperm(len(sure))[:taken]].split(batch):
            scores = student(distorted(images[places], strength=0.4))
            training.step(functional.cross_entropy(scores, labels[places], label_smoothing=0.05))
    return student


TEACHERS = 1_000
PLAN = pate.Plan(
    classes=CLASSES,
    answers=150,
    scale=150,
    questions=175,
    threshold=550,
    test_deviation=200,
    hindsight=pate.Hindsight(order=36, rho="1/2000"),
)


@dataclass(frozen=True)
class Outcome:
    """Of one run."""

    accuracy: float
    """Of the student, on the held-out images."""
    right: float
    """The share of answers that were right, which the example alone can know."""
    answers: pate.Answers


def run(private: Digits, test: Digits, features: nn.Module) -> Outcome:
    """All that follows features: teachers, their answers, and the student."""
    images = test.images[:PUBLIC]
    given = outputs(features, images)
    mean, deviation = given.mean(0), given.std(0) + 1e-3
    public, own = (given - mean) / deviation, (outputs(features, private.images) - mean) / deviation
    points = functional.normalize(public, dim=1)
    places = representatives(points, PLAN.most_questions)
    answers = pate.label(
        (own, private.labels), public[places], teacher=Ridge, teachers=TEACHERS, plan=PLAN, delta=DELTA
    )
    answered, labels = places[answers.places], torch.tensor(answers.labels)
    student = train_student(features, images, spread(points, answered, labels))
    guesses = outputs(student, test.images[PUBLIC:]).argmax(1)
    return Outcome(
        accuracy=share(guesses == test.labels[PUBLIC:]),
        right=share(labels == test.labels[answered]),
        answers=answers,
    )


def share(hits: Tensor) -> float:
    return float(hits.float().mean())


def report(outcome: Outcome) -> str:
    """MNIST is no secret: the data-dependent epsilon of real data is not to be shown as here."""
    answers = outcome.answers
    return (
        f"held out {outcome.accuracy:.2%}; {len(answers.labels)} answers to {answers.asked} questions, "
        f"{outcome.right:.1%} right; epsilon at delta {DELTA:g}: data-independent {answers.epsilon:.3f}, "
        f"data-dependent {answers.unsanitised_epsilon:.3f}, sanitised {answers.hindsight_epsilon:.3f}"
    )


def main() -> None:
    options = argparse.ArgumentParser(description="PATE on MNIST.")
    options.add_argument("data", type=Path, help="the folder of the IDX files")
    options.add_argument("--runs", type=int, default=1)
    options.add_argument("--seed", type=int, default=1, help="of the first run; teachers and noise have none")
    options.add_argument("--epochs", type=int, default=20, help="of learning features")
    given = options.parse_args()
    torch.set_flush_denormal(True)
    private, test = read_digits(given.data, "train"), read_digits(given.data, "t10k")
    accuracies = []
    for seed in range(given.seed, given.seed + given.runs):
        start = time.monotonic()
        torch.manual_seed(seed)
        outcome = run(private, test, learn_features(test.images[:PUBLIC], given.epochs))
        accuracies.append(outcome.accuracy)
        print(f"run {seed}: {report(outcome)}; {time.monotonic() - start:.0f} s", flush=True)
    if len(accuracies) > 1:
        deviation = statistics.stdev(accuracies)
        print(f"mean {statistics.mean(accuracies):.2%}, standard deviation {deviation:.2%} of {len(accuracies)} runs")


if __name__ == "__main__":
    main()
