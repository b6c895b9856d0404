# %% [markdown]
# # Read a failure
# A figure says how often a system fails; this notebook looks at one question to see why. It needs the demo alone.

# %%
from memorai import load_dataset, load_system
from memorai.harness.run import run_systems, scored_questions
from memorai.metrics.retrieval import recall

dataset = load_dataset("demo", "dataset.part=en")
systems = {name: load_system(name) for name in ("bm25", "dense", "memorai_plus")}
outcomes = {outcome.system: outcome for outcome in run_systems(dataset, systems, k=50, progress=False)}

# %% [markdown]
# Which questions does `memorai_plus` miss something of in its first ten turns, and what did the others make of them?

# %%
asked = [
    (conversation, question) for conversation in dataset.conversations for question in scored_questions(conversation)
]


def found(system, question, k=10):
    """Share of the evidence among the first k turns."""
    return recall(outcomes[system].rankings[question.id].ids, question.evidence, k)


missed = sorted(
    (pair for pair in asked if found("memorai_plus", pair[1]) < 1), key=lambda p: found("memorai_plus", p[1])
)
print(f"{len(missed)} of {len(asked)} questions miss some evidence")
for _, question in missed[:5]:
    shares = ", ".join(f"{name} {found(name, question):.2f}" for name in systems)
    print(f"- [{question.category}] {question.text}  ({shares})")

# %% [markdown]
# One of them in full: what was asked for, at which rank each system has it, and what stood above it.

# %%
conversation, question = missed[0]
turns = {turn.id: turn for turn in conversation.turns}
print(question.text)
for turn_id in question.evidence:
    ranks = []
    for name in systems:
        ids = outcomes[name].rankings[question.id].ids
        ranks.append(f"{name} {ids.index(turn_id) + 1 if turn_id in ids else 'beyond 50'}")
    print(f"  evidence {turn_id} ({'; '.join(ranks)}): {turns[turn_id].text}")
for turn_id in outcomes["memorai_plus"].rankings[question.id].ids[:3]:
    print(f"  instead  {turn_id}: {turns[turn_id].text}")

# %% [markdown]
# Does the walk reach it? Without the walk (damping 0) only the seeds rank; the more damping, the more the neighbours
# say.

# %%
for damping in (0.0, 0.3, 0.6, 0.9):
    system = load_system("memorai_plus", f"systems.memorai_plus.retriever.damping={damping}")
    ids = system.index(conversation).search([question.query], k=len(turns))[0].ids
    print(f"damping {damping}: evidence at ranks {sorted(ids.index(turn_id) + 1 for turn_id in question.evidence)}")

# %% [markdown]
# A run of `memorai.eval` with `+experiment=compare` writes `failures.md`, which lists such questions for every system.
