"""Retrieval metrics of one ranking, scores of one answer; intervals and paired tests over many."""
