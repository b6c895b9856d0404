"""What can be searched directly: BM25 and its tokeniser, exact vector search, the text that both see of a turn."""
