from __future__ import annotations

import pytest

from memorai.errors import InputError
from memorai.harness.grid import Cell, cells_of

KNOWN = {
    "systems": ["plus", "paper"],
    "segmenters": ["session", "window"],
    "gates": ["keep_all", "learned"],
    "extractors": ["stems"],
}
BLOCK = {"system": "plus", "segmenters": ["session"], "gates": ["keep_all", "learned@0.3"], "extractors": ["stems"]}


def test_a_block_is_a_product_and_a_cell_stands_once():
    wider = BLOCK | {"segmenters": ["session", "window"]}
    assert cells_of([BLOCK, wider], KNOWN) == [
        Cell("plus", "session", "keep_all", "stems"),
        Cell("plus", "session", "learned", "stems", 0.3),
        Cell("plus", "window", "keep_all", "stems"),
        Cell("plus", "window", "learned", "stems", 0.3),
    ]


def test_a_cell_is_called_as_it_is_written():
    assert (
        Cell("plus", "window", "learned", "stems", 0.3).variant == "segmenter=window,gate=learned@0.3,extractor=stems"
    )
    assert Cell("plus", "window", "learned", "stems", 0.0).gate_label == "learned@0"


@pytest.mark.parametrize(
    ("grid", "says"),
    [
        ([], "not a list of blocks"),
        ("plus", "not a list of blocks"),
        ([{"system": "plus"}], r"write_path.grid\[0\].*exactly the keys"),
        ([BLOCK, "plus"], r"write_path.grid\[1\]"),
        ([BLOCK | {"system": "other"}], "'other' is not one of plus, paper"),
        ([BLOCK | {"segmenters": []}], "segmenters=.*at least one name"),
        ([BLOCK | {"extractors": None}], "extractors=None"),
        ([BLOCK | {"extractors": ["spacy"]}], "'spacy' is not one of stems"),
        ([BLOCK | {"gates": ["lerned@0.3"]}], "'lerned'"),
        ([BLOCK | {"gates": ["learned@1"]}], r"learned@1: .*\[0, 1\)"),
        ([BLOCK | {"gates": ["learned@-0.1"]}], "learned@-0.1"),
        ([BLOCK | {"gates": ["learned@nan"]}], "learned@nan"),
        ([BLOCK | {"gates": ["learned@"]}], "learned@: "),
    ],
)
def test_a_wrong_grid_is_refused_in_one_line(grid, says):
    with pytest.raises(InputError, match=says):
        cells_of(grid, KNOWN)
