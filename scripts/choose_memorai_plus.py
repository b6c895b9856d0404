"""Choose values of `memorai_plus` or `memorai_plus_late` on the demo and on LongMemEval-S; LoCoMo is never looked at.

    python scripts/choose_memorai_plus.py --longmemeval data/longmemeval/longmemeval_s_cleaned.json --limit 60

The objective is the unweighted mean of turn nDCG@10 (over questions) on the demo's English part, its Chinese part and
the first questions of LongMemEval-S, climbed one value at a time from several dampings, since the values depend on one
another. Prints every trial; the last line holds the values to put into the system's file in conf/system.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import torch
from development import development, parser

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
    options = parser(__doc__, limit=60)
    options.add_argument("--system", default="memorai_plus", help="memorai_plus or memorai_plus_late")
    options.add_argument("--rounds", type=int, default=3, help="passes over all values")
    arguments = options.parse_args()
    torch.set_num_threads(1)  # the graphs are small
    datasets, factory, config = development(arguments.system, ["en", "zh"], arguments)
    objective = Objective("ndcg", "turn", 10, "weighted")

    def score(values: Mapping[str, Any]) -> float:
        system = factory.build(with_values(config, values))
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
