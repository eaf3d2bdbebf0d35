#!/usr/bin/env python3
"""learn_network.py FOLDER... [--epochs 60] [--size 64] [--folds 2] [--channel 0]: a small network that learns what stands out.

Learns from the photographs FOLDER/images and the masks FOLDER/labels (255 or 1 object, 0 background, others do not count) of all
folders, and writes what it says of each into FOLDER/maps/NAME.npy: log odds of the object, float32, height x width. A photograph's
maps are by a network that has not learned from it, as docs/maps.md advises: names are dealt out to --folds parts, the same picture
to the same part, and for each part a network learns from the others. With --channel 1 the answers become channel 1 of maps that
are there already.

Needs NumPy, Pillow and PyTorch (Debian: python3-numpy, python3-pil, python3-torch)."""
import argparse
import hashlib
import os
import sys
import time

import numpy as np
import torch
from PIL import Image
from torch import nn

IMAGES = (".jpg", ".jpeg", ".png")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--epochs", type=int, default=60, help="how often each photograph is seen (default 60)")
    parser.add_argument("--size", type=int, default=64, help="sides of what the network sees, a multiple of 16 (default 64)")
    parser.add_argument("--folds", type=int, default=2, help="parts; each is judged by a network of the others (default 2)")
    parser.add_argument("--channel", type=int, default=0, help="which channel of maps/NAME.npy is written (default 0)")
    parser.add_argument("--balance", type=float, default=4, help="what a pixel of the object counts (default 4)")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


class Photograph:
    """A photograph and its mask as small as the network sees them, and where its maps go."""

    def __init__(self, folder, name, size):
        self.name, self.maps = os.path.splitext(name)[0], os.path.join(folder, "maps")
        with Image.open(os.path.join(folder, "images", name)) as image:
            picture = image.convert("RGB")
        self.width, self.height = picture.size
        self.part = int(hashlib.sha256(picture.tobytes()).hexdigest(), 16)
        self.pixels = np.asarray(picture.resize((size, size), Image.BILINEAR), np.float32).transpose(2, 0, 1) / 255 - 0.5
        with Image.open(os.path.join(folder, "labels", self.name + ".png")) as image:
            labels = np.asarray(image if image.mode in ("L", "P") else image.convert("L"))
        known = (labels == 0) | (labels == 255) | (labels == 1)
        both = np.stack([(labels == 255) | (labels == 1), known]).astype(np.uint8) * 255
        self.truth, self.care = (
            np.asarray(Image.fromarray(x).resize((size, size), Image.BILINEAR), np.float32) / 255 for x in both
        )

    def keep(self, odds, channel):
        """Writes log odds of the network's size, grown to the photograph's, to a temporary file that is then renamed."""
        grown = Image.fromarray(odds).resize((self.width, self.height), Image.BILINEAR)
        path, layers = os.path.join(self.maps, self.name + ".npy"), [np.asarray(grown, np.float32)]
        if channel:
            there = np.load(path)
            there = there[..., None] if there.ndim == 2 else there
            layers = [there[..., k] for k in range(channel)] + layers
        with open(path + ".part", "wb") as file:
            np.save(file, layers[0] if len(layers) == 1 else np.stack(layers, axis=-1))
        os.replace(path + ".part", path)


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(),
        nn.Conv2d(outputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(),
    )  # fmt: skip


class Network(nn.Module):
    """Down to a sixteenth of the sides and up again, with what was seen on the way down."""

    def __init__(self, widths=(12, 24, 48, 64, 64)):
        super().__init__()
        self.down = nn.ModuleList(block(a, b) for a, b in zip((3,) + widths, widths))
        self.up = nn.ModuleList(block(a + b, b) for a, b in zip(widths[:0:-1], widths[-2::-1]))
        self.last = nn.Conv2d(widths[0], 1, 1)

    def forward(self, x):
        seen = []
        for step in self.down:
            seen.append(step(nn.functional.max_pool2d(seen[-1], 2) if seen else x))
        x = seen.pop()
        for step in self.up:
            x = step(torch.cat([nn.functional.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False), seen.pop()], 1))
        return self.last(x)[:, 0]


def varied(batch, random):
    """Photographs as they might as well be: mirrored, moved and enlarged, brighter or darker, in other colours."""
    pixels, truth, care = (np.stack([getattr(p, what) for p in batch]) for what in ("pixels", "truth", "care"))
    all_of = torch.from_numpy(np.concatenate([pixels, truth[:, None], care[:, None]], axis=1))
    scale = 1 / random.uniform(1, 1.6, len(batch))
    mirror, places = random.choice([-1, 1], len(batch)), (1 - scale)[:, None] * random.uniform(-1, 1, (len(batch), 2))
    turns = np.zeros((len(batch), 2, 3), np.float32)
    turns[:, 0, 0], turns[:, 1, 1], turns[:, :, 2] = scale * mirror, scale, places
    grid = nn.functional.affine_grid(torch.from_numpy(turns), all_of.shape, align_corners=False)
    moved = nn.functional.grid_sample(all_of, grid, padding_mode="border", align_corners=False)
    contrast = torch.from_numpy(random.uniform(0.7, 1.4, (len(batch), 3, 1, 1)).astype(np.float32))
    light = torch.from_numpy(random.uniform(-0.15, 0.15, (len(batch), 1, 1, 1)).astype(np.float32))
    return moved[:, :3] * contrast + light, moved[:, 3], moved[:, 4]


def learn(photographs, options, what):
    network, random, began = Network(), np.random.default_rng(options.seed), time.time()
    each = max(1, (len(photographs) + 15) // 16)
    steps = options.epochs * each
    optimizer = torch.optim.AdamW(network.parameters(), weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=steps + 1)
    network.train()
    for step in range(steps):
        if step % each == 0:
            order = random.permutation(len(photographs))
        batch = [photographs[i] for i in order[np.arange(16 * (step % each), 16 * (step % each) + 16) % len(order)]]
        pixels, truth, care = varied(batch, random)
        rare = (1 + (options.balance - 1) * truth) * care
        loss = (nn.functional.binary_cross_entropy_with_logits(network(pixels), truth, reduction="none") * rare).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % (10 * each) == 10 * each - 1:
            left = (time.time() - began) * (steps - step - 1) / (step + 1)
            print(f"{what}: {step + 1} of {steps} steps, loss {loss.item():.3f}, {left:.0f} s left", file=sys.stderr)
    network.eval()
    return network


def main():
    options = parse()
    torch.manual_seed(options.seed)
    photographs = []
    for folder in options.folders:
        os.makedirs(os.path.join(folder, "maps"), exist_ok=True)
        names = sorted(x for x in os.listdir(os.path.join(folder, "images")) if x.lower().endswith(IMAGES))
        photographs += [Photograph(folder, name, options.size) for name in names]
    for part in range(options.folds):
        judged = [p for p in photographs if p.part % options.folds == part]
        network = learn([p for p in photographs if p.part % options.folds != part], options, f"part {part + 1} of {options.folds}")
        right = union = 0
        for p in judged:
            with torch.no_grad():
                both = network(torch.from_numpy(np.stack([p.pixels, p.pixels[:, :, ::-1].copy()])))
            odds = (both[0] + both[1].flip(-1)).numpy() / 2
            found, true = odds > 0, p.truth > 0.5
            right, union = right + (found & true).sum() / max((found | true).sum(), 1), union + 1
            p.keep(odds, options.channel)
        print(f"part {part + 1}: intersection over union {right / max(union, 1):.3f} on {union} photographs not learned from")


if __name__ == "__main__":
    main()
