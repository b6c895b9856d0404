"""One HTML file for one run or many: tables that sort, plots, failures, and what differed between the runs."""
