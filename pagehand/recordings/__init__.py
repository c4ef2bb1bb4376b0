"""Recordings of executions: what sites answered, so that a workflow can run again without them."""
