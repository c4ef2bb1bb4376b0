"""The engine in one process: a queue over the executions table."""
