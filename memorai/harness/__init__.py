"""Runs systems over data sets: the objects of a configuration, rankings, timings."""
