"""The data on which scripts choose values: the bundled demo and the first questions of LongMemEval-S, never LoCoMo."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from hydra import compose, initialize_config_dir
from omegaconf import DictConfig

from memorai.harness.build import SystemFactory, build_dataset, keep_indexes
from memorai.harness.load import conf_dir
from memorai.types import Dataset


def parser(description: str | None, limit: int) -> argparse.ArgumentParser:
    """Arguments that every such script takes; ``limit`` is the default."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--longmemeval", required=True, help="longmemeval_s.json in the official format")
    made.add_argument("--limit", type=int, default=limit, help="first questions of LongMemEval-S")
    return made


def development(
    system: str, demo_parts: Sequence[str], arguments: argparse.Namespace
) -> tuple[dict[str, Dataset], SystemFactory, DictConfig]:
    """Load the data sets, and what builds variants of a system that share its indexes.

    Args:
        system: a name of conf/system.
        demo_parts: of the demo, each a data set: ``en``, ``zh``.
        arguments: of `parser`.

    Returns:
        data sets by name; the factory; the system's configuration.
    """
    keep_indexes(10_000)
    sources = {f"demo_{part}": ["dataset=demo", f"dataset.part={part}"] for part in demo_parts}
    file = [f"dataset.path={arguments.longmemeval}", f"dataset.limit={arguments.limit}"]
    sources["longmemeval_s"] = ["dataset=longmemeval_s", *file]
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        configs = {name: compose("eval", [f"+system@systems.it={system}", *o]) for name, o in sources.items()}
    first = next(iter(configs.values()))
    return {name: build_dataset(config) for name, config in configs.items()}, SystemFactory(first), first.systems.it
