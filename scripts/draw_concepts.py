"""Draw docs/images/graph.svg and docs/images/walk.svg: the example of the pipeline's picture, closer up.

    python scripts/draw_concepts.py [FOLDER]

The numbers are those of the walk that `draw_pipeline` runs; equal versions of matplotlib write equal bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import draw_pipeline as pipeline
import matplotlib
import matplotlib.pyplot as plt
from draw_pipeline import CARD, DAMPING, FILL, INK, LINE, MARKER, MENTIONS, MUTED, NODES, PANEL, QUERY, SEEDS, text
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"
WORDS = {
    "D1:1": "Ana: I just\nmoved house.",
    "D1:3": "Ana: I adopted\na puppy!",
    "D2:1": "Ana: Biscuit\nloves the sea.",
    "D2:4": "Ben: I fly\nto Lisbon.",
}


def panel(width: float, height: float) -> tuple[plt.Figure, Axes]:
    figure, ax = plt.subplots(figsize=(width / 10, height / 10))
    figure.subplots_adjust(0, 0, 1, 1)
    ax.set(xlim=(0, width), ylim=(0, height), aspect="equal")
    ax.axis("off")
    box = FancyBboxPatch(
        (0.5, 0.5), width - 1, height - 1, boxstyle="round,pad=0,rounding_size=2", fc=PANEL, ec=LINE, lw=1
    )
    ax.add_patch(box)
    return figure, ax


def under(color: str) -> dict[str, object]:
    """A patch of the background's colour behind words that stand on an edge."""
    return {"fc": color, "ec": "none", "pad": 0.8}


def draw_graph(ax: Axes) -> None:
    """The three node types and their edges, and the words from which each comes."""
    corner, size = (5.0, 7.0), (62.0, 36.0)
    pipeline.graph(ax, corner, size)

    def at(node: str) -> tuple[float, float]:
        x, y = NODES[node][1]
        return corner[0] + x * size[0], corner[1] + y * size[1]

    for node, (kind, _, _) in NODES.items():
        x, y = at(node)
        if kind == "entity":
            origin = " ".join(turn for entity, turn in MENTIONS if entity == node)
            text(ax, x, y + 4.6, node, 11, weight="bold")
            text(ax, x, y + 2.5, f"from {origin}", 8, MUTED)
        elif kind == "turn":
            text(ax, x + 1.9, y - 0.1, node, 9, "#15618f", ha="left", weight="bold", bbox=under(PANEL))
            text(ax, x + 1.9, y - 3.4, WORDS[node], 8, ha="left", linespacing=1.4, bbox=under(PANEL))
        else:
            text(ax, x, y - 2.8, f"{node}: session {node[1:]}, summarised", 9)
    text(ax, 26.2, 40.0, "adopted", 9, MUTED, style="italic")
    for x, y, words in ((26.4, 33.0, "mentioned in"), (22.5, 14.6, "part of")):
        text(ax, x, y, words, 8.5, MUTED, style="italic", ha="left", bbox=under(PANEL))
    for i, (kind, says) in enumerate(
        (
            ("entity", "who and what is spoken of"),
            ("turn", "what was said: the unit of memory"),
            ("snippet", "a stretch of talk"),
        )
    ):
        y = 42.0 - 7.5 * i
        ax.scatter(77.5, y, s=110, marker=MARKER[kind], fc=FILL[kind], ec=INK, lw=0.9)
        text(ax, 80, y + 0.9, kind, 10.5, ha="left", weight="bold")
        text(ax, 80, y - 1.6, says, 8.6, MUTED, ha="left")
    text(ax, 76.2, 14.4, "Every node and every relation lists", 9, ha="left")
    text(ax, 76.2, 12.0, "the turns that it comes from, and goes", 9, ha="left")
    text(ax, 76.2, 9.6, "when the last of them is forgotten.", 9, ha="left")


def draw_walk(ax: Axes) -> None:
    """The mass on the subgraph: at the restart, after one step, and where it settles."""
    inside = pipeline.subgraph()
    text(ax, 4, 51.0, f"“{pipeline.QUESTION.replace(chr(10), ' ')}”", 11.5, QUERY, ha="left", weight="bold")
    text(ax, 42, 51.0, f"p = (1 - d) s + d Pᵀ p,  d = {DAMPING}", 10, MUTED, ha="left")
    steps = (("restart s: cosine with the query", 0), ("after one step", 1), ("where it settles", 100))
    for i, (head, iterations) in enumerate(steps):
        left = 3.0 + 40.5 * i
        box = FancyBboxPatch((left, 3.5), 38, 43.5, boxstyle="round,pad=0,rounding_size=1.2", fc=CARD, ec=LINE, lw=1.1)
        ax.add_patch(box)
        text(ax, left + 2, 44.2, head, 10.5, ha="left", weight="bold")
        mass = pipeline.walk(iterations=iterations)
        corner, size = (left + 5.0, 9.5), (28.0, 28.0)
        pipeline.graph(ax, corner, size, shown=inside, ring=SEEDS if not i else (), weighted=True, mass=mass)
        for node in NODES:
            x, y = corner[0] + NODES[node][1][0] * size[0], corner[1] + NODES[node][1][1] * size[1]
            low = NODES[node][0] == "snippet"
            label = f"{node}\n{mass[node]:.2f}" if node in mass else node
            place = (x, y - 3.7) if low else (x, y + 4.2)
            beside = {"ha": "left", "bbox": under(CARD)} if NODES[node][0] == "turn" else {}
            place = (x + 2.1, y) if beside else place
            text(ax, *place, label, 8.4, INK if node in mass else MUTED, linespacing=1.25, **beside)


def main(arguments: list[str] | None = None) -> None:
    """Write both pictures into the folder named, or into docs/images."""
    given = sys.argv[1:] if arguments is None else arguments
    folder = Path(given[0]) if given else FOLDER
    settings = {"svg.hashsalt": "memorai", "svg.fonttype": "path", "font.family": "DejaVu Sans", "path.simplify": False}
    pictures = {"graph": (draw_graph, (110, 50)), "walk": (draw_walk, (125, 55))}
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **settings, "backend": "svg"}):
        for name, (draw, size) in pictures.items():
            figure, ax = panel(*size)
            draw(ax)
            metadata = {"Title": f"memorai: the {name}", "Date": None, "Creator": "scripts/draw_concepts.py"}
            figure.savefig(folder / f"{name}.svg", format="svg", transparent=True, metadata=metadata)
            if "--png" in given:
                figure.savefig(folder / f"{name}.png", dpi=80)
            plt.close(figure)


if __name__ == "__main__":
    main()
