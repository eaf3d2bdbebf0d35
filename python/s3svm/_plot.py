"""Learned functions as pictures, with matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

COLUMNS = 3
PATTERNS_MOST = 16  # patterns of a patch that are drawn
BARS_MOST = 60  # bars that still are told apart


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("drawing models needs matplotlib") from error
    return pyplot


def _draw_counts(group: Any, axes: Any) -> None:
    for number, values in enumerate(group.functions):
        axes.plot(group.shares, values, marker="o", label=str(number))
    axes.set_xlabel("share of members labelled 1" if len(group.functions) == 1 else "share of members with the label")
    axes.set_ylabel("cost")
    if len(group.functions) > 1:
        axes.legend(fontsize="small")


def _draw_table(group: Any, axes: Any) -> None:
    """Costs by the number of ones: a point for each labelling, a line through their means."""
    ones = np.array([bin(S).count("1") for S in range(1 << group.size)])
    for number, f in enumerate(group.functions):
        axes.plot(ones, f, ".", alpha=0.5)
        axes.plot(range(group.size + 1), [f[ones == k].mean() for k in range(group.size + 1)], label=str(number))
    axes.set_xlabel("members labelled 1")
    axes.set_ylabel("cost")


def _draw_patches(group: Any, axes: Any) -> None:
    """The patterns of a patch of two labels, cheapest first, one of each weight."""
    height, width = group.patch
    f = group.functions[0]
    seen: dict[float, int] = {}
    for S, cost in enumerate(f):
        seen.setdefault(round(float(cost), 12), S)
    patterns = sorted(seen.items())[:PATTERNS_MOST]
    axes.bar(range(len(patterns)), [cost for cost, _ in patterns], color="tab:blue")
    axes.set_xticks(range(len(patterns)))
    axes.set_xticklabels(["\n".join("".join("#" if S >> (y * width + x) & 1 else "." for x in range(width))
                                    for y in range(height)) for _, S in patterns], family="monospace", fontsize="x-small")
    axes.set_ylabel("cost")


def plot_group(group: Any, axes: Any = None) -> Any:
    """Draws a group into axes, new ones unless given."""
    axes = _pyplot().subplots()[1] if axes is None else axes
    if group.kind == "count":
        _draw_counts(group, axes)
    elif group.kind == "table" and group.patch is not None and len(group.functions) == 1:
        _draw_patches(group, axes)
    elif group.kind == "table":
        _draw_table(group, axes)
    else:
        weights = group.weights if group.kind == "nonnegative" else group.weights[:, -1] - group.weights[:, 0]
        if len(weights) <= BARS_MOST:
            axes.bar(range(len(weights)), weights)
        else:
            axes.plot(weights, linewidth=0.5)
        axes.set_xlabel("strength" if group.kind == "nonnegative" else "feature")
        axes.set_ylabel("cost" if group.kind == "nonnegative" else "cost of the last label less that of the first")
    axes.set_title(group.name)
    return axes


def plot_model(model: Any, figure: Any = None) -> Any:
    """Draws all groups of a model into a figure, a new one unless given."""
    groups = model.groups
    columns = min(COLUMNS, max(1, len(groups)))
    rows = max(1, -(-len(groups) // columns))
    if figure is None:
        figure = _pyplot().figure(figsize=(4.5 * columns, 3.2 * rows), constrained_layout=True)
    for place, group in enumerate(groups):
        plot_group(group, figure.add_subplot(rows, columns, place + 1))
    return figure
