"""What each part of the untrained walk is worth: edge types, weights, seeds; with paired tests against the whole.

    python scripts/ablate_graph.py dataset=locomo_lmeb text_format=locomo +out=outputs/graph +system=memorai_plus_late

Further arguments are Hydra overrides of an evaluation. Writes table.md and tests.md into ``out``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from hydra import compose, initialize_config_dir

from memorai.harness.build import SystemFactory, build_dataset, keep_indexes
from memorai.harness.load import conf_dir
from memorai.harness.run import run_systems
from memorai.report.compare import comparison, scored_rows
from memorai.report.render import to_markdown
from memorai.report.tables import wide_table

KS = (1, 3, 5, 10)
_IT = "systems.it."
_TYPES = f"{_IT}retriever.weights.types."
#: variation -> overrides of the system; none of the numbers is chosen here
VARIANTS = {
    "whole": [],
    "no walk": [f"{_IT}retriever.damping=0.0"],
    "no next": [f"{_TYPES}next=0.0"],
    "no mentions": [f"{_TYPES}mentioned_in=0.0"],
    "with sessions": [f"{_TYPES}part_of=0.5"],
    "uniform weights": ["weights@systems.it.retriever.weights=uniform"],
    "query-conditioned weights": ["weights@systems.it.retriever.weights=cosine", f"+{_IT}entity_vectors=centroid"],
    "conditioned and static": [
        "weights@systems.it.retriever.weights=cosine",
        f"{_IT}retriever.weights.static=true",
        f"+{_IT}entity_vectors=centroid",
    ],
    "first seeds alone": [f"{_IT}retriever.restart.scorer.weights=[1.0,0.0]"],
    "BM25 seeds alone": [f"{_IT}retriever.restart.scorer.weights=[0.0,1.0]"],
    "uniform seeds": [f"{_IT}retriever.restart.transform.temperature=1000000.0"],
}


def main() -> None:
    torch.set_num_threads(1)  # the graphs are small
    keep_indexes(10_000)
    own = dict(a.removeprefix("+").split("=", 1) for a in sys.argv[1:] if a.startswith(("+out=", "+system=")))
    overrides = [a for a in sys.argv[1:] if not a.startswith(("+out=", "+system="))]
    base = [f"+system@systems.it={own.get('system', 'memorai_plus')}", *overrides]
    systems, factory, dataset = {}, None, None
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        for name, changes in VARIANTS.items():
            config = compose("eval", [*base, *changes])
            factory = factory or SystemFactory(config)
            dataset = dataset or build_dataset(config)
            systems[name] = factory.build(config.systems.it)
    assert dataset is not None
    scored = {o.system: scored_rows(dataset, o, KS) for o in run_systems(dataset, systems, max(KS))}
    rows = []
    for name, values in scored.items():
        rows += values.rows(dataset=dataset.name, protocol="untrained", system=name, order=dataset.categories)
    table = to_markdown(wide_table(rows))
    tests = to_markdown(comparison("whole", scored["whole"], {n: v for n, v in scored.items() if n != "whole"}))
    folder = Path(own.get("out", "outputs/graph"))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "table.md").write_text(table, encoding="utf-8")
    (folder / "tests.md").write_text(tests, encoding="utf-8")
    print(table, tests, sep="\n")


if __name__ == "__main__":
    main()
