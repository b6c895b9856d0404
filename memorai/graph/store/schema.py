"""The tables. Every row belongs to one user, and every reference is to a row of the same user.

The key of a row is (user, n), with n counted per user: what one user stores cannot point at another's, because foreign
keys hold both columns. Moments are microseconds since 1970 in UTC; NULL is unknown.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.schema import SchemaItem

metadata = MetaData()
#: more than this is no number of a row
LARGEST = 2**63 - 1

#: facts about the store as a whole: schema version, embedder
meta = Table("meta", metadata, Column("key", Text, primary_key=True), Column("value", Text, nullable=False))

#: ``revision`` counts commits, ``generation`` those after which an index in memory must start over
users = Table(
    "users",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    *(
        Column(name, BigInteger, nullable=False, default=0)
        for name in (
            *("revision", "generation", "turns", "sessions", "segments", "entities", "relations", "sources"),
            *("decisions", "changes"),
        )
    ),
)


def _of_user(name: str, *items: SchemaItem, numbered: bool = True, references: dict[str, str] | None = None) -> Table:
    """A table of rows of users; ``references`` maps columns to tables of the same kind."""
    own: list[SchemaItem] = [Column("user", Integer, nullable=False)]
    if numbered:
        own += [Column("n", BigInteger, nullable=False), PrimaryKeyConstraint("user", "n")]
    keys = [ForeignKeyConstraint(["user"], ["users.id"])]
    keys += [
        ForeignKeyConstraint(["user", column], [f"{table}.user", f"{table}.n"])
        for column, table in (references or {}).items()
    ]
    return Table(name, metadata, *own, *items, *keys)


sessions = _of_user("sessions", Column("key", Text, nullable=False), UniqueConstraint("user", "key"))

segments = _of_user(
    "segments",
    Column("session", BigInteger, nullable=False),
    Column("size", Integer, nullable=False),
    Column("summary", Text, nullable=False),
    Index("segments_by_session", "user", "session", "n"),
    references={"session": "sessions"},
)

turns = _of_user(
    "turns",
    Column("id", Text, nullable=False),
    Column("session", BigInteger, nullable=False),
    Column("segment", BigInteger, nullable=False),
    Column("speaker", Text, nullable=False),
    Column("role", Text),
    Column("text", Text, nullable=False),
    Column("caption", Text),
    Column("time", BigInteger),
    Column("time_text", Text),  # as it was given, with its zone
    Column("recorded", BigInteger, nullable=False),
    Column("gate", Float),
    UniqueConstraint("user", "id"),
    Index("turns_by_session", "user", "session", "n"),
    Index("turns_by_segment", "user", "segment"),
    references={"session": "sessions", "segment": "segments"},
)

#: what a search needs of a turn: unit vector (float16, empty where the embedder does not know the language) and the
#: hashes of its index terms (uint64), of which the last ``body`` are its own words, the others its date and speaker
vectors = _of_user(
    "vectors",
    Column("turn", BigInteger, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    Column("terms", LargeBinary, nullable=False),
    Column("body", Integer, nullable=False),
    PrimaryKeyConstraint("user", "turn"),
    numbered=False,
    references={"turn": "turns"},
)

retention = _of_user(
    "retention",
    Column("turn", BigInteger, nullable=False),
    Column("accessed", BigInteger, nullable=False),
    Column("strength", Float, nullable=False),  # days
    Column("archived", BigInteger),
    PrimaryKeyConstraint("user", "turn"),
    numbered=False,
    references={"turn": "turns"},
)

entities = _of_user(
    "entities",
    Column("key", Text, nullable=False),
    Column("name", Text, nullable=False),
    UniqueConstraint("user", "key"),
)

#: how a name is written, folded -> the entity that it means
aliases = _of_user(
    "aliases",
    Column("form", Text, nullable=False),
    Column("entity", BigInteger, nullable=False),
    PrimaryKeyConstraint("user", "form"),
    Index("aliases_by_entity", "user", "entity"),
    numbered=False,
    references={"entity": "entities"},
)

mentions = _of_user(
    "mentions",
    Column("turn", BigInteger, nullable=False),
    Column("entity", BigInteger, nullable=False),
    Column("weight", Float, nullable=False),
    PrimaryKeyConstraint("user", "turn", "entity"),
    Index("mentions_by_entity", "user", "entity"),
    numbered=False,
    references={"turn": "turns", "entity": "entities"},
)

#: ``kind`` groups what excludes one another in time (lives_in, works_at); empty = any number may hold together
relations = _of_user(
    "relations",
    Column("subject", BigInteger, nullable=False),
    Column("predicate", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("object", BigInteger, nullable=False),
    Column("valid_from", BigInteger),
    Column("valid_to", BigInteger),
    Column("stated", BigInteger, nullable=False),
    Column("recorded", BigInteger, nullable=False),
    Column("closed_by", BigInteger),
    Column("conflict", Boolean, nullable=False),
    Index("relations_by_subject", "user", "subject", "kind"),
    # whether a statement is a repetition must not cost more the more is known of its subject
    Index("relations_by_ends", "user", "subject", "object", "kind"),
    Index("relations_by_object", "user", "object"),
    Index("relations_by_closer", "user", "closed_by"),
    references={"subject": "entities", "object": "entities"},
)

relation_sources = _of_user(
    "relation_sources",
    Column("relation", BigInteger, nullable=False),
    Column("turn", BigInteger, nullable=False),
    UniqueConstraint("user", "relation", "turn"),
    Index("sources_by_turn", "user", "turn"),
    references={"relation": "relations", "turn": "turns"},
)

#: every change of a relation's interval, with what it was, so that it can be taken back
decisions = _of_user(
    "decisions",
    Column("kind", Text, nullable=False),
    Column("relation", BigInteger, nullable=False),
    Column("cause", BigInteger, nullable=False),  # the relation whose statement led to it
    Column("old_from", BigInteger),
    Column("old_to", BigInteger),
    Column("old_by", BigInteger),
    Column("new_from", BigInteger),
    Column("new_to", BigInteger),
    Column("new_by", BigInteger),
    Column("recorded", BigInteger, nullable=False),
    Column("undone", BigInteger),
    Index("decisions_by_relation", "user", "relation"),
    Index("decisions_by_cause", "user", "cause"),
    references={"relation": "relations", "cause": "relations"},
)

#: what happened to rows that an index in memory has already read: kinds in `memorai.graph.store.users.Change`
changes = _of_user(
    "changes",
    Column("revision", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("ref", BigInteger, nullable=False),
    Index("changes_by_revision", "user", "revision", "n"),
    Index("changes_by_kind", "user", "kind", "revision"),
)

#: tables of users' rows, in an order in which they can be emptied
OWNED = (
    *(changes, decisions, relation_sources, relations, mentions, aliases, entities, retention, vectors),
    *(turns, segments, sessions),
)
