"""A store gets another embedder's vectors: every turn is embedded anew, then all are changed in one transaction."""

from __future__ import annotations

import sqlalchemy as sa

from memorai.graph.store import schema as t
from memorai.graph.store.database import Database
from memorai.graph.store.reads import every_turn
from memorai.graph.store.users import Ledger
from memorai.graph.store.vectors import VECTOR
from memorai.recall.prepare import Preparer
from memorai.recall.writer import claim_embedder

_AT_ONCE = 256


def reembed_store(database: Database, preparer: Preparer) -> int:
    """Give the vectors of all users to another embedder; return how many turns were embedded, 0 if it is the same."""
    embedder = preparer.embedder
    with database.write() as connection:
        stored = connection.execute(sa.select(t.meta.c.value).where(t.meta.c.key == "embedder")).scalar()
        if stored is None or stored == embedder.model_id:
            return 0
        connection.execute(t.meta.delete().where(t.meta.c.key.in_(("embedder", "dim"))))
        count = 0
        for user in connection.execute(sa.select(t.users.c.id).order_by(t.users.c.id)).scalars().all():
            turns = list(every_turn(connection, user))
            count += len(turns)
            for start in range(0, len(turns), _AT_ONCE):
                part = turns[start : start + _AT_ONCE]
                for turn, (vector, terms, body) in zip(part, preparer.derive_stored(part), strict=True):
                    where = sa.and_(t.vectors.c.user == user, t.vectors.c.turn == turn.n)
                    values = {"vector": vector, "terms": terms, "body": body}
                    connection.execute(t.vectors.update().where(where).values(**values))
                    if vector:
                        claim_embedder(connection, database.name, embedder.model_id, len(vector) // VECTOR.itemsize)
            ledger = Ledger(connection, user)
            ledger.start_over()
            ledger.close()
    return count
