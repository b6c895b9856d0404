"""What ranking by a learned scorer adds to a query, without a cross-encoder: evidence and scores, one thread.

    python scripts/bench_learned.py dataset.path=data/locomo/locomo10.json +out=outputs/learned_cost.json

The longest conversation is indexed and asked its questions once, so that vectors and token vectors of turns are there,
as they are in a running memory; then evidence is computed anew for every question, one at a time and 32 at once.
MiniLM and bge vectors of a question come out of the cache, as for memorai_plus, with which it is compared; the token
vectors of a question do not.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from memorai.harness.build import SystemFactory, build_dataset
from memorai.harness.load import conf_dir
from memorai.learn.features import Evidence
from memorai.learn.scorer import EvidenceScorer
from memorai.retrieval.indexed import IndexedGraph, QueryView
from memorai.types import Query

BATCHES = (1, 32)
QUESTIONS = 64


def main() -> None:
    torch.set_num_threads(1)
    out = [a.removeprefix("+out=") for a in sys.argv[1:] if a.startswith("+out=")]
    overrides = [a for a in sys.argv[1:] if not a.startswith("+out=")]
    rows = []
    for name in ("minilm", "late"):
        # no cache of evidence or matches: they are what is timed
        fresh = ["evidence.cache=false", *(["evidence.fused.late.matcher.cache=false"] if name == "late" else [])]
        with initialize_config_dir(str(conf_dir()), version_base="1.3"):
            config = compose("train", ["+experiment=learning_loco", f"evidence={name}", *fresh, *overrides])
        dataset, evidence = build_dataset(config), instantiate(config.evidence)
        conversation = max(dataset.conversations, key=lambda c: len(c.turns))
        system = SystemFactory(config).build(config.systems.memorai_plus)
        indexed = system.index(conversation).indexed
        queries = [question.query for question in conversation.questions if question.evidence][:QUESTIONS]
        _ = evidence(QueryView(indexed, queries))  # fills vectors, token vectors and indexes of the turns
        model = EvidenceScorer(torch.zeros(len(evidence.names)), torch.ones(len(evidence.names)), hidden=64).eval()
        for batch in BATCHES:
            values, plain = [], []
            for start in range(0, len(queries), batch):
                part = queries[start : start + batch]
                values.append(_seconds(partial(_scored, model, evidence), indexed, part))
                plain.append(_seconds(system.retriever.retrieve, indexed, part))
            added = 1000 * (np.array(values) - np.array(plain)) / batch
            row = {"evidence": name, "turns": len(conversation.turns), "questions_at_once": batch}
            row |= {"added_ms_p50": round(float(np.median(added)), 2)}
            row |= {"added_ms_p95": round(float(np.quantile(added, 0.95)), 2)}
            row |= {"memorai_plus_ms_p50": round(1000 * float(np.median(plain)) / batch, 2)}
            rows.append(row)
            print(row, flush=True)
    if out:
        Path(out[0]).parent.mkdir(parents=True, exist_ok=True)
        Path(out[0]).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def _seconds(run: Callable[[QueryView], object], indexed: IndexedGraph, queries: list[Query]) -> float:
    start = time.perf_counter()
    run(QueryView(indexed, queries))
    return time.perf_counter() - start


def _scored(model: EvidenceScorer, evidence: Evidence, view: QueryView) -> torch.Tensor:
    with torch.inference_mode():
        return model(torch.from_numpy(np.ascontiguousarray(evidence(view).values)))


if __name__ == "__main__":
    main()
