"""Compare what can be learned, leave-one-conversation-out on the same evidence: walk, linear, MLP, graph network.

    python scripts/compare_scorers.py dataset.path=data/locomo/locomo10.json +out=outputs/scorers

Settings are fixed before the run (below), one seed, so that the four differ in the model alone; further arguments are
Hydra overrides of ``+experiment=learning_loco``. Writes table.md, tests.md and values.json into ``out``.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from memorai.harness.build import SystemFactory, build_dataset
from memorai.harness.load import conf_dir
from memorai.harness.run import Outcome
from memorai.learn.examples import Group, collect
from memorai.learn.fit import Settings, fit, scores_of
from memorai.learn.hgnn import fit_hetero, hetero_scores
from memorai.learn.ppr import LearnedWalk, WalkExample, fit_walk
from memorai.report.compare import Scored, comparison, scored_rows
from memorai.report.render import to_markdown
from memorai.report.tables import wide_table
from memorai.retrieval.indexed import QueryView
from memorai.retrieval.scores import z_score
from memorai.types import Ranking

KS = (1, 3, 5, 10)
SEED = 0
SETTINGS = {
    "linear": Settings(hidden=0, epochs=20),
    "lambda": Settings(hidden=32, epochs=10, loss="lambda", candidates=60),
    "mlp": Settings(hidden=32, epochs=15),
    "hgnn": Settings(hidden=32, epochs=8, candidates=64, batch=64),
}


def main() -> None:
    torch.set_num_threads(1)
    out = [a.removeprefix("+out=") for a in sys.argv[1:] if a.startswith("+out=")]
    overrides = [a for a in sys.argv[1:] if not a.startswith("+out=")]
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        config = compose("train", ["+experiment=learning_loco", *overrides])
    dataset, evidence = build_dataset(config), instantiate(config.evidence)
    system = SystemFactory(config).build(config.systems.memorai_plus)
    groups = collect(dataset, system, evidence)
    walks = _walk_examples(dataset, system, evidence)
    names = tuple(evidence.fused)

    def walk_scores(conditioned: bool) -> Callable[[int], np.ndarray]:
        def scores(i: int) -> np.ndarray:
            walk = fit_walk([w for j, w in enumerate(walks) if j != i], names, SEED, conditioned=conditioned)
            learned[f"{conditioned}/{groups[i].conversation}"] = walk.values()
            return _walked(walk, walks[i])

        return scores

    def scorer(name: str) -> Callable[[int], np.ndarray]:
        return lambda i: scores_of(fit(_without(groups, i), SETTINGS[name], SEED).model, groups[i])

    def network(i: int) -> np.ndarray:
        settings = SETTINGS["hgnn"]
        return hetero_scores(fit_hetero(_without(groups, i), settings, SEED), groups[i], settings.candidates)

    learned: dict[str, dict[str, float]] = {}
    kinds: dict[str, Callable[[int], np.ndarray]] = {
        "walk untrained": lambda i: _walked(LearnedWalk(names, conditioned=False), walks[i]),
        "walk learned": walk_scores(False),
        "walk learned, query-conditioned": walk_scores(True),
        **{name: scorer(name) for name in ("linear", "lambda", "mlp")},
        "hgnn": network,
    }
    scored: dict[str, Scored] = {}
    for name, scores in kinds.items():
        start = time.perf_counter()
        rankings: dict[str, Ranking] = {}
        for i, group in enumerate(groups):
            rankings |= _ranked(group, scores(i))
        scored[name] = scored_rows(dataset, Outcome(name, rankings), KS)
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
    folder = Path(out[0] if out else "outputs/scorers")
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, values in scored.items():
        protocol = "untrained" if name == "walk untrained" else "loco"
        rows += values.rows(dataset=dataset.name, protocol=protocol, system=name, order=dataset.categories)
    table = to_markdown(wide_table(rows))
    others = {name: values for name, values in scored.items() if name != "mlp"}
    tests = to_markdown(comparison("mlp", scored["mlp"], others))
    (folder / "table.md").write_text(table, encoding="utf-8")
    (folder / "tests.md").write_text(tests, encoding="utf-8")
    (folder / "values.json").write_text(json.dumps(learned, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(table, tests, sep="\n")


def _walk_examples(dataset, system, evidence) -> list[WalkExample]:
    examples = []
    for conversation in dataset.conversations:
        questions = [question for question in conversation.questions if question.evidence]
        view = QueryView(system.index(conversation).indexed, [question.query for question in questions])
        ids = [turn.id for turn in view.graph.turns]
        gold = torch.tensor(np.array([np.isin(ids, q.evidence) for q in questions]).T, dtype=torch.float64)
        scores = {name: z_score(scorer.score(view)) for name, scorer in evidence.fused.items()}
        examples.append(WalkExample(view, scores, gold))
    return examples


def _walked(walk: LearnedWalk, example: WalkExample) -> np.ndarray:
    with torch.no_grad():
        return walk(example).T.numpy()


def _without(groups: list[Group], i: int) -> list[Group]:
    return [group for j, group in enumerate(groups) if j != i]


def _ranked(group: Group, scores: np.ndarray) -> dict[str, Ranking]:
    rankings = {}
    for question, row in zip(group.questions, scores, strict=True):
        order = np.argsort(-row, kind="stable")[: max(KS)]
        ids = tuple(group.turn_ids[i] for i in order)
        rankings[question.id] = Ranking(question.id, ids, tuple(row[order].tolist()))
    return rankings


if __name__ == "__main__":
    main()
