"""From retrieved memory to an answer: contexts, readers, judges."""
