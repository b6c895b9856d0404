# %% [markdown]
# # Ablate a part you wrote
# A part is a class with one method. This one is a restart: it decides where the walk of a query begins. It is put in
# place of the one
# that `memorai` has, and the two are compared on the same questions.

# %%
import torch
from torch import Tensor

from memorai import load_dataset, load_system
from memorai.graph.schema import TURN
from memorai.harness.run import run_systems, scored_questions
from memorai.metrics.retrieval import ndcg
from memorai.metrics.statistics import paired_permutation
from memorai.retrieval.indexed import QueryView


class LateRestart:
    """Mass on turns by their cosine with the query, less of it the earlier they were said."""

    def __init__(self, fade: float = 0.5) -> None:
        self.fade = fade

    def mass(self, view: QueryView, mask: Tensor) -> Tensor:
        """Return [N, Q] >= 0, zero outside the mask [N, Q]."""
        restart = view.zeros()
        share = torch.linspace(self.fade, 1, view.graph.sizes[TURN], dtype=restart.dtype)
        restart[view.graph.rows(TURN)] = view.similarity(TURN).clamp_min(0) * share[:, None]
        return restart * mask


# %% [markdown]
# Everything but the restart stays as it is. On the command line the same is a YAML file and one override; the page
# "Add a part in thirty lines" has both.

# %%
systems = {"memorai": load_system("memorai")}
for fade in (1.0, 0.5, 0.0):
    name = f"late {fade}"
    systems[name] = load_system("memorai")
    systems[name].retriever.restart = LateRestart(fade)

dataset = load_dataset("demo", "dataset.part=en")
outcomes = run_systems(dataset, systems, k=10, progress=False)

# %% [markdown]
# One value a question and system, then a test of the difference that swaps whole conversations where there are several.

# %%
questions = [(c.id, q) for c in dataset.conversations for q in scored_questions(c)]
values = {
    outcome.system: [ndcg(outcome.rankings[q.id].ids, q.evidence, 10) for _, q in questions] for outcome in outcomes
}
clusters = [conversation for conversation, _ in questions]
for name, found in values.items():
    test = paired_permutation(found, values["memorai"], clusters)
    mean = sum(found) / len(found)
    print(
        f"{name:10} nDCG@10 {100 * mean:5.1f}   against memorai {100 * test.difference:+5.1f}, p = {test.p_value:.3f}"
    )
print(f"n = {len(questions)} questions, {len(set(clusters))} conversations")

# %% [markdown]
# Few conversations give no small p, whatever the difference: a claim needs a larger data set, and a value that was
# chosen on it has to be
# reported as such.
