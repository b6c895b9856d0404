"""The durable store: users, turns, entities and relations in SQLite or PostgreSQL, the one source of truth."""
