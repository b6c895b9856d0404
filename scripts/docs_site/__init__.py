"""What mkdocs cannot do by itself: pages made from configurations, docstrings and recorded results; links between them."""
