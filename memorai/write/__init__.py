"""See docs/design.md for what belongs here."""
