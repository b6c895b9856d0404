"""What is chosen or trained on data."""
