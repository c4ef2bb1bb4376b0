"""What the benchmark of extraction reads: pages, schemas, and what a careful person would answer."""
