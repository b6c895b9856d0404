"""What scripts/bench_store.py, kill_store.py and stress_store.py share."""
