"""The figures of a large store: python scripts/bench_store.py --turns 100000 [--json FILE]

Ingest throughput (embedding apart) of the first and the last tenth, time to open, search latency with the embedding of
the query, resident memory. A store that is kept with ``--folder`` is continued, so that a long run can be taken up
again. Turns are embedded by feature hashing, so that a run takes minutes; with ``--embedder minilm`` their vectors are
drawn instead of computed, and only queries go through the model: what a search costs does not depend on what the
vectors mean.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from memorai.memory import Memory
from memorai.models.embedders import BundledMiniLM, Embedder, HashingEmbedder
from memorai.report.manifest import git_sha, hardware, packages

sys.path.insert(0, str(Path(__file__).resolve().parent))
from store_bench.chatter import messages, queries

_GROUP = 200


class Part(NamedTuple):
    """Seconds a turn without those of the embedder, by clock and of the processor."""

    seconds: float
    processor: float


class DrawnDocuments:
    """Queries by a model, documents by a draw per text: topics of neighbours are kept by the words they share."""

    def __init__(self, model: Embedder) -> None:
        self._model = model
        self._words = HashingEmbedder(dim=model.dim)
        self.name, self.languages, self.dim = model.name, model.languages, model.dim
        self.model_id = f"{model.model_id}|drawn documents"
        self.seconds = 0.0  # processor's, so that a busy machine does not blur the difference

    def embed(self, texts: Sequence[str], kind: Literal["document", "query"] = "document") -> np.ndarray:
        start = time.process_time()
        found = (self._model if kind == "query" else self._words).embed(texts, kind)
        if kind == "document":
            self.seconds += time.process_time() - start
        return found


def embedder_of(name: str) -> DrawnDocuments:
    return DrawnDocuments(BundledMiniLM(device="cpu", cache=False) if name == "minilm" else HashingEmbedder())


def ingest(folder: Path, turns: int, name: str) -> tuple[dict[str, Any], list[Part]]:
    """Add what is missing up to so many turns; return the figures of the store, and the cost of every tenth added."""
    embedder, tenth = embedder_of(name), max(1, turns // 10)
    parts: list[Part] = []
    with Memory.open(folder, embedder=embedder, group_messages=_GROUP) as memory:
        there = memory.stats()["turns"]
        missing = islice(messages(turns), there, None)
        for _ in range(there, turns, tenth):
            clocks = time.perf_counter(), time.process_time(), embedder.seconds
            count = sum(len(memory.add(message).ids) for message in islice(missing, tenth))
            memory.flush()
            inside = embedder.seconds - clocks[2]
            wall, processor = time.perf_counter() - clocks[0], time.process_time() - clocks[1]
            parts.append(Part((wall - inside) / count, (processor - inside) / count))
            print(f"{memory.stats()['turns']:8} turns, {1e3 * parts[-1].seconds:.2f} ms a turn", file=sys.stderr)
        stats = memory.stats()
        closing = time.perf_counter()
    figures = {"close_seconds": time.perf_counter() - closing, "megabytes": stats["bytes"] / 2**20}
    figures |= {kind: stats[kind] for kind in ("entities", "relations", "mentions")}
    return figures | {"nodes": sum(stats[kind] for kind in ("turns", "entities", "segments"))}, parts


def mean(parts: Sequence[Part]) -> Part:
    """The cost of parts of one size taken together."""
    return Part(*(float(np.mean(values)) for values in zip(*parts, strict=True)))


def growth(first: Part, last: Part) -> dict[str, float]:
    """What a turn costs at the beginning and at the end."""
    return {
        "turns_per_second": 1 / last.seconds,
        "ms_per_turn_first_tenth": 1e3 * first.seconds,
        "ms_per_turn_last_tenth": 1e3 * last.seconds,
        "last_over_first": last.seconds / first.seconds,
        "last_over_first_cpu": last.processor / first.processor,
    }


def search(folder: Path, turns: int, name: str, count: int) -> dict[str, Any]:
    """Open the store and ask; in a process of its own, so that memory is what a reader needs."""
    embedder = embedder_of(name)
    embedder.embed(["load the model"], "query")
    start = time.perf_counter()
    memory = Memory.open(folder, embedder=embedder, cached_queries=0)
    opened = time.perf_counter() - start
    asked = queries(count + 5, turns)
    for text in asked[:5]:
        memory.search(text, touch=False)
    times, inside = [], []
    for text in asked[5:]:
        start = time.perf_counter()
        embedder.embed([text], "query")
        inside.append(time.perf_counter() - start)
        start = time.perf_counter()
        memory.search(text)
        times.append(time.perf_counter() - start)
    new = []
    for i, text in enumerate(queries(20, turns, seed=2)):
        memory.add({"role": "user", "content": f"A new message {i} of today.", "session": "new"})
        memory.flush()
        start = time.perf_counter()
        memory.search(text)
        new.append(time.perf_counter() - start)
    return {
        "open_seconds": opened,
        "search_p50_ms": 1e3 * float(np.percentile(times, 50)),
        "search_p95_ms": 1e3 * float(np.percentile(times, 95)),
        "embed_query_p50_ms": 1e3 * float(np.percentile(inside, 50)),
        "search_after_write_p50_ms": 1e3 * float(np.percentile(new, 50)),
        "search_after_write_p95_ms": 1e3 * float(np.percentile(new, 95)),
        "resident_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "queries": len(times),
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--embedder", choices=("minilm", "hashing"), default="minilm")
    parser.add_argument("--folder", help="keep the store there; one that exists is continued")
    parser.add_argument("--json", help="write the figures to this file")
    parser.add_argument("--only-search", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.only_search:
        print(json.dumps(search(Path(options.folder), options.turns, options.embedder, options.queries)))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary) / "store"
        figures: dict[str, Any] = {"turns": options.turns, "embedder": options.embedder}
        made, parts = ingest(folder, options.turns, options.embedder)
        figures |= made
        if parts:
            # what continues a store adds a first tenth to another, so that both are measured at one time
            other = Path(temporary) / "first"
            begun = parts[:1] if len(parts) == 10 else ingest(other, options.turns // 10, options.embedder)[1]
            figures |= growth(mean(begun), parts[-1])
        command = [sys.executable, __file__, "--only-search", "--folder", str(folder), "--turns", str(options.turns)]
        command += ["--embedder", options.embedder, "--queries", str(options.queries)]
        child = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # the same package, installed or not
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=child, check=False)
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            return 1
        figures |= json.loads(done.stdout.splitlines()[-1])
    figures |= {"code": git_sha(), "hardware": hardware(), "packages": packages()}
    for key, value in figures.items():
        print(f"{key:28} {value:.3f}" if isinstance(value, float) else f"{key:28} {value}")
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
