"""Fit the extractive reader on the answers and evidence of the demo and of LongMemEval's oracle file, never LoCoMo's.

    python scripts/fit_reader.py data/longmemeval/longmemeval_oracle.json [--out memorai/answer/span_model.json]

Prints what five folds of questions give, then fits on all of them. About ten minutes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch

from memorai.answer.context import RankedContext
from memorai.answer.sentences import SENTENCE_FEATURES, TURN_FEATURES
from memorai.answer.spans import SPAN_FEATURES
from memorai.harness.load import load_dataset, load_system
from memorai.learn.reader import Example, chosen_f1, collect, fit_spans, fit_turns, sentence_and_span

FOLDS, SEEDS = 5, (0, 1, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("longmemeval", help="LongMemEval's oracle file")
    parser.add_argument("--out", type=Path, default=Path("memorai/answer/span_model.json"))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    builder, examples = RankedContext(10, relations=False), []
    for name, overrides in (("demo", ()), ("longmemeval_oracle", (f"dataset.path={arguments.longmemeval}",))):
        dataset = load_dataset(name, *overrides)
        examples += collect(dataset, load_system("memorai_plus"), builder)
        print(f"{name}: {len(examples)} examples so far", flush=True)
    report(examples)
    turns = fit_turns(examples)
    spans = np.mean([fit_spans(examples, seed=seed) for seed in SEEDS], axis=0)
    sentence, span = sentence_and_span(spans)
    weights = {
        "trained_on": ["demo", "longmemeval_oracle", "longmemeval_s", "longmemeval_pooled"],
        "turn": rounded(TURN_FEATURES, turns),
        "sentence": rounded(SENTENCE_FEATURES, sentence),
        "span": rounded(SPAN_FEATURES, span),
    }
    arguments.out.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {arguments.out}")


def report(examples: list[Example]) -> None:
    """Print, by five folds of questions: how often the best turn is evidence, and the F1 of the stretch chosen."""
    places = np.random.default_rng(0).permutation(len(examples))
    hits, scores = np.zeros(len(examples)), np.full(len(examples), np.nan)
    for fold in np.array_split(places, FOLDS):
        rest = [examples[i] for i in np.setdiff1d(places, fold)]
        turns, spans = fit_turns(rest), fit_spans(rest)
        for i in fold:
            hits[i] = examples[i].gold[int(np.argmax(examples[i].turns @ turns))]
            if len(examples[i].owner):
                scores[i] = chosen_f1(examples[i], turns, spans)
    first = [one.gold[int(np.argmax(one.turns[:, 0]))] for one in examples]
    print(f"best turn is evidence: {100 * np.mean(hits):.1f} (ranking: {100 * np.mean(first):.1f}), n={len(examples)}")
    print(f"F1 of the stretch chosen: {100 * np.nanmean(scores):.1f}, n={np.isfinite(scores).sum()}")


def rounded(names: tuple[str, ...], values: np.ndarray) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in zip(names, values, strict=True)}


if __name__ == "__main__":
    main()
