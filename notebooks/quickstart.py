# %% [markdown]
# # Quick start
# A percent-format script: open it as a notebook (Jupytext, VS Code) or run it with `python notebooks/quickstart.py`.
# It needs nothing but the package: the demo conversations and the default embedder are bundled.

# %%
from memorai import Query, load_dataset, load_system

dataset = load_dataset("demo", "dataset.part=en")
conversation = dataset.conversations[0]
print(
    f"{len(conversation.turns)} turns in {len(conversation.sessions)} sessions, {len(conversation.questions)} questions"
)

# %% [markdown]
# A system turns a conversation into an index; the index answers queries with turns, best first.

# %%
turns = {turn.id: turn for turn in conversation.turns}
question = conversation.questions[0]
for name in ("bm25", "memorai_plus"):
    index = load_system(name).index(conversation)
    ranking = index.search([question.query], k=5)[0]
    print(f"\n{name}: {question.text}")
    for turn_id, score in zip(ranking.ids, ranking.scores, strict=True):
        mark = "*" if turn_id in question.evidence else " "
        print(f"{mark} {score:.4f} {turn_id:>7} {turns[turn_id].speaker}: {turns[turn_id].text[:80]}")

# %% [markdown]
# Every choice is a configuration value: the same system under another damping.

# %%
for damping in (0.0, 0.6, 0.9):
    system = load_system("memorai_plus", f"systems.memorai_plus.retriever.damping={damping}")
    ranking = system.index(conversation).search([Query("q", question.text)], k=3)[0]
    print(f"damping {damping}: {', '.join(ranking.ids)} after {ranking.info['iterations']} iterations")
