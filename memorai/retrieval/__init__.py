"""The read path: views, scores, subgraphs, restarts, edge weights, PageRank, ranking."""
