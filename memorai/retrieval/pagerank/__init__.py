"""Dynamic Weighted PageRank: one graph, other edge weights for every query, all queries of a batch at once."""

from memorai.retrieval.pagerank.blocks import Block, WeightedBlock
from memorai.retrieval.pagerank.dense import pagerank_dense
from memorai.retrieval.pagerank.power import PageRank, pagerank

__all__ = ["Block", "PageRank", "WeightedBlock", "pagerank", "pagerank_dense"]
