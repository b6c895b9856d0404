"""Parts of scripts/bench_ingest.py: what is timed, how, and how it is written down."""
