import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from memorai.report.plots import parse_variant, plot_if_swept, sweep_plot, varying_parameters
from memorai.report.results import Row

ROW = Row("locomo", "zero_shot", "memorai", "", None, "macro", "ndcg", "turn", 10, 0.5, 0.4, 0.6, 20)


def _sweep(parameter, values, **changes):
    return [
        replace(ROW, variant=f"{parameter}={value}", category=category, metric=metric, value=0.5 + 0.01 * i, **changes)
        for i, value in enumerate(values)
        for category in ("macro", "weighted")
        for metric in ("ndcg", "recall")
    ]


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ("", {}),
        ("damping=0.3", {"damping": "0.3"}),
        ("restart=dense, damping=0.5", {"restart": "dense", "damping": "0.5"}),
        ("ks=[1,3],f={a:1,b:2},x=1", {"ks": "[1,3]", "f": "{a:1,b:2}", "x": "1"}),
        ("note='a,b',x=1", {"note": "'a,b'", "x": "1"}),
        ("expr=a=b", {"expr": "a=b"}),
        ("no_graph", {"no_graph": ""}),
        ("x=),y=1", {"x": ")", "y": "1"}),
    ],
)
def test_variants_are_parsed(variant, expected):
    assert parse_variant(variant) == expected


def test_varying_parameters():
    assert varying_parameters([ROW]) == []
    assert varying_parameters(_sweep("damping", ["0.3"])) == []
    rows = [replace(ROW, variant=v) for v in ("b=1,a=1,c=0", "b=2,a=1,c=1", "")]
    assert varying_parameters(rows) == ["b", "c"]


def _svg_texts(path):
    """Matplotlib draws text as outlines and leaves each string as a comment beside them."""
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    root = ElementTree.parse(path, parser).getroot()
    return [node.text.strip() for node in root.iter() if node.tag is ElementTree.Comment]


def test_files_are_the_same_bytes_each_time(tmp_path):
    rows = [*_sweep("damping", ["0.3", "0.50", "0.9"]), replace(ROW, system="bm25"), replace(ROW, system="x", lo=None)]
    first = [path.read_bytes() for path in sweep_plot(rows, "damping", tmp_path / "a")]
    paths = sweep_plot(list(reversed(rows)), "damping", tmp_path / "b")
    assert [path.name for path in paths] == ["sweep_damping.png", "sweep_damping.svg"]
    assert [path.read_bytes() for path in paths] == first
    assert first[0].startswith(b"\x89PNG") and b"<dc:date>" not in first[1]
    texts = _svg_texts(paths[1])
    assert {"turn nDCG@10 (macro)", "turn R@10 (weighted)", "damping", "locomo bm25 [zero_shot]"} <= set(texts)
    assert "locomo memorai [zero_shot]" in texts


def test_words_stand_side_by_side(tmp_path):
    texts = _svg_texts(sweep_plot(_sweep("system.restart", ["dense", "0.5", "bm25"]), "system.restart", tmp_path)[1])
    assert {"dense", "0.5", "bm25"} <= set(texts)


def test_a_parameter_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ValueError, match="'hops'"):
        sweep_plot(_sweep("damping", ["1", "2"]), "hops", tmp_path)


def test_a_plot_needs_exactly_one_parameter(tmp_path):
    assert plot_if_swept([ROW], tmp_path) == []
    assert plot_if_swept([replace(ROW, variant=v) for v in ("a=1,b=1", "a=2,b=2")], tmp_path) == []
    assert len(plot_if_swept(_sweep("a", ["1", "2"]), tmp_path)) == 2


def test_odd_names_make_a_file_name(tmp_path):
    assert sweep_plot(_sweep("a/b c", ["1", "2"]), "a/b c", tmp_path)[0].name == "sweep_a_b_c.png"


def test_a_sweep_without_the_plotted_metrics_gives_no_plot(tmp_path):
    assert plot_if_swept([replace(ROW, metric="judge", variant=v) for v in ("a=1", "a=2")], tmp_path) == []


def test_dollar_signs_and_braces_are_no_formula(tmp_path):
    rows = [replace(row, dataset="$d_{$") for row in _sweep("$x_{$", ["$y_{$", "b"])]
    png, svg = sweep_plot(rows, "$x_{$", tmp_path)
    assert png.stat().st_size > 1000
    assert {"$x_{$", "$y_{$", "$d_{$ memorai [zero_shot]"} <= set(_svg_texts(svg))
