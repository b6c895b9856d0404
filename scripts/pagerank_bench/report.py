"""The rows as text, Markdown and a log-log plot."""

from __future__ import annotations

from collections.abc import Sequence

from .curve import Point
from .measure import Row
from .probe import bytes_of_power


def progress(row: Row) -> str:
    """One line while the benchmark runs."""
    return (
        f"  {row.engine:22s} d={row.damping:<4g} {row.ms_per_query:10.3f} ms/query   top20 {row.top20_agreement:.3f}   "
        f"peak {row.peak_mb:6.0f} MiB   residual {row.residual:.1e}"
    )


def markdown(rows: Sequence[Row], points: Sequence[Point], bandwidth: float) -> str:
    """All tables."""
    return "\n".join([*_engines(rows, bandwidth), "", *_curve(points), ""])


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
