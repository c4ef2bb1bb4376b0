"""What is said about a run: events, analysis, summary, webhooks."""
