"""Whatever has weights or an endpoint, and its caches."""
