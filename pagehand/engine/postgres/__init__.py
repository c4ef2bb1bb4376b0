"""The engine of several processes: workers take executions from their table on PostgreSQL."""
