"""The rows as text, Markdown and a log-log plot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .curve import Point
from .measure import Row
from .probe import bytes_of_power
from .retrieval import Retrieval


def progress(row: Row) -> str:
    """One line while the benchmark runs."""
    return (
        f"  {row.engine:22s} d={row.damping:<4g} {row.ms_per_query:10.3f} ms/query   top20 {row.top20_agreement:.3f}   "
        f"peak {row.peak_mb:6.0f} MiB   residual {row.residual:.1e}"
    )


def markdown(rows: Sequence[Row], points: Sequence[Point], found: Sequence[Retrieval], bandwidth: float) -> str:
    """All tables."""
    return "\n".join([*_engines(rows, bandwidth), "", *_curve(points), "", *_retrieval(found), ""])


def _engines(rows: Sequence[Row], bandwidth: float) -> list[str]:
    lines = [
        f"Copy bandwidth of this machine: {bandwidth / 1e9:.1f} GB/s. GB/s of an engine: the bytes of a plain float32 "
        "power iteration to 1e-6 over its time (more than the copy means fewer steps or a cache).",
        "",
        "| nodes | edges | d | engine | ms a query | times ours | top-20 agreement | peak MiB | GB/s | residual |",
        "|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in sorted(rows, key=lambda row: (row.nodes, row.damping)):
        rate = bytes_of_power(row) / row.batch / (row.ms_per_query * 1e6)
        speed = "" if row.engine == "memorai local" else f"{rate:.1f}"
        lines.append(
            f"| {row.nodes} | {row.edges} | {row.damping:g} | {row.engine} | {row.ms_per_query:.3f} | "
            f"{row.ratio_to_ours:.2f} | {row.top20_agreement:.3f} | {row.peak_mb:.0f} | {speed} | {row.residual:.1e} |"
        )
    return lines


def _curve(points: Sequence[Point]) -> list[str]:
    lines = [
        "| nodes | d | eps | propagation p50 ms | with weights p50 ms | p95 | recall@20 turns | recall@20 nodes | "
        "L1 error | nodes reached | edges moved | graph and state MiB |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for p in points:
        lines.append(
            f"| {p.nodes} | {p.damping:g} | {p.eps:g} | {p.propagation_ms:.2f} | {p.query_ms:.2f} | "
            f"{p.query_ms_p95:.2f} | {p.recall_turns:.3f} | {p.recall_nodes:.3f} | {p.error:.4f} | {p.reached:.0f} | "
            f"{p.moved:.0f} | {p.state_mb:.0f} |"
        )
    return lines


def _retrieval(found: Sequence[Retrieval]) -> list[str]:
    lines = [
        "| nodes | entities | seeds by | index built in s | seeds p50 ms | seeds found | d | "
        "seeds + weights + walk p50 ms | p95 |",
        "|--:|--:|---|--:|--:|--:|--:|--:|--:|",
    ]
    for r in found:
        for d, total in r.total_ms.items():
            lines.append(
                f"| {r.nodes} | {r.entities} | {r.seeds} | {r.build_s:.1f} | {r.seed_ms:.2f} | {r.seed_recall:.3f} | "
                f"{d:g} | {total:.2f} | {r.total_p95_ms[d]:.2f} |"
            )
    return lines


def plot(rows: Sequence[Row], stem: Path) -> None:
    """Write ``stem``.png and .svg: ms a query against nodes, one panel a damping, both axes logarithmic."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    # the same picture gives the same file
    mpl.rcParams["svg.hashsalt"] = "memorai"
    dampings = sorted({row.damping for row in rows})
    figure, axes = plt.subplots(1, len(dampings), figsize=(5.6 * len(dampings), 4.6), sharey=True, squeeze=False)
    for axis, damping in zip(axes[0], dampings, strict=True):
        for number, name in enumerate(dict.fromkeys(row.engine for row in rows)):
            line = sorted((r.nodes, r.ms_per_query) for r in rows if r.engine == name and r.damping == damping)
            style = (
                {"marker": "o", "linewidth": 2} if name.startswith("memorai") else {"marker": "s", "linestyle": "--"}
            )
            axis.loglog(*zip(*line, strict=True), label=name, color=f"C{number % 10}", markersize=4, **style)
        axis.set(title=f"d = {damping:g}", xlabel="nodes")
        axis.grid(True, which="major", alpha=0.3)
    axes[0][0].set_ylabel("ms a query, fresh weights included")
    axes[0][-1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.tight_layout()
    for kind in ("png", "svg"):
        figure.savefig(stem.with_suffix(f".{kind}"), dpi=150, metadata={"Date": None} if kind == "svg" else None)
    plt.close(figure)
