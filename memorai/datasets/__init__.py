"""Loaders: LoCoMo, LongMemEval, your own JSON Lines, bundled demo conversations; all yield a `Dataset`."""
