"""Reports on a run: events, analysis, summary, metrics, traces, webhooks."""
