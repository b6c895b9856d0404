from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest

from memorai.answer.context import RankedContext
from memorai.answer.types import Context
from memorai.types import Turn

TIME = datetime(2023, 5, 8, 13, 56)


@pytest.fixture
def context() -> Callable[..., Context]:
    """A context of turns given as "Speaker: text"; ranked in the order of ``best`` (places), else as they stand."""

    def build(*lines: str, best: tuple[int, ...] = (), times: tuple[datetime | None, ...] = ()) -> Context:
        turns = []
        for place, line in enumerate(lines):
            speaker, _, text = line.partition(": ")
            time = times[place] if times else TIME
            role = speaker if speaker in ("user", "assistant") else None
            turns.append(Turn(f"t{place}", "s1", speaker, text, time, role=role))
        order = best or tuple(range(len(turns)))
        return RankedContext(max(1, len(turns)), relations=False).build(turns, [f"t{place}" for place in order])

    return build
