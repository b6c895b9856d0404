"""Choose values of `memorai_plus` or `memorai_plus_late` on the demo and on LongMemEval-S; LoCoMo is never looked at.

    python scripts/choose_memorai_plus.py --longmemeval data/longmemeval/longmemeval_s_cleaned.json --limit 60

The objective is the unweighted mean of turn nDCG@10 (over questions) on the demo's English part, its Chinese part and
the first questions of LongMemEval-S, climbed one value at a time from several dampings, since the values depend on one
another. Prints every trial; the last line holds the values to put into the system's file in conf/system.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any

import torch
from hydra import compose, initialize_config_dir

from memorai.harness.build import SystemFactory, build_dataset, keep_indexes
from memorai.harness.load import conf_dir
from memorai.learn.tune import Objective, with_values

START = {
    "retriever.damping": 0.5,
    "retriever.restart.transform.temperature": 1.0,
    "retriever.restart.scorer.weights": [1.0, 1.0],
    "retriever.weights.types.next": 1.0,
    "retriever.weights.types.mentioned_in": 1.0,
    "retriever.weights.types.part_of": 0.5,
}
GRID = {
    "retriever.restart.transform.temperature": [0.25, 0.35, 0.5, 0.7, 1.0],
    # only the ratios of the edge types matter: `next` stays, the others move
    "retriever.weights.types.mentioned_in": [0.125, 0.25, 0.5, 1.0, 2.0],
    "retriever.weights.types.part_of": [0.0, 0.25, 0.5, 1.0],
    "retriever.restart.scorer.weights": [[1.0, 0.25], [1.0, 0.5], [1.0, 0.75], [1.0, 1.0], [0.5, 1.0]],
    # last, so that each start keeps its damping until the others have moved
    "retriever.damping": [0.2, 0.35, 0.5, 0.6, 0.7],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--longmemeval", required=True, help="longmemeval_s.json in the official format")
    parser.add_argument("--system", default="memorai_plus", help="memorai_plus or memorai_plus_late")
    parser.add_argument("--limit", type=int, default=60, help="first questions of LongMemEval-S")
    parser.add_argument("--rounds", type=int, default=3, help="passes over all values")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the graphs are small
    keep_indexes(10_000)
    sources = {
        "demo_en": ["dataset=demo", "dataset.part=en"],
        "demo_zh": ["dataset=demo", "dataset.part=zh"],
        "longmemeval_s": [
            "dataset=longmemeval_s",
            f"dataset.path={arguments.longmemeval}",
            f"dataset.limit={arguments.limit}",
        ],
    }
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        configs = {name: compose("eval", [f"+system@systems.it={arguments.system}", *o]) for name, o in sources.items()}
    datasets = {name: build_dataset(config) for name, config in configs.items()}
    first = next(iter(configs.values()))
    factory, objective = SystemFactory(first), Objective("ndcg", "turn", 10, "weighted")

    def score(values: Mapping[str, Any]) -> float:
        system = factory.build(with_values(first.systems.it, values))
        parts = {name: objective(dataset, system) for name, dataset in datasets.items()}
        mean = sum(parts.values()) / len(parts)
        shown = " ".join(f"{name}={100 * value:.1f}" for name, value in parts.items())
        print(f"{100 * mean:.2f} {shown} {json.dumps(dict(values))}", flush=True)
        return mean

    def climb(start: Mapping[str, Any]) -> tuple[float, dict[str, Any]]:
        best, values = score(start), dict(start)
        for _ in range(arguments.rounds):
            before = best
            for path, candidates in GRID.items():
                for value in candidates:
                    if value != values[path] and (found := score({**values, path: value})) > best:
                        best, values = found, {**values, path: value}
            if best == before:
                break
        return best, values

    starts = [{**START, "retriever.damping": damping} for damping in GRID["retriever.damping"]]
    best, values = max((climb(start) for start in starts), key=lambda found: found[0])
    print(f"chosen: {100 * best:.2f} {json.dumps(values)}")


if __name__ == "__main__":
    main()
