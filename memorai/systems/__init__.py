"""Whole memory systems, as compositions of the parts above."""
