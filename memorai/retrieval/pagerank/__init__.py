"""Dynamic Weighted PageRank: one graph, other edge weights for every query, all queries of a batch at once."""

from memorai.retrieval.pagerank.blocks import Block, WeightedBlock
from memorai.retrieval.pagerank.dense import pagerank_dense
from memorai.retrieval.pagerank.engine import PageRank, pagerank
from memorai.retrieval.pagerank.walk import check_damping

__all__ = ["Block", "PageRank", "WeightedBlock", "check_damping", "pagerank", "pagerank_dense"]
