"""The write path: segment, extract, describe, summarise."""
