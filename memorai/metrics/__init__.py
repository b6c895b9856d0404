"""Retrieval metrics of one ranking; intervals and paired tests over many."""
