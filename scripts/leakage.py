#!/usr/bin/env python3
"""How far the questions of a data set repeat the words of their evidence, by category.

python scripts/leakage.py demo
python scripts/leakage.py jsonl --path chats.jsonl
"""

from __future__ import annotations

import argparse
import sys

from memorai.datasets.demo import load_demo
from memorai.datasets.jsonl import load_jsonl
from memorai.datasets.leakage import Tokenize, overlap_rows, question_overlap
from memorai.datasets.locomo import load_locomo
from memorai.datasets.longmemeval import load_longmemeval
from memorai.errors import InputError
from memorai.types import Dataset

NAMES = ("demo", "locomo", "longmemeval_oracle", "jsonl")


def load(name: str, path: str | None) -> Dataset:
    if name == "demo":
        if path is not None:
            raise InputError("demo is bundled: leave --path out")
        return load_demo()
    if name == "jsonl":
        if path is None:
            raise InputError("jsonl needs --path FILE")
        return load_jsonl(path)
    return load_locomo(path) if name == "locomo" else load_longmemeval(path)


def table(dataset: Dataset, tokenize: Tokenize) -> str:
    rows = overlap_rows(dataset, question_overlap(dataset, tokenize))
    lines = [f"{dataset.name} ({dataset.version})", f"{'category':<28}{'n':>6}{'mean':>8}{'median':>8}{'> 0.5':>8}"]
    lines += [f"{r.category:<28}{r.n:>6}{r.mean:>8.3f}{r.median:>8.3f}{r.above_half:>8.3f}" for r in rows]
    return "\n".join(lines)


def main(argv: list[str] | None = None, tokenize: Tokenize | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", choices=NAMES)
    parser.add_argument("--path", help="the file; by default the one under $MEMORAI_DATA")
    args = parser.parse_args(argv)
    if tokenize is None:
        from memorai.index.tokenize import Tokenizer

        tokenize = Tokenizer()
    try:
        print(table(load(args.dataset, args.path), tokenize))
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
