"""From what systems did to results.json, tables and plots."""
