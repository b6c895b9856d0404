"""Why a query found what it found: the walk as plain data, and one HTML file that shows it."""
