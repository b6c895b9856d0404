"""Random sequences of add, forget, prune, archive and reopen against a plain model, with invariants after each."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memorai.errors import InputError
from tests.memories import Clock, opened, said

TOWNS = ("Rome", "Paris", "Berlin", "Madrid")
TEXTS = (
    *(f"I live in {town}." for town in TOWNS),
    *(f"I moved to {town}." for town in TOWNS[:2]),
    "I work at Ford.",
    "From 2020 to 2022 I worked at Lego.",
    "Rex loves the garden.",
    "我住在北京。",
    "我搬到了上海。",
    "Okay!",
)


class MemoryMachine(RuleBasedStateMachine):
    """The model is a dict of what was added and not forgotten, and a set of what is archived."""

    @initialize(keep=st.booleans())
    def start(self, keep: bool) -> None:
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name) / "m"
        self.clock = Clock(datetime(2024, 1, 1, tzinfo=UTC))
        self.mode = "keep" if keep else "close"
        self.said: dict[str, tuple[str, datetime]] = {}
        self.archived: set[str] = set()
        self.next = 0
        self.undone = False
        self.memory = self.open()

    def open(self):
        return opened(self.folder, clock=self.clock, on_conflict=self.mode, group_messages=3, group_ms=1e9)

    def teardown(self) -> None:
        if hasattr(self, "memory"):
            self.memory.close()
            self.temporary.cleanup()

    @rule(text=st.sampled_from(TEXTS), days=st.integers(0, 400), session=st.sampled_from("ab"), old=st.booleans())
    def add(self, text: str, days: int, session: str, old: bool) -> None:
        self.next += 1
        time = self.clock.now - timedelta(days=days)
        id_ = f"t{self.next - 1}" if old and self.next > 1 else f"t{self.next}"
        self.memory.add(said(text, time.isoformat(), id=id_, session=session))
        self.said.setdefault(id_, (text, time))

    @precondition(lambda self: self.said)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        id_ = data.draw(st.sampled_from(sorted(self.said)))
        assert self.memory.forget(turn=id_).turns == 1
        self.drop([id_])

    @rule(town=st.sampled_from([*TOWNS, "Rex"]))
    def forget_entity(self, town: str) -> None:
        gone = [id_ for id_, (text, _) in self.said.items() if town in text]
        if gone:
            assert self.memory.forget(entity=town).turns == len(gone)
            self.drop(gone)
        else:
            with pytest.raises(InputError):
                self.memory.forget(entity=town)

    @rule(days=st.integers(1, 300))
    def prune(self, days: int) -> None:
        gone = [id_ for id_, (_, time) in self.said.items() if time < self.clock.now - timedelta(days=days)]
        assert sorted(self.memory.prune(max_age=timedelta(days=days))) == sorted(gone)
        self.drop(gone)

    @rule(days=st.integers(1, 30))
    def pass_days(self, days: int) -> None:
        self.clock.pass_days(days)

    @rule()
    def archive(self) -> None:
        self.archived |= set(self.memory.archive(below=0.3))

    @rule()
    def restore(self) -> None:
        assert set(self.memory.restore()) == self.archived
        self.archived = set()

    @rule()
    def reopen(self) -> None:
        self.memory.close()
        self.memory = self.open()

    @rule()
    def forget_all(self) -> None:
        self.memory.forget(all=True)
        self.drop(list(self.said))

    @precondition(lambda self: self.said)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        open_ = [d.id for d in self.memory.decisions() if d.undone is None]
        if open_:
            self.memory.undo(open_[-1])
            self.undone = True

    def drop(self, ids: list[str]) -> None:
        for id_ in ids:
            self.said.pop(id_, None)
            self.archived.discard(id_)

    @invariant()
    def provenance_holds(self) -> None:
        if not hasattr(self, "memory"):
            return
        assert self.memory.check() == ()
        graph = self.memory.graph()
        assert {turn.id: turn.text for turn in graph.turns} == {id_: text for id_, (text, _) in self.said.items()}
        for item in (*graph.entities, *graph.relations, *graph.snippets):
            assert item.turn_ids and set(item.turn_ids) <= set(self.said)

    @invariant()
    def search_sees_what_is_there(self) -> None:
        if not hasattr(self, "memory"):
            return
        found = {result.id: result.text for result in self.memory.search("Rome Rex 北京", k=1000, touch=False)}
        assert found == {id_: text for id_, (text, _) in self.said.items() if id_ not in self.archived}

    @invariant()
    def one_home_at_a_time(self) -> None:
        if not hasattr(self, "memory") or self.mode == "keep" or self.undone:
            return
        homes = [fact for fact in self.memory.history("user") if fact.kind == "lives_in"]
        for days in (0, 100, 399):
            at = self.clock.now - timedelta(days=days)
            assert len({fact.object for fact in homes if fact.holds(at)}) <= 1


TestMemoryMachine = MemoryMachine.TestCase
TestMemoryMachine.settings = settings(
    max_examples=12, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
