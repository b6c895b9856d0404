"""Parts of scripts/bench_pagerank.py."""
