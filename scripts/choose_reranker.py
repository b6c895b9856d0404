"""Choose what `memorai_plus_ce` reads of a turn, how deep, and the weight of the prior. LoCoMo is never looked at.

    python scripts/choose_reranker.py --longmemeval data/longmemeval/longmemeval_s_cleaned.json --limit 30

Prints turn nDCG@10 and R@10 (means over questions) on the demo's English part and on the first questions of
LongMemEval-S for every combination, best mean nDCG@10 first. Scores of pairs are cached: a second call takes moments.
"""

from __future__ import annotations

import itertools
import json

from development import development, parser

from memorai.learn.tune import Objective, with_values

TEMPLATES = [
    {"template": "{turn}"},
    {"template": "{date} {turn}"},
    {"template": "{date} {previous} {turn}"},
    {"template": "{date} {turn} {previous}"},
]
DEPTHS = [20, 30]
ALPHAS = [0.0, 0.5, 1.0, 2.0, 4.0]


def main() -> None:
    arguments = parser(__doc__, limit=30).parse_args()
    datasets, factory, config = development("memorai_plus_ce", ["en"], arguments)
    objectives = {
        "ndcg": Objective("ndcg", "turn", 10, "weighted"),
        "recall": Objective("recall", "turn", 10, "weighted"),
    }
    tried = []
    for text, depth, alpha in itertools.product(TEMPLATES, DEPTHS, ALPHAS):
        values = {f"reranker.pair_format.{name}": value for name, value in text.items()}
        values |= {"reranker.depth": depth, "reranker.alpha": alpha}
        system = factory.build(with_values(config, values))
        parts = {(n, m): 100 * f(d, system) for n, d in datasets.items() for m, f in objectives.items()}
        mean = sum(value for (_, metric), value in parts.items() if metric == "ndcg") / len(datasets)
        shown = " ".join(f"{name}.{metric}={value:.1f}" for (name, metric), value in parts.items())
        tried.append((mean, f"{mean:.2f} {shown} {json.dumps(values)}"))
        print(tried[-1][1], flush=True)
    print("\nbest first:", *(line for _, line in sorted(tried, reverse=True)), sep="\n")


if __name__ == "__main__":
    main()
