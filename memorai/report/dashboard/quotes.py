"""What the missed questions asked, from the data itself; only for whoever has it and asks for it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memorai.datasets.jsonl import load_jsonl
from memorai.errors import InputError
from memorai.harness.load import conf_dir, load_dataset
from memorai.types import Dataset

#: (sha256 of the data, question) -> (text, answer)
Quotes = dict[tuple[str, str], tuple[str, str]]


def read_quotes(data: Iterable[tuple[str, str]], files: Iterable[Path] = ()) -> Quotes:
    """Load the data that runs were measured on and return its questions.

    Nothing of a results file but a name is used to find the data: no path in it is opened.

    Args:
        data: (name, sha256) of each data set wanted.
        files: conversations of one's own, as JSONL, which no configuration names.

    Raises:
        InputError: a data set is not found, or is not what the runs saw (sha256).
    """
    own = {found.sha256: found for found in map(load_jsonl, files)}
    quotes: Quotes = {}
    for name, sha256 in dict.fromkeys(data):
        found = own.get(sha256) or _named(name)
        if found.sha256 != sha256:
            raise InputError(f"--quote: {name} is not the data of the runs (sha256); give theirs with --data FILE")
        for conversation in found.conversations:
            for question in conversation.questions:
                quotes[sha256, question.id] = (question.text, question.answer or "")
    return quotes


def _named(name: str) -> Dataset:
    names = {path.stem for path in (conf_dir() / "dataset").glob("*.yaml")}
    if name not in names or name == "jsonl":
        raise InputError(f"--quote: no data set is called {name}; give its file with --data FILE")
    return load_dataset(name)
