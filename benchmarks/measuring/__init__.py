"""What the benchmarks share: a site, the service, bare Playwright, the cost of processes, the report."""
