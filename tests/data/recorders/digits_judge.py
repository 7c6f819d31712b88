"""Train the judge of PixelDebate and choose its images, with scikit-learn 1.9.1 and torch 2.13.0:

python tests/data/recorders/digits_judge.py envsuite/games/pixel_debate.npz

The file has 400 of scikit-learn's 1,797 handwritten digits, none of which the judge has seen, and the judge's weights
as whole numbers.
"""

import sys

import numpy as np
import torch
from sklearn.datasets import load_digits

#: Units of the two hidden layers, images for play, passes over the others, and the scales of the weights.
HIDDEN, IMAGES, PASSES, FIRST, LATER = (64, 32), 400, 400, 4096, 256


def masked(images: torch.Tensor, counts: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """(N, 128) what is seen of images (N, 64) of which some random pixels that are not 0 are revealed: mask, pixels."""
    order = torch.rand(images.shape, generator=generator).masked_fill(images == 0, 2.0).argsort(1).argsort(1)
    mask = (order < counts[:, None]) & (images > 0)
    return torch.cat([mask.float(), mask * images / 16], 1)


def train(images: torch.Tensor, labels: torch.Tensor) -> list[tuple[np.ndarray, np.ndarray]]:
    """The weights and biases of a network that names digits of which 3 to 8 pixels are revealed."""
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(0)
    sizes = (128, *HIDDEN, 10)
    layers = [torch.nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])]
    network = torch.nn.Sequential(layers[0], torch.nn.ReLU(), layers[1], torch.nn.ReLU(), layers[2])
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=1e-2)
    batch = 128
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, PASSES * (len(images) // batch + 1))
    for _ in range(PASSES):
        for part in torch.randperm(len(images), generator=generator).split(batch):
            counts = torch.randint(3, 9, (len(part),), generator=generator)
            loss = torch.nn.functional.cross_entropy(network(masked(images[part], counts, generator)), labels[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return [(layer.weight.detach().numpy().astype(np.float64), layer.bias.detach().numpy()) for layer in layers]


def whole(layers: list[tuple[np.ndarray, np.ndarray]]) -> dict[str, np.ndarray]:
    """The network in whole numbers; see `judge` in envsuite/games/pixel_debate.py for the scales."""
    (first, bias_1), (second, bias_2), (third, bias_3) = layers
    mask, value = np.round(first[:, :64] * FIRST), np.round(first[:, 64:] * FIRST / 16)
    return {
        "pixel": mask.T.astype(np.int16),
        "value": value.T.astype(np.int16),
        "bias_1": np.round(bias_1 * FIRST).astype(np.int32),
        "second": np.round(second * LATER).astype(np.int16),
        "bias_2": np.round(bias_2 * 128 * LATER).astype(np.int32),
        "third": np.round(third * LATER).astype(np.int16),
        "bias_3": np.round(bias_3 * 128 * LATER).astype(np.int32),
    }


def judged(weights: dict[str, np.ndarray], images: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(N, 10) scores of images (N, 64) and masks (N, 64)."""
    one = (
        np.maximum(weights["bias_1"] + mask @ weights["pixel"].astype(int) + (mask * images) @ weights["value"], 0) >> 5
    )
    two = np.maximum(weights["bias_2"] + one @ weights["second"].T.astype(int), 0) >> 8
    return weights["bias_3"] + two @ weights["third"].T.astype(int)


def main() -> None:
    digits = load_digits()
    pixels, labels = digits.images.reshape(-1, 64).astype(int), digits.target
    order = np.random.default_rng(0).permutation(len(pixels))
    shown, seen = order[:IMAGES], order[IMAGES:]
    weights = whole(train(torch.tensor(pixels[seen], dtype=torch.float32), torch.tensor(labels[seen])))
    rng = np.random.default_rng(1)
    for count in (4, 6):
        right = []
        for _ in range(20):
            rank = np.where(pixels[shown] > 0, rng.random((IMAGES, 64)), 2).argsort(1).argsort(1)
            right.append((judged(weights, pixels[shown], (rank < count).astype(int)).argmax(1) == labels[shown]).mean())
        print(f"{count} random pixels: {np.mean(right):.3f}")
    np.savez_compressed(
        sys.argv[1], images=pixels[shown].astype(np.int8), labels=labels[shown].astype(np.int8), **weights
    )


if __name__ == "__main__":
    main()
