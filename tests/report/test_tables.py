import csv
import io

import pytest
from rich.console import Console

from memorai.datasets.locomo import OFFICIAL_SHA256
from memorai.report.results import Results, Row
from memorai.report.tables import (
    Measure,
    category_pivot,
    category_table,
    default_measures,
    print_tables,
    tables,
    wide_table,
    write_tables,
)

MANIFEST = {
    "command": "python -m memorai.eval system=bm25",
    "git_sha": "abc",
    "data": {"name": "locomo_lmeb", "version": "v1", "sha256": OFFICIAL_SHA256},
    "systems": [
        {"system": "memorai", "extractor": "rules", "reranker": "none", "gate": "none", "embedder": "minilm"},
        {"system": "bm25", "embedder": None},
    ],
    "categories": [{"name": "multi_hop", "id": "1"}, {"name": "temporal", "id": "2"}],
    "notes": ["k=50 is saturated for 3 questions by session."],
}


def _rows(system, value, *, dataset="locomo_lmeb", variant="", seed=None, protocol="zero_shot", unit="turn", n=12):
    rows = []
    for measure in default_measures(unit):
        for category, shift, count in (
            ("temporal", 0.1, 5),
            ("multi_hop", 0, 7),
            ("macro", 0.05, n),
            ("weighted", 0.04, n),
        ):
            ends = (value + shift, value + shift - 0.02, value + shift + 0.03)
            rows.append(
                Row(dataset, protocol, system, variant, seed, category, measure.metric, unit, measure.k, *ends, count)
            )
    return rows


def _texts(table):
    return [line.labels for line in table.lines]


def test_default_columns_name_the_unit_and_the_cut_offs():
    assert [str(measure) for measure in default_measures()] == [
        "turn nDCG@10",
        "turn R@1",
        "turn R@3",
        "turn R@5",
        "turn R@10",
        "turn MRR@10",
    ]
    assert str(Measure("judge_mem0", "answer", None)) == "answer judge_mem0"


def test_wide_table_lines_labels_and_values():
    table = wide_table([*_rows("bm25", 0.3), *_rows("memorai", 0.4)], manifest=MANIFEST)
    assert table.title == "locomo_lmeb: systems"
    assert table.labels == ("system", "protocol", "embedder", "reranker", "gate", "extractor", "n")
    assert _texts(table) == [
        ("memorai", "zero_shot", "minilm", "none", "none", "rules", "12"),
        ("bm25", "zero_shot", "–", "–", "–", "–", "12"),
    ]
    assert [str(header) for header in table.headers[:3]] == [
        "turn nDCG@10 macro",
        "turn nDCG@10 weighted",
        "turn R@1 macro",
    ]
    cell = table.lines[1].cells[0]
    assert (cell.value, cell.lo, cell.hi) == pytest.approx((35.0, 33.0, 38.0))
    assert "k=50 is saturated for 3 questions by session." in table.notes
    assert not any("n differs" in note for note in table.notes)


def test_the_best_measured_value_is_bold_and_ties_share_it():
    rows = [*_rows("a", 0.40001), *_rows("b", 0.4), *_rows("c", 0.3), *_rows("oracle", 0.9)]
    rows += _rows("big", 0.8, protocol="published")
    table = wide_table(rows)
    best = {line.labels[0]: {cell.best for cell in line.cells} for line in table.lines}
    assert best == {"a": {True}, "b": {True}, "c": {False}, "oracle": {False}, "big": {False}}
    assert table.lines[-1].labels[:2] == ("big", "published")


def test_only_published_rows_have_no_best():
    assert not any(cell.best for cell in wide_table(_rows("big", 0.8, protocol="published")).lines[0].cells)


def test_variant_and_seed_appear_when_they_say_something():
    rows = [*_rows("a", 0.3, variant="damping=0.3", seed=1), *_rows("a", 0.4, seed=2)]
    table = wide_table(rows)
    assert table.labels == ("system", "variant", "seed", "protocol", "n")
    assert _texts(table) == [("a", "damping=0.3", "1", "zero_shot", "12"), ("a", "–", "2", "zero_shot", "12")]


def test_labels_may_differ_by_variant():
    systems = [{"system": "a", "variant": v, "embedder": v.partition("=")[2]} for v in ("embedder=x", "embedder=y")]
    rows = [*_rows("a", 0.3, variant="embedder=x"), *_rows("a", 0.4, variant="embedder=y")]
    assert [line.labels[3] for line in wide_table(rows, manifest={"systems": systems}).lines] == ["x", "y"]


def test_unequal_denominators_are_noted():
    table = wide_table([*_rows("a", 0.3), *_rows("b", 0.3, n=11)])
    assert any("n differs" in note for note in table.notes)


def test_sessions_are_shown_where_there_are_no_turns():
    assert str(wide_table(_rows("a", 0.3, unit="session")).headers[0]) == "session nDCG@10 macro"


def test_a_table_is_of_one_data_set():
    with pytest.raises(ValueError, match="one data set"):
        wide_table([*_rows("a", 0.3), *_rows("a", 0.3, dataset="other")])
    with pytest.raises(ValueError, match="one data set"):
        wide_table([])


def test_category_table_prints_id_name_and_n():
    table = category_table([*_rows("bm25", 0.3), *_rows("memorai", 0.4)], manifest=MANIFEST)
    assert table.labels == ("id", "category", "n", "system", "protocol")
    assert _texts(table) == [
        ("1", "multi_hop", "7", "memorai", "zero_shot"),
        ("1", "multi_hop", "7", "bm25", "zero_shot"),
        ("2", "temporal", "5", "memorai", "zero_shot"),
        ("2", "temporal", "5", "bm25", "zero_shot"),
    ]
    assert [line.cells[0].best for line in table.lines] == [True, False, True, False]
    assert [str(header) for header in table.headers] == [str(measure) for measure in default_measures()]


def test_published_rows_join_their_data_set_only():
    results = Results(MANIFEST, [*_rows("bm25", 0.3), *_rows("bm25", 0.3, dataset="demo")])
    titles = {table.title: [line.labels[0] for line in table.lines] for table in tables(results, ["all-MiniLM-L6-v2"])}
    assert titles["locomo_lmeb: systems"] == ["bm25", "sentence-transformers/all-MiniLM-L6-v2"]
    assert titles["demo: systems"] == ["bm25"]
    wide = tables(results, ["all-MiniLM-L6-v2"])[0]
    by_header = dict(zip(map(str, wide.headers), wide.lines[1].cells, strict=True))
    assert by_header["turn nDCG@10 macro"].value == pytest.approx(25.86)
    assert by_header["turn R@1 macro"] is None


def test_published_rows_stand_beside_the_official_file_only():
    def systems(*data):
        manifest = {"runs": [{"data": entry} for entry in data]} if len(data) > 1 else {"data": data[0]}
        table = tables(Results(manifest, _rows("bm25", 0.3)), ["all-MiniLM-L6-v2"])[0]
        return len(table.lines), any("not the official LoCoMo file" in note for note in table.notes)

    official, own = ({"name": "locomo_lmeb", "version": "v", "sha256": sha} for sha in (OFFICIAL_SHA256, "f" * 64))
    other = {"name": "demo", "version": "v", "sha256": "0"}
    assert systems(official) == systems(official, official) == systems(official, other) == (2, False)
    assert systems(own) == systems(official, own) == systems(other) == (1, True)
    assert "left out" not in " ".join(tables(Results({"data": own}, _rows("bm25", 0.3)), [])[0].notes)


def test_files(tmp_path):
    results = Results(MANIFEST, [*_rows("bm25", 0.3), *_rows("memorai", 0.4, seed=3)])
    markdown, latex, long = write_tables(tmp_path / "out", results)
    text = markdown.read_text(encoding="utf-8")
    assert "### locomo_lmeb: systems" in text and "### locomo_lmeb: categories" in text
    assert "Data: locomo_lmeb v1, sha256 79fa87e90f04. Code: abc. `python -m memorai.eval system=bm25`" in text
    assert latex.read_text(encoding="utf-8").count(r"\begin{tabular}") == 2
    with long.open(encoding="utf-8", newline="") as file:
        entries = list(csv.DictReader(file))
    assert len(entries) == len(results.rows)
    assert entries[2]["value"] == "0.35" and entries[2]["seed"] == "" and entries[-1]["seed"] == "3"


def test_terminal():
    def shown(width):
        stream = io.StringIO()
        print_tables(Results(MANIFEST, _rows("memorai", 0.3)), console=Console(file=stream, width=width))
        return stream.getvalue()

    assert "35.0 33–38" in shown(120) and "multi_hop" in shown(120)
    assert "zero_shot · minilm · rules" in shown(160)
    assert "35.0" in shown(80) and "33–38" not in shown(80)
    assert sum(line.split().count("35.0") for line in shown(80).splitlines()) == 6  # none is cropped
    assert "nDCG@10" in shown(80) and "by category" in " ".join(shown(80).split())


def test_no_rows_no_table(tmp_path):
    assert tables(Results()) == []
    assert [path.name for path in write_tables(tmp_path, Results())] == ["table.md", "table.tex", "table.csv"]


def test_pivot_has_a_column_a_category_with_its_id_and_n():
    rows = [
        Row("d", "untrained", system, "", None, category, "ndcg", "turn", 10, value, None, None, n)
        for system, values in (("bm25", (0.2, 0.6)), ("oracle", (1.0, 1.0)))
        for category, value, n in zip(("temporal", "multi_hop"), values, (7, 3), strict=True)
    ]
    table = category_pivot(rows, manifest=MANIFEST)
    assert table.labels == ("system",)
    assert [header.group for header in table.headers] == ["1 multi_hop n=3", "2 temporal n=7"]
    assert [[cell.value for cell in line.cells] for line in table.lines] == [[60, 20], [100, 100]]
    # the ceiling is never the best
    assert [[cell.best for cell in line.cells] for line in table.lines] == [[True, True], [False, False]]
