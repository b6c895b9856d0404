"""The agent's memory at work: messages in, an index in memory that follows the store, ranked turns out."""
