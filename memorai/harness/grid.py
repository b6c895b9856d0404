"""Which cells a grid of the write path has."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from memorai.errors import InputError

AXES = ("segmenters", "gates", "extractors")


@dataclass(frozen=True, slots=True)
class Cell:
    """One read path with one choice for every step of the write path, by name.

    Args:
        system: whose read path it is.
        segmenter: name of the segmenter.
        gate: name of the gate.
        extractor: name of the extractor.
        drop_share: of the turns, lowest scores first; None = the gate's own threshold decides.
    """

    system: str
    segmenter: str
    gate: str
    extractor: str
    drop_share: float | None = None

    @property
    def gate_label(self) -> str:
        """The gate as it is written in a grid: ``learned``, ``learned@0.3``."""
        return self.gate if self.drop_share is None else f"{self.gate}@{self.drop_share:g}"

    @property
    def variant(self) -> str:
        """The cell as it stands in result rows."""
        return f"segmenter={self.segmenter},gate={self.gate_label},extractor={self.extractor}"


def cells_of(grid: object, known: Mapping[str, Collection[str]]) -> list[Cell]:
    """Return the cells of all blocks in order, each once.

    Args:
        grid: a list of blocks ``{system, segmenters, gates, extractors}``; a block is the product of its three lists of
            names. A gate may be followed by ``@share``, the share of turns that it has to drop.
        known: the names that there are, by ``systems``, ``segmenters``, ``gates``, ``extractors``.

    Raises:
        InputError: the grid is not of that form, is empty, or holds a name that is not known.

    Example:
        >>> names = {"systems": ["plus"], "segmenters": ["session"], "gates": ["rules"], "extractors": ["stems"]}
        >>> block = {"system": "plus", "segmenters": "session", "gates": ["rules", "rules@0.3"], "extractors": "stems"}
        >>> [cell.variant for cell in cells_of([block], names)][1]
        'segmenter=session,gate=rules@0.3,extractor=stems'
    """
    where = "write_path.grid"
    if not isinstance(grid, Sequence) or isinstance(grid, str) or not grid:
        raise InputError(f"{where}={grid}: not a list of blocks {{system, {', '.join(AXES)}}}")
    cells: dict[Cell, None] = {}
    for number, block in enumerate(grid):
        if not isinstance(block, Mapping) or set(block) != {"system", *AXES}:
            raise InputError(f"{where}[{number}]={block}: a block has exactly the keys system, {', '.join(AXES)}")
        place = f"{where}[{number}]"
        system = _known(block["system"], known["systems"], f"{place}.system")
        segmenters, extractors = (
            [_known(name, known[axis], f"{place}.{axis}") for name in _names(block[axis], f"{place}.{axis}")]
            for axis in ("segmenters", "extractors")
        )
        gates = [_gate(name, known["gates"], f"{place}.gates") for name in _names(block["gates"], f"{place}.gates")]
        for segmenter, (gate, share), extractor in product(segmenters, gates, extractors):
            cells[Cell(system, segmenter, gate, extractor, share)] = None
    return list(cells)


def _names(value: object, where: str) -> list[Any]:
    names = [value] if isinstance(value, str) else list(value) if isinstance(value, Sequence) else []
    if not names:
        raise InputError(f"{where}={value}: give at least one name")
    return names


def _known(name: object, known: Collection[str], where: str) -> str:
    if not isinstance(name, str) or name not in known:
        raise InputError(f"{where}: {name!r} is not one of {', '.join(known)}")
    return name


def _gate(written: object, known: Collection[str], where: str) -> tuple[str, float | None]:
    name, at, share = str(written).partition("@")
    _known(name, known, where)
    if not at:
        return name, None
    try:
        dropped = float(share)
    except ValueError:
        dropped = -1.0
    if not 0 <= dropped < 1:
        raise InputError(f"{where}: {written}: the share of turns to drop must be in [0, 1), as in {name}@0.3")
    return name, dropped
