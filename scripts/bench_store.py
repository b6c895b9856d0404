"""The figures of a large store: python scripts/bench_store.py --turns 100000 [--json FILE]

Ingest throughput (embedding apart) of the first and the last tenth, time to open, search latency with the embedding of
the query, resident memory. Turns are embedded by feature hashing, so that a run takes minutes; with
``--embedder minilm`` their vectors are drawn instead of computed, and only queries go through the model: what a
search costs does not depend on what the vectors mean.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from memorai.memory import Memory
from memorai.models.embedders import BundledMiniLM, Embedder, HashingEmbedder
from memorai.report.manifest import git_sha, hardware, packages

sys.path.insert(0, str(Path(__file__).resolve().parent))
from store_bench.chatter import messages, queries

_GROUP = 200


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


def ingest(folder: Path, turns: int, name: str) -> dict[str, Any]:
    """Add the turns in groups; seconds a turn of every tenth, without those of the embedder, by clock and processor."""
    embedder = embedder_of(name)
    tenth = max(1, turns // 10)
    seconds: list[float] = []
    processor: list[float] = []
    with Memory.open(folder, embedder=embedder, group_messages=_GROUP) as memory:
        start, inside, used = time.perf_counter(), embedder.seconds, time.process_time()
        for i, message in enumerate(messages(turns), 1):
            memory.add(message)
            if i % tenth == 0:
                memory.flush()
                now = time.perf_counter()
                seconds.append((now - start - (embedder.seconds - inside)) / tenth)
                processor.append((time.process_time() - used - (embedder.seconds - inside)) / tenth)
                start, inside, used = now, embedder.seconds, time.process_time()
        stats = memory.stats()
        closing = time.perf_counter()
    return {
        "turns_per_second": 1 / float(np.mean(seconds)),
        "ms_per_turn_first_tenth": 1e3 * seconds[0],
        "ms_per_turn_last_tenth": 1e3 * seconds[-1],
        "last_over_first": seconds[-1] / seconds[0],
        "last_over_first_cpu": processor[-1] / processor[0],
        "close_seconds": time.perf_counter() - closing,
        "nodes": sum(stats[kind] for kind in ("turns", "entities", "segments")),
        "entities": stats["entities"],
        "relations": stats["relations"],
        "megabytes": stats["bytes"] / 2**20,
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
    parser.add_argument("--folder", help="keep the store there; one that exists is not filled again")
    parser.add_argument("--json", help="write the figures to this file")
    parser.add_argument("--only-search", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.only_search:
        print(json.dumps(search(Path(options.folder), options.turns, options.embedder, options.queries)))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary) / "store"
        figures: dict[str, Any] = {"turns": options.turns, "embedder": options.embedder}
        if not folder.exists():
            figures |= ingest(folder, options.turns, options.embedder)
        command = [sys.executable, __file__, "--only-search", "--folder", str(folder), "--turns", str(options.turns)]
        command += ["--embedder", options.embedder, "--queries", str(options.queries)]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
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
