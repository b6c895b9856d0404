"""Relations in time: what a new statement does to older ones of its kind, logged so that it can be taken back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from memorai.errors import InputError
from memorai.graph.store.records import Statement
from memorai.graph.store.schema import LARGEST, decisions, relation_sources, relations
from memorai.graph.store.users import Change, Ledger

OnConflict = Literal["close", "keep"]
CLOSE, START = "close", "start"

# made once: to compose a statement costs as much as to run it
_R, _S = relations.c, relation_sources.c


def _is(column: sa.Column[Any]) -> sa.ColumnElement[bool]:
    return column == sa.bindparam(column.name, type_=column.type)


_LINE = sa.select(_R.n, _R.object, _R.valid_from, _R.valid_to, _R.stated, _R.closed_by).where(
    _is(_R.user), _is(_R.subject), _is(_R.kind)
)
_SOURCE = sa.select(_S.n).where(_is(_S.user), _is(_S.relation), _is(_S.turn))
# without ORDER BY n, for which SQLite would read all of a user's relations in the key's order
_REPEATED = (
    sa.select(_R.n)
    .where(*map(_is, (_R.user, _R.subject, _R.object, _R.predicate)), _R.kind == "")
    .where(*(c.is_not_distinct_from(sa.bindparam(c.name, type_=c.type)) for c in (_R.valid_from, _R.valid_to)))
)


@dataclass(frozen=True, slots=True)
class _Row:
    """A relation of a subject and kind, as far as time is concerned."""

    n: int
    object: int
    valid_from: int | None
    valid_to: int | None
    stated: int
    closed_by: int | None

    @property
    def start(self) -> int:
        """Where it stands on the line: its beginning, or when it was said."""
        return self.stated if self.valid_from is None else self.valid_from

    @property
    def placed(self) -> bool:
        """False for what was true at some time before ("used to live in"): nobody knows what it followed."""
        return self.valid_from is not None or self.valid_to is None or self.closed_by is not None


def state_relation(
    ledger: Ledger, subject: int, object_: int, said: Statement, turn: int, stated: int, recorded: int, mode: OnConflict
) -> int:
    """Enter a statement: a further source of a relation that holds, or a relation of its own.

    A statement of a kind (``lives_in``) takes its place on the line of its subject. What was true before ends where
    it begins, and it ends where what is already known to follow begins. With ``mode="keep"`` nothing
    ends, and all that hold together are flagged. Statements without a kind end nothing.

    Args:
        ledger: of the transaction.
        subject, object_: numbers of the entities.
        said: the statement.
        turn: who says so.
        stated: when it was said, microseconds.
        recorded: when it is stored.
        mode: ``close`` or ``keep``.

    Returns:
        number of the relation.
    """
    line = _line(ledger, subject, said.kind) if said.kind else []
    known = _same(ledger, line, subject, object_, said, stated)
    if known is not None:
        _add_source(ledger, known, turn)
        return known
    start = stated if said.valid_from is None else said.valid_from
    end = said.valid_to
    if end is None and said.past:
        end = stated if said.valid_from is None or said.valid_from < stated else None
    n = ledger.next("relations")
    row = {
        "user": ledger.user,
        "n": n,
        "subject": subject,
        "predicate": said.predicate,
        "kind": said.kind,
        "object": object_,
        "valid_from": said.valid_from,
        "valid_to": end,
        "stated": stated,
        "recorded": recorded,
        "closed_by": None,
        "conflict": False,
    }
    ledger.connection.execute(relations.insert(), row)
    _insert_source(ledger, n, turn)
    new = _Row(n, object_, said.valid_from, end, stated, None)
    if said.kind and new.placed:
        if mode == "close":
            _place(ledger, new, start, line, recorded)
        else:
            _flag(ledger, new, start, line)
    return n


def undo(ledger: Ledger, decision: int, recorded: int) -> None:
    """Take a decision back: its relation gets the interval that it had.

    Raises:
        InputError: no such decision, or it is undone already, or a later one has changed the same relation.
    """
    row = _decision(ledger, decision) if 0 < decision <= LARGEST else None
    if row is None or row["undone"] is not None:
        raise InputError(f"decision {decision}: there is none, or it is undone; `decisions()` lists them")
    later = sa.select(decisions.c.n).where(
        decisions.c.user == ledger.user,
        decisions.c.relation == row["relation"],
        decisions.c.n > decision,
        decisions.c.undone.is_(None),
    )
    last = ledger.connection.execute(later.order_by(decisions.c.n)).scalar()
    if last is not None:
        raise InputError(f"decision {decision}: decision {last} has changed the same relation since; undo that first")
    _restore(ledger, row, recorded)


def forget_relations(ledger: Ledger, gone: list[int], recorded: int) -> None:
    """Delete relations that have no source left; what they ended goes on, until what is known to follow it."""
    reopened: list[int] = []
    for relation in gone:
        mine = sa.select(decisions).where(
            decisions.c.user == ledger.user, decisions.c.cause == relation, decisions.c.undone.is_(None)
        )
        for row in ledger.connection.execute(mine.order_by(decisions.c.n.desc())).mappings().all():
            if row["relation"] not in gone:
                _restore(ledger, row, recorded)
                reopened.append(row["relation"])
    about = sa.or_(decisions.c.relation.in_(gone), decisions.c.cause.in_(gone))
    ledger.connection.execute(decisions.delete().where(decisions.c.user == ledger.user, about))
    own = relations.c.user == ledger.user
    ledger.connection.execute(relations.update().where(own, relations.c.closed_by.in_(gone)).values(closed_by=None))
    ledger.connection.execute(relations.delete().where(own, relations.c.n.in_(gone)))
    ledger.note(Change.RELATION, gone)
    for n in dict.fromkeys(reopened):
        _end_again(ledger, n, recorded)


def _end_again(ledger: Ledger, n: int, recorded: int) -> None:
    """Let the next of its line end a relation that the loss of another has reopened."""
    query = sa.select(relations.c.subject, relations.c.kind).where(relations.c.user == ledger.user, relations.c.n == n)
    line = _line(ledger, *ledger.connection.execute(query).one())
    row = next(row for row in line if row.n == n)
    others = [other for other in line if other.placed and other.object != row.object]
    later = next((other for other in others if other.start > row.start), None)
    if later is not None and (row.valid_to is None or row.valid_to > later.start):
        _decide(ledger, CLOSE, row, later.n, (row.valid_from, later.start, later.n), recorded)


def _decision(ledger: Ledger, n: int) -> Any:
    query = sa.select(decisions).where(decisions.c.user == ledger.user, decisions.c.n == n)
    return ledger.connection.execute(query).mappings().one_or_none()


def _restore(ledger: Ledger, row: Any, recorded: int) -> None:
    """Give the interval back, unless it has been changed by a decision that still stands."""
    values = {"valid_from": row["old_from"], "valid_to": row["old_to"], "closed_by": row["old_by"]}
    current = sa.and_(
        relations.c.user == ledger.user,
        relations.c.n == row["relation"],
        relations.c.valid_from.is_not_distinct_from(row["new_from"]),
        relations.c.valid_to.is_not_distinct_from(row["new_to"]),
    )
    ledger.connection.execute(relations.update().where(current).values(**values))
    ledger.connection.execute(
        decisions.update().where(decisions.c.user == ledger.user, decisions.c.n == row["n"]).values(undone=recorded)
    )
    ledger.note(Change.RELATION, [row["relation"]])


def _line(ledger: Ledger, subject: int, kind: str) -> list[_Row]:
    found = ledger.connection.execute(_LINE, {"user": ledger.user, "subject": subject, "kind": kind})
    rows = [_Row(*row) for row in found]
    return sorted(rows, key=lambda row: (row.start, row.n))


def _same(ledger: Ledger, line: list[_Row], subject: int, object_: int, said: Statement, stated: int) -> int | None:
    """The relation that the statement repeats: same ends and words, or of a kind and true when it is said again."""
    if said.kind:
        start = stated if said.valid_from is None else said.valid_from
        for row in reversed(line):
            began = row.valid_from is None or row.valid_from <= start
            lasts = row.valid_to is None or start < row.valid_to
            dated = said.valid_from is not None or said.valid_to is not None
            equal = (row.valid_from, row.valid_to) == (said.valid_from, said.valid_to)
            if row.object == object_ and (equal or (began and lasts and not said.past and not dated)):
                return row.n
        return None
    words = {"subject": subject, "object": object_, "predicate": said.predicate}
    interval = {"valid_from": said.valid_from, "valid_to": said.valid_to}
    found = ledger.connection.execute(_REPEATED, {"user": ledger.user, **words, **interval})
    return min(found.scalars(), default=None)


def _add_source(ledger: Ledger, relation: int, turn: int) -> None:
    there = ledger.connection.execute(_SOURCE, {"user": ledger.user, "relation": relation, "turn": turn})
    if there.scalar() is None:
        _insert_source(ledger, relation, turn)


def _insert_source(ledger: Ledger, relation: int, turn: int) -> None:
    row = {"user": ledger.user, "n": ledger.next("sources"), "relation": relation, "turn": turn}
    ledger.connection.execute(relation_sources.insert(), row)


def _place(ledger: Ledger, new: _Row, start: int, line: list[_Row], recorded: int) -> None:
    """Put a relation on its line: it ends what it follows, and what follows it ends it."""
    others = [row for row in line if row.object != new.object and row.placed]
    before = [row for row in others if row.start <= start]
    after = [row for row in others if row.start > start]
    open_before = [row for row in before if row.valid_to is None or row.valid_to > start]
    for row in open_before:
        _decide(ledger, CLOSE, row, new.n, (row.valid_from, start, new.n), recorded)
    begin = new.valid_from
    if begin is None and before:
        # not before the other ended; where that is still open, not before it was said
        begin = start if open_before else max(row.valid_to or row.start for row in before)
    end, by = new.valid_to, None
    if after and (end is None or end > after[0].start):
        end, by = after[0].start, after[0].n
    if after and after[0].valid_from is None:
        successor = after[0]
        first = end if end is not None else successor.start
        _decide(ledger, START, successor, new.n, (first, successor.valid_to, successor.closed_by), recorded)
    if (begin, end) != (new.valid_from, new.valid_to):
        _decide(ledger, CLOSE if by is not None else START, new, by or new.n, (begin, end, by), recorded)


def _decide(
    ledger: Ledger, kind: str, row: _Row, cause: int, after: tuple[int | None, int | None, int | None], recorded: int
) -> None:
    valid_from, valid_to, closed_by = after
    changed = {"valid_from": valid_from, "valid_to": valid_to, "closed_by": closed_by}
    where = sa.and_(relations.c.user == ledger.user, relations.c.n == row.n)
    ledger.connection.execute(relations.update().where(where).values(**changed))
    ledger.connection.execute(
        decisions.insert().values(
            user=ledger.user,
            n=ledger.next("decisions"),
            kind=kind,
            relation=row.n,
            cause=cause,
            old_from=row.valid_from,
            old_to=row.valid_to,
            old_by=row.closed_by,
            new_from=valid_from,
            new_to=valid_to,
            new_by=closed_by,
            recorded=recorded,
        )
    )
    ledger.note(Change.RELATION, [row.n])


def _flag(ledger: Ledger, new: _Row, start: int, line: list[_Row]) -> None:
    """Mark the relation and those of other objects that hold at the same time."""
    end = new.valid_to
    rivals = [
        row.n
        for row in line
        if row.object != new.object
        and (row.valid_to is None or row.valid_to > start)
        and (end is None or row.start < end)
    ]
    if rivals:
        where = sa.and_(relations.c.user == ledger.user, relations.c.n.in_([*rivals, new.n]))
        ledger.connection.execute(relations.update().where(where).values(conflict=True))
