import io
import shutil
import subprocess
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from memorai.report.render import Cell, Header, Line, Table, escape_latex, to_latex, to_markdown, to_rich

TABLE = Table(
    title="demo: systems",
    labels=("system", "n"),
    headers=(Header("turn nDCG@10", "macro"), Header("turn nDCG@10", "weighted"), Header("turn R@1")),
    lines=(
        Line(("a_b|c", "20"), (Cell(47.52, 44.1, 50.24, True), Cell(54.2), None)),
        Line(("plain", "20"), (Cell(1.0), None, Cell(0.0))),
    ),
    notes=("A note.",),
)


def test_markdown_by_hand():
    assert to_markdown(TABLE) == (
        "### demo: systems\n\n"
        "| system | n | turn nDCG@10 macro | turn nDCG@10 weighted | turn R@1 |\n"
        "| --- | --- | ---: | ---: | ---: |\n"
        "| a_b\\|c | 20 | **47.5** [44.1, 50.2] | 54.2 | – |\n"
        "| plain | 20 | 1.0 | – | 0.0 |\n"
        "\nA note.\n"
    )
    assert "[44.1" not in to_markdown(TABLE, intervals=False)


def test_digits_and_spread():
    table = replace(TABLE, lines=(Line(("x", "3"), (Cell(5882, digits=0), Cell(2.5, 1, 4, spread=0.25), None)),))
    assert "| x | 3 | 5882 | 2.5 ± 0.2 [1.0, 4.0] | – |" in to_markdown(table)


def test_latex_by_hand():
    lines = to_latex(TABLE).splitlines()
    assert lines[:3] == [r"% Needs \usepackage{booktabs}.", "% demo: systems", "% A note."]
    assert lines[3:] == [
        r"\begin{tabular}{llrrr}",
        r"\toprule",
        r" &  & \multicolumn{2}{c}{turn nDCG@10} & \multicolumn{1}{c}{turn R@1} \\",
        r"\cmidrule(lr){3-4} \cmidrule(lr){5-5}",
        r"system & n & macro & weighted &  \\",
        r"\midrule",
        r"a\_b|c & 20 & \textbf{47.5} {\scriptsize [44.1, 50.2]} & 54.2 & -- \\",
        r"plain & 20 & 1.0 & -- & 0.0 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_latex_with_one_line_of_headings():
    table = Table("t", ("system",), (Header("turn R@1"),), (Line(("a",), (Cell(1.0),)),))
    assert r"system & turn R@1 \\" in to_latex(table) and "multicolumn" not in to_latex(table)


def test_latex_escape():
    assert escape_latex(r"50% & $x_1^2$ #{a}~b\c") == (
        r"50\% \& \$x\_1\textasciicircum{}2\$ \#\{a\}\textasciitilde{}b\textbackslash{}c"
    )
    assert escape_latex("苹果 é") == "苹果 é"


@given(st.text(st.sampled_from("\\&%$#_{}~^ab"), max_size=12))
def test_no_markup_survives_the_escape(text):
    escaped = escape_latex(text)
    for markup in (r"\textbackslash{}", r"\textasciitilde{}", r"\textasciicircum{}", *(rf"\{c}" for c in "&%$#_{}")):
        escaped = escaped.replace(markup, "")
    assert not set(escaped) & set("\\&%$#_{}~^")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs LaTeX")
def test_latex_compiles(tmp_path):
    document = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{to_latex(TABLE)}\end{{document}}"
    (tmp_path / "t.tex").write_text(document, encoding="utf-8")
    subprocess.run(["pdflatex", "-interaction=batchmode", "-halt-on-error", "t.tex"], cwd=tmp_path, check=True)


def test_terminal_stacks_the_columns_of_a_group_and_folded_labels():
    def shown(table, intervals=True):
        console = Console(width=120, file=io.StringIO())
        console.print(to_rich(table, intervals))
        return [" ".join(line.split()) for line in console.file.getvalue().splitlines()]

    lines = shown(TABLE)
    assert "a_b|c 20 47.5 44–50 –" in lines
    assert lines[lines.index("a_b|c 20 47.5 44–50 –") + 1] == "54.2"
    assert "a_b|c 20 47.5 –" in shown(TABLE, intervals=False)
    folded = shown(replace(TABLE, folded=("n",)))
    assert folded[folded.index("a_b|c 47.5 44–50 –") + 1] == "20 54.2"


def test_a_terminal_shows_what_looks_like_markup():
    table = Table("[/x] [bold]", ("[/l]",), (Header("[/g] @1", "[/h]"),), (Line(("[/s]",), (Cell(1.0),)),), ("[/n]",))
    console = Console(width=120, file=io.StringIO())
    console.print(to_rich(table))
    shown = console.file.getvalue()
    assert all(text in shown for text in ("[/x] [bold]", "[/l]", "[/g]", "[/h]", "[/s]", "[/n]"))


def test_a_line_break_in_a_name_breaks_no_markdown():
    table = replace(TABLE, title="a\nb", notes=("c\n\n# d",))
    lines = to_markdown(table).splitlines()
    assert lines[0] == "### a b" and lines[-1] == "c # d"
