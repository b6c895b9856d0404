# %% [markdown]
# # Your own conversations
# One JSON object a line: turns, and questions if there are any. What is wrong with a record becomes a note
# and costs no other record.

# %%
import json
import tempfile
from pathlib import Path

from memorai import Query, load_dataset, load_system

lines = [
    {
        "conversation": "team",
        "session": "mon",
        "id": "1",
        "speaker": "Ines",
        "text": "The server room is on floor four.",
        "time": "2024-05-06",
    },
    {
        "conversation": "team",
        "session": "mon",
        "id": "2",
        "speaker": "Jo",
        "text": "Thanks! Who has the key?",
        "time": "2024-05-06",
    },
    {
        "conversation": "team",
        "session": "mon",
        "id": "3",
        "speaker": "Ines",
        "text": "Petra keeps it in her desk.",
        "time": "2024-05-06",
    },
    {
        "conversation": "team",
        "session": "thu",
        "id": "4",
        "speaker": "Jo",
        "text": "Petra moved to floor two, by the way.",
        "time": "2024-05-09",
    },
    {"conversation": "team", "question": "Who has the key of the server room?", "evidence": ["3"]},
    {"conversation": "team", "question": "Where is Petra's desk now?", "evidence": ["4"]},
    {"conversation": "team", "question": "When is the fire drill?", "evidence": ["7"]},
]
folder = Path(tempfile.mkdtemp())
path = folder / "chats.jsonl"
path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")

dataset = load_dataset("jsonl", f"dataset.path={path}")
print(dict(dataset.counts))
print([(note.kind, note.detail) for note in dataset.notes])  # no turn 7 was said

# %% [markdown]
# Search needs no questions in the file.

# %%
conversation = dataset.conversations[0]
turns = {turn.id: turn for turn in conversation.turns}
index = load_system("memorai_plus").index(conversation)
for text in ("Who has the key?", "Which floor is Petra on?"):
    ranking = index.search([Query("q", text)], k=2)[0]
    print(text)
    for turn_id, score in zip(ranking.ids, ranking.scores, strict=True):
        print(f"   {score:.3f} {turns[turn_id].speaker}: {turns[turn_id].text}")

# %% [markdown]
# The graph that was searched: what it holds, and which turns each entity comes from.

# %%
graph = load_system("memorai").index(conversation).indexed.graph
print(dict(graph.statistics()))
for entity in graph.entities:
    print(f"{entity.name}: turns {', '.join(entity.turn_ids)}")

# %% [markdown]
# With questions, the file can be measured like any benchmark:
# `python -m memorai.eval +experiment=demo dataset=jsonl dataset.path=chats.jsonl`
