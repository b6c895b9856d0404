from dataclasses import replace

import pytest

from memorai.errors import InputError
from memorai.report.results import Cost, Results, Row
from memorai.report.tracking import log_plots, log_results, log_table, summary_of, tracked
from tests.offline_run import OfflineRun

ROW = Row("demo", "untrained", "memorai", "", 0, "macro", "ndcg", "turn", 10, 0.5, None, 0.6, 20)


def test_a_mean_is_named_by_its_system_and_measure():
    rows = [ROW, replace(ROW, category="weighted", value=0.25), replace(ROW, category="easy"), replace(ROW, k=None)]
    assert summary_of(rows) == {
        "memorai/turn_ndcg@10_macro": 0.5,
        "memorai/turn_ndcg@10_weighted": 0.25,
        "memorai/turn_ndcg_macro": 0.5,
    }


def test_means_of_one_system_do_not_hide_one_another():
    rows = [
        replace(ROW, variant="a", seed=None, value=0.1),
        replace(ROW, variant="a", seed=1, value=0.2),
        replace(ROW, protocol="loco", variant="a", seed=1, value=0.3),
        replace(ROW, system="bm25", value=0.4),
    ]
    assert summary_of(rows) == {
        "memorai untrained/turn_ndcg@10_macro": 0.1,
        "memorai untrained seed 1/turn_ndcg@10_macro": 0.2,
        "memorai loco seed 1/turn_ndcg@10_macro": 0.3,
        "bm25/turn_ndcg@10_macro": 0.4,
    }


def test_jobs_of_a_sweep_share_their_names():
    assert summary_of([replace(ROW, variant="damping=0.3")]) == summary_of([replace(ROW, variant="damping=0.7")])


def test_nothing_is_logged_without_a_run(tmp_path):
    with tracked("disabled", "memorai", {}, tmp_path) as run:
        log_results(run, Results(rows=[ROW]))
        log_table(run, "a", ["b"], [[1]])
    assert run is None and list(tmp_path.iterdir()) == []


def test_an_unknown_mode_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"tracking\.mode=often"), tracked("often", "memorai", {}, tmp_path):
        pass


def test_offline_keeps_every_record(tmp_path):
    cost = Cost("阿诚", "gate", 3, 100, 9, 1, 0.5, 1)
    with tracked("offline", "memorai", {"llm": {"api_key": "sk-1"}, "path": "/srv/me/a"}, tmp_path, "名") as run:
        log_results(run, Results(rows=[ROW], costs=[cost]))
        log_table(run, "trials", ["damping", "objective"], [[0.3, 0.1], ["own", 0.2]])
        (tmp_path / "plot.png").write_bytes(PNG)
    kept = OfflineRun(tmp_path)
    assert kept.config["llm"] == {"api_key": "***"} and kept.config["path"] == "a"
    assert kept.table("rows")["data"] == [
        ["demo", "untrained", "memorai", "", 0, "macro", "ndcg", "turn", 10, 0.5, None, 0.6, 20]
    ]
    assert kept.table("costs")["data"] == [["阿诚", "gate", 3, 100, 9, 1, 0.5, 1]]
    assert kept.table("trials")["data"] == [[0.3, 0.1], ["own", 0.2]]
    assert not any("timings" in line for line in kept.history)
    assert kept.image("plots/plot") == PNG
    assert kept.summary["memorai/turn_ndcg@10_macro"] == 0.5


def test_a_run_that_fails_is_finished_and_keeps_what_it_had(tmp_path):
    with pytest.raises(ValueError, match="no"), tracked("offline", "memorai", {"a": 1}, tmp_path) as run:
        log_table(run, "early", ["b"], [[1]])
        raise ValueError("no")
    assert OfflineRun(tmp_path).table("early")["data"] == [[1]]


def test_a_folder_without_plots_logs_none(tmp_path):
    log_plots(None, tmp_path)


# the smallest picture: one pixel
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63fccfc0500f0004850180"
    "84a98c210000000049454e44ae426082"
)
