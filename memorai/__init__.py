"""memorai: memory for conversational agents, by Dynamic Weighted PageRank over a heterogeneous graph."""

__version__ = "0.1.0"
