"""`python -m memorai.explain` from its command line to its file."""

from __future__ import annotations

import json
import re
import runpy
import shlex
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir

from memorai.explain import main
from memorai.harness.load import conf_dir

DOCS = (Path(__file__).resolve().parents[1] / "docs" / "explain.md").read_text(encoding="utf-8")


def data_of(path) -> dict:
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', text, flags=re.DOTALL)[1])


QUICK = ("+experiment=demo", "dataset=jsonl", "embedder=hashing")


def test_one_question_under_two_systems(command, chats):
    done = command(main, *QUICK, f"dataset.path={chats}", "question=c1:q1", "show=[bm25,memorai]", "k=2")
    assert done.code == 0
    assert done.out.splitlines()[-1] == f"wrote {done.folder / 'explain.html'}"
    data = data_of(done.folder / "explain.html")
    assert data["asked"]["text"] == "What does Ann's puppy love?"
    assert [panel["system"] for panel in data["panels"]] == ["bm25", "memorai"]
    assert all(len(panel["ranked"]) <= 2 for panel in data["panels"])
    assert [gold["id"] for gold in data["panels"][0]["gold"]] == ["a1", "a3"]


def test_the_file_and_the_values_can_be_chosen(command, chats, tmp_path):
    out = tmp_path / "there" / "page.html"
    arguments = (f"dataset.path={chats}", "question=c1:q0", "show=memorai", "nodes=3", f"out={out}")
    done = command(main, *QUICK, *arguments, "systems.memorai.retriever.damping=0.3")
    assert done.code == 0
    (panel,) = data_of(out)["panels"]
    assert panel["walk"]["damping"] == 0.3 and len(panel["shown"]) == 3
    assert sum(panel["leftOut"].values()) == len(panel["nodes"]) - 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["question=c1:q7"], "question=c1:q7: jsonl has no such id; close are c1:q"),
        ([], "question: give an id of jsonl, such as c1:q0"),
        (["question=c1:q0", "show=[nobody]"], "show=[nobody]: nobody is not among the systems; there are random, bm25"),
        (["question=c1:q0", "show=[]"], "show=[]: no system is named; there are random"),
        (["question=c1:q0", "show=3"], "show=3: give names of systems"),
        (["question=c1:q0", "k=0"], "explain: k=0 is not a whole number of at least 1"),
        (["question=c1:q0", "nodes=many"], "explain: nodes='many' is not a whole number of at least 1"),
        (["question=c1:q0", "~systems"], "systems"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(command, chats, arguments, message):
    done = command(main, *QUICK, f"dataset.path={chats}", *arguments)
    assert done.code == 2
    last = done.err.strip().splitlines()[-1]
    assert last.startswith("error: ") and message in last


def test_the_example_of_the_docs_runs(tmp_path, monkeypatch, capsys):
    (code,) = re.findall(r"```python\n(.*?)```", DOCS, flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "block.py").write_text(code, encoding="utf-8")
    runpy.run_path(str(tmp_path / "block.py"))
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert "My cat is called Biscuit." in (tmp_path / "why.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", re.findall(r"^python -m memorai\.explain ([^#\n]*)", DOCS, flags=re.MULTILINE))
def test_the_commands_of_the_docs_compose(line):
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        config = compose("explain", shlex.split(line))
    assert config.question and set([config.show] if isinstance(config.show, str) else config.show) <= set(
        config.systems
    )
