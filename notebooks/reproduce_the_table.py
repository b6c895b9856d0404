# %% [markdown]
# # Reproduce the table
# The README's table, on the bundled conversations instead of LoCoMo: the same systems, metrics and intervals. With
# LoCoMo at hand,
# replace the first line by `load_dataset("locomo_lmeb")`.

# %%
from memorai import load_dataset, load_system
from memorai.harness.run import run_systems
from memorai.report.run import rows_of

dataset = load_dataset("demo")
names = ("bm25", "dense", "hybrid_zscore", "memorai", "memorai_plus")
systems = {name: load_system(name) for name in names}
print(dict(dataset.counts))

# %% [markdown]
# Every system indexes every conversation and answers the same questions. A system sees questions, never their evidence.

# %%
outcomes = run_systems(dataset, systems, k=10, progress=False)

# %% [markdown]
# `weighted` is the mean over questions, `macro` the mean of the categories' means. The interval comes from resampling
# whole
# conversations; with three of them it is wide, and says so.

# %%
for outcome in outcomes:
    rows = rows_of(dataset, outcome, [10])
    shown = {(row.metric, row.category): row for row in rows if row.unit == "turn"}
    cells = []
    for metric in ("ndcg", "recall"):
        row = shown[metric, "weighted"]
        cells.append(f"{metric}@10 {100 * row.value:5.1f} [{100 * row.lo:.1f}, {100 * row.hi:.1f}]")
    print(f"{outcome.system:14} {'   '.join(cells)}   n = {row.n}")

# %% [markdown]
# The command line does the same and writes the table as Markdown, LaTeX and CSV, with a manifest of how it came about:
# `python -m memorai.eval +experiment=locomo_lmeb`.
