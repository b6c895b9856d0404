"""What mkdocs cannot do by itself: pages made from configurations, docstrings and results; links between them."""
