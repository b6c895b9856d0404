"""Learning curves as a table and a figure."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

#: (training, epoch from 1, mean training loss, validation score or None)
CurveRow = tuple[str, int, float, float | None]


def write_curves(rows: Sequence[CurveRow], folder: Path) -> list[Path]:
    """Write curves.csv and, if there is any row, curves.png: loss and validation nDCG@10 by epoch, a line a training.

    Several fits of one training (a grid, then the final one) follow one another; a new one starts where epochs do.
    """
    table = folder / "curves.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["training", "epoch", "loss", "validation_ndcg@10"])
        writer.writerows([name, epoch, f"{loss:.6f}", "" if v is None else f"{v:.6f}"] for name, epoch, loss, v in rows)
    if not rows:
        return [table]
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for fit in _fits(rows):
        epochs = [epoch for _, epoch, _, _ in fit]
        left.plot(epochs, [loss for *_, loss, _ in fit], color="#0072B2", alpha=0.25, linewidth=0.8)
        validated = [(epoch, value) for _, epoch, _, value in fit if value is not None]
        if validated:
            right.plot(*zip(*validated, strict=True), color="#D55E00", alpha=0.25, linewidth=0.8)
    left.set(xlabel="epoch", ylabel="training loss")
    right.set(xlabel="epoch", ylabel="nDCG@10 of held-out training conversations")
    image = folder / "curves.png"
    figure.savefig(image, dpi=120)
    return [table, image]


def _fits(rows: Sequence[CurveRow]) -> list[list[CurveRow]]:
    fits: list[list[CurveRow]] = []
    for row in rows:
        if row[1] == 1 or not fits:
            fits.append([])
        fits[-1].append(row)
    return fits
