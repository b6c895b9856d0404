"""Runs systems over data sets: rankings, scores a question, timings. See docs/design.md for what belongs here."""
