"""Draw docs/images/pipeline.svg: the way from a conversation to a ranking, on one small worked example.

    python scripts/draw_pipeline.py [FILE]

The scores in the picture are not made up: `walk` runs the weights of Eq. 1 and the PageRank on the example below, from
cosines chosen for it. Colours are Okabe and Ito's, safe for colour-blind readers; node types also differ in shape. The
panel is opaque, so that the picture reads the same on a light and a dark page. Equal versions of matplotlib write equal
bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

OUTPUT = Path(__file__).resolve().parents[1] / "docs" / "images" / "pipeline.svg"

INK, MUTED, PANEL, CARD, LINE = "#1b2430", "#5a6675", "#f4f6f8", "#ffffff", "#c9d1d9"
FILL = {"entity": "#e69f00", "turn": "#56b4e9", "snippet": "#009e73"}
QUERY = "#b8479a"  # a shade darker than Okabe and Ito's reddish purple, for text on white
MARKER = {"entity": "o", "turn": "s", "snippet": "h"}

# --- the example -----------------------------------------------------------------------------------------------------

#: node -> (type, place inside a graph drawing of 1 x 1, cosine with the query)
NODES = {
    "Ana": ("entity", (0.16, 0.88), 0.45),
    "Biscuit": ("entity", (0.52, 0.88), 0.70),
    "Lisbon": ("entity", (0.88, 0.88), 0.05),
    "D1:1": ("turn", (0.06, 0.46), 0.20),
    "D1:3": ("turn", (0.36, 0.46), 0.75),
    "D2:1": ("turn", (0.66, 0.46), 0.50),
    "D2:4": ("turn", (0.94, 0.46), 0.05),
    "S1": ("snippet", (0.21, 0.06), 0.40),
    "S2": ("snippet", (0.80, 0.06), 0.25),
}
RELATIONS = {("Ana", "Biscuit"): 0.80}
MENTIONS = [("Ana", "D1:1"), ("Ana", "D1:3"), ("Biscuit", "D1:3"), ("Biscuit", "D2:1"), ("Lisbon", "D2:4")]
HIERARCHY = [("D1:1", "S1"), ("D1:3", "S1"), ("D2:1", "S2"), ("D2:4", "S2")]
EDGES = [*RELATIONS, *MENTIONS, *HIERARCHY]
SEEDS = ("Ana", "Biscuit", "S1")
QUESTION = "Which pet did\nAna adopt?"
TEXTS = {
    "D1:3": ("Ana: I adopted a puppy!", "Ana — adopted → Biscuit"),
    "D2:1": ("Ana: Biscuit loves the sea.", "mentions Biscuit"),
    "D1:1": ("Ana: I just moved house.", "mentions Ana"),
}
DAMPING = 0.5


def subgraph() -> list[str]:
    """The seeds and their neighbours, in the order of NODES."""
    near = {node for edge in EDGES if set(edge) & set(SEEDS) for node in edge}
    return [node for node in NODES if node in near | set(SEEDS)]


def weight(source: str, target: str) -> float:
    """Eq. 1: the weight of a forward edge under the query."""
    kinds = NODES[source][0], NODES[target][0]
    if kinds == ("entity", "entity"):
        return RELATIONS[source, target]
    if kinds == ("entity", "turn"):
        return NODES[source][2]
    return float(np.mean([NODES[entity][2] for entity, turn in MENTIONS if turn == source]))


def walk(damping: float = DAMPING, iterations: int = 100) -> dict[str, float]:
    """p = (1 - d) s + d P^T p on the subgraph; s: cosines; a reverse edge carries its forward weight."""
    nodes = subgraph()
    index = {node: i for i, node in enumerate(nodes)}
    weights = np.zeros((len(nodes), len(nodes)))
    for source, target in EDGES:
        if source in index and target in index:
            weights[index[source], index[target]] = weights[index[target], index[source]] = weight(source, target)
    transition = weights / weights.sum(axis=1, keepdims=True)  # every node of the example has an edge
    restart = np.array([NODES[node][2] for node in nodes])
    restart = restart / restart.sum()
    mass = restart
    for _ in range(iterations):
        mass = (1 - damping) * restart + damping * transition.T @ mass
    return dict(zip(nodes, mass.tolist(), strict=True))


# --- drawing ---------------------------------------------------------------------------------------------------------


def text(ax: Axes, x: float, y: float, words: str, size: float = 9.5, color: str = INK, **style: object) -> None:
    ax.text(x, y, words, fontsize=size, color=color, **{"ha": "center", "va": "center", **style})


def card(ax: Axes, x: float, y: float, width: float, height: float, number: int, title: str) -> None:
    box = FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=1.2", fc=CARD, ec=LINE, lw=1.1)
    ax.add_patch(box)
    text(ax, x + 1.6, y + height - 2.6, f"{number}  {title}", 10.5, weight="bold", ha="left")


def arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float], color: str = MUTED, **style: object) -> None:
    defaults = {"arrowstyle": "-|>", "mutation_scale": 13, "lw": 1.6, "shrinkA": 0, "shrinkB": 0}
    ax.add_patch(FancyArrowPatch(start, end, color=color, **{**defaults, **style}))


def bubble(ax: Axes, x: float, y: float, width: float, words: str, dropped: bool = False) -> None:
    """One turn, as a speech bubble; a dropped one is pale, dashed and struck out."""
    box = {"fc": CARD if dropped else "#d9eefb", "ec": LINE if dropped else "#2a7fb8", "ls": "--" if dropped else "-"}
    ax.add_patch(FancyBboxPatch((x, y - 1.5), width, 3.0, boxstyle="round,pad=0,rounding_size=1.0", lw=1.0, **box))
    text(ax, x + 1.0, y - 0.05, words, 7.6, color=MUTED if dropped else INK, ha="left")
    if dropped:
        ax.plot([x + 0.8, x + width - 0.8], [y, y], color=MUTED, lw=0.6)


def graph(
    ax: Axes,
    corner: tuple[float, float],
    size: tuple[float, float],
    *,
    shown: list[str] | None = None,
    ring: tuple[str, ...] = (),
    weighted: bool = False,
    mass: dict[str, float] | None = None,
    names: bool = False,
) -> None:
    """The example's graph in a box; nodes outside ``shown`` are ghosts."""
    shown = list(NODES) if shown is None else shown

    def at(node: str) -> tuple[float, float]:
        x, y = NODES[node][1]
        return corner[0] + x * size[0], corner[1] + y * size[1]

    for source, target in EDGES:
        ghost = source not in shown or target not in shown
        width = 0.5 + 4.2 * weight(source, target) if weighted and not ghost else 1.3
        style = {"color": LINE if ghost else MUTED, "lw": 0.9 if ghost else width, "ls": ":" if ghost else "-"}
        if (source, target) in RELATIONS:
            arrow(ax, at(source), at(target), style["color"], lw=style["lw"], shrinkA=9, shrinkB=9, zorder=1)
        else:
            ax.plot(*zip(at(source), at(target), strict=True), zorder=1, solid_capstyle="round", **style)
    for node, (kind, _, _) in NODES.items():
        ghost = node not in shown
        area = 130.0 if mass is None else 40 + 1500 * mass.get(node, 0.0)
        if node in ring:
            ax.scatter(*at(node), s=area * 2.7, marker=MARKER[kind], fc="none", ec=QUERY, lw=2.0, zorder=2)
        face, edge = (CARD, LINE) if ghost else (FILL[kind], INK)
        ax.scatter(*at(node), s=area, marker=MARKER[kind], fc=face, ec=edge, lw=0.9, zorder=3)
        if names:
            x, y = at(node)
            above = kind != "snippet"
            if kind == "turn":
                text(ax, x + 1.1, y - 1.6, node, 7.2, MUTED, ha="left")
            else:
                text(ax, x, y + (2.2 if above else -2.2), node, 8.2)


def write_path(ax: Axes) -> None:
    text(ax, 3, 83.2, "WRITE PATH", 11.5, weight="bold", ha="left")
    text(ax, 18.5, 83.1, "once per conversation", 10, MUTED, ha="left")
    turns = [
        ("Ana: I just moved house.", False),
        ("Ben: Nice!", True),
        ("Ana: I adopted a puppy!", False),
        ("Ana: Biscuit loves the sea.", False),
        ("Ana: How do I boil rice?", True),
        ("Ben: I fly to Lisbon.", False),
    ]
    card(ax, 3, 48, 23, 32, 1, "Conversation")
    card(ax, 30, 48, 23, 32, 2, "Segment")
    card(ax, 57, 48, 23, 32, 3, "Gate")
    card(ax, 84, 48, 23, 32, 4, "Extract")
    card(ax, 111, 48, 36, 32, 5, "Heterogeneous graph")
    for start in (26, 53, 80, 107):
        arrow(ax, (start + 0.4, 64), (start + 3.6, 64))
    for i, (words, dropped) in enumerate(turns):
        y = 72.6 - 4.0 * i
        bubble(ax, 4.6, y, 19.8, words)
        shift = 0.9 if i < 3 else -0.9
        bubble(ax, 33.4, y + shift, 18.2, words)
        bubble(ax, 58.6, y, 19.8, words, dropped)
    for name, top, low in (("S1", 75.2, 63.8), ("S2", 61.4, 50.0)):
        ax.plot([32.6, 31.9, 31.9, 32.6], [top, top, low, low], color=FILL["snippet"], lw=2.2)
        ax.text(30.9, (top + low) / 2, name, fontsize=8, color="#00694d", ha="center", va="center", rotation=90)
    rows = [
        ("entities", "Ana · Biscuit · Lisbon", FILL["entity"]),
        ("relations", "Ana — adopted → Biscuit", INK),
        ("summaries", "S1: Ana moves, adopts ...", FILL["snippet"]),
        ("provenance of each", "D1:1, D1:3, D2:1, D2:4", FILL["turn"]),
    ]
    for i, (head, words, color) in enumerate(rows):
        y = 72.4 - 6.0 * i
        ax.plot([85.9, 85.9], [y - 3.2, y + 1.0], color=color, lw=2.6, solid_capstyle="butt")
        text(ax, 87.0, y, head, 8.4, MUTED, ha="left")
        text(ax, 87.0, y - 2.4, words, 8.2, ha="left")
    graph(ax, (116.5, 54.2), (25, 20), names=True)
    for x, y, words in ((125.0, 73.1, "relation"), (140.9, 68.2, "mentioned\nin"), (140.6, 59.2, "part\nof")):
        text(ax, x, y, words, 7.4, MUTED, style="italic", ha="center" if words == "relation" else "left")
    legend = [("entity", 114.2), ("turn", 122.2), ("snippet", 128.8)]
    for kind, x in legend:
        ax.scatter(x, 49.7, s=52, marker=MARKER[kind], fc=FILL[kind], ec=INK, lw=0.8)
        text(ax, x + 1.3, 49.65, kind, 8.2, ha="left")


def read_path(ax: Axes) -> None:
    text(ax, 3, 41.2, "READ PATH", 11.5, weight="bold", ha="left")
    text(ax, 16.6, 41.1, "once per query", 10, MUTED, ha="left")
    inside, mass = subgraph(), walk()
    card(ax, 3, 6, 23, 32, 6, "Query")
    card(ax, 30, 6, 23, 32, 7, "Seeds")
    card(ax, 57, 6, 23, 32, 8, "Subgraph, weights")
    card(ax, 84, 6, 23, 32, 9, "PageRank")
    card(ax, 111, 6, 36, 32, 10, "Ranking with provenance")
    for start in (26, 53, 80, 107):
        arrow(ax, (start + 0.4, 22), (start + 3.6, 22), QUERY)
    # the graph is built once and read by every query
    ax.plot([129, 129, 41.5], [47.6, 43.0, 43.0], color=MUTED, lw=1.6, solid_joinstyle="round")
    arrow(ax, (41.5, 43.05), (41.5, 38.4))
    text(ax, 85, 44.4, "one graph, shared by every query", 8.8, MUTED)

    box = FancyBboxPatch((5, 20.4), 19, 7.2, boxstyle="round,pad=0,rounding_size=1.4", fc="#f7e6f2", ec=QUERY, lw=1.3)
    ax.add_patch(box)
    text(ax, 14.5, 24.0, QUESTION, 9.5, linespacing=1.5)
    text(ax, 14.5, 10.6, "a batch of queries walks", 8.4, MUTED)
    text(ax, 14.5, 8.3, "the graph at the same time", 8.4, MUTED)

    graph(ax, (33.2, 14.6), (16.6, 17), ring=SEEDS)
    text(ax, 41.5, 10.6, "k best entities, relations", 8.4, MUTED)
    text(ax, 41.5, 8.3, "and snippets by cos(q, ·)", 8.4, MUTED)

    graph(ax, (60.2, 14.6), (16.6, 17), shown=inside, weighted=True)
    text(ax, 68.5, 10.6, "seeds and one hop; edges", 8.4, MUTED)
    text(ax, 68.5, 8.3, "weighted by the query (Eq. 1)", 8.4, MUTED)

    graph(ax, (87.2, 14.6), (16.6, 17), shown=inside, mass=mass)
    text(ax, 95.5, 10.6, "Dynamic Weighted PageRank", 8.4, MUTED)
    text(ax, 95.5, 8.1, r"$p = (1-d)\,s + d\,P_q^{\top} p$", 10)

    ranked = sorted((node for node in inside if NODES[node][0] == "turn"), key=lambda node: (-mass[node], node))
    for i, node in enumerate(ranked):
        y = 30.9 - 8.3 * i
        text(ax, 113.0, y, f"{i + 1}", 11, weight="bold", ha="left")
        text(ax, 115.6, y, node, 9, "#15618f", ha="left", weight="bold")
        text(ax, 121.4, y, TEXTS[node][0], 8.8, ha="left")
        ax.barh(y - 2.7, 5.2 * mass[node] / mass[ranked[0]], 1.3, left=115.6, color=FILL["turn"], ec=INK, lw=0.7)
        text(ax, 121.4, y - 2.75, f"{mass[node]:.2f}  {TEXTS[node][1]}", 8.2, MUTED, ha="left")


def main(arguments: list[str] | None = None) -> None:
    """Write the picture to the file named, or to its place in docs/."""
    given = sys.argv[1:] if arguments is None else arguments
    target = Path(given[0]) if given else OUTPUT
    settings = {"svg.hashsalt": "memorai", "svg.fonttype": "path", "font.family": "DejaVu Sans", "path.simplify": False}
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **settings, "backend": "svg"}):
        figure, ax = plt.subplots(figsize=(15, 8.3))
        figure.subplots_adjust(0, 0, 1, 1)
        ax.set(xlim=(0, 150), ylim=(3, 86), aspect="equal")
        ax.axis("off")
        shape = "round,pad=0,rounding_size=2.4"
        panel = FancyBboxPatch((0.6, 3.5), 148.8, 82, boxstyle=shape, fc=PANEL, ec=LINE, lw=1)
        ax.add_patch(panel)
        write_path(ax)
        read_path(ax)
        metadata = {"Title": "The memorai pipeline", "Date": None, "Creator": "scripts/draw_pipeline.py"}
        figure.savefig(target, format="svg", transparent=True, metadata=metadata)
        plt.close(figure)


if __name__ == "__main__":
    main()
